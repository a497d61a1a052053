//! A child process that is spoken to line by line. It has a process group of its own, which is killed when the value is
//! dropped, so that neither it nor its children stay behind; and on Linux the kernel kills it if we are killed
//! ourselves.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use perfectplay_core::StopHandle;

use crate::player::Fault;

/// Lines kept for us; an engine that writes more waits, and cannot fill our memory.
const LINES: usize = 256;

/// Longer lines are cut.
const LONGEST_LINE: usize = 1 << 16;

/// How often the stop handle is looked at while waiting.
const LOOK_EVERY: Duration = Duration::from_millis(20);

pub(crate) struct Process {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    stop: StopHandle,
}

impl Process {
    pub(crate) fn start(command: &[String], stop: &StopHandle) -> Result<Self, String> {
        let mut spawn = Command::new(program(&command[0]));
        spawn.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        in_own_group(&mut spawn);
        let mut child = spawn.spawn().map_err(|error| format!("cannot start {}: {error}", command[0]))?;
        let stdin = child.stdin.take().expect("it was piped");
        let stdout = child.stdout.take().expect("it was piped");
        let (sender, lines) = sync_channel(LINES);
        std::thread::spawn(move || forward(stdout, &sender));
        Ok(Process { child, stdin, lines, stop: stop.clone() })
    }

    /// Writes a line.
    pub(crate) fn send(&mut self, line: &str) -> Result<(), Fault> {
        let sent = self.stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.stdin.flush());
        sent.map_err(|_| self.gone())
    }

    /// The next line, if there is one before the deadline.
    pub(crate) fn line(&mut self, deadline: Instant) -> Result<String, Fault> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(LOOK_EVERY)) {
                _ if self.stop.is_pulled() => return Err(Fault::Stopped),
                Ok(line) if !left.is_zero() => return Ok(line),
                Ok(_) => return Err(Fault::Lost("it wrote on and on without answering in time".into())),
                Err(RecvTimeoutError::Disconnected) => return Err(self.gone()),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(Fault::Lost("it did not answer in time".into()));
                }
                // A child of its own may keep its output open after its end.
                Err(RecvTimeoutError::Timeout) if matches!(self.child.try_wait(), Ok(Some(_))) => {
                    return Err(self.gone());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// What happened to a process that no longer speaks.
    fn gone(&mut self) -> Fault {
        // It has closed its output; its end may take a moment longer.
        for _ in 0..50 {
            match self.child.try_wait() {
                Ok(Some(status)) => return Fault::Lost(format!("it ended ({status})")),
                Ok(None) => std::thread::sleep(Duration::from_millis(2)),
                Err(_) => break,
            }
        }
        Fault::Lost("it closed its output".into())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        kill_group(&self.child);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Debian keeps engines in a folder that is not always searched.
fn program(name: &str) -> PathBuf {
    let found = |folder: PathBuf| folder.join(name).is_file();
    let searched = std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(found));
    let in_games = Path::new("/usr/games").join(name);
    if !name.contains('/') && !searched && in_games.is_file() { in_games } else { name.into() }
}

/// Passes lines on until the process or the listener is gone.
fn forward(mut stdout: ChildStdout, sender: &SyncSender<String>) {
    let (mut buffer, mut line) = ([0; 4096], Vec::new());
    while let Ok(read @ 1..) = stdout.read(&mut buffer) {
        for &byte in &buffer[..read] {
            if byte == b'\n' {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                line.clear();
                if sender.send(text).is_err() {
                    return;
                }
            } else if line.len() < LONGEST_LINE {
                line.push(byte);
            }
        }
    }
}

#[cfg(unix)]
fn in_own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
    #[cfg(target_os = "linux")]
    {
        // SAFETY: between fork and exec only one system call is made, prctl, which allocates nothing and takes no lock.
        #[allow(unsafe_code)]
        unsafe {
            command.pre_exec(|| {
                use rustix::process::{Signal, set_parent_process_death_signal};
                Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
            });
        }
    }
}

#[cfg(unix)]
fn kill_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // Its group has the number of the child, which is ours until we have waited for it.
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn in_own_group(_: &mut Command) {}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}
