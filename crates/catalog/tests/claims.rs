//! What every algorithm in the list claims, after every slice of its work: an answer is one claim, and it is true.
//!
//! Two players: values, bounds, moves and lines are compared with backward induction. More players: a value is one of
//! the equilibrium values, and it is said in one sentence which claim it is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use perfectplay_catalog::{ALGORITHMS, Algorithm, AnyPosition, Report, Setup, open};
use perfectplay_core::{Budget, Objective, SolveStatus, Stop};

/// The value of every position below `position` to each player, by its text.
fn truth(position: &dyn AnyPosition, objective: Objective) -> HashMap<String, Vec<i32>> {
    let values = Arc::new(Mutex::new(HashMap::new()));
    let sink = values.clone();
    let on_value = Box::new(move |text: &str, value: &[i32]| {
        sink.lock().unwrap().insert(text.to_owned(), value.to_vec());
    });
    position.strong(objective, on_value).unwrap().run(&Budget::unlimited(), &mut ());
    let values = values.lock().unwrap();
    values.clone()
}

fn after(position: &dyn AnyPosition, mv: &str) -> Box<dyn AnyPosition> {
    let mut next = position.clone_box();
    next.play(mv).unwrap_or_else(|error| panic!("{mv} is not legal: {error}"));
    next
}

fn check_claim(position: &dyn AnyPosition, report: &Report, truth: &HashMap<String, Vec<i32>>, place: &str) {
    let value = |position: &dyn AnyPosition| truth[&position.text()].clone();
    let real = value(position);
    if let Some(claimed) = &report.value {
        assert_eq!(*claimed, real, "{place}");
        let mut at = position.clone_box();
        for mv in &report.pv {
            at = after(&*at, mv);
            assert_eq!(value(&*at), real, "{mv} in {:?}: {place}", report.pv);
        }
    }
    if let Some(bounds) = &report.bounds {
        assert!(bounds.lower[0] <= real[0] && real[0] <= bounds.upper[0], "{bounds:?}: {place}");
        assert_ne!(bounds.lower, bounds.upper, "{place}");
        if let Some(mv) = &report.best_move {
            let kept = value(&*after(position, mv))[0];
            let keeps = if report.mover == Some(1) { kept >= bounds.lower[0] } else { kept <= bounds.upper[0] };
            assert!(keeps, "{mv} does not keep {bounds:?}: {place}");
        }
    }
    for line in report.moves.iter().filter(|line| line.resolved) {
        let real: Vec<f32> = value(&*after(position, &line.mv)).iter().map(|&v| v as f32).collect();
        assert_eq!(line.value.as_deref(), Some(&real[..]), "{}: {place}", line.mv);
        let wins = report.objective == Objective::Gain && real[report.mover.unwrap() - 1] == 1.0;
        assert!(!wins || report.value.is_some(), "{} wins, and the root is open: {place}", line.mv);
    }
}

/// Runs a search in slices that grow, and looks at what it says after each of them. Tells how it ended.
fn in_slices(position: &dyn AnyPosition, name: &str, setup: &Setup, check: &mut dyn FnMut(&Report)) -> Option<Report> {
    let mut search = position.search(&Algorithm::parse(name).unwrap(), setup).ok()?;
    let fresh = search.report();
    assert!(fresh.best_move.is_none() || fresh.status != SolveStatus::Unsolved, "{name}: a move before any look");
    for nodes in [1, 1, 2, 3, 5, 9, 17, 40, 100, 250, 700, 2000, 6000, 20_000] {
        let stop = search.run(&Budget::nodes(nodes), &mut ());
        check(&search.report());
        if matches!(stop, Stop::Done | Stop::Memory | Stop::Stalled) {
            break;
        }
    }
    Some(search.report())
}

#[test]
fn two_players() {
    let random =
        (0..24).map(|seed| format!("random:seed={seed},turns=any,depth={},outcomes={}", 3 + seed % 5, 1 + seed % 4));
    let games = random.chain(["tic-tac-toe", "connect-four:3x3", "nim:1,2,3", "mnk:3x3x3"].map(String::from));
    let mut solved: HashMap<&str, u32> = HashMap::new();
    for game in games {
        let game = open(&game).unwrap_or_else(|error| panic!("{game}: {error}"));
        let position = game.start();
        for objective in [Objective::Gain, Objective::Score] {
            let truth = truth(&*position, objective);
            for (info, exact) in ALGORITHMS.iter().flat_map(|info| [(info, true), (info, false)]) {
                let setup = Setup { objective, seed: 1, exact, memory: Some(4 << 20), ..Setup::default() };
                let place = format!("{} {} for {objective}, exact {exact}", position.game(), info.name);
                let check = &mut |report: &Report| check_claim(&*position, report, &truth, &place);
                let last = in_slices(&*position, info.name, &setup, check);
                *solved.entry(info.name).or_default() += u32::from(last.is_some_and(|r| r.value.is_some()));
            }
        }
    }
    for info in ALGORITHMS.iter().filter(|info| info.exact) {
        assert!(solved[info.name] > 0, "{} solved nothing", info.name);
    }
}

