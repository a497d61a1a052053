//! What the server lets in, what it refuses, and that a hostile client changes nothing for others. No browser needed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use perfectplay_core::StopHandle;
use perfectplay_server::{Limits, Options, serve};
use serde_json::{Value, json};

struct Served {
    address: SocketAddr,
    stop: StopHandle,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    fn new(token: Option<&str>, limits: Limits) -> Self {
        let (stop, (to, from)) = (StopHandle::new(), mpsc::channel());
        let options = Options { listen: "127.0.0.1:0".parse().unwrap(), token: token.map(str::to_owned), limits };
        let mine = stop.clone();
        let thread = std::thread::spawn(move || serve(options, &mine, |address| to.send(address).unwrap()).unwrap());
        Served { address: from.recv().unwrap(), stop, thread: Some(thread) }
    }

    /// Sends a request as it is, and reads the answer to its end: status, headers and body.
    fn raw(&self, request: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer); // models are no text
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, head.to_lowercase(), body.to_owned())
    }

    fn get(&self, path: &str, headers: &str) -> (u16, String, String) {
        self.raw(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}\r\n", self.address))
    }

    fn post(&self, path: &str, body: &str) -> (u16, Value) {
        let (status, _, answer) = self.raw(&format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        ));
        (status, serde_json::from_str(&answer).unwrap_or(Value::String(answer)))
    }

    /// A stream of events.
    fn events(&self, query: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head = format!("Host: {}\r\nConnection: close\r\n", self.address); // so that its end is seen
        write!(stream, "GET /api/events{query} HTTP/1.1\r\n{head}\r\n").unwrap();
        BufReader::new(stream)
    }

    /// Opens a stream of events: its session, and what comes.
    fn listen(&self) -> (String, BufReader<TcpStream>) {
        let mut lines = self.events("");
        let mut line = String::new();
        let mut named = false;
        loop {
            line.clear();
            lines.read_line(&mut line).unwrap();
            match line.trim().strip_prefix("data:") {
                Some(name) if named => return (name.trim().to_owned(), lines),
                _ => named = named || line.starts_with("event: session") || line.starts_with("event:session"),
            }
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.pull();
        self.thread.take().unwrap().join().unwrap();
    }
}

/// The next state of a job that is over.
fn outcome(lines: &mut BufReader<TcpStream>) -> Value {
    next_outcome(lines).expect("the stream goes on")
}

/// The same; none if the stream ended before.
fn next_outcome(lines: &mut BufReader<TcpStream>) -> Option<Value> {
    let mut line = String::new();
    loop {
        line.clear();
        if lines.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        let Some(data) = line.trim().strip_prefix("data:") else { continue };
        let told: Value = serde_json::from_str(data.trim()).unwrap_or_default();
        if told["state"]["running"] == json!(false) {
            return Some(told["state"].clone());
        }
    }
}

#[test]
fn only_our_own_page_comes_in() {
    let served = Served::new(None, Limits::default());
    let (status, head, body) = served.get("/", "");
    assert_eq!(status, 200);
    assert!(head.contains("content-security-policy: default-src 'self'") && head.contains("nosniff"), "{head}");
    assert!(
        !head.contains("unsafe-inline") && body.contains("app.js") && !body.contains("style=\""),
        "no inline script or style"
    );
    for foreign in ["example.com", "127.0.0.1:1", "localhost"] {
        let request = format!("GET / HTTP/1.1\r\nHost: {foreign}\r\nConnection: close\r\n\r\n");
        assert_eq!(served.raw(&request).0, 403, "Host: {foreign}");
    }
    for origin in ["null", "http://example.com", "https://127.0.0.1"] {
        assert_eq!(served.get("/api/catalog", &format!("Origin: {origin}\r\n")).0, 403, "Origin: {origin}");
    }
    assert_eq!(served.get("/api/catalog", &format!("Origin: http://{}\r\n", served.address)).0, 200);
    assert_eq!(served.get("/nowhere", "").0, 404);
    assert_eq!(served.get("/../Cargo.toml", "").0, 404);
    assert_eq!(served.post("/", "").0, 405);
}

#[test]
fn a_token_is_asked_for() {
    let served = Served::new(Some("open-sesame"), Limits::default());
    assert_eq!(served.get("/", "").0, 401);
    assert_eq!(served.get("/?token=open-sesam", "").0, 401);
    let (status, head, _) = served.get("/?token=open-sesame", "");
    assert!(status == 200 && head.contains("httponly") && head.contains("samesite=strict"), "{head}");
    assert_eq!(served.get("/", "Cookie: perfectplay-token=open-sesame\r\n").0, 200);
    assert_eq!(served.get("/", "Cookie: perfectplay-token=other\r\n").0, 401);
    assert_eq!(served.get("/", "Authorization: Bearer open-sesame\r\n").0, 200);
}

