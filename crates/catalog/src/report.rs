//! An answer in words and numbers, for people and programs alike.

use perfectplay_core::{Answer, Estimate, FullGame, Objective, Payoff, Player, SolveStatus, Stop, Verdict};
use serde::{Serialize, Serializer};

use crate::certify::ProofLine;
use crate::table::TableLine;

/// Everything a search has to say. As JSON it is the document that `solve --json` and `analyse --json` print.
///
/// A field that ends in doubt is left out: `value` is there only if it is proved, `estimate` only if it is not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The game as the user named it.
    pub game: String,
    /// The position in the game's notation.
    pub position: String,
    /// The algorithm as the user named it.
    pub algorithm: String,
    /// Which algorithm proved the value, if several were at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proved_by: Option<&'static str>,
    /// What `value` is about: `gain`, `score` or `length`.
    #[serde(serialize_with = "objective_name")]
    pub objective: Objective,
    /// The two teams as `1/2+3`, if the players of a game for many were made to join into teams. All values are then
    /// those of the two teams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teams: Option<String>,
    /// How much is proved: `solved`, `bounds` or `unsolved`.
    #[serde(serialize_with = "status_name")]
    pub status: SolveStatus,
    /// What is proved, if something is: `value` (two players with opposed interests), `one equilibrium`, `every
    /// equilibrium` (they all have this value) or `several equilibria` (no value; the notes list them).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<&'static str>,
    /// The proved value for each player.
    pub value: Option<Vec<i32>>,
    /// With the objective `length`: how many plies the game still takes, if somebody wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// The proved bounds, if the value itself is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// A guess for each player, if nothing is proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Vec<f32>>,
    /// `win`, `draw` or `loss` for the player to move (for player 1 if the game is over), if proved.
    pub outcome: Option<&'static str>,
    /// Who moves, counted from 1; none if the game is over.
    pub mover: Option<usize>,
    /// The move to play.
    pub best_move: Option<String>,
    /// The best line.
    pub pv: Vec<String>,
    /// Nodes created.
    pub nodes: u64,
    /// Threads that searched: where fewer did than were allowed, a note says why.
    pub threads: usize,
    /// Time spent searching.
    pub seconds: f64,
    /// Bytes held.
    pub bytes: usize,
    /// Why the search stopped: `done`, `time`, `nodes`, `memory`, `cancelled`, `stalled`; none before it ran.
    #[serde(serialize_with = "stop_name")]
    pub stop: Option<Stop>,
    /// Further numbers by name.
    #[serde(serialize_with = "as_map")]
    pub counts: Vec<(&'static str, u64)>,
    /// Sentences that belong to the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The certificate that was written, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofLine>,
    /// The table that was written, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<TableLine>,
    /// Every move at the root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<MoveLine>,
}

/// What is proved about an unsolved value, as payoffs per player of the two ends.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bounds {
    /// The worst the first player can be held to.
    pub lower: Vec<i32>,
    /// The best the first player can hope for.
    pub upper: Vec<i32>,
}

/// One move at the root.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveLine {
    /// The move as players write it.
    #[serde(rename = "move")]
    pub mv: String,
    /// Whether its value is proved.
    pub resolved: bool,
    /// The value for each player if proved, otherwise the guess if there is one.
    pub value: Option<Vec<f32>>,
    /// What is proved of its value, if that is not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// With the objective `length`: how many plies the game still takes with this move, if that is proved and somebody
    /// wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// How often the search went this way.
    pub visits: Option<u64>,
}

