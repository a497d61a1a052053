//! The page: everything that `perfectplay` can do, in a browser, from the same binary.
//!
//! A page opens one stream of events (`session`) and asks for everything else with plain requests (`api`). What takes
//! long is a job (`job`) of the page's session: it runs in slices, so that all jobs come on, and ends with its
//! session. Numbers are those of `--json`; forms are made from the tables of games, algorithms and options. See
//! `docs/page.md`.
#![forbid(unsafe_code)]

mod api;
mod assets;
mod games;
mod guard;
mod job;
mod limits;
mod session;
mod slots;
mod tournament;
mod training;
mod wire;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use perfectplay_core::StopHandle;
use tokio::net::TcpListener;
use tokio::runtime;

pub use limits::Limits;

/// Where to listen, who may come in, and what they may use.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address.
    pub listen: SocketAddr,
    /// What a visitor must know; everybody on this machine may come in if there is none.
    pub token: Option<String>,
    /// What visitors may use.
    pub limits: Limits,
}

/// What all requests share.
pub(crate) struct Server {
    pub(crate) options: Options,
    pub(crate) address: SocketAddr,
    pub(crate) sessions: session::Sessions,
    pub(crate) games: games::Games,
    pub(crate) slots: Arc<slots::Slots>,
    /// For what works in longer turns, so that searches need not wait for it.
    pub(crate) long_turns: Arc<slots::Slots>,
}

/// How often it is looked whether somebody wants to end the program.
const LOOK_FOR_STOP: Duration = Duration::from_millis(50);

/// Serves the page until `stop` is pulled. `ready` hears the address at which it can be reached.
pub fn serve(options: Options, stop: &StopHandle, ready: impl FnOnce(SocketAddr)) -> io::Result<()> {
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(8)
        .thread_name("page")
        .enable_io()
        .enable_time()
        .build()?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(options.listen).await?;
        let address = listener.local_addr()?;
        let server = Arc::new(Server {
            sessions: session::Sessions::new(&options.limits),
            games: games::Games::default(),
            slots: Arc::new(slots::Slots::new(options.limits.searches_at_once)),
            long_turns: Arc::new(slots::Slots::new(1)),
            options,
            address,
        });
        ready(address);
        let accepting = tokio::spawn(wire::accept(listener, router(&server), server.options.limits.connections));
        let cleaning = tokio::spawn(session::forget_the_gone(server.clone()));
        while !stop.is_pulled() {
            tokio::time::sleep(LOOK_FOR_STOP).await;
        }
        accepting.abort();
        cleaning.abort();
        server.sessions.end_all();
        Ok(())
    });
    // Streams would never end by themselves.
    runtime.shutdown_timeout(Duration::from_millis(500));
    served
}

fn router(server: &Arc<Server>) -> Router {
    guard::protect(api::routes().fallback(assets::get), server)
}