#[test]
fn what_cannot_be_done_is_refused_with_a_sentence() {
    let served = Served::new(None, Limits::default());
    let (session, _lines) = served.listen();
    let begin = |ask: Value| {
        let mut body = json!({ "session": session, "job": 1, "kind": "solve", "game": "tic-tac-toe", "moves": [] });
        body.as_object_mut().unwrap().extend(ask.as_object().unwrap().clone());
        served.post("/api/begin", &body.to_string())
    };
    let position = |body: Value| served.post("/api/position", &body.to_string());
    let long = "x".repeat(100_000);
    let many: Vec<&str> = vec!["4"; 3000];
    let cases = [
        (served.post("/api/position", "{"), 400, "not understood"),
        (served.post("/api/position", &json!({ "game": long, "moves": [] }).to_string()), 413, "at most 65536 bytes"),
        (position(json!({ "game": "conect-four", "moves": [] })), 422, "did you mean connect-four"),
        (position(json!({ "game": "connect-four:700x6", "moves": [] })), 422, "columns"),
        (position(json!({ "game": "connect-four", "moves": ["9"] })), 422, "move 1"),
        (position(json!({ "game": "connect-four", "moves": many })), 422, "at most 2000 moves"),
        (position(json!({ "game": "script:/etc/passwd", "moves": [] })), 422, "does not read files"),
        (position(json!({ "game": "script(/etc/passwd)", "moves": [] })), 422, "does not read files"),
        (begin(json!({ "with": "alpha" })), 422, "there is no algorithm"),
        (begin(json!({ "time": "soon" })), 422, "soon"),
        (begin(json!({ "time": "1h" })), 422, "more than the 10"),
        (begin(json!({ "memory": "9G" })), 422, "more than the 512 MiB"),
        (begin(json!({ "kind": "watch", "nodes": "1M" })), 422, "at most 25000 states"),
        (begin(json!({ "for": "fun" })), 422, "gain, score or length"),
        (begin(json!({ "kind": "watch", "with": "alpha-beta" })), 422, "does not show how a tree grows"),
        (begin(json!({ "with": "ubfm:eval=learned:/etc/passwd" })), 422, "does not read files"),
        (begin(json!({ "kind": "tournament", "players": ["uci:/bin/sh", "random"] })), 422, "does not start engines"),
        (begin(json!({ "kind": "tournament", "players": ["perfect", "random"] })), 422, "may think for hours"),
        (begin(json!({ "kind": "tournament", "players": ["ubfm:eval=learned:x", "random"] })), 422, "not read files"),
        (begin(json!({ "kind": "tournament", "players": ["ubfm@time=10m", "random"] })), 422, "asks for too much"),
        (begin(json!({ "kind": "tournament", "players": ["ubfm@threads=9", "random"] })), 422, "asks for too much"),
        (begin(json!({ "kind": "tournament", "players": ["ubfm@memory=9G", "random"] })), 422, "asks for too much"),
        (begin(json!({ "kind": "train", "model": "tuples:count=1000,length=8,phases=9" })), 422, "at most 512 MiB"),
        (begin(json!({ "kind": "train", "with": "descent:evaluations=5000" })), 422, "at most 1000 here"),
        (begin(json!({ "kind": "train", "with": "luck" })), 422, "no way to learn"),
        (begin(json!({ "kind": "train", "games": "0" })), 422, "at least one game"),
        (begin(json!({ "kind": "train", "game": "script:[1,2]" })), 422, "no board"),
        (begin(json!({ "session": "nobody" })), 410, "has ended"),
        (served.post("/api/stop", &json!({ "session": session, "job": 77 }).to_string()), 404, "no search 77"),
    ];
    for ((status, told), expected, part) in cases {
        let sentence = told["error"].as_str().unwrap_or_default();
        assert!(status == expected && sentence.contains(part), "{expected} {part}: got {status} {told}");
    }
}

#[test]
fn a_search_runs_and_ends_with_its_session() {
    let served = Served::new(None, Limits { searches_at_once: 1, ..Limits::default() });
    let (session, mut lines) = served.listen();
    let ask = |job: u64, game: &str, time: &str| {
        let body = json!({ "session": session, "job": job, "kind": "solve", "game": game, "moves": [], "time": time });
        served.post("/api/begin", &body.to_string()).0
    };
    // A long search does not hold up a short one, though only one may run at a time.
    assert_eq!(ask(1, "othello:8", "60s"), 200);
    assert_eq!(ask(2, "tic-tac-toe", "60s"), 200);
    let state = outcome(&mut lines);
    assert_eq!((&state["report"]["status"], &state["report"]["value"]), (&json!("solved"), &json!([0, 0])));
    let stop = json!({ "session": session, "job": 1 }).to_string();
    assert_eq!(served.post("/api/stop", &stop).0, 200);
    assert_eq!(outcome(&mut lines)["report"]["stop"], json!("cancelled"));
}