fn as_map<S: Serializer>(counts: &[(&'static str, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter().copied())
}

/// What the report takes from its surroundings.
pub(crate) struct Context<'a> {
    pub(crate) game: &'a str,
    pub(crate) algorithm: &'a str,
    pub(crate) proved_by: Option<&'static str>,
    pub(crate) objective: Objective,
    pub(crate) seconds: f64,
    pub(crate) stop: Option<Stop>,
    pub(crate) threads: usize,
}

impl Report {
    pub(crate) fn new<G: FullGame>(game: &G, root: &G::State, answer: Answer<G>, context: Context<'_>) -> Self {
        let players = game.facts().players;
        let exact = |payoff| per_player(|p| context.objective.value::<G::Payoff>(payoff, p), players);
        let (status, value, bounds, estimate) = match answer.verdict {
            Verdict::Solved(payoff) => (SolveStatus::Solved, Some(exact(payoff)), None, None),
            Verdict::Equilibria(_) => (SolveStatus::Solved, None, None, None),
            Verdict::Bounds { lower, upper, .. } => {
                (SolveStatus::Bounds, None, Some(Bounds { lower: exact(lower), upper: exact(upper) }), None)
            }
            Verdict::Estimated(guess) => {
                (SolveStatus::Unsolved, None, None, Some(per_player(|p| guess.of(p), players)))
            }
            Verdict::Unknown => (SolveStatus::Unsolved, None, None, None),
        };
        let equilibria = answer.counts.iter().find(|(name, _)| *name == "equilibria").map(|&(_, count)| count);
        let claim = match (answer.verdict, equilibria) {
            (Verdict::Solved(_) | Verdict::Bounds { .. }, _) if G::Payoff::ZERO_SUM => Some("value"),
            (Verdict::Equilibria(_), _) => Some("several equilibria"),
            (Verdict::Solved(_), Some(1)) => Some("every equilibrium"),
            (Verdict::Solved(_), _) => Some("one equilibrium"),
            _ => None,
        };
        let outcome = answer.verdict.solved().map(|v| v.gain(answer.mover.unwrap_or(Player::FIRST)).name());
        let moves = answer.moves.iter().map(|m| MoveLine {
            mv: game.move_text(root, m.mv),
            resolved: m.verdict.solved().is_some(),
            value: match m.verdict {
                Verdict::Solved(payoff) => Some(exact(payoff).into_iter().map(|v| v as f32).collect()),
                Verdict::Estimated(guess) => Some(per_player(|p| guess.of(p), players)),
                _ => None,
            },
            bounds: match m.verdict {
                Verdict::Bounds { lower, upper, .. } => Some(Bounds { lower: exact(lower), upper: exact(upper) }),
                _ => None,
            },
            plies: m.verdict.solved().and_then(|v| context.objective.plies(context.objective.before(v))),
            visits: m.visits,
        });
        let pv = line_texts(game, root, &answer.line);
        Report {
            game: context.game.to_owned(),
            position: game.position_text(root),
            algorithm: context.algorithm.to_owned(),
            proved_by: context.proved_by,
            objective: context.objective,
            teams: None,
            status,
            claim,
            value,
            plies: answer.verdict.solved().and_then(|v| context.objective.plies(v)),
            bounds,
            estimate,
            outcome,
            mover: answer.mover.map(|p| p.index() + 1),
            best_move: pv.first().cloned(),
            moves: moves.collect(),
            pv,
            nodes: answer.effort.nodes,
            threads: context.threads,
            seconds: context.seconds,
            bytes: answer.effort.bytes,
            stop: context.stop,
            counts: answer.counts,
            notes: answer.notes,
            proof: None,
            table: None,
        }
    }

    /// Puts the moves in order: what is best for the mover first.
    pub fn best_moves_first(&mut self) {
        let Some(mover) = self.mover.map(|mover| mover - 1) else { return };
        let worth = |line: &MoveLine| match (&line.value, &line.bounds) {
            (Some(value), _) => value[mover],
            (None, Some(Bounds { lower, upper })) => (lower[mover] + upper[mover]) as f32 / 2.0,
            (None, None) => f32::NEG_INFINITY,
        };
        let best = self.best_move.clone();
        let is_best = |line: &MoveLine| Some(&line.mv) == best.as_ref();
        // Of wins the shortest, of losses the longest.
        let length = |line: &MoveLine| {
            line.plies.map_or(0, |plies| if worth(line) > 0.0 { -i64::from(plies) } else { plies.into() })
        };
        self.moves.sort_by(|a, b| {
            let by_worth = worth(b).total_cmp(&worth(a)).then(length(b).cmp(&length(a)));
            is_best(b).cmp(&is_best(a)).then(by_worth).then(b.resolved.cmp(&a.resolved))
        });
    }

    /// The answer in a few words: `player 1 wins`, `draw`, `player 2 wins by 8`, `between …`, `not solved`.
    pub fn verdict(&self) -> String {
        if let (Some(teams), Some(value)) = (&self.teams, &self.value) {
            return match (self.objective, value[0]) {
                (Objective::Score, score) => format!("team 1 of {teams} can secure a score of {score}"),
                (_, 0) => format!("team 1 of {teams} can secure a draw"),
                (_, gain) => format!("team {} of {teams} wins", if gain > 0 { 1 } else { 2 }),
            };
        }
        match (&self.value, &self.bounds) {
            (Some(value), _) => match self.claim {
                Some(which @ ("one equilibrium" | "every equilibrium")) if self.mover.is_some() => {
                    format!("{} in {which}", in_words(value, self.objective))
                }
                _ => match self.plies {
                    Some(1) => format!("{} in 1 ply", in_words(value, self.objective)),
                    Some(plies) => format!("{} in {plies} plies", in_words(value, self.objective)),
                    None => in_words(value, self.objective),
                },
            },
            (None, None) if self.status == SolveStatus::Solved => {
                let count = self.counts.iter().find(|(name, _)| *name == "equilibria").map_or(0, |&(_, count)| count);
                format!("{count} equilibrium values")
            }
            (None, Some(b)) => {
                format!("between {} and {}", in_words(&b.lower, self.objective), in_words(&b.upper, self.objective))
            }
            (None, None) => "not solved".into(),
        }
    }
}

fn per_player<T>(part: impl FnMut(Player) -> T, players: usize) -> Vec<T> {
    Player::all(players).map(part).collect()
}

/// A line of moves as players write it.
pub(crate) fn line_texts<G: FullGame>(game: &G, root: &G::State, line: &[G::Move]) -> Vec<String> {
    let mut state = *root;
    let text = |&mv: &G::Move| {
        let text = game.move_text(&state, mv);
        game.play(&mut state, mv);
        text
    };
    line.iter().map(text).collect()
}

fn objective_name<S: Serializer>(objective: &Objective, to: S) -> Result<S::Ok, S::Error> {
    objective.name().serialize(to)
}

fn status_name<S: Serializer>(status: &SolveStatus, to: S) -> Result<S::Ok, S::Error> {
    status.name().serialize(to)
}

fn stop_name<S: Serializer>(stop: &Option<Stop>, to: S) -> Result<S::Ok, S::Error> {
    stop.map(Stop::name).serialize(to)
}

/// Payoffs per player in words.
pub(crate) fn in_words(value: &[i32], objective: Objective) -> String {
    let best = value.iter().copied().max().unwrap_or(0);
    if value.iter().all(|&v| v == best) {
        return if best == 0 { "draw".into() } else { format!("draw, {best} each") };
    }
    match (value, objective) {
        (&[a, b], Objective::Score) if a == -b => format!("player {} wins by {}", if a > 0 { 1 } else { 2 }, a.abs()),
        (&[a, _], _) => format!("player {} wins", if a == best { 1 } else { 2 }),
        (value, Objective::Gain) if best == 1 => {
            let winners: Vec<String> = (1..).zip(value).filter(|&(_, &v)| v == 1).map(|(i, _)| i.to_string()).collect();
            match winners.as_slice() {
                [one] => format!("player {one} wins"),
                some => format!("players {} win", some.join(" and ")),
            }
        }
        (value, _) => {
            let parts: Vec<String> = value.iter().map(i32::to_string).collect();
            format!("({})", parts.join(", "))
        }
    }
}
