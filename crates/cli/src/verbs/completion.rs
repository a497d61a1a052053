//! `experiment completion`: what Cohen-Solal 2025, §7 measured, measured again with evaluations that are learned here.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use perfectplay_arena::experiments::completion::{
    BEYOND, COMPARISONS, Cost, Examined, Functions, Listener, Outcome as Found, Plan, Printed, SetResults, Size, TABLE,
    function_folder, picture,
};
use perfectplay_arena::stats::Interval;
use perfectplay_arena::{Error, Shard, Store};
use perfectplay_core::StopHandle;
use perfectplay_learn::FunctionSet;
use serde::Serialize;

use crate::args::{CompletionExperimentArgs, CompletionSize, SummaryArgs, cores, stop_on_ctrl_c, stop_on_termination};
use crate::output::{Outcome, emit, emit_json, ended, grouped, table, table_text};

pub(crate) fn run(args: &CompletionExperimentArgs) -> Result<Outcome> {
    let (games, size) = (chosen(&args.games)?, size(args));
    let file = args.played.store.clone().unwrap_or_else(|| format!("completion-{}.sqlite", name(args.size)).into());
    let folder = function_folder(&file);
    let functions = Learned { size: size.clone(), folder: folder.clone() };
    let comparison = COMPARISONS.iter().find(|c| c.name == args.compare).expect("clap has asked");
    let shard = args.played.shard.unwrap_or(Shard::WHOLE);
    let (seed, known) = (args.played.seed, Vec::new());
    let mut plan = Plan { games: &games, comparison, size: &size, seed, functions: &functions, shard, known };
    args.kept.files().try_for_each(|file| plan.take_over(file))?;
    let only_cost = args.cost || args.size == CompletionSize::Paper;
    let store = if only_cost && !file.exists() { Store::in_memory()? } else { Store::open(&file)? };
    perfectplay_catalog::add_model_folder(&folder);
    let stop = StopHandle::new();
    if !only_cost {
        stop_on_ctrl_c(&stop);
        stop_on_termination(&stop);
        let threads = args.threads.map_or_else(cores, usize::from);
        // Now, and not after the first set, it is told if the file cannot be written.
        let begun = Summary::new(&plan, &store)?;
        args.kept.write(&begun)?;
        eprintln!("{}; matches go to {}", cost_text(&begun.left), file.display());
        let watched =
            Watched { bar: ProgressBar::new_spinner(), plan: &plan, kept: &args.kept, writing: Mutex::new(()) };
        watched.bar.enable_steady_tick(Duration::from_millis(200));
        let played = plan.run(&file, threads, &stop, &watched);
        watched.bar.finish_and_clear();
        played?;
    }
    let mut found = Summary::new(&plan, &store)?;
    args.kept.write(&found)?;
    if let Some(path) = &args.picture {
        let svg = picture(&found.outcome).map_err(anyhow::Error::msg)?;
        std::fs::write(path, svg).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(most) = args.examine {
        let examined = plan.examine(&store, most, &stop)?;
        if examined.iter().all(|game| game.matches == 0) && !stop.is_pulled() {
            bail!(
                "{} has no match that the second did not win, so there is nothing to examine (a summary keeps results, \
                 not moves)",
                file.display()
            );
        }
        found.examined = Some(examined);
    }
    if args.played.json {
        emit_json(&found)?;
    } else {
        emit(&text_of(&found.outcome, &found.left))?;
        emit(&found.examined.map_or(String::new(), |examined| examined_text(&examined)))?;
    }
    Ok(ended(&stop, "the matches until then are shown, and the same command goes on"))
}

/// All there is to know: what is printed, and kept in a file that outlives the store.
#[derive(Serialize)]
struct Summary {
    outcome: Found,
    left: Cost,
    sets: Vec<SetResults>,
    examined: Option<Vec<Examined>>,
}

impl Summary {
    fn new(plan: &Plan<'_>, store: &Store) -> Result<Self, Error> {
        Ok(Summary { outcome: plan.outcome(store)?, left: plan.cost(store)?, sets: plan.sets(store)?, examined: None })
    }
}

/// Shows what is happening, and keeps the summary up to date.
struct Watched<'a> {
    bar: ProgressBar,
    plan: &'a Plan<'a>,
    kept: &'a SummaryArgs,
    writing: Mutex<()>,
}

impl Listener for Watched<'_> {
    fn begins(&self, game: &str, set: u32, doing: &str, done: usize, of: usize) {
        self.bar.set_message(format!("{done} of {of} sets done, now {doing} {game}, set {set}"));
    }

    fn finished(&self, store: &Store) -> Result<(), Error> {
        if self.kept.summary.is_none() {
            return Ok(());
        }
        // One after the other: who writes last has read last.
        let _writing = self.writing.lock().expect("no holder panics");
        self.kept.write(&Summary::new(self.plan, store)?).map_err(|error| Error::Request(format!("{error:#}")))
    }
}

fn name(size: CompletionSize) -> &'static str {
    match size {
        CompletionSize::Quick => "quick",
        CompletionSize::Small => "small",
        CompletionSize::Medium => "medium",
        CompletionSize::Paper => "paper",
    }
}