#[test]
fn a_training_tells_its_curve_and_can_be_stopped() {
    let served = Served::new(None, Limits::default());
    let (session, mut lines) = served.listen();
    let train = |job: u64, games: &str, time: &str| {
        let body = json!({ "session": session, "job": job, "kind": "train", "game": "tic-tac-toe", "moves": [],
                           "model": "tuples:count=4,length=4", "games": games, "time": time, "exam": 1 });
        assert_eq!(served.post("/api/begin", &body.to_string()).0, 200);
    };
    let model = |job: u64| served.get(&format!("/api/model?session={session}&job={job}"), "").0;
    train(1, "40", "");
    let state = outcome(&mut lines);
    let points = state["training"]["points"].as_array().unwrap();
    assert_eq!((points.len(), &points[19]["games"]), (20, &json!(40)), "a point for every second game: {state}");
    assert!(points.iter().all(|point| point["scores"].as_array().is_some_and(|scores| scores.len() >= 2)), "{state}");
    assert_eq!(model(1), 200);
    // One that would go on for ever hears a stop, and keeps what it has learned.
    train(2, "", "10m");
    let stop = json!({ "session": session, "job": 2 }).to_string();
    assert_eq!(served.post("/api/stop", &stop).0, 200);
    assert_eq!(outcome(&mut lines)["training"]["stopped"], json!(true));
    assert_eq!((model(2), model(3)), (200, 404));
    // What this page has trained it can ask, and is told of by the name it has here.
    let name = |training: u64| format!("ubfm:eval=learned:training-{training},decision=safest");
    let ask = |training: u64, job: u64| {
        let body = json!({ "session": session, "job": job, "kind": "move", "game": "tic-tac-toe", "moves": ["b2"],
                           "with": name(training), "nodes": "200" });
        served.post("/api/begin", &body.to_string())
    };
    assert_eq!(ask(1, 4).0, 200);
    let state = outcome(&mut lines);
    assert!(state["move"].is_string() && state["report"]["algorithm"] == json!(name(1)), "{state}");
    let (status, refusal) = ask(9, 5);
    assert!(status == 422 && refusal["error"].as_str().unwrap().contains("no model of training 9"), "{refusal}");
    // Searches come and go, the model stays.
    for job in 10..40 {
        assert_eq!(ask(1, job).0, 200);
        outcome(&mut lines);
    }
}

/// Browsers keep streams of pages that were left: who loads a page for the tenth time still hears of its searches.
#[test]
fn of_many_streams_of_one_page_the_oldest_ends() {
    let served = Served::new(None, Limits::default());
    let (session, mut first) = served.listen();
    let again = || {
        let mut stream = served.events(&format!("?session={session}"));
        stream.read_line(&mut String::new()).unwrap(); // the server has it
        stream
    };
    let mut streams: Vec<_> = (0..10).map(|_| again()).collect();
    assert_eq!(next_outcome(&mut first), None, "it has ended");
    let body = json!({ "session": session, "job": 1, "kind": "move", "game": "tic-tac-toe", "moves": [], "level": 9 });
    assert_eq!(served.post("/api/begin", &body.to_string()).0, 200);
    assert!(outcome(streams.last_mut().unwrap())["move"].is_string());
}

#[test]
fn a_hostile_client_changes_nothing_for_others() {
    let served = Served::new(None, Limits { sessions: 20, ..Limits::default() });
    let (session, mut lines) = served.listen();
    // Half-open streams, headers that never end, bodies that never come.
    let mut held = Vec::new();
    for i in 0..60 {
        let mut stream = TcpStream::connect(served.address).unwrap();
        let request = match i % 3 {
            0 => format!("GET /api/events HTTP/1.1\r\nHost: {}\r\n\r\n", served.address),
            1 => "GET / HTTP/1.1\r\nHost: a".to_owned(),
            _ => format!("POST /api/position HTTP/1.1\r\nHost: {}\r\nContent-Length: 1000\r\n\r\n{{", served.address),
        };
        stream.write_all(request.as_bytes()).unwrap();
        held.push(stream);
    }
    // The sessions are used up, and whoever comes now is told so; who is there is not disturbed.
    let began = Instant::now();
    let refused = || {
        let mut status = String::new(); // no more: who comes before the last of them gets a stream, and that goes on
        served.events("?session=other").read_line(&mut status).unwrap();
        status.contains(" 503 ")
    };
    while !refused() {
        assert!(began.elapsed() < Duration::from_secs(20), "all sessions are in use");
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for i in 0..2500 {
                    let game = i % 5; // a heap of nothing is refused
                    let (status, _) =
                        served.post("/api/position", &format!("{{\"game\": \"nim:{game}\", \"moves\": []}}"));
                    assert!(matches!(status, 200 | 422), "{status}");
                }
            });
        }
        let body =
            json!({ "session": session, "job": 1, "kind": "move", "game": "tic-tac-toe", "moves": [], "level": 9 });
        assert_eq!(served.post("/api/begin", &body.to_string()).0, 200);
        // Where many streams are open they take turns: who was sent away comes back, as the page does.
        let again = || next_outcome(&mut served.events(&format!("?session={session}")));
        let told = next_outcome(&mut lines).or_else(|| (0..100).find_map(|_| again()));
        assert!(told.expect("it is told in the end")["move"].is_string());
    });
    // Whoever does not say what it wants is sent away: with a sentence where half a request came, without one
    // otherwise.
    for (i, answer) in [(1, ""), (2, "HTTP/1.1 400")] {
        let mut told = String::new();
        held[i].set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        held[i].read_to_string(&mut told).expect("closed by the server");
        assert!(told.starts_with(answer), "{told}");
    }
}
