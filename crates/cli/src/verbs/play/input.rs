//! What comes from outside while a match is played: lines, the end of input, Ctrl-C.
//!
//! Whoever waits for a line cannot hear Ctrl-C. So lines are read on a thread of their own, and both arrive at one
//! place.

use std::io::{self, BufRead};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use perfectplay_core::StopHandle;

/// Something that a person did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A line was typed.
    Line(String),
    /// There will be no more lines.
    End,
    /// Ctrl-C.
    Interrupt,
    /// The program is asked to end.
    Terminate,
}

/// So many Ctrl-C that nobody answers end the program.
const PATIENCE: u32 = 3;

/// What the signal handlers see.
#[derive(Default)]
struct Signals {
    interrupts: AtomicU32,
    terminated: AtomicBool,
    /// Of the search that is at work.
    stop: Mutex<StopHandle>,
}

/// What arrives from the thread that reads and from the signal handlers.
enum Message {
    Line(String),
    End,
    /// A signal came: look.
    Wake,
}

pub(crate) struct Input {
    messages: Receiver<Message>,
    signals: Arc<Signals>,
    ended: bool,
}

impl Input {
    /// Takes over standard input, Ctrl-C and requests to end.
    pub(crate) fn open() -> Self {
        let (sender, messages) = channel();
        let signals = Arc::new(Signals::default());
        on_ctrl_c(signals.clone(), sender.clone());
        on_termination(signals.clone(), sender.clone());
        std::thread::spawn(move || read_lines(&sender));
        Input { messages, signals, ended: false }
    }

    /// Waits for the next thing that happens. Signals come before lines that were typed earlier.
    pub(crate) fn next(&mut self) -> Event {
        loop {
            if let Some(event) = self.signal() {
                return event;
            }
            if self.ended {
                return Event::End;
            }
            match self.messages.recv() {
                Ok(Message::Line(line)) => return Event::Line(line),
                Ok(Message::Wake) => {}
                Ok(Message::End) | Err(_) => self.ended = true,
            }
        }
    }

    /// A signal that nobody has answered yet.
    pub(crate) fn signal(&mut self) -> Option<Event> {
        if self.signals.terminated.load(Ordering::Relaxed) {
            return Some(Event::Terminate);
        }
        (self.signals.interrupts.swap(0, Ordering::Relaxed) > 0).then_some(Event::Interrupt)
    }

    /// A handle for the next search: pulled by the next signal, or already by one that nobody has answered.
    pub(crate) fn stop_handle(&self) -> StopHandle {
        let stop = StopHandle::new();
        *self.signals.stop.lock().expect("no holder panics") = stop.clone();
        if self.signals.interrupts.load(Ordering::Relaxed) > 0 || self.signals.terminated.load(Ordering::Relaxed) {
            stop.pull();
        }
        stop
    }
}

/// Until the end of input. What is no text ends it, too.
fn read_lines(sender: &Sender<Message>) {
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        if sender.send(Message::Line(line)).is_err() {
            return;
        }
    }
    let _ = sender.send(Message::End);
}

fn on_ctrl_c(signals: Arc<Signals>, sender: Sender<Message>) {
    // An error means that there are no signals: nothing is lost.
    let _ = ctrlc::set_handler(move || {
        if signals.interrupts.fetch_add(1, Ordering::Relaxed) + 1 >= PATIENCE {
            std::process::exit(130);
        }
        signals.stop.lock().expect("no holder panics").pull();
        let _ = sender.send(Message::Wake);
    });
}

#[cfg(unix)]
fn on_termination(signals: Arc<Signals>, sender: Sender<Message>) {
    let Ok(mut asked) = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM]) else { return };
    std::thread::spawn(move || {
        asked.forever().for_each(|_| {
            signals.terminated.store(true, Ordering::Relaxed);
            signals.stop.lock().expect("no holder panics").pull();
            let _ = sender.send(Message::Wake);
        });
    });
}

#[cfg(not(unix))]
fn on_termination(_: Arc<Signals>, _: Sender<Message>) {}
