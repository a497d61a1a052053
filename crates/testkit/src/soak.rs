//! Many random games to the end: no panic, every bound kept, every text read back.

use perfectplay_core::{FullGame, Payoff, Player, Status};
use perfectplay_games::seam::Packed;

use crate::Dice;
use crate::spec::{OnPacked, visit_packed};

/// Games that have no end in sight are left after so many moves.
const MOST_MOVES: u32 = 20_000;
/// Positions written and read per game, about.
const TEXTS: u32 = 4;

/// Plays `games` random games of the game called `spec`; answers how many moves that were.
///
/// # Panics
/// If a fact does not hold or a text is not read back.
pub fn soak(spec: &str, games: u32, seed: u64) -> u64 {
    struct Soak<'a>(&'a str, u32, u64);
    impl OnPacked for Soak<'_> {
        type Output = u64;
        fn on<P: Payoff, const S: usize, const K: usize, const M: usize>(self, game: Packed<P, S, K, M>) -> u64 {
            let mut dice = Dice::new(self.2);
            let mut usual = 50;
            (0..self.1)
                .map(|_| {
                    let moves = play(self.0, &game, &mut dice, usual);
                    usual = moves.max(1);
                    u64::from(moves)
                })
                .sum()
        }
    }
    visit_packed(spec, Soak(spec, games, seed))
}

fn play<G: FullGame>(spec: &str, game: &G, dice: &mut Dice, usual: u32) -> u32 {
    let facts = game.facts();
    let mut state = game.start();
    let mut scratch = Vec::new();
    for moves in 0..MOST_MOVES {
        if dice.below(usual as usize) < TEXTS as usize {
            round_trip(spec, game, &state);
        }
        match game.random_move(&state, &mut scratch, &mut |sides| dice.below(sides)) {
            Ok(mv) => {
                if dice.below(usual as usize) < TEXTS as usize {
                    let text = game.move_text(&state, mv);
                    let read = game.parse_move(&state, &text);
                    assert_eq!(read, Ok(mv), "{spec}: {text} in {}", game.position_text(&state));
                }
                game.play(&mut state, mv);
            }
            Err(payoff) => {
                assert_eq!(game.status(&state), Status::Over(payoff), "{spec}: {}", game.position_text(&state));
                round_trip(spec, game, &state);
                for player in Player::all(facts.players) {
                    let (least, most) = facts.scores[player.index()];
                    assert!((least..=most).contains(&payoff.score(player)), "{spec}: {payoff:?}");
                }
                if let Some(outcomes) = &facts.outcomes {
                    assert!(outcomes.contains(&payoff.score(Player::FIRST)), "{spec}: {payoff:?}");
                }
                assert!(facts.length.is_none_or(|length| moves <= length), "{spec}: {moves} moves");
                return moves;
            }
        }
    }
    MOST_MOVES
}

fn round_trip<G: FullGame>(spec: &str, game: &G, state: &G::State) {
    let text = game.position_text(state);
    let read = game.parse_position(&text).unwrap_or_else(|error| panic!("{spec}: \"{text}\": {error}"));
    assert_eq!(game.position_text(&read), text, "{spec}");
    assert!(game.facts().history || read == *state, "{spec}: \"{text}\" is read as another state");
}
