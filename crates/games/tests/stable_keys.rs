//! Keys that go into files: another run of the program must give the same key to the same state.

use perfectplay_core::{FullGame, Payoff, Plain, Spec, Status, ZeroSum};
use perfectplay_games::GAMES;
use perfectplay_games::seam::{self, Packed, SeamVisitor};

/// States along a few lines of play, each with its key.
fn keys<G: FullGame>(game: &G, first_line: usize) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    let mut moves = Vec::new();
    // Asked about other states first, a game that numbers what it is asked about gives other numbers.
    for line in (first_line..6).chain(1..6) {
        if line == 1 {
            keys.clear();
        }
        let mut state = game.start();
        for ply in 0..12 {
            moves.clear();
            let Status::Turn(_) = game.expand(&state, &mut moves) else { break };
            game.play(&mut state, moves[(line * 7 + ply * ply) % moves.len()]);
            keys.push(bytes(game.key(&state)));
            keys.push(bytes(game.canonical_key(&state)));
        }
    }
    keys
}

fn bytes<K: Plain>(key: K) -> Vec<u8> {
    let mut bytes = vec![0; K::SIZE];
    key.put(&mut bytes);
    bytes
}

/// The keys met from this line on, and whether the game says that they are stable.
struct Keys(usize);

impl Keys {
    fn of<G: FullGame>(self, game: G) -> (Vec<Vec<u8>>, bool) {
        (keys(&game, self.0), game.stable_keys())
    }
}

impl SeamVisitor for Keys {
    type Output = (Vec<Vec<u8>>, bool);

    fn zero_sum<const S: usize, const K: usize, const M: usize>(self, game: Packed<ZeroSum, S, K, M>) -> Self::Output {
        self.of(game)
    }

    fn several<P: Payoff, const S: usize, const K: usize, const M: usize>(
        self,
        game: Packed<P, S, K, M>,
    ) -> Self::Output {
        self.of(game)
    }
}

#[test]
fn keys_that_are_said_to_be_stable_are() {
    let mut unstable = Vec::new();
    for info in GAMES {
        for example in info.examples {
            let keys = |first_line| seam::open(Spec::parse(example).unwrap(), Keys(first_line)).unwrap();
            let (Ok((one, said)), Ok((other, _))) = (keys(1), keys(4)) else { continue }; // a file that is not here
            assert!(one == other || !said, "the keys of {example} depend on what was met before");
            if one != other {
                unstable.push(info.name);
            }
        }
    }
    // The test can tell the difference.
    assert!(unstable.contains(&"chess") && unstable.contains(&"woodpush"), "{unstable:?}");
}
