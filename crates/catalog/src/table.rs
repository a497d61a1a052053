//! Tables of all values: written by a strong solution, looked up by whoever has the file.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use perfectplay_check::table::Table;
use perfectplay_core::{
    Answer, Effort, FullGame, MoveReport, Objective, Payoff, Status, Stop, Verdict, one_ply_earlier,
};
use perfectplay_search::{Refusal, Search};
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::Error;
use crate::algorithms::TABLE_WRITER;
use crate::certify::ProofFile;
use crate::position::Position;
use crate::report::{Context, Report};

/// What was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableLine {
    /// Where.
    pub file: String,
    /// How long the file is.
    pub bytes: u64,
    /// Positions in it.
    pub positions: u64,
}

/// Only the algorithm that knows all distances can, and only if keys mean something to another run.
pub(crate) fn can_write<G: FullGame>(game: &G, algorithm: &str) -> Result<(), Error> {
    let name = TABLE_WRITER.name;
    if algorithm.split(':').next() != Some(name) {
        return Err(Refusal::Other(format!("a table holds all values and distances: only {name} writes one")).into());
    }
    if !game.stable_keys() {
        let why = "no table can be written of this game: its keys number past positions anew in every run";
        return Err(Refusal::Other(why.into()).into());
    }
    Ok(())
}

pub(crate) fn write<G: FullGame>(
    position: &Position<G>,
    search: &dyn Search<G>,
    file: ProofFile,
) -> Result<TableLine, Error> {
    let mut entries = Vec::new();
    if !search.strong_values(&mut |key, value| entries.push((*key, value))) {
        return Err(Error::Unproved("no table was written: not all values are known".into()));
    }
    let table = Table::new(entries);
    let opened = &position.opened;
    let (game, root) = (opened.spec.clone(), opened.game.position_text(&position.state));
    let (file, bytes) = file.finish(|file| table.write(game, root, file))?;
    Ok(TableLine { file, bytes, positions: table.len() as u64 })
}

pub(crate) fn look_up<G: FullGame>(position: &Position<G>, path: &Path, memory: usize) -> Result<Report, Error> {
    let started = Instant::now();
    let unread = |e: String| Error::Unreadable(format!("{}: {e}", path.display()));
    let file = File::open(path).map_err(|e| unread(e.to_string()))?;
    let (header, table) = Table::<G::Key>::read(file, memory).map_err(|e| unread(e.to_string()))?;
    let opened = &position.opened;
    if header.game != opened.spec {
        return Err(unread(format!("the table is about {}, not {}", header.game, opened.spec)));
    }
    let (game, root) = (&*opened.game, &position.state);
    let value = |state: &G::State| table.value(&game.canonical_key(state));
    let Some(known) = value(root) else {
        return Err(unread(format!(
            "the table does not hold this position; it has all that follow {}",
            header.position
        )));
    };
    let payoff = |value: i32| G::Payoff::from_scores(&[value, -value]);
    let mut moves = Vec::new();
    let status = game.expand(root, &mut moves);
    let report = |&mv: &G::Move| {
        let verdict = value(&game.after(root, mv)).map_or(Verdict::Unknown, |value| Verdict::Solved(payoff(value)));
        MoveReport { mv, verdict, visits: None }
    };
    let answer = Answer {
        mover: status.mover(),
        verdict: Verdict::Solved(payoff(known)),
        line: line(game, root, value),
        moves: moves.iter().map(report).collect(),
        effort: Effort { nodes: 0, bytes: table.len() * (size_of::<G::Key>() + 4) },
        counts: vec![("positions", table.len() as u64)],
        notes: vec![],
    };
    let name = format!("table {}", path.display());
    let context = Context {
        game: &opened.spec,
        proved_by: None,
        algorithm: &name,
        objective: Objective::Length,
        seconds: started.elapsed().as_secs_f64(),
        stop: Some(Stop::Done),
        threads: 1,
    };
    Ok(Report::new(game, root, answer, context))
}

/// Best play of both sides, as far as no position returns.
fn line<G: FullGame>(game: &G, root: &G::State, value: impl Fn(&G::State) -> Option<i32>) -> Vec<G::Move> {
    let (mut state, mut line, mut moves) = (*root, Vec::new(), Vec::new());
    let mut met = FxHashSet::default();
    while met.insert(game.key(&state)) {
        moves.clear();
        let (Status::Turn(_), Some(here)) = (game.expand(&state, &mut moves), value(&state)) else { break };
        let keeps = |mv: &&G::Move| value(&game.after(&state, **mv)).is_some_and(|next| one_ply_earlier(next) == here);
        let Some(&mv) = moves.iter().find(keeps) else { break };
        line.push(mv);
        game.play(&mut state, mv);
    }
    line
}
