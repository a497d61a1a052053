//! Sessions: one for each open page. A page hears of its jobs through one stream of events; when the page is gone, so
//! are its jobs.
//!
//! The stream does not queue anything: it tells the newest state of every job that has changed. So a page that does not
//! listen costs nothing, and one that comes back hears all it has missed.
//!
//! A browser has six connections to a server at most, for all its pages together. So where more streams are open than a
//! browser can spare, each ends after a moment and is asked for again: pages take turns, and none goes without.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use serde::Deserialize;
use tokio::sync::{Notify, watch};

use crate::Server;
use crate::api::Refused;
use crate::job::Job;
use crate::limits::Limits;

/// A page that is loaded again comes back within this time.
const GRACE: Duration = Duration::from_secs(20);

/// Up to so many streams stay open; more of them take turns of this length.
const STREAMS_THAT_STAY: usize = 4;
/// A page needs one stream. Browsers keep those of earlier loads for a while, and copied tabs share a session; of more
/// than so many, the oldest ends.
const STREAMS_OF_ONE: u64 = 4;
const TURN: Duration = Duration::from_millis(700);

/// All sessions, by name.
pub(crate) struct Sessions {
    by_name: Mutex<HashMap<String, Arc<Session>>>,
    most: usize,
    /// Streams that are open.
    streams: AtomicUsize,
    /// Bytes that all searches together have asked for.
    pub(crate) memory: Arc<Pool>,
}

/// Bytes that can still be asked for.
pub(crate) struct Pool(Mutex<usize>);

/// Bytes that were asked for, given back when dropped.
pub(crate) struct Share {
    pool: Arc<Pool>,
    bytes: usize,
}

impl Pool {
    pub(crate) fn take(self: &Arc<Self>, bytes: usize) -> Option<Share> {
        let mut left = self.0.lock().expect("nobody panics here");
        *left = left.checked_sub(bytes)?;
        Some(Share { pool: self.clone(), bytes })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        *self.pool.0.lock().expect("nobody panics here") += self.bytes;
    }
}

/// An open page.
pub(crate) struct Session {
    /// By the number that the page has given them: the order in which they began.
    jobs: Mutex<BTreeMap<u64, Arc<Job>>>,
    pub(crate) changed: Arc<Notify>,
    /// Streams that listen, and when the last one went.
    listeners: Mutex<(usize, Instant)>,
    /// How many streams have been opened.
    opened: watch::Sender<u64>,
}

impl Session {
    pub(crate) fn job(&self, number: u64) -> Option<Arc<Job>> {
        self.jobs.lock().expect("nobody panics here").get(&number).cloned()
    }

    /// Takes a job in; the oldest finished one makes room.
    pub(crate) fn add(&self, number: u64, job: Arc<Job>, most: usize) -> Result<(), Refused> {
        let mut jobs = self.jobs.lock().expect("nobody panics here");
        if let Some(before) = jobs.remove(&number) {
            before.stop.pull();
        }
        if jobs.len() >= most {
            // A model that was trained is what somebody may still play with.
            let over = jobs.iter().filter(|(_, job)| job.is_over());
            let old = over.min_by_key(|(number, job)| (job.model_file().is_some(), **number));
            let Some(old) = old.map(|(&number, _)| number) else {
                let reason = format!("this page has {most} searches under way already: stop one of them");
                return Err(Refused(StatusCode::TOO_MANY_REQUESTS, reason));
            };
            jobs.remove(&old);
        }
        jobs.insert(number, job);
        Ok(())
    }

    fn end(&self) {
        self.jobs.lock().expect("nobody panics here").values().for_each(|job| job.stop.pull());
        self.changed.notify_waiters();
    }

    fn is_gone(&self) -> bool {
        let (listeners, since) = *self.listeners.lock().expect("nobody panics here");
        listeners == 0 && since.elapsed() > GRACE
    }
}

impl Sessions {
    pub(crate) fn new(limits: &Limits) -> Self {
        let memory = Arc::new(Pool(Mutex::new(limits.memory)));
        Sessions { by_name: Mutex::default(), most: limits.sessions, streams: AtomicUsize::new(0), memory }
    }

    pub(crate) fn get(&self, name: &str) -> Result<Arc<Session>, Refused> {
        let found = self.by_name.lock().expect("nobody panics here").get(name).cloned();
        found.ok_or_else(|| Refused(StatusCode::GONE, "this session has ended: load the page again".into()))
    }

