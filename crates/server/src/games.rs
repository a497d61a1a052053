//! Games that were opened lately, and positions as the page sees them.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use perfectplay_catalog::{AnyGame, AnyPosition, open};
use perfectplay_core::{Clicks, Drawing, Player, Spec};
use serde::Deserialize;
use serde_json::{Value, json};

/// Games kept open: opening some takes a while.
const KEPT: usize = 16;
/// What a game remembers of positions that were looked at is thrown away after so many looks.
const LOOKS: usize = 2000;
/// Moves of a position, and letters of what describes it, that are looked at.
const MOST_MOVES: usize = 2000;
const MOST_TEXT: usize = 16 << 10;

/// The games opened lately, the latest last.
#[derive(Default)]
pub(crate) struct Games(Mutex<VecDeque<Kept>>);

struct Kept {
    name: String,
    game: Arc<dyn AnyGame>,
    looks: usize,
}

impl Games {
    /// The game with this name. One that reads a file is refused: files are nothing for visitors.
    pub(crate) fn open(&self, text: &str) -> Result<Arc<dyn AnyGame>, String> {
        if text.len() > MOST_TEXT {
            return Err(format!("the name of a game has at most {MOST_TEXT} letters"));
        }
        let mut kept = self.0.lock().expect("nobody panics while opening");
        if let Some(place) = kept.iter().position(|kept| kept.name == text) {
            let mut found = kept.remove(place).expect("it was there");
            found.looks += 1;
            let game = found.game.clone();
            if found.looks < LOOKS {
                kept.push_back(found);
            }
            return Ok(game);
        }
        drop(kept);
        refuse_files(text)?;
        let game: Arc<dyn AnyGame> = Arc::from(open(text).map_err(|error| error.to_string())?);
        let mut kept = self.0.lock().expect("nobody panics while opening");
        kept.push_back(Kept { name: text.to_owned(), game: game.clone(), looks: 0 });
        if kept.len() > KEPT {
            kept.pop_front();
        }
        Ok(game)
    }
}

/// Scripts may be written into the address, but not read from this machine.
fn refuse_files(text: &str) -> Result<(), String> {
    let spec = Spec::parse(text).map_err(|error| error.to_string())?;
    let inline = text.split_once([':', '(']).is_some_and(|(_, rest)| rest.trim_start().starts_with(['[', '(']));
    if spec.name == "script" && !inline {
        return Err("the page does not read files: write the script as a list, as in script:[3,[5,-2]]".into());
    }
    Ok(())
}

/// An algorithm as it was asked for, with the file of the model that a training of the same page has made
/// (`eval=learned:training-3`). Other models are files, too, and refused, unless they come with the program or lie in
/// its folder.
pub(crate) fn with_trained_model(algorithm: &str, file_of: impl Fn(u64) -> Option<PathBuf>) -> Result<String, String> {
    let Some((before, rest)) = algorithm.split_once("learned:").filter(|(before, _)| before.trim_end().ends_with('='))
    else {
        return Ok(algorithm.to_owned());
    };
    let (model, after) = rest.split_at(rest.find([',', ')']).unwrap_or(rest.len()));
    let Some(training) = model.trim().strip_prefix(TRAINING).and_then(|number| number.parse().ok()) else {
        return Err(format!(
            "the page does not read files: eval=learned asks the game's own model, eval=learned:{TRAINING}3 that of \
this page's third job"
        ));
    };
    let Some(file) = file_of(training) else {
        return Err(format!("this page has no model of training {training}: train one first"));
    };
    Ok(format!("{before}learned:{}{after}", file.display()))
}

/// What the models of this page's own trainings are called, before their number.
pub(crate) const TRAINING: &str = "training-";

/// Which position of which game.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct At {
    pub(crate) game: String,
    /// Where it begins, if not at the start.
    pub(crate) position: Option<String>,
    /// What was played since.
    #[serde(default)]
    pub(crate) moves: Vec<String>,
}

impl At {
    /// The position after all moves, and the one before the last.
    pub(crate) fn reach(&self, games: &Games) -> Result<Reached, String> {
        let length: usize =
            self.moves.iter().map(String::len).sum::<usize>() + self.position.as_ref().map_or(0, String::len);
        if self.moves.len() > MOST_MOVES || length > MOST_TEXT {
            return Err(format!("a position has at most {MOST_MOVES} moves and {MOST_TEXT} letters here"));
        }
        let game = games.open(&self.game)?;
        let text = self.position.as_deref().filter(|text| !text.trim().is_empty());
        let mut now = match text {
            Some(text) => game.parse_position(text).map_err(|error| error.to_string())?,
            None => game.start(),
        };
        let note = text.and_then(|text| game.position_note(text));
        let (mut before, mut movers) = (None, Vec::new());
        for (i, mv) in self.moves.iter().enumerate() {
            if i + 1 == self.moves.len() {
                before = Some(now.clone_box());
            }
            movers.push(now.status().map_or(0, |mover| mover.index() + 1));
            now.play(mv).map_err(|error| format!("move {}: {error}", i + 1))?;
        }
        Ok(Reached { game, now, before, movers, note })
    }
}

/// A position that was reached.
pub(crate) struct Reached {
    pub(crate) game: Arc<dyn AnyGame>,
    pub(crate) now: Box<dyn AnyPosition>,
    before: Option<Box<dyn AnyPosition>>,
    /// Who made each move, counted from 1.
    movers: Vec<usize>,
    note: Option<String>,
}

impl Reached {
    /// All that a page shows of it.
    pub(crate) fn to_json(&self, flipped: bool) -> Value {
        let drawing = self.now.drawing();
        let drawing = match &self.before {
            Some(before) => drawing.marked_since(&before.drawing()),
            None => drawing,
        };
        let moves = self.now.moves_on_board();
        let targets = drawing.clone().with_targets(moves.iter().map(|(_, clicks)| clicks)).targets;
        let ended = self
            .now
            .status()
            .err()
            .map(|ended| json!({ "words": ended.in_words(), "gains": ended.gains, "scores": ended.scores }));
        json!({
            "game": self.now.game(),
            "position": self.now.text(),
            "players": self.game.facts().players,
            "zero_sum": self.game.facts().zero_sum,
            "mover": self.now.status().ok().map(|mover| mover.index() + 1),
            "ended": ended,
            "movers": self.movers,
            "moves": moves.iter().map(|(text, clicks)| move_json(text, clicks)).collect::<Vec<_>>(),
            "targets": targets,
            "board": picture(&drawing, flipped),
            "note": self.note,
        })
    }
}

/// The board, and what stands beside it.
pub(crate) fn picture(drawing: &Drawing, flipped: bool) -> Value {
    let colour = |i: usize| {
        let colour = drawing.colour(Player::new(i));
        json!({ "name": colour.name(), "fill": colour.fill(), "ink": colour.ink() })
    };
    let line = |(player, text): (Player, String)| json!({ "colour": colour(player.index()), "text": text });
    let legend: Vec<Value> = drawing.legend_lines().into_iter().map(line).collect();
    // Of the players, not of the stones: they may have exchanged them.
    let colours: Vec<Value> = (0..drawing.players).map(|i| colour(drawing.holder(Player::new(i)).index())).collect();
    json!({
        "svg": if drawing.rows.is_empty() { Value::Null } else { drawing.to_board_svg(flipped).into() },
        "legend": legend,
        "colours": colours,
        "notes": drawing.notes,
    })
}

fn move_json(text: &str, clicks: &Clicks) -> Value {
    json!({ "move": text, "from": clicks.from, "to": clicks.to })
}