fn size(args: &CompletionExperimentArgs) -> Size {
    let size = match args.size {
        CompletionSize::Quick => Size::QUICK,
        CompletionSize::Small => Size::SMALL,
        CompletionSize::Medium => Size::MEDIUM,
        CompletionSize::Paper => Size::PAPER,
    };
    Size {
        sets: args.sets.unwrap_or(size.sets),
        training: args.training.unwrap_or(size.training),
        nodes: args.nodes.unwrap_or(size.nodes),
        terminal: args.f.clone(),
        ..size
    }
}

/// Evaluations by the learner of this program.
struct Learned {
    size: Size,
    folder: PathBuf,
}

impl Learned {
    fn set(&self, game: &str, number: u32) -> FunctionSet {
        let Size { functions, training, terminal, .. } = self.size.clone();
        FunctionSet { game: game.into(), number, functions, training, terminal }
    }
}

impl Functions for Learned {
    fn names(&self, game: &str, set: u32) -> Vec<String> {
        self.set(game, set).names()
    }

    fn terminal(&self, game: &str) -> Result<String, String> {
        self.set(game, 1).terminal().map_err(|error| error.to_string())
    }

    fn make(&self, game: &str, set: u32, stop: &StopHandle) -> Result<bool, String> {
        self.set(game, set).train(&self.folder, stop, &mut |_| {}).map_err(|error| error.to_string())
    }

    fn left(&self, game: &str, set: u32) -> Duration {
        self.set(game, set).left(&self.folder)
    }

    fn trained(&self, game: &str, set: u32) -> Vec<String> {
        self.set(game, set).training_lines(&self.folder).unwrap_or_default()
    }
}

fn chosen(names: &[String]) -> Result<Vec<Printed>> {
    if names.is_empty() {
        return Ok(TABLE.to_vec());
    }
    let all = || TABLE.iter().chain(&BEYOND);
    let mut games = Vec::new();
    for name in names {
        match all().find(|(game, ..)| game == name) {
            Some(&game) => games.push(game),
            None => {
                let all: Vec<&str> = all().map(|(game, ..)| *game).collect();
                bail!("{name} is not in the experiment; expected some of {}", all.join(" "));
            }
        }
    }
    Ok(games)
}

fn cost_text(cost: &Cost) -> String {
    let hours = |seconds: f64| match seconds {
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s < 100.0 * 3600.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{} days", grouped((s / 86_400.0) as u64)),
    };
    if cost.matches == 0 && cost.training == 0.0 {
        return "nothing is left to do".into();
    }
    format!(
        "left to do, on one core: about {} of learning and {} of play ({} matches)",
        hours(cost.training),
        hours(cost.playing),
        grouped(cost.matches as u64)
    )
}

fn examined_text(examined: &[Examined]) -> String {
    let titles = ["game", "matches", "missed a win", "walked into a loss", "stalled in a win"];
    let mut rows = table(&titles, &[1, 2, 3, 4]);
    for Examined { name, matches, missed_a_win, walked_into_a_loss, stalled } in examined.iter() {
        let counts = [matches, missed_a_win, walked_into_a_loss, stalled].map(usize::to_string);
        rows.add_row([vec![name.to_string()], counts.to_vec()].concat());
    }
    format!("\nmatches that the second did not win, and what could be proved in them:\n\n{}", table_text(&rows))
}

fn text_of(found: &Found, cost: &Cost) -> String {
    let titles =
        ["game", "matches", "first", "95 %", "paper", "won / drawn / lost", "too long", "plies", "ms per move"];
    let mut rows = table(&titles, &[1, 2, 3, 4, 5, 6, 7, 8]);
    for line in &found.lines {
        let [ours, theirs] = line.milliseconds;
        rows.add_row([
            line.name.to_owned(),
            line.matches.to_string(),
            line.mean.map_or("–".into(), |mean| format!("{mean:+.1} %")),
            line.interval.map_or(String::new(), |Interval(low, high)| format!("{low:+.1} … {high:+.1}")),
            line.paper.map_or(String::new(), |(mean, half)| format!("{mean:+} % ± {half} %")),
            line.won_drawn_lost.map_or(String::new(), |[won, drawn, lost]| format!("{won} / {drawn} / {lost}")),
            line.too_long.to_string(),
            format!("{:.0}", line.plies),
            format!("{ours:.1} / {theirs:.1}"),
        ]);
    }
    let Size { sets, functions, training, nodes, .. } = &found.size;
    let overall = match (found.mean, found.interval) {
        (Some(mean), Some(Interval(low, high))) => format!("{mean:+.2} % in [{low:+.2} %, {high:+.2} %]"),
        _ => "no match yet".into(),
    };
    let paper = found
        .paper
        .map_or(String::new(), |(mean, low, high)| format!("; the paper: {mean:+.2} % in [{low:+.2} %, {high:+.2} %]"));
    format!(
        "{}: +1 for a win of the first, -1 for a loss\n{sets} sets of {functions} functions per game, {} s of \
         learning per set, {} states per move\n\n{}\nall games: {overall} over {} matches{paper}\n{}\n",
        found.question,
        training.as_secs(),
        grouped(*nodes),
        table_text(&rows),
        found.matches,
        cost_text(cost),
    )
}
