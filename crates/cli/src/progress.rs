//! What a long piece of work is doing, on one line of a terminal; nothing in a pipe.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use perfectplay_catalog::{AnySearch, Report};
use perfectplay_core::{Budget, Observer, Progress, Stop, StopHandle};

use crate::output::{bytes_text, grouped, line_text, rate_text};
use crate::verbs::solve::values_text;

/// Between two drawings.
const DRAW_EVERY: Duration = Duration::from_millis(100);

/// Between two looks at what a search knows.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Moves of the best line that are shown.
const LINE_SHOWN: usize = 5;

/// Runs a search while a line on the terminal tells what it knows.
///
/// Cutting a budget into slices changes nothing, so the search is stopped now and then and asked. In a pipe nobody
/// looks, and it runs in one piece.
pub(crate) fn run<O: Observer>(search: &mut dyn AnySearch, budget: &Budget, watchers: &mut (Bar, O)) -> Stop {
    if watchers.0.bar.is_hidden() {
        return search.run(budget, watchers);
    }
    in_slices(search, budget, LOOK_EVERY, watchers, |(bar, _), report| bar.known = known_text(report))
}

/// Spends a budget in slices of time, with a look at the report after each.
fn in_slices<O: Observer>(
    search: &mut dyn AnySearch,
    budget: &Budget,
    every: Duration,
    observer: &mut O,
    mut look: impl FnMut(&mut O, &Report),
) -> Stop {
    let started = Instant::now();
    let charged_before = budget.ledger.spent();
    loop {
        let spent = budget.ledger.spent() - charged_before;
        let nodes_left = budget.nodes.map(|n| n.saturating_sub(spent));
        if nodes_left == Some(0) {
            search.stopped(Stop::Nodes);
            return Stop::Nodes;
        }
        let time = budget.time.map_or(every, |t| t.saturating_sub(started.elapsed()).min(every));
        let stop = search.run(&Budget { time: Some(time), nodes: nodes_left, ..budget.clone() }, observer);
        look(observer, &search.report());
        if stop != Stop::Time || budget.time.is_some_and(|t| started.elapsed() >= t) {
            return stop;
        }
    }
}

/// Shows how a search goes on, and stops it when its stop handle is pulled. Drawn on standard error, and only if that
/// is a terminal.
pub(crate) struct Bar {
    bar: ProgressBar,
    limits: Limits,
    stop: StopHandle,
    nodes_before: u64,
    started: Instant,
    first: Option<(Instant, u64)>,
    drawn: Option<Instant>,
    saved: Option<Instant>,
    /// What the search knows, in a few words.
    known: String,
}

/// What ends the work early.
#[derive(Clone, Copy, Default)]
struct Limits {
    time: Option<Duration>,
    nodes: Option<u64>,
    memory: Option<usize>,
}

impl Bar {
    pub(crate) fn new(what: &str, budget: &Budget) -> Self {
        let bar = ProgressBar::new(1000);
        bar.set_style(style("{spinner} {prefix} {wide_msg}"));
        bar.set_prefix(what.to_owned());
        Bar {
            bar,
            limits: Limits { time: budget.time, nodes: budget.nodes, memory: budget.memory },
            stop: budget.stop.clone(),
            nodes_before: 0,
            started: Instant::now(),
            first: None,
            drawn: None,
            saved: None,
            known: String::new(),
        }
    }

    /// The limit on nodes begins to count here.
    pub(crate) fn counting_from(mut self, nodes: u64) -> Self {
        self.nodes_before = nodes;
        self
    }

    /// The search was saved just now.
    pub(crate) fn saved(&mut self) {
        self.saved = Some(Instant::now());
    }

    pub(crate) fn finish(self) {
        self.bar.finish_and_clear();
    }

