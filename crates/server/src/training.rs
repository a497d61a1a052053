//! Training on the page: games of self-play, exams now and then, and the curves of both.

use std::time::Duration;

use perfectplay_core::{parse_count, parse_duration, seconds_text};
use perfectplay_learn::curve::Point;
use perfectplay_learn::options::{Method, ModelOptions, Replay};
use perfectplay_learn::{Count, End, Exam, ExamLimits, Limits, Marks, Plan, Run as Learning, usual_method};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::games::Reached;
use crate::job::{Ask, Means, Run, given, refuse_more};
use crate::session::Share;

/// What is trained if nobody says so, and for how long.
const USUAL_MODEL: &str = "tuples";
const USUAL_TIME: Duration = Duration::from_secs(60);
/// Games against each opponent of an exam.
const USUAL_EXAM: u64 = 4;
const LONGEST_EXAM: u64 = 20;
/// Points of a curve.
const LOOKS: u64 = 20;
/// How long a turn is; a game that was begun in it is played to its end.
const TURN: Duration = Duration::from_millis(100);
/// What one game may cost, and what may be kept of the last ones: beyond that, a stop would not be heard for long.
const MOST_EVALUATIONS: u64 = 1000;
const MOST_DEPTH: u32 = 3;
const MOST_WARM: usize = 1000;
const MOST_KEPT: u64 = 10_000;
/// What self-play, its examples and the exams hold beside the model.
const BESIDE: usize = 128 << 20;

/// A run, how far it may go, and its memory.
pub(crate) struct Training {
    run: Learning,
    time: Duration,
    games: Option<u64>,
    exam: u64,
    _share: Share,
}

impl Training {
    pub(crate) fn prepare(ask: &Ask, reached: &Reached, means: &Means) -> Result<Self, String> {
        let text = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let model = text(&ask.model).unwrap_or_else(|| USUAL_MODEL.to_owned());
        let method = match text(&ask.with) {
            Some(method) => method,
            None => usual_method(&ask.at.game).map_err(|error| error.to_string())?.to_owned(),
        };
        refuse_long_games(&Method::parse(&method).map_err(|error| error.to_string())?)?;
        let bytes = match ModelOptions::parse(&model).map_err(|error| error.to_string())? {
            ModelOptions::Tuples(options) => {
                let players = reached.game.facts().players;
                reached.game.layout().map_or(0, |layout| options.most_bytes(&layout, players))
            }
            ModelOptions::Mlp(_) | ModelOptions::Other(..) => 0,
        };
        let (bytes, most) = (bytes.saturating_add(BESIDE), means.limits.search_memory);
        if bytes > most {
            let (bytes, most) = (bytes >> 20, most >> 20);
            return Err(format!(
                "{model} may take {bytes} MiB with all that learning needs; here it is at most {most} MiB"
            ));
        }
        let (games, time) = (given(&ask.games, parse_count)?, given(&ask.time, parse_duration)?);
        if games == Some(0) {
            return Err("a training has at least one game".into());
        }
        refuse_more("--time", time, means.limits.time, |time| seconds_text(time.as_secs_f64()))?;
        let usual = if games.is_some() { means.limits.time } else { USUAL_TIME };
        let share = means.share(bytes)?;
        let plan = Plan { game: ask.at.game.clone(), model, method, seed: ask.seed };
        Ok(Training {
            run: Learning::new(plan).map_err(|error| error.to_string())?,
            time: time.unwrap_or(usual).min(means.limits.time),
            games,
            exam: ask.exam.unwrap_or(USUAL_EXAM).min(LONGEST_EXAM),
            _share: share,
        })
    }

