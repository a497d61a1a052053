//! Values and distances against their definition: who can force a win within 0, 1, 2 … plies, found by going through
//! all positions once more for every ply. On random games with cycles and without.

use std::sync::Arc;

use perfectplay_core::{Budget, Game, LONGEST, Objective, Payoff, Player, Status, Stop, ZeroSum};
use perfectplay_games::random::{RandomGame, RandomOptions, Turns};
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::oracle::retrograde::Retrograde;
use perfectplay_search::{Search, Setup, oracle::retrograde};

type Loopy = RandomGame<ZeroSum>;

/// The value of every position under [`Objective::Length`], by position.
fn truth(game: &Loopy) -> Vec<i32> {
    let states = 0..game.positions() as u32;
    let mut values = vec![0; states.len()];
    let mut within: [Vec<bool>; 2] = [Player::FIRST, Player::SECOND]
        .map(|p| states.clone().map(|s| game.status(&s) == Status::Over(ZeroSum::win_for(p))).collect());
    for plies in 0.. {
        for (player, sign) in [(0, 1), (1, -1)] {
            for state in states.clone().filter(|&s| within[player][s as usize]) {
                let value = &mut values[state as usize];
                *value = if *value == 0 { sign * (LONGEST - plies) } else { *value };
            }
        }
        let next = [0, 1].map(|p| states.clone().map(|s| forces(game, s, p, &within[p])).collect::<Vec<_>>());
        if next == within {
            return values;
        }
        within = next;
    }
    unreachable!("the sets cannot grow for ever")
}

/// Whether `player` has won in `state` or can move, or must be moved, to where it wins a ply sooner.
fn forces(game: &Loopy, state: u32, player: usize, within: &[bool]) -> bool {
    let mut moves = Vec::new();
    let sooner = |mv: &u8| within[game.after(&state, *mv) as usize];
    match game.expand(&state, &mut moves) {
        Status::Over(_) => within[state as usize],
        Status::Turn(mover) if mover.index() == player => moves.iter().any(sooner),
        Status::Turn(_) => moves.iter().all(sooner),
    }
}

fn games(count: u64) -> impl Iterator<Item = Arc<Loopy>> {
    (0..count).map(|seed| {
        let options = RandomOptions {
            depth: 3 + (seed % 7) as u32,
            branching: 2 + (seed % 3) as u32,
            transpositions: [0.2, 0.5][seed as usize % 2],
            cycles: [0.0, 0.15, 0.4, 0.7][seed as usize / 2 % 4],
            turns: if seed % 5 == 0 { Turns::Any } else { Turns::Cyclic },
            draws: seed % 3 != 0,
            seed,
            ..RandomOptions::default()
        };
        Arc::new(Loopy::new(options))
    })
}

#[test]
fn every_position_has_its_value_and_its_distance() {
    let (mut cyclic_wins, mut endless) = (0, 0);
    for game in games(600) {
        let truth = truth(&game);
        let mut search = Retrograde::new(game.clone(), game.start(), Objective::Length).unwrap();
        assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
        for state in 0..game.positions() as u32 {
            let Some(value) = search.value(&state) else { continue };
            assert_eq!(value.0, truth[state as usize], "position {state} of {:?}", game.facts());
            let over = matches!(game.status(&state), Status::Over(_));
            cyclic_wins += usize::from(!game.facts().acyclic && !over && value.0 != 0);
            endless += usize::from(!game.facts().acyclic && !over && value.0 == 0);
        }
        assert_eq!(search.states(), game.positions(), "all positions of a random game can be reached");
        if game.facts().acyclic {
            let mut induction = BackwardInduction::new(game.clone(), game.start(), Objective::Length).unwrap();
            induction.run(&Budget::unlimited(), &mut ());
            assert!((0..game.positions() as u32).all(|s| induction.value(&s).unwrap().0 == truth[s as usize]));
        }
    }
    assert!(cyclic_wins > 1000 && endless > 1000, "the games are too simple: {cyclic_wins} wins, {endless} draws");
}

#[test]
fn lines_and_moves_of_cyclic_games_keep_the_value() {
    for game in games(300) {
        let truth = truth(&game);
        let mut search = Retrograde::new(game.clone(), game.start(), Objective::Length).unwrap();
        search.run(&Budget::unlimited(), &mut ());
        let answer = search.answer();
        assert_eq!(answer.verdict.solved(), Some(ZeroSum(truth[0])));
        let mut state = game.start();
        for mv in &answer.line {
            let next = game.after(&state, *mv);
            let (here, there) = (truth[state as usize], truth[next as usize]);
            assert_eq!(there, here + here.signum(), "a move of the line gives something away");
            state = next;
        }
        if truth[0] != 0 {
            assert_eq!(answer.line.len() as i32, LONGEST - truth[0].abs());
        }
        for report in &answer.moves {
            let after = game.after(&game.start(), report.mv);
            assert_eq!(report.verdict.solved(), Some(ZeroSum(truth[after as usize])));
        }
    }
}

#[test]
fn a_limit_on_memory_is_kept_and_said() {
    let options = RandomOptions { depth: 14, branching: 4, cycles: 0.2, ..RandomOptions::default() };
    let game = Arc::new(Loopy::new(options));
    let setup = Setup { objective: Objective::Length, ..Setup::default() };
    for limit in [2_000, 20_000, 200_000] {
        let mut search = retrograde::open(game.clone(), 0, &setup, Default::default()).unwrap();
        let budget = Budget { memory: Some(limit), ..Budget::default() };
        assert_eq!(search.run(&budget, &mut ()), Stop::Memory);
        let answer = search.answer();
        assert!(answer.effort.bytes <= limit, "{} of {limit} bytes", answer.effort.bytes);
        assert!(answer.notes[0].contains("memory is used up"), "{:?}", answer.notes);
        assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done, "it goes on with more");
    }
    assert!(game.positions() > 10_000, "{} positions are too few", game.positions());
}
