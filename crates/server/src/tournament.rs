//! Tournaments on the page: the arena's, with a cap on everything.

use std::time::{Duration, Instant};

use perfectplay_arena::{
    Conditions, GameRecord, Limits, PlayerSpec, Report as Standings, RunOptions, Store, Tournament,
};
use perfectplay_core::{StopHandle, seconds_text};
use serde_json::{Value, json};

use crate::games::{Reached, with_trained_model};
use crate::job::{Ask, Means, Run};
use crate::session::Share;

/// Games of a tournament, and players.
const MOST_GAMES: usize = 2000;
const MOST_PLAYERS: usize = 12;
/// What a move may take.
const MOVE_TIME: Duration = Duration::from_secs(5);
const MOVE_NODES: u64 = 1_000_000;
/// The latest games, which can be replayed.
const SHOWN: usize = 40;

/// A tournament, and the memory of its players.
pub(crate) struct Playing {
    tournament: Tournament,
    _share: Share,
}

impl Playing {
    pub(crate) fn prepare(ask: &Ask, reached: &Reached, means: &Means) -> Result<Self, String> {
        if ask.players.len() > MOST_PLAYERS {
            return Err(format!("a tournament has at most {MOST_PLAYERS} players here"));
        }
        // One game is played at a time.
        let memory = means.limits.search_memory;
        let seats = reached.game.facts().players;
        let most = Limits { time: Some(MOVE_TIME), nodes: None, memory: Some(memory / seats), threads: Some(1) };
        let players = ask.players.iter().map(|text| player(text, &most)).collect::<Result<Vec<_>, String>>()?;
        let conditions = Conditions {
            kind: Default::default(),
            seatings: None,
            openings: None,
            rounds: Some(ask.rounds.unwrap_or(10).clamp(1, 500)),
            seed: ask.seed,
            rules: Default::default(),
        };
        let tournament = Tournament::new(&ask.at.game, players, conditions).map_err(|error| error.to_string())?;
        let games = tournament.jobs().len();
        if games > MOST_GAMES {
            return Err(format!(
                "that would be {games} games; the page plays at most {MOST_GAMES}: fewer rounds or players"
            ));
        }
        tournament.check(&StopHandle::new()).map_err(|error| error.to_string())?;
        Ok(Playing { tournament, _share: means.share(memory)? })
    }

    pub(crate) fn run(&self, run: &Run<'_>) -> Result<(), String> {
        let (job, slots) = (run.job, &run.means.long_turns);
        let mut store = Store::in_memory().map_err(|error| error.to_string())?;
        let options = RunOptions { threads: Some(1), stop: job.stop.clone(), ..RunOptions::default() };
        let mut turn = Some(slots.wait());
        let (mut games, mut told_at) = (Vec::new(), None::<Instant>);
        let ran = self.tournament.run(&mut store, &options, &mut |progress| {
            turn = None; // whoever waits comes next
            turn = Some(slots.wait());
            games = progress.games.to_vec();
            if run.started.elapsed() > run.means.limits.time {
                job.stop.pull();
            }
            if told_at.is_none_or(|at| at.elapsed() > Duration::from_millis(200)) {
                told_at = Some(Instant::now());
                job.tell(self.standings(run, &games, true), false);
            }
        });
        drop(turn);
        ran.map_err(|error| error.to_string())?;
        job.tell(self.standings(run, &games, false), true);
        Ok(())
    }

    fn standings(&self, run: &Run<'_>, games: &[GameRecord], running: bool) -> Value {
        let (tournament, labels) = (&self.tournament, self.tournament.labels());
        let mut report = Standings::new(&run.ask.at.game, &labels, games, tournament.objective());
        report.planned = Some(tournament.jobs().len());
        let game = |game: &GameRecord| {
            json!({ "name": game.job.name(), "seats": game.job.seating, "gains": game.gains, "reason": game.reason,
                    "position": game.opening.position, "opening": game.opening.moves, "moves": game.moves })
        };
        let latest: Vec<Value> = games.iter().rev().take(SHOWN).map(game).collect();
        let elapsed = run.started.elapsed().as_secs_f64();
        json!({ "running": running, "standings": report, "games": latest, "elapsed": elapsed })
    }
}

/// A player whose moves cost no more than that; one that asks for more is refused.
fn player(text: &str, most: &Limits) -> Result<PlayerSpec, String> {
    // Engines are programs of this machine: nothing for visitors.
    if text.starts_with("uci:") || text.starts_with("gtp:") {
        return Err("the page does not start engines: use `perfectplay tournament`".into());
    }
    if text == "perfect" {
        return Err("a perfect player may think for hours: use `perfectplay tournament`".into());
    }
    with_trained_model(text, |_| None)
        .map_err(|_| "the page does not read files: its tournaments know eval=learned, the game's own model")?;
    let player = PlayerSpec::parse(text).map_err(|error| error.to_string())?;
    let asked = player.limits();
    let too_much = asked.time > most.time
        || asked.nodes > Some(MOVE_NODES)
        || asked.memory > most.memory
        || asked.threads > most.threads;
    if too_much {
        let (seconds, bytes) = (seconds_text(MOVE_TIME.as_secs_f64()), most.memory.unwrap_or(0) >> 20);
        return Err(format!(
            "{text} asks for too much: here a move takes at most {seconds}, {MOVE_NODES} nodes, {bytes} MiB and one \
thread"
        ));
    }
    Ok(player.within(most))
}