    /// The session with this name, or a new one.
    fn enter(&self, name: Option<&str>) -> Result<(String, Arc<Session>), Refused> {
        let mut sessions = self.by_name.lock().expect("nobody panics here");
        if let Some(name) = name
            && let Some(session) = sessions.get(name)
        {
            return Ok((name.to_owned(), session.clone()));
        }
        if sessions.len() >= self.most {
            sessions.retain(|_, session| !session.is_gone());
        }
        if sessions.len() >= self.most {
            let reason = format!("{} pages are open already: close one, or try again later", self.most);
            return Err(Refused(StatusCode::SERVICE_UNAVAILABLE, reason));
        }
        let session = Arc::new(Session {
            jobs: Mutex::default(),
            changed: Arc::new(Notify::new()),
            listeners: Mutex::new((0, Instant::now())),
            opened: watch::Sender::new(0),
        });
        let name = new_name();
        sessions.insert(name.clone(), session.clone());
        Ok((name, session))
    }

    pub(crate) fn end_all(&self) {
        self.by_name.lock().expect("nobody panics here").drain().for_each(|(_, session)| session.end());
    }
}

/// A name that nobody can guess: the standard library seeds its hashers from the system's random numbers.
fn new_name() -> String {
    let part = || RandomState::new().hash_one(Instant::now());
    format!("{:016x}{:016x}", part(), part())
}

/// Ends the sessions of pages that are gone, for ever.
pub(crate) async fn forget_the_gone(server: Arc<Server>) {
    loop {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let mut sessions = server.sessions.by_name.lock().expect("nobody panics here");
        sessions.retain(|_, session| {
            let gone = session.is_gone();
            if gone {
                session.end();
            }
            !gone
        });
    }
}

#[derive(Deserialize)]
pub(crate) struct Enter {
    session: Option<String>,
}

/// Counts a stream as long as it is there.
struct Listener {
    session: Arc<Session>,
    server: Arc<Server>,
    since: Instant,
}

impl Listener {
    fn new(session: &Arc<Session>, server: &Arc<Server>) -> Self {
        session.listeners.lock().expect("nobody panics here").0 += 1;
        server.sessions.streams.fetch_add(1, Ordering::Relaxed);
        Listener { session: session.clone(), server: server.clone(), since: Instant::now() }
    }

    /// Whether others may be waiting for its connection.
    fn had_its_turn(&self) -> bool {
        self.since.elapsed() > TURN && self.server.sessions.streams.load(Ordering::Relaxed) > STREAMS_THAT_STAY
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.server.sessions.streams.fetch_sub(1, Ordering::Relaxed);
        let mut listeners = self.session.listeners.lock().expect("nobody panics here");
        *listeners = (listeners.0 - 1, Instant::now());
    }
}

/// The stream of a page: first the name of its session, then the state of every job that changes.
pub(crate) async fn events(
    State(server): State<Arc<Server>>,
    Query(enter): Query<Enter>,
) -> Result<Sse<impl futures_core::Stream<Item = Result<Event, Infallible>>>, Refused> {
    let (name, session) = server.sessions.enter(enter.session.as_deref())?;
    let listener = Listener::new(&session, &server);
    let mut last = STREAMS_OF_ONE;
    session.opened.send_modify(|opened| {
        *opened += 1;
        last += *opened;
    });
    let mut opened = session.opened.subscribe();
    let (to, from) = tokio::sync::mpsc::channel(1);
    tokio::spawn(async move {
        tokio::select! {
            () = tell(name, session, to, listener) => {}
            // Also if the page has long stopped to read.
            _ = opened.wait_for(|&opened| opened >= last) => {}
        }
    });
    Ok(Sse::new(Told(from)).keep_alive(KeepAlive::new().interval(Duration::from_secs(5))))
}

/// Events on their way to a page.
struct Told(tokio::sync::mpsc::Receiver<Event>);

impl futures_core::Stream for Told {
    type Item = Result<Event, Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}

async fn tell(name: String, session: Arc<Session>, to: tokio::sync::mpsc::Sender<Event>, listener: Listener) {
    let mut told: HashMap<u64, u64> = HashMap::new();
    if to.send(Event::default().event("session").data(name)).await.is_err() {
        return;
    }
    loop {
        let changed = session.changed.notified();
        let news: Vec<(u64, u64, String)> = {
            let jobs = session.jobs.lock().expect("nobody panics here");
            told.retain(|number, _| jobs.contains_key(number));
            let news = jobs.iter().filter_map(|(&number, job)| {
                let (version, state) = job.state()?;
                (told.get(&number) != Some(&version)).then_some((number, version, state))
            });
            news.collect()
        };
        for (number, version, state) in news {
            told.insert(number, version);
            let data = format!("{{\"job\":{number},\"state\":{state}}}");
            if to.send(Event::default().event("job").data(data)).await.is_err() {
                return;
            }
        }
        if listener.had_its_turn() {
            let _ = to.send(Event::default().event("again").data("")).await;
            return;
        }
        tokio::select! {
            () = changed => {}
            () = to.closed() => return,
            // Should a change have come between the look and the wait, it is seen here.
            () = tokio::time::sleep(Duration::from_millis(250)) => {}
        }
    }
}
