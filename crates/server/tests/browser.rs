//! The page in a real browser: Debian's chromium, driven by its chromedriver. Where they are missing, the test says
//! that it is skipped.

use std::cmp::Ordering::{Equal, Greater, Less};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use fantoccini::key::Key;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use perfectplay_catalog::{Algorithm, AnyPosition, open};
use perfectplay_core::{Budget, Growth, Observer, StopHandle};
use perfectplay_server::{Limits, Options, serve};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(120);

/// A server in this process, on a port of its own.
fn begin_server() -> (SocketAddr, StopHandle, std::thread::JoinHandle<()>) {
    let stop = StopHandle::new();
    let (to, from) = mpsc::channel();
    let mine = stop.clone();
    let thread = std::thread::spawn(move || {
        let options = Options { listen: "127.0.0.1:0".parse().unwrap(), token: None, limits: Limits::default() };
        serve(options, &mine, |address| to.send(address).unwrap()).unwrap();
    });
    (from.recv_timeout(PATIENCE).unwrap(), stop, thread)
}

/// The driver, ended when dropped.
struct Driver(Child, u16);

impl Driver {
    fn begin() -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        Some(Driver(child, port))
    }

    async fn browser(&self) -> Client {
        let options = json!({ "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--window-size=1280,900", "--disable-background-networking", "--disable-background-timer-throttling"] });
        let capabilities = json!({ "browserName": "chrome", "goog:chromeOptions": options });
        let began = Instant::now();
        loop {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            builder.capabilities(capabilities.as_object().unwrap().clone());
            match builder.connect(&format!("http://127.0.0.1:{}", self.1)).await {
                Ok(client) => return client,
                Err(error) if began.elapsed() > PATIENCE => panic!("no browser: {error}"),
                Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
            }
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Page {
    browser: Client,
    base: String,
}

impl Page {
    async fn go(&self, place: &str) {
        // A change of the part after # alone would not load the page again.
        self.browser.goto("about:blank").await.unwrap();
        self.browser.goto(&format!("{}{place}", self.base)).await.unwrap();
    }

    async fn run(&self, script: &str) -> Value {
        self.browser.execute(script, vec![]).await.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Waits until a script answers with something that is neither false nor nothing.
    async fn until(&self, script: &str) -> Value {
        let began = Instant::now();
        loop {
            let told = self.run(script).await;
            if !matches!(told, Value::Null | Value::Bool(false)) {
                return told;
            }
            if began.elapsed() > PATIENCE {
                let seen = self.run("return document.body.innerText").await;
                panic!("never came true: {script}\nthe page shows:\n{seen}");
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    async fn click(&self, at: (usize, usize)) {
        let place = format!(".cell[data-at=\"{},{}\"]", at.0, at.1);
        self.run(&format!(
            "document.querySelector('{place}').dispatchEvent(new MouseEvent('click', {{bubbles: true}})); return true"
        ))
        .await;
    }

    /// Nothing has broken the page's policy, and nothing was asked of anybody else.
    async fn check_manners(&self, place: &str) {
        let violations = self.run("return document.documentElement.dataset.violations || ''").await;
        assert_eq!(violations, json!(""), "the policy was broken at {place}");
        let foreign = self
            .run(
                "return performance.getEntriesByType('resource').map(e => e.name) \
                 .filter(name => !name.startsWith(location.origin))",
            )
            .await;
        assert_eq!(foreign, json!([]), "requests that leave this machine at {place}");
        if let Some(axe) = std::env::var_os("PERFECTPLAY_AXE") {
            self.run(&std::fs::read_to_string(axe).unwrap()).await;
            let script = "const done = arguments[0]; axe.run().then(r => done(r.violations.map(v => \
                          v.id + ': ' + v.nodes.map(n => n.html.slice(0, 200)).join(' | '))))";
            let found = self.browser.execute_async(script, vec![]).await.unwrap();
            assert_eq!(found, json!([]), "accessibility of {place}");
        }
    }
}

/// Plays a move of a person by clicks alone.
async fn click_move(page: &Page, position: &dyn AnyPosition, mv: &str, ply: usize) {
    let moves = position.moves_on_board();
    let (_, clicks) = moves.iter().find(|(text, _)| text == mv).expect("a legal move");
    for &cell in &clicks.from {
        page.click(cell).await;
    }
    page.click(clicks.to[0]).await;
    page.until(&format!("return document.getElementById('main').dataset.moves === '{}'", ply + 1)).await;
}

/// A whole game by clicks; everybody is a person, whose moves `choose` finds.
async fn play_by_clicks(page: &Page, game: &str, seats: &str, choose: impl Fn(&dyn AnyPosition) -> String) {
    page.go(&format!("#/play?game={game}&seats={seats}")).await;
    page.until("return document.getElementById('main').dataset.moves === '0'").await;
    let mut position = open(game).unwrap().start();
    let mut ply = 0;
    while position.status().is_ok() {
        let mv = choose(&*position);
        click_move(page, &*position, &mv, ply).await;
        position.play(&mv).unwrap();
        ply += 1;
    }
    let ended = position.status().unwrap_err().in_words();
    page.until("return document.getElementById('main').dataset.state === 'over'").await;
    let status = page.run("return document.getElementById('status').textContent").await;
    assert!(status.as_str().unwrap().contains(&ended), "{status} does not say {ended}");
    // Loading the page again loses nothing: the address holds it all.
    page.browser.refresh().await.unwrap();
    page.until(&format!("return document.getElementById('main').dataset.moves === '{ply}'")).await;
    page.check_manners(game).await;
}

fn by(algorithm: &str, nodes: u64) -> impl Fn(&dyn AnyPosition) -> String {
    let algorithm = Algorithm::parse(algorithm).unwrap();
    move |position| {
        let mut search = position.search(&algorithm, &Default::default()).unwrap();
        search.run(&Budget::nodes(nodes), &mut ());
        search.report().best_move.unwrap_or_else(|| position.moves()[0].clone())
    }
}

async fn play_by_keyboard(page: &Page) {
    page.go("#/play?game=tic-tac-toe&seats=p%7Cp").await;
    page.until("return document.getElementById('main').dataset.moves === '0'").await;
    // The board is reached with Tab alone.
    for _ in 0..40 {
        page.browser.active_element().await.unwrap().send_keys(&String::from(char::from(Key::Tab))).await.unwrap();
        if page.run("return document.activeElement.classList.contains('cell')").await == json!(true) {
            break;
        }
    }
    // The first player wins in the top row.
    for (ply, goal) in [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)].into_iter().enumerate() {
        walk_to(page, goal).await;
        press(page, Key::Enter).await;
        page.until(&format!("return document.getElementById('main').dataset.moves === '{}'", ply + 1)).await;
    }
    page.until("return document.getElementById('main').dataset.state === 'over'").await;
}

async fn press(page: &Page, key: Key) {
    page.browser.active_element().await.unwrap().send_keys(&String::from(char::from(key))).await.unwrap();
}

/// Goes from the cell that has the focus to another one by arrow keys.
async fn walk_to(page: &Page, goal: (usize, usize)) {
    for _ in 0..20 {
        // Whoever has just moved still has the focus on the board.
        let at = page.until("return document.activeElement.getAttribute('data-at')").await;
        let (row, column) = at.as_str().unwrap().split_once(',').unwrap();
        let (row, column): (usize, usize) = (row.parse().unwrap(), column.parse().unwrap());
        let key = match (row.cmp(&goal.0), column.cmp(&goal.1)) {
            (Equal, Equal) => return,
            (Greater, _) => Key::Up,
            (Less, _) => Key::Down,
            (_, Greater) => Key::Left,
            _ => Key::Right,
        };
        press(page, key).await;
    }
    panic!("{goal:?} cannot be reached with arrow keys");
}

/// What else can be done at the board: type, undo, ask for a hint, flip, begin at a position, share the address.
async fn around_the_board(page: &Page) {
    let moves = |count: usize| format!("return document.getElementById('main').dataset.moves === '{count}'");
    page.go("#/play?game=connect-four%3A7x6&seats=p%7Cl3&seed=1").await;
    page.until(&moves(0)).await;
    page.run(
        "document.getElementById('entry').value = '4'; document.querySelector('form').requestSubmit(); return true",
    )
    .await;
    page.until(&moves(2)).await; // the machine has answered
    page.run("document.getElementById('undo').click(); return true").await;
    page.until(&moves(0)).await; // its own move and the machine's
    page.run("document.getElementById('hint').click(); return true").await;
    page.until("return document.getElementById('thought').textContent.startsWith('Hint: 4')").await;
    let bar = page.run("return document.querySelector('.bar').getAttribute('aria-label')").await;
    assert_eq!(bar, json!("proved chances: player 1 100 %, player 2 0 %"), "the first player wins Connect Four");
    // A game from a position, which the address then holds, for whoever it is sent to.
    let mut position = open("tic-tac-toe").unwrap().start();
    position.play_all("b2 a1").unwrap();
    let text = position.text();
    page.go("#/play?game=tic-tac-toe&seats=p%7Cp").await;
    page.until(&moves(0)).await;
    let top = "return Number(document.querySelector('.cell[data-at=\"0,0\"]').getAttribute('y'))";
    let before = page.run(top).await.as_f64().unwrap();
    page.run("document.getElementById('flip').click(); return true").await;
    let flipped = format!("{} > {before}", top);
    page.until(&flipped).await;
    page.run(&format!(
        "const field = document.querySelector('input[placeholder=\"the usual start\"]'); field.value = {}; \
         field.dispatchEvent(new Event('change')); return true",
        json!(text)
    ))
    .await;
    page.until("return location.hash.includes('position=')").await;
    page.until(&format!("return document.querySelector('.setup .hint code')?.textContent === {}", json!(text))).await;
    position.play("c3").unwrap();
    page.run(
        "document.getElementById('entry').value = 'c3'; document.querySelector('form').requestSubmit(); return true",
    )
    .await;
    page.until(&moves(1)).await;
    let shared = page.run("return location.hash").await;
    page.go(shared.as_str().unwrap()).await;
    page.until(&moves(1)).await;
    let shown = page.run("return document.querySelector('.setup .hint code').textContent").await;
    assert_eq!(shown, json!(position.text()), "the address holds game, position and moves");
}

/// What the page shows for positions whose scores were published.
async fn published_scores(page: &Page) {
    let set =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/connect-four/end-easy.txt")).unwrap();
    for line in set.lines().filter(|line| !line.starts_with('#')).take(20) {
        let (moves, score) = line.split_once(' ').unwrap();
        let moves: Vec<String> = moves.chars().map(String::from).collect();
        page.go(&format!("#/analyse?game=connect-four%3A7x6&for=score&time=60s&moves={}", moves.join("+"))).await;
        page.until("return document.getElementById('main').dataset.state === 'done'").await;
        let best = page.run("return document.querySelector('table.values tr.best .value').textContent").await;
        let found: i32 = best.as_str().unwrap().replace('−', "-").parse().unwrap();
        assert_eq!(found, score.trim().parse::<i32>().unwrap(), "after {moves:?}");
        let on_board = page.run("return document.querySelectorAll('.value-mark.proved').length").await;
        assert!(on_board.as_u64().unwrap() > 0, "values are written on the board");
    }
    page.check_manners("analyse").await;
}

/// The tree on the page is the tree that the growth file tells of.
async fn same_tree(page: &Page, algorithm: &str) {
    #[derive(Default)]
    struct States(std::collections::HashSet<u32>, usize);
    impl Observer for States {
        fn wants_growth(&self) -> bool {
            true
        }
        fn growth(&mut self, growth: &Growth) -> std::ops::ControlFlow<()> {
            self.1 += 1;
            self.0.extend(growth.visited.iter().map(|state| state.state));
            self.0.extend(growth.opened.iter().flat_map(|o| o.moves.iter().map(|m| m.1.state)));
            std::ops::ControlFlow::Continue(())
        }
    }
    let mut states = States::default();
    let position = open("tic-tac-toe").unwrap().start();
    let mut search = position.search(&Algorithm::parse(algorithm).unwrap(), &Default::default()).unwrap();
    assert!(search.grows());
    search.run(&Budget::nodes(500), &mut states);
    page.go(&format!("#/watch?game=tic-tac-toe&with={algorithm}&nodes=500")).await;
    let lines = page
        .until(
            "const lines = Number(document.querySelector('input[type=range]')?.max || 0), \
             told = document.querySelector('.tree figcaption')?.textContent || ''; \
             return told.includes('states as asked') && lines > 0 ? lines : false",
        )
        .await;
    assert_eq!(lines, json!(states.1), "iterations of {algorithm}");
    page.run(
        "const seek = document.querySelector('input[type=range]'); seek.value = seek.max; \
         seek.dispatchEvent(new Event('input')); return true",
    )
    .await;
    let nodes = page.run("return Number(document.querySelector('.tree').dataset.nodes)").await;
    assert_eq!(nodes, json!(states.0.len()), "states of {algorithm}");
    page.check_manners("watch").await;
}

/// A stop is heard; how soon is measured on an idle machine (docs/performance.md).
async fn stop_is_heard(page: &Page) {
    page.go("#/prove?game=connect-four%3A7x6").await;
    page.until("return Boolean(document.querySelector('pp-board svg'))").await;
    page.run("document.getElementById('solve').click(); return true").await;
    page.until("return document.querySelector('.side .quiet').textContent.includes('nodes')").await;
    let began = Instant::now();
    page.run("document.getElementById('stop').click(); return true").await;
    page.until("return document.getElementById('main').dataset.state === 'done'").await;
    println!("stopped after {:.0} ms", began.elapsed().as_secs_f64() * 1000.0);
    let verdict = page.run("return document.getElementById('verdict').textContent").await;
    assert!(verdict.as_str().unwrap().contains("stopped: cancelled"), "{verdict}");
}

async fn proof_and_walk(page: &Page) {
    page.go("#/prove?game=connect-four%3A4x4&position=&moves=2+3").await;
    page.until("return Boolean(document.querySelector('pp-board svg'))").await;
    page.run("document.getElementById('solve').click(); return true").await;
    page.until("return document.getElementById('main').dataset.state === 'proved'").await;
    let length = page
        .browser
        .execute_async(
            "const done = arguments[0]; fetch(document.getElementById('download').href) \
             .then(answer => answer.arrayBuffer()).then(bytes => done(bytes.byteLength))",
            vec![],
        )
        .await
        .unwrap();
    assert!(length.as_u64().unwrap() > 100, "a certificate of {length} bytes");
    page.until("return document.querySelector('.proof').textContent.includes('proof')").await;
    // Loading the page again finds the proof again, and it can be walked through.
    page.browser.refresh().await.unwrap();
    page.until("return document.getElementById('main').dataset.state === 'proved'").await;
    let proved = page.until("return document.getElementById('proof-move')?.textContent").await;
    page.run("document.getElementById('proof-move').click(); return true").await;
    page.until(&format!(
        "return document.querySelector('.proof').textContent.includes('After {}')",
        proved.as_str().unwrap()
    ))
    .await;
    page.check_manners("prove").await;
}

/// The textbook's tree, with what alpha-beta leaves out beside what minimax looks at.
async fn what_is_cut(page: &Page) {
    page.go("#/watch").await;
    page.until("return Boolean(document.getElementById('cuts'))").await;
    page.run("document.getElementById('cuts').click(); return true").await;
    page.until(
        "return document.getElementById('main').dataset.state === 'done' && \
document.querySelectorAll('.tree').length === 2",
    )
    .await;
    let cuts = page.run("return [...document.querySelectorAll('.tree')].map(tree => tree.dataset.cuts)").await;
    assert_eq!(cuts, json!(["0", "2"]));
    page.check_manners("what alpha-beta cuts").await;
}

async fn training(page: &Page) {
    page.go("#/train?game=tic-tac-toe&model=tuples%3Acount%3D4%2Clength%3D4&time=&games=40&exam=1").await;
    page.until("return Boolean(document.getElementById('begin'))").await;
    page.run("document.getElementById('begin').click(); return true").await;
    page.until("return document.getElementById('main').dataset.state === 'done'").await;
    // Loading the page again loses nothing.
    page.browser.refresh().await.unwrap();
    page.until("return document.getElementById('main').dataset.points === '20'").await;
    let curves = page
        .run("return [...document.querySelectorAll('.chart')].map(c => c.querySelectorAll('polyline').length)")
        .await;
    assert!(curves.as_array().unwrap().len() == 4, "{curves}");
    page.check_manners("training").await;
    // What was learned is there to play against.
    page.run("document.getElementById('play-it').click(); return true").await;
    page.until("return document.getElementById('main').dataset.moves === '0'").await;
    page.run(
        "document.getElementById('entry').value = 'b2'; document.querySelector('form').requestSubmit(); return true",
    )
    .await;
    page.until("return document.getElementById('main').dataset.moves === '2'").await;
}

/// Seven pages at once: a browser has six connections to a server, and still each page gets its progress.
async fn seven_tabs(page: &Page) {
    let mut windows = vec![page.browser.window().await.unwrap()];
    for _ in 1..7 {
        windows.push(page.browser.new_window(true).await.unwrap().handle);
    }
    for window in &windows {
        page.browser.switch_to_window(window.clone()).await.unwrap();
        page.go("#/analyse?game=connect-four%3A7x6&with=ubfm&time=4s").await;
    }
    for window in &windows {
        page.browser.switch_to_window(window.clone()).await.unwrap();
        page.until("return document.querySelector('.look p.quiet')?.textContent.includes('nodes')").await;
    }
    for window in windows.iter().skip(1) {
        page.browser.switch_to_window(window.clone()).await.unwrap();
        page.browser.close_window().await.unwrap();
    }
    page.browser.switch_to_window(windows[0].clone()).await.unwrap();
}

async fn every_page(page: &Page) {
    for place in [
        "#/play",
        "#/analyse?time=1s",
        "#/watch",
        "#/prove",
        "#/compare",
        "#/train",
        "#/games",
        "#/games/chess",
        "#/nowhere",
    ] {
        page.go(place).await;
        page.until("return document.getElementById('main').dataset.page || document.querySelector('h1')").await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        page.check_manners(place).await;
    }
    page.go("#/compare?game=tic-tac-toe&players=alpha-beta%40nodes%3D100%7Crandom&rounds=3").await;
    page.until("return Boolean(document.getElementById('begin'))").await;
    page.run("document.getElementById('begin').click(); return true").await;
    page.until("return document.getElementById('main').dataset.state === 'done'").await;
    page.browser.refresh().await.unwrap();
    page.until("return document.querySelectorAll('tbody tr').length > 0").await;
    page.check_manners("a tournament").await;
}

#[test]
fn the_page_in_a_browser() {
    let Some(driver) = Driver::begin() else {
        eprintln!("skipped: chromedriver is not installed (Debian: chromium, chromium-driver)");
        return;
    };
    let (address, stop, server) = begin_server();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let page = Page { browser: driver.browser().await, base: format!("http://{address}/") };
        play_by_clicks(&page, "connect-four:7x6", "p%7Cp", by("alpha-beta", 300)).await;
        play_by_clicks(&page, "chinese-checkers:1,players=3", "p%7Cp%7Cp", by("paranoid", 2000)).await;
        play_by_keyboard(&page).await;
        around_the_board(&page).await;
        published_scores(&page).await;
        for algorithm in ["ubfm", "descent", "umb", "pns", "mopns", "plain-alpha-beta"] {
            same_tree(&page, algorithm).await;
        }
        stop_is_heard(&page).await;
        what_is_cut(&page).await;
        proof_and_walk(&page).await;
        training(&page).await;
        every_page(&page).await;
        seven_tabs(&page).await;
        page.browser.clone().close().await.unwrap();
    });
    stop.pull();
    server.join().unwrap();
}