    pub(crate) fn run(&self, run: &Run<'_>) -> Result<(), String> {
        let (job, slots, stop) = (run.job, &run.means.long_turns, &run.job.stop);
        let told = |points: &[Point], running| self.told(run, points, running);
        job.tell(told(&[], true), false);
        let turn = slots.wait();
        let exam = (self.exam > 0).then(|| Exam::new(&run.ask.at.game, run.ask.seed)).transpose();
        drop(turn);
        let exam = exam.map_err(|error| error.to_string())?;
        let (mut points, mut looked): (Vec<Point>, Count) = Default::default();
        loop {
            // The first look that lies ahead, so that there is a game to be played until then.
            let look = (self.done(&looked) * LOOKS as f64 + 1e-9).floor() as u64 + 1;
            let due = look as f64 / LOOKS as f64 - 1e-9;
            let games = self.games.map(|games| games.min(games.saturating_mul(look).div_ceil(LOOKS)));
            let turn = slots.wait();
            let end = End { games: self.games, seconds: Some(0.0..self.time.as_secs_f64()) };
            let limits = Limits { games, time: Some(TURN), threads: 1, stop: stop.clone(), end };
            self.run.go_on(&limits, &mut ());
            drop(turn);
            let count = self.run.count();
            let late = run.started.elapsed() > run.means.limits.time; // exams and waiting included
            let ends = late || stop.is_pulled() || self.done(&count) >= 1.0;
            if count.games > looked.games && (ends || self.done(&count) >= due) {
                let marks = match &exam {
                    Some(exam) => self.take(exam, points.len(), run)?,
                    None => Marks::default(),
                };
                points.push(Point::between(&looked, &count, marks));
                looked = count;
            }
            if ends {
                break;
            }
            job.tell(told(&points, true), false);
        }
        let file = NamedTempFile::new().and_then(|file| {
            std::fs::write(file.path(), self.run.file().to_bytes())?;
            Ok(file)
        });
        *job.model.lock().expect("nobody panics here") =
            Some(file.map_err(|error| format!("no room for the model: {error}"))?);
        job.tell(told(&points, false), true);
        Ok(())
    }

    /// Which part of what it may do is done.
    fn done(&self, count: &Count) -> f64 {
        let games = self.games.map_or(0.0, |games| count.games as f64 / games.max(1) as f64);
        games.max(count.seconds / self.time.as_secs_f64().max(1e-3))
    }

    /// An exam, round by round in turns with others; nothing if it was stopped before the first was over.
    fn take(&self, exam: &Exam, number: usize, run: &Run<'_>) -> Result<Marks, String> {
        let limits = ExamLimits { games: 1, time: Duration::ZERO, stop: run.job.stop.clone() };
        let mut all = Vec::new();
        for game in 0..self.exam {
            let _turn = run.means.long_turns.wait();
            let seed = number as u64 * 1000 + game;
            let marks = exam.take(&self.run.model(), seed, &limits).map_err(|error| error.to_string())?;
            if marks.exam_games == 0 {
                break;
            }
            all.push(marks);
        }
        let Some(last) = all.last().cloned() else { return Ok(Marks::default()) };
        let mean = |i: usize| all.iter().map(|marks| marks.scores[i].1).sum::<f64>() / all.len() as f64;
        let scores = last.scores.iter().cloned().enumerate().map(|(i, (name, _))| (name, mean(i))).collect();
        Ok(Marks { exam_games: all.len() as u64, scores, ..last })
    }

    /// What the page hears.
    fn told(&self, run: &Run<'_>, points: &[Point], running: bool) -> Value {
        let (plan, count) = (self.run.plan(), self.run.count());
        json!({
            "running": running,
            "training": {
                "game": plan.game, "model": plan.model, "method": plan.method, "count": count, "points": points,
                "seconds": self.time.as_secs_f64(), "games": self.games, "done": self.done(&count).min(1.0),
                "stopped": run.job.stop.is_pulled(),
            },
            "elapsed": run.started.elapsed().as_secs_f64(),
        })
    }
}

fn refuse_long_games(method: &Method) -> Result<(), String> {
    let options = &method.options;
    let kept = if options.replay == Replay::Off { 0 } else { options.evaluations.value * options.window.value as u64 };
    let caps = [
        ("evaluations", options.evaluations.value > MOST_EVALUATIONS, MOST_EVALUATIONS),
        ("depth", options.depth.value > MOST_DEPTH, MOST_DEPTH.into()),
        ("warm", options.warm > MOST_WARM, MOST_WARM as u64),
        ("evaluations times window", kept > MOST_KEPT, MOST_KEPT),
    ];
    match caps.iter().find(|cap| cap.1) {
        Some((name, _, most)) => {
            Err(format!("{name} can be at most {most} here: `perfectplay train` has no such limit"))
        }
        None => Ok(()),
    }
}