    fn draw(&mut self, progress: &Progress, now: Instant) {
        let (since, nodes) = *self.first.get_or_insert((now, progress.nodes));
        let seconds = (now - since).as_secs_f64();
        let rate = (seconds > 0.0).then(|| rate_text(progress.nodes.saturating_sub(nodes), seconds));
        let elapsed = now - self.started;
        let done = self.limits.share(progress, self.nodes_before, elapsed);
        if let Some(done) = done {
            self.bar.set_style(style("{spinner} {prefix} {bar:20} {wide_msg}"));
            self.bar.set_position((done * 1000.0) as u64);
        }
        let saved = self.saved.map(|at| format!("saved {} s ago", (now - at).as_secs()));
        let parts = [
            Some(self.limits.clock(done, elapsed)),
            Some(self.known.clone()).filter(|known| !known.is_empty()),
            progress.depth.map(|depth| format!("depth {depth}")),
            Some(format!("{} nodes", grouped(progress.nodes))),
            rate,
            Some(self.limits.memory_text(progress.bytes)),
            saved,
        ];
        self.bar.set_message(parts.into_iter().flatten().collect::<Vec<_>>().join(" · "));
        self.bar.tick();
    }
}

impl Observer for Bar {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let now = Instant::now();
        if !self.bar.is_hidden() && self.drawn.is_none_or(|drawn| now - drawn >= DRAW_EVERY) {
            self.drawn = Some(now);
            self.draw(progress, now);
        }
        if self.stop.is_pulled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Limits {
    /// How far it is to the end or to the nearest limit, from 0 to 1, if that can be said.
    fn share(&self, progress: &Progress, nodes_before: u64, elapsed: Duration) -> Option<f64> {
        let of_time = self.time.map(|limit| elapsed.as_secs_f64() / limit.as_secs_f64().max(1e-9));
        let nodes = progress.nodes.saturating_sub(nodes_before);
        let of_nodes = self.nodes.map(|limit| nodes as f64 / limit.max(1) as f64);
        let shares = [progress.share, of_time, of_nodes].into_iter().flatten();
        shares.max_by(f64::total_cmp).map(|share| share.clamp(0.0, 1.0))
    }

    /// Time spent, of which limit, and what may be left without one.
    fn clock(&self, done: Option<f64>, elapsed: Duration) -> String {
        let spent = clock_text(elapsed);
        match (self.time, done) {
            (Some(limit), _) => format!("{spent} of {}", clock_text(limit)),
            // Too early to tell, at first.
            (None, Some(done)) if done > 0.02 && elapsed.as_secs() >= 1 => {
                let left = elapsed.as_secs_f64() * (1.0 - done) / done;
                format!(
                    "{spent}, about {} left",
                    clock_text(Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX))
                )
            }
            _ => spent,
        }
    }

    fn memory_text(&self, bytes: usize) -> String {
        match self.memory {
            Some(limit) => format!("{} of {}", bytes_text(bytes), bytes_text(limit)),
            None => bytes_text(bytes),
        }
    }
}

