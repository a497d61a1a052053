//! `serve`: the page in a browser.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use perfectplay_core::StopHandle;
use perfectplay_server::{Limits, Options, serve};

use crate::args::{ServeArgs, stop_on_ctrl_c, stop_on_termination};
use crate::output::{Outcome, emit};

/// Shorter ones can be guessed.
const SHORTEST_TOKEN: usize = 8;

pub(crate) fn run(args: &ServeArgs) -> Result<Outcome> {
    match &args.token {
        None if !args.listen.ip().is_loopback() => {
            bail!("--listen {} lets other machines in: that needs --token", args.listen)
        }
        Some(token)
            if token.len() < SHORTEST_TOKEN || !token.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') =>
        {
            bail!("--token must be at least {SHORTEST_TOKEN} letters, digits and hyphens")
        }
        _ => {}
    }
    let usual = Limits::default();
    let limits = Limits {
        sessions: args.sessions as usize,
        jobs: args.searches as usize,
        searches_at_once: args.threads.map_or(usual.searches_at_once, usize::from),
        memory: args.memory,
        search_memory: args.search_memory.min(args.memory),
        time: args.time,
        ..usual
    };
    let stop = StopHandle::new();
    stop_on_ctrl_c(&stop);
    stop_on_termination(&stop);
    let options = Options { listen: args.listen, token: args.token.clone(), limits };
    let ready = |address: std::net::SocketAddr| {
        let query = args.token.as_ref().map_or(String::new(), |token| format!("?token={token}"));
        let address = format!("http://{address}/{query}");
        // A closed pipe is no reason not to serve.
        let _ = emit(&format!("The page is at {address} (Ctrl-C ends it)\n"));
        if args.open && !open_browser(&address) {
            eprintln!("perfectplay: no browser could be opened: open the address yourself");
        }
    };
    serve(options, &stop, ready).with_context(|| format!("cannot listen at {}", args.listen))?;
    Ok(Outcome::Done)
}

/// By whatever opens addresses here.
fn open_browser(address: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("rundll32", &["url.dll,FileProtocolHandler"]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
