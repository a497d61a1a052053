//! What games, algorithms, options, growing trees and checked proofs say of themselves, as JSON: for `--json`, files
//! and pages alike.

use std::path::Path;

use perfectplay_check::table::CheckedTable;
use perfectplay_check::{Error, Proof};
use perfectplay_core::{Facts, GameInfo, Growth, OptionDoc, StateNow, Values, plies_of};
use serde_json::{Map, Value, json};

use crate::{AlgorithmInfo, AnyGame, Threads};

/// The facts in a line.
pub fn facts_text(facts: &Facts) -> String {
    let mut parts = vec![format!("{} players", facts.players)];
    parts.push(if facts.zero_sum { "zero-sum".into() } else { "separate scores".into() });
    parts.push(if facts.acyclic { "acyclic".into() } else { "positions can repeat".into() });
    if !facts.alternating {
        parts.push("turns do not simply alternate".into());
    }
    if facts.history {
        parts.push("history is part of the state".into());
    }
    let (low, high) = facts.scores[0];
    parts.push(format!("scores of player 1 from {low} to {high}"));
    if let Some(length) = facts.length {
        parts.push(format!("at most {length} moves"));
    }
    if let Some(states) = facts.states {
        parts.push(format!("at most {states:.3e} states"));
    }
    parts.join(", ")
}

/// The facts, all of them.
pub fn facts_json(facts: &Facts) -> Value {
    json!({
        "players": facts.players,
        "zero_sum": facts.zero_sum,
        "acyclic": facts.acyclic,
        "alternating": facts.alternating,
        "history": facts.history,
        "scores": facts.scores,
        "sum": facts.sum,
        "outcomes": facts.outcomes,
        "length": facts.length,
        "states": facts.states,
        "heuristic": facts.heuristic,
    })
}

/// A game, and what is true of it when it is opened like this.
pub fn game_json(game: &GameInfo, opened: &dyn AnyGame) -> Value {
    let parameters: Vec<Value> = (game.parameters)().iter().map(option_json).collect();
    json!({
        "name": game.name,
        "summary": game.summary,
        "players": game.players,
        "parameters": parameters,
        "examples": game.examples,
        "facts": facts_json(&opened.facts()),
        "states": opened.storage(),
    })
}

/// How many of its threads an algorithm uses.
pub fn threads_used(threads: Threads) -> &'static str {
    if let Threads::One(_) = threads { "one" } else { "all" }
}

/// The same with the reason.
pub fn threads_in_words(threads: Threads) -> String {
    match threads {
        Threads::One(why) => format!("one: {why}"),
        Threads::All => "all, and --reproducible finds the same every time".into(),
        Threads::Racing(why) => format!("all; two runs may differ, though not in what they prove: {why}"),
    }
}

/// An algorithm with its options.
pub fn algorithm_json(a: &AlgorithmInfo) -> Value {
    json!({
        "name": a.name,
        "summary": a.summary,
        "players": a.players,
        "exact": a.exact,
        "threads": threads_used(a.threads),
        "threads_note": threads_in_words(a.threads),
        "reproducible": !matches!(a.threads, Threads::Racing(_)),
        "options": a.options().iter().map(option_json).collect::<Vec<_>>(),
    })
}

/// An option with all that a form needs.
pub fn option_json(option: &OptionDoc) -> Value {
    let mut told = json!({
        "name": option.name,
        "meaning": option.meaning,
        "default": option.default,
        "optional": option.optional,
        "kind": option.kind(),
    });
    match &option.values {
        Values::Whole(range) => (told["min"], told["max"]) = (json!(range.start()), json!(range.end())),
        Values::Fraction(range) => (told["min"], told["max"]) = (json!(range.start()), json!(range.end())),
        Values::Choice(words) => {
            told["choices"] = words.iter().map(|(name, meaning)| json!({"name": name, "meaning": meaning})).collect();
        }
        Values::Switch | Values::Text => {}
    }
    told
}

/// What an iteration has done: a line of the file that `--growth` writes.
pub fn growth_json(growth: &Growth) -> Value {
    let moved = |(mv, child, new): &(String, StateNow, bool)| {
        let mut moved = Map::from_iter([("move".into(), json!(mv)), ("new".into(), json!(new))]);
        moved.extend(now(child));
        moved
    };
    let moves = |moves: &[(String, StateNow, bool)]| moves.iter().map(moved).collect::<Vec<_>>();
    let opened = growth.opened.iter().map(|o| json!({ "state": o.state, "moves": moves(&o.moves) }));
    let mut told = json!({
        "iteration": growth.iteration,
        "line": growth.line,
        "visited": growth.visited.iter().map(now).collect::<Vec<_>>(),
        "opened": opened.collect::<Vec<_>>(),
        "nodes": growth.nodes,
    });
    if !growth.cut.is_empty() {
        told["cut"] = json!(growth.cut);
    }
    told
}

fn now(state: &StateNow) -> Map<String, Value> {
    let fields = [("state", json!(state.state)), ("value", json!(state.value)), ("resolved", json!(state.resolved))];
    let numbers = (!state.numbers.is_empty()).then(|| ("numbers", json!(state.numbers)));
    let window = state.window.map(|window| ("window", json!(window)));
    fields.into_iter().chain(numbers).chain(window).map(|(name, value)| (name.into(), value)).collect()
}

/// What `verify --json` says of a proof that holds.
pub fn proof_json(file: &Path, proof: &Proof, seconds: f64) -> Value {
    let part = |part: &perfectplay_check::Checked| {
        json!({ "part": part.part.name(), "states": part.states, "moves": part.moves, "ends": part.ends,
                "frontier": part.frontier })
    };
    json!({
        "file": file,
        "proved": true,
        "game": proof.header.game,
        "position": proof.header.position,
        "objective": proof.header.objective.name(),
        "value": proof.values(),
        "verdict": proof.value_in_words(),
        "statements": proof.sentences(),
        "parts": proof.parts.iter().map(part).collect::<Vec<_>>(),
        "states": proof.parts.iter().map(|p| p.states).sum::<u64>(),
        "bytes": proof.bytes,
        "seconds": seconds,
    })
}

/// What `verify --json` says of a table of all values that holds.
pub fn table_json(file: &Path, checked: &CheckedTable, seconds: f64) -> Value {
    let [won, drawn, lost] = checked.won_drawn_lost;
    let header = &checked.header;
    json!({
        "file": file, "proved": true, "game": header.game, "position": header.position,
        "verdict": table_verdict(checked), "positions": header.positions, "won": won, "drawn": drawn, "lost": lost,
        "longest": checked.longest, "moves": checked.moves, "bytes": checked.bytes, "seconds": seconds,
    })
}

/// The value of the position that a table begins with, in words.
pub fn table_verdict(checked: &CheckedTable) -> String {
    match (checked.value, plies_of(checked.value)) {
        (0, _) => "draw".to_owned(),
        (1.., plies) => format!("player 1 wins in {plies} plies"),
        (_, plies) => format!("player 2 wins in {plies} plies"),
    }
}

/// What `verify --json` says of a proof that does not hold.
pub fn refusal_json(file: &Path, error: &Error) -> Value {
    json!({ "file": file, "proved": false, "error": error.to_string() })
}