/// What is proved or guessed, and the best line.
fn known_text(report: &Report) -> String {
    let value = match (&report.value, &report.bounds, &report.estimate) {
        (None, None, Some(estimate)) => Some(format!("estimate {}", values_text(estimate))),
        (None, None, None) => None,
        _ => Some(report.verdict()),
    };
    let line = (!report.pv.is_empty()).then(|| format!("best {}", line_text(&report.pv, LINE_SHOWN)));
    [value, line].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn clock_text(time: Duration) -> String {
    match time.as_secs() {
        0 if !time.is_zero() => format!("{:.1} s", time.as_secs_f64()),
        s @ 0..60 => format!("{s} s"),
        s @ 60..3600 => format!("{} min {:02} s", s / 60, s % 60),
        s => format!("{} h {:02} min", s / 3600, s / 60 % 60),
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a template that was tried")
}

/// Counts pieces of work whose number is known before.
pub(crate) struct Steps {
    bar: ProgressBar,
    kind: &'static str,
}

impl Steps {
    /// So many things of this kind, as in `moves` or `positions`.
    pub(crate) fn new(what: &str, total: usize, kind: &'static str) -> Self {
        let steps = Steps { bar: ProgressBar::new(total as u64), kind };
        steps.bar.set_prefix(what.to_owned());
        steps.tell("");
        if !steps.bar.is_hidden() {
            steps.bar.enable_steady_tick(DRAW_EVERY);
        }
        steps
    }

    /// One more is done: from now on it can be said what is left.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
        self.tell(", about {eta} left");
    }

    fn tell(&self, left: &str) {
        let counts = format!("{{pos}} of {{len}} {} · {{elapsed}}{left}", self.kind);
        self.bar.set_style(style(&format!("{{spinner}} {{prefix}} {{bar:20}} {counts}")));
    }

    pub(crate) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use perfectplay_catalog::{ALGORITHMS, Algorithm, Setup, open};
    use perfectplay_core::SolveStatus;

    use super::*;

    #[test]
    fn the_bar_fills_with_the_nearest_limit() {
        let at = |nodes, share| Progress { nodes, share, ..Progress::default() };
        let second = Duration::from_secs(1);
        assert_eq!(Limits::default().share(&at(5, None), 0, second), None);
        assert_eq!(Limits::default().share(&at(5, Some(0.25)), 0, second), Some(0.25));
        let limits = Limits { time: Some(4 * second), nodes: Some(10), ..Limits::default() };
        assert_eq!(limits.share(&at(5, None), 0, second), Some(0.5));
        assert_eq!(limits.share(&at(105, None), 100, 3 * second), Some(0.75), "five nodes of this call");
        assert_eq!(limits.share(&at(50, None), 0, second), Some(1.0), "never more than full");
    }

    #[test]
    fn the_clock_tells_what_is_left_where_that_can_be_said() {
        let ten = Duration::from_secs(10);
        let limited = Limits { time: Some(Duration::from_secs(90)), ..Limits::default() };
        assert_eq!(limited.clock(Some(0.1), ten), "10 s of 1 min 30 s");
        assert_eq!(Limits::default().clock(Some(0.25), ten), "10 s, about 30 s left");
        assert_eq!(Limits::default().clock(Some(0.001), ten), "10 s", "too early to tell");
        assert_eq!(Limits::default().clock(None, ten), "10 s");
        assert_eq!(clock_text(Duration::from_secs(3661)), "1 h 01 min");
        let memory = Limits { memory: Some(1 << 20), ..Limits::default() };
        assert_eq!(memory.memory_text(512 << 10), "512.0 KiB of 1.0 MiB");
    }

    /// What a search finds must not depend on who looks.
    #[test]
    fn looking_changes_neither_the_answer_nor_what_it_costs() {
        let position = open("connect-four:4x4").unwrap().start();
        for info in ALGORITHMS {
            let algorithm = Algorithm::parse(info.name).unwrap();
            for nodes in [300, 20_000] {
                let make = || position.search(&algorithm, &Setup::default());
                let (Ok(mut whole), Ok(mut sliced)) = (make(), make()) else { continue };
                let stop = whole.run(&Budget::nodes(nodes), &mut ());
                let mut looks = 0;
                let every = Duration::from_millis(3);
                let cut = in_slices(&mut *sliced, &Budget::nodes(nodes), every, &mut (), |(), _| looks += 1);
                let (a, b) = (whole.report(), sliced.report());
                assert_eq!((stop, a.status, &a.value), (cut, b.status, &b.value), "{} {nodes}", info.name);
                if a.status != SolveStatus::Solved {
                    assert_eq!((a.pv, a.nodes), (b.pv, b.nodes), "{} {nodes}", info.name);
                }
                assert!(looks > 0, "{}", info.name);
            }
        }
    }

    #[test]
    fn what_is_known_is_told_in_a_few_words() {
        let position = open("tic-tac-toe").unwrap().start();
        let mut search = position.search(&Algorithm::parse("backward-induction").unwrap(), &Setup::default()).unwrap();
        search.run(&Budget::unlimited(), &mut ());
        let report = search.report();
        assert!(known_text(&report).starts_with("draw · best "), "{}", known_text(&report));
        assert!(known_text(&report).ends_with(" …"), "a long line is cut: {}", known_text(&report));
        let guessed = Report { value: None, estimate: Some(vec![0.5, -0.5]), pv: vec!["a1".into()], ..report };
        assert_eq!(known_text(&guessed), "estimate +0.500 · best a1");
    }

    #[test]
    fn a_pulled_handle_stops_what_is_watched() {
        let budget = Budget::unlimited();
        let mut bar = Bar::new("test", &budget);
        assert!(bar.progress(&Progress::default()).is_continue());
        budget.stop.pull();
        assert!(bar.progress(&Progress::default()).is_break());
    }
}