/// Where nothing tells moves apart, none is called best: the first legal move is no better than the others. Searches
/// that were made to play rather than to judge name one all the same.
#[test]
fn no_move_is_best_before_moves_differ() {
    let judges = || ALGORITHMS.iter().filter(|info| !["greedy", "random"].contains(&info.name));
    let mut named: HashMap<&str, u32> = HashMap::new();
    for game in ["hex:5", "othello:6", "connect-four:7x6", "chess"] {
        let game = open(game).unwrap();
        let position = game.start();
        for info in judges() {
            let setup = Setup { seed: 1, memory: Some(4 << 20), ..Setup::default() };
            let Ok(mut search) = position.search(&Algorithm::parse(info.name).unwrap(), &setup) else { continue };
            search.run(&Budget::nodes(1), &mut ());
            let report = search.report();
            let differ =
                report.moves.windows(2).any(|two| (&two[0].value, two[0].visits) != (&two[1].value, two[1].visits));
            assert!(report.best_move.is_none() || differ, "{} {}: {report:?}", position.game(), info.name);
            search.run(&Budget::nodes(3000), &mut ());
            *named.entry(info.name).or_default() += u32::from(search.report().best_move.is_some());
        }
    }
    for name in ["auto", "every-move", "ubfm", "descent", "mcts", "alpha-beta", "pns", "mopns", "df-pn", "df-mopns"] {
        assert!(named[name] > 0, "{name} never names a move");
    }
}

/// The vectors in brackets.
fn listed(note: &str) -> Vec<Vec<i32>> {
    let vectors = note.split('(').skip(1).filter_map(|rest| rest.split_once(')'));
    vectors.filter_map(|(vector, _)| vector.split(", ").map(|n| n.parse().ok()).collect()).collect()
}

#[test]
fn three_players() {
    let random = (0..24).map(|seed| format!("random:players=3,seed={seed},depth={}", 3 + seed % 3));
    let mut several = 0;
    for game in random.chain(["nim:2,3,players=3".into()]) {
        let game = open(&game).unwrap_or_else(|error| panic!("{game}: {error}"));
        let position = game.start();
        for objective in [Objective::Gain, Objective::Score] {
            let setup = Setup { objective, seed: 1, exact: true, memory: Some(4 << 20), ..Setup::default() };
            let all = in_slices(&*position, "equilibria", &setup, &mut |_| ()).unwrap();
            let vectors = listed(&all.notes[0]);
            let mut distinct = vectors.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), vectors.len(), "{:?}", all.notes);
            assert_eq!(all.counts.iter().find(|c| c.0 == "equilibria").unwrap().1, vectors.len() as u64);
            if let [only] = &vectors[..] {
                assert_eq!((all.claim, &all.value), (Some("every equilibrium"), &Some(only.clone())));
                assert!(all.best_move.is_some() && all.verdict().ends_with(" in every equilibrium"));
            } else {
                several += 1;
                assert_eq!((all.claim, all.value.is_none()), (Some("several equilibria"), true));
                assert_eq!(all.status, SolveStatus::Solved);
                assert!(all.best_move.is_none() && all.pv.is_empty(), "one of several is called the best");
                assert_eq!(all.verdict(), format!("{} equilibrium values", vectors.len()));
            }
            for info in ALGORITHMS.iter().filter(|info| info.name != "equilibria") {
                in_slices(&*position, info.name, &setup, &mut |report| {
                    let place = format!("{} {}: {report:?}", position.game(), info.name);
                    let Some(value) = &report.value else {
                        assert_eq!(report.claim, None, "{place}");
                        return;
                    };
                    assert!(vectors.contains(value), "{vectors:?} {place}");
                    assert_eq!(report.claim, Some("one equilibrium"), "{place}");
                    assert!(report.verdict().ends_with(" in one equilibrium"), "{place}");
                    let says = |note: &&String| note.starts_with("proved is one equilibrium: every player takes");
                    assert_eq!(report.notes.iter().filter(says).count(), 1, "{place}");
                });
            }
            let paranoid = in_slices(&*position, "paranoid", &setup, &mut |_| ()).unwrap();
            if let (Some(Stop::Done), Some(mover)) = (paranoid.stop, paranoid.mover) {
                assert!(paranoid.value.is_none());
                let sentence = format!("proved is a guarantee of player {mover} alone, not an equilibrium");
                let note = paranoid.notes.iter().find(|note| note.starts_with(&sentence)).unwrap();
                let least: i32 = note.rsplit(' ').next().unwrap().parse().unwrap();
                assert!(vectors.iter().all(|vector| vector[mover - 1] >= least), "{least} {vectors:?}");
            }
        }
    }
    assert!(several > 5, "only {several} games with several equilibria");
}
