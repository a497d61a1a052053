//! `train`: learning to evaluate a game by self-play.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use perfectplay_core::{StopHandle, parse_count};
use perfectplay_learn::curve::{Point, last_scores, spark};
use perfectplay_learn::{Count, Listener, Request, Run, Training};

use crate::args::{TrainArgs, stop_on_ctrl_c, stop_on_termination};
use crate::output::{Outcome, emit, emit_json, grouped, rate_text, seconds_text};

pub(crate) fn run(args: &TrainArgs) -> Result<Outcome> {
    if args.picture.is_some() && args.exam == 0 {
        bail!("--picture draws the scores of exams: --exam 0 leaves none");
    }
    let (games, record) = games(&args.games)?;
    // What cannot be written is refused before the first game.
    let written = args.export.iter().chain(&args.report).chain(&args.picture).chain(&args.log);
    if let Some(path) = written.into_iter().find(|path| !in_a_folder(path)) {
        bail!("cannot write {}: there is no such folder", path.display());
    }
    let begins = args.resume.is_none();
    let request = Request {
        game: args.game.clone(),
        model: begins.then(|| args.model.clone()),
        method: args.with.clone(),
        seed: args.seed,
        out: args.out.clone(),
        resume: args.resume.clone(),
        games,
        time: args.time,
        exam: args.exam,
        log: args.log.clone(),
        record,
    };
    let stop = StopHandle::new();
    stop_on_ctrl_c(&stop);
    stop_on_termination(&stop);
    let mut training = Training::new(request)?;
    let mut teller = Teller::new();
    training.learn(args.threads.map(usize::from), &stop, &mut teller)?;
    teller.bar.finish_and_clear();
    args.export.iter().try_for_each(|path| training.export(path))?;
    args.report.as_ref().map_or(Ok(()), |path| training.report(path))?;
    if args.json {
        emit_json(&training.document())?;
    } else {
        emit(&summary(training.run(), training.points(), training.out()))?;
    }
    args.picture.as_ref().map_or(Ok(()), |path| training.picture(path))?;
    Ok(crate::output::ended(&stop, "the model as it was is in its file, and --resume goes on with it"))
}

fn in_a_folder(path: &Path) -> bool {
    path.parent().is_none_or(|folder| folder.as_os_str().is_empty() || folder.is_dir())
}

/// The number of games and the file for them, as far as they were given.
fn games(given: &[String]) -> Result<(Option<u64>, Option<PathBuf>)> {
    let (mut most, mut file) = (None, None);
    for text in given {
        match parse_count(text) {
            Ok(count) if most.replace(count).is_some() => bail!("--games was given two numbers"),
            Ok(_) => {}
            Err(_) if file.replace(PathBuf::from(text)).is_some() => bail!("--games was given two files"),
            Err(_) => {}
        }
    }
    Ok((most, file))
}

fn summary(run: &Run, points: &[Point], out: &Path) -> String {
    let (count, game) = (run.count(), &run.plan().game);
    let mut text = format!("{}\n", out.display());
    text += &format!("games        {}, {} on average\n", grouped(count.games), plies_text(&count));
    text += &format!("evaluations  {} ({})\n", grouped(count.evaluations), rate_text(count.evaluations, count.seconds));
    text += &format!("examples     {} ({})\n", grouped(count.examples), rate_text(count.examples, count.seconds));
    text += &format!("time         {}\n", seconds_text(count.seconds));
    if let Some(last) = points.last() {
        for (name, score) in last_scores(points) {
            let curve = points.iter().filter_map(|p| Some(p.marks.scores.iter().find(|s| s.0 == *name)?.1));
            text += &format!("score        {:3.0} %  {}  against {name}\n", 100.0 * score, spark(curve, (0.0, 1.0)));
        }
        if let Some(right) = last.marks.right_states {
            let curve = points.iter().filter_map(|p| p.marks.right_states);
            text += &format!("states       {:.1} %  {}  are valued rightly\n", 100.0 * right, spark(curve, (0.0, 1.0)));
        }
        let errors = points.iter().map(|p| p.error);
        text += &format!("error        {:.3}  {}\n", last.error, spark(errors, (0.0, 1.0)));
    }
    let out = out.display();
    text + &format!("play with it: perfectplay play {game} --with ubfm:eval=learned:{out},decision=safest\n")
}

fn plies_text(count: &Count) -> String {
    format!("{:.1} plies", count.plies as f64 / count.games.max(1) as f64)
}

/// Tells people on the terminal how it goes.
struct Teller {
    bar: ProgressBar,
    drawn: Instant,
    known: String,
}

impl Teller {
    fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{wide_msg}").expect("a constant template"));
        Teller { bar, drawn: Instant::now(), known: String::new() }
    }
}

impl Listener for Teller {
    fn game(&mut self, count: &Count) {
        if self.drawn.elapsed() >= Duration::from_millis(200) {
            self.drawn = Instant::now();
            let rate = rate_text(count.evaluations, count.seconds);
            let (games, seconds) = (grouped(count.games), seconds_text(count.seconds));
            self.bar.set_message(format!("{games} games, {}, {rate}, {seconds}; {}", plies_text(count), self.known));
        }
    }

    fn look(&mut self, point: &Point) {
        let scores = point.marks.scores.iter().map(|(name, score)| format!("{:.0} % against {name}", 100.0 * score));
        let right = point.marks.right_states.map(|right| format!("{:.1} % of all states right", 100.0 * right));
        let scores = scores.chain(right);
        self.known = scores.collect::<Vec<_>>().join(", ");
        let line = format!(
            "{:>7} s  {:>9} games  {:.1} plies  error {:.3}  {}",
            format!("{:.0}", point.seconds),
            grouped(point.games),
            point.length,
            point.error,
            self.known
        );
        self.bar.println(line);
    }
}
