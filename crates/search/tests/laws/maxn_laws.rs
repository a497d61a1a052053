//! maxⁿ: every way to prune gives the value and the move of plain maxⁿ with the same tie rule; and the cases that catch
//! the wrong ways.

use std::sync::Arc;

use crate::common::packed;
use perfectplay_core::{
    Budget, Estimate, Features, FullGame, Game, Heuristic, Notation, Objective, OrderingHints, Params, Payoff, Persist,
    Player, Playouts, Scores, SolverHints, Status, Stop, Symmetric, Verdict, ZeroSum,
};
use perfectplay_games::random::{RandomGame, RandomOptions, RandomPayoff, Turns};
use perfectplay_games::script::Script;
use perfectplay_games::seam::Tiny;
use perfectplay_search::alpha_beta::textbook::minimax;
use perfectplay_search::n_player::maxn;
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::oracle::equilibria::Equilibria;
use perfectplay_search::{Search, Setup};
use proptest::prelude::*;

fn open<G: FullGame>(game: &Arc<G>, options: &str, objective: Objective) -> Box<dyn Search<G>> {
    let setup = Setup { objective, ..Setup::default() };
    let params = Params::parse(options).unwrap();
    maxn::open(game.clone(), game.start(), &setup, params).unwrap_or_else(|e| panic!("{options}: {e}"))
}

/// What maxⁿ says in the end: the vector (and whether it is proved), the move, the value of a count.
fn result<G: FullGame>(
    game: &Arc<G>,
    options: &str,
    objective: Objective,
    count: &str,
) -> (Verdict<G::Payoff>, Option<G::Move>, u64) {
    let mut search = open(game, options, objective);
    assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
    let answer = search.answer();
    let number = match count {
        "nodes" => answer.effort.nodes,
        _ => answer.counts.iter().find(|c| c.0 == count).map_or(0, |c| c.1),
    };
    (answer.verdict, answer.best_move(), number)
}

/// The vector, proved or not.
fn vector<P: Payoff>(verdict: Verdict<P>, objective: Objective) -> Vec<f32> {
    let parts = |e: P::Estimate| Player::all(P::PLAYERS).map(|p| e.of(p)).collect();
    match verdict {
        Verdict::Solved(payoff) => parts(payoff.estimate(objective)),
        Verdict::Estimated(guess) => parts(guess),
        other => panic!("{other:?}"),
    }
}

fn script(text: &str) -> Arc<Tiny<Scores<3>>> {
    packed(Script::<Scores<3>>::parse(text).unwrap())
}

fn solved<G: FullGame>(game: &Arc<G>, options: &str) -> Vec<i32> {
    let verdict = result(game, options, Objective::Score, "").0;
    let payoff = verdict.solved().unwrap_or_else(|| panic!("{options}: {verdict:?}"));
    Player::all(G::Payoff::PLAYERS).map(|p| payoff.score(p)).collect()
}

const PRUNINGS: [&str; 8] = [
    "prune=immediate",
    "prune=shallow",
    "prune=last-branch",
    "prune=speculative",
    "prune=shallow+last-branch",
    "prune=shallow+speculative",
    "prune=last-branch+speculative",
    "prune=all",
];

const TIES: [&str; 3] = ["leftmost", "minimise-root", "order"];

/// Plain maxⁿ on scores, by the book: the oracle.
fn book<G: FullGame>(game: &G, state: &G::State, root: Player, ties: &str) -> (Vec<i32>, Option<G::Move>) {
    let mut moves = Vec::new();
    let players = G::Payoff::PLAYERS;
    let mover = match game.expand(state, &mut moves) {
        Status::Over(payoff) => return (Player::all(players).map(|p| payoff.score(p)).collect(), None),
        Status::Turn(mover) => mover.index(),
    };
    let mut best: Option<(Vec<i32>, G::Move)> = None;
    for mv in moves {
        let (value, _) = book(game, &game.after(state, mv), root, ties);
        let better = best.as_ref().is_none_or(|(b, _)| {
            value[mover] > b[mover]
                || value[mover] == b[mover]
                    && match ties {
                        "minimise-root" => mover != root.index() && value[root.index()] < b[root.index()],
                        "order" => {
                            let rotate = |v: &[i32]| (1..players).map(|k| v[(mover + k) % players]).collect::<Vec<_>>();
                            rotate(&value) < rotate(b)
                        }
                        _ => false,
                    }
        });
        if better {
            best = Some((value, mv));
        }
    }
    best.map(|(value, mv)| (value, Some(mv))).unwrap()
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    depth: u32,
    branching: u32,
    outcomes: u32,
    transpositions: f64,
    any_turns: bool,
    constant_sum: bool,
    seed: u64,
}

fn shapes() -> impl Strategy<Value = Shape> {
    let size = (2u32..7, 2u32..5, 1u32..6);
    let kind = (prop_oneof![Just(0.0), Just(0.3), Just(0.7)], any::<bool>(), prop::bool::weighted(0.8), any::<u64>());
    (size, kind).prop_map(|((depth, branching, outcomes), (transpositions, any_turns, constant_sum, seed))| Shape {
        depth: if branching == 4 { depth.min(5) } else { depth },
        branching,
        outcomes,
        transpositions,
        any_turns,
        constant_sum,
        seed,
    })
}

fn graph<P: RandomPayoff>(shape: Shape) -> Arc<Tiny<P>> {
    packed(RandomGame::<P>::new(RandomOptions {
        depth: shape.depth,
        branching: shape.branching,
        outcomes: shape.outcomes,
        transpositions: shape.transpositions,
        turns: if shape.any_turns { Turns::Any } else { Turns::Cyclic },
        constant_sum: shape.constant_sum,
        seed: shape.seed,
        ..RandomOptions::default()
    }))
}

/// Every pruning under every tie rule: at full depth against the book, at limited depth against plain maxⁿ.
fn check<P: RandomPayoff>(shape: Shape) {
    let game = graph::<P>(shape);
    let root = game.status(&game.start()).mover().unwrap();
    for (t, ties) in TIES.into_iter().enumerate() {
        let (value, mv) = book(&*game, &game.start(), root, ties);
        let depth = 1 + (shape.seed >> 8) as u32 % shape.depth;
        let limited = format!("ties={ties},depth={depth},eval=shares");
        let plain = result(&game, &format!("{limited},prune=off,table=off,lazy=off"), Objective::Score, "");
        for (i, prune) in PRUNINGS.into_iter().enumerate() {
            let table = if (i + t + shape.seed as usize).is_multiple_of(2) { "on" } else { "off" };
            let options = format!("{limited},{prune},table={table}");
            let found = result(&game, &options, Objective::Score, "");
            // With less to look at, a pruned search may see that nothing but ends decides.
            let (a, b) = (vector(found.0, Objective::Score), vector(plain.0, Objective::Score));
            assert_eq!((a, found.1), (b, plain.1), "{options} on {shape:?}");
            assert!(found.0.solved().is_some() || plain.0.solved().is_none(), "{options} on {shape:?}");
            let options = format!("{prune},ties={ties},table={table}");
            let found = result(&game, &options, Objective::Score, "");
            let payoff = found.0.solved().unwrap_or_else(|| panic!("{options} on {shape:?}"));
            let scores: Vec<i32> = Player::all(P::PLAYERS).map(|p| payoff.score(p)).collect();
            assert_eq!((&scores, found.1), (&value, mv), "{options} on {shape:?}");
        }
        let all = Equilibria::solve(game.clone(), game.start(), Objective::Score).unwrap();
        assert!(all.iter().any(|e| Player::all(P::PLAYERS).all(|p| e.score(p) == value[p.index()])), "{shape:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, ..ProptestConfig::default() })]

    #[test]
    fn pruning_changes_nothing_for_three_players(shape in shapes()) {
        check::<Scores<3>>(shape);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]

    #[test]
    fn pruning_changes_nothing_for_two_players(shape in shapes()) {
        check::<Scores<2>>(shape);
    }

    #[test]
    fn pruning_changes_nothing_for_four_players(shape in shapes()) {
        check::<Scores<4>>(shape);
    }

    #[test]
    fn pruning_changes_nothing_for_five_players(shape in shapes()) {
        check::<Scores<5>>(shape);
    }

    /// With opposed interests maxⁿ is minimax, to every depth, and both objectives.
    #[test]
    fn two_player_maxn_is_minimax(shape in shapes()) {
        let game = graph::<ZeroSum>(Shape { constant_sum: false, ..shape });
        let depth = 1 + (shape.seed >> 8) as u32 % shape.depth;
        for objective in [Objective::Gain, Objective::Score] {
            let setup = Setup { objective, ..Setup::default() };
            let params = Params::parse(&format!("depth={depth}")).unwrap();
            let mut plain = minimax::open(game.clone(), game.start(), &setup, params).unwrap();
            plain.run(&Budget::unlimited(), &mut ());
            let plain = plain.answer();
            for prune in ["prune=off", "prune=all"] {
                let found = result(&game, &format!("depth={depth},{prune},ties=leftmost"), objective, "");
                let (a, b) = (vector(found.0, objective)[0], vector(plain.verdict, objective)[0]);
                prop_assert!((a - b).abs() < 0.01, "{} {}", a, b);
                // Where maxⁿ proves its value it plays a move that is proved to keep it, which need not come first.
                if found.0.solved().is_none() {
                    prop_assert_eq!(found.1, plain.best_move());
                }
                let taken = plain.moves.iter().find(|report| Some(report.mv) == found.1).expect("a legal move");
                let worth = vector(taken.verdict, objective)[0];
                prop_assert!((worth - b).abs() < 0.01, "{:?} instead of {:?}", found.1, plain.best_move());
            }
            let exact = BackwardInduction::solve(game.clone(), game.start(), objective).unwrap();
            let found = result(&game, "prune=all", objective, "").0.solved().unwrap();
            prop_assert_eq!(objective.value(found, Player::FIRST), objective.value(exact, Player::FIRST));
        }
    }
}

/// Pruning by sums as it should not be done, to show that the cases below tell.
#[derive(Clone, Copy, PartialEq)]
enum Wrong {
    /// Nothing: shallow pruning as it should be done.
    Nothing,
    /// Bounds of the grandparent are used as well.
    Deep,
    /// Least parts are taken to be 0.
    Unshifted,
    /// The bound on the sum is one too small.
    SmallSum,
    /// A bound is passed on where parent and child have the same mover.
    SameMover,
    /// Last-branch pruning that forgets what the node in between returns instead.
    LastBranchBlind,
}

struct Bound {
    mover: usize,
    need: i32,
    last: bool,
}

fn careless<G: FullGame>(game: &G, state: &G::State, wrong: Wrong, path: &mut Vec<Bound>) -> Vec<i32> {
    let facts = game.facts();
    let n = facts.players;
    let mut moves = Vec::new();
    let mover = match game.expand(state, &mut moves) {
        Status::Over(payoff) => return Player::all(n).map(|p| payoff.score(p)).collect(),
        Status::Turn(mover) => mover.index(),
    };
    let least: Vec<i32> = facts.scores.iter().map(|s| if wrong == Wrong::Unshifted { 0 } else { s.0 }).collect();
    let sum = facts.sum.1 - i32::from(wrong == Wrong::SmallSum);
    let mut best: Option<Vec<i32>> = None;
    for (i, &mv) in moves.iter().enumerate() {
        let need = best.as_ref().map_or(least[mover], |b| b[mover] + 1);
        path.push(Bound { mover, need, last: i + 1 == moves.len() });
        let value = careless(game, &game.after(state, mv), wrong, path);
        path.pop();
        if best.as_ref().is_none_or(|b| value[mover] > b[mover]) {
            best = Some(value);
        }
        let own = best.as_ref().unwrap()[mover];
        let rest = |others: &[usize]| (0..n).filter(|p| !others.contains(p)).map(|p| least[p]).sum::<i32>();
        if let Some(parent) = path.last()
            && (parent.mover != mover || wrong == Wrong::SameMover)
            && sum - own - rest(&[mover, parent.mover]) < parent.need
        {
            break;
        }
        if let [.., above, parent] = path.as_slice()
            && (wrong == Wrong::Deep || wrong == Wrong::LastBranchBlind && parent.last)
            && above.mover != mover
            && above.mover != parent.mover
            && parent.mover != mover
        {
            let between = if wrong == Wrong::Deep { least[parent.mover] } else { parent.need };
            if sum - own - between - rest(&[mover, parent.mover, above.mover]) < above.need {
                break;
            }
        }
    }
    best.unwrap()
}

/// `wrong` goes wrong on this game, and every pruning of ours does not.
fn pinned(text: &str, value: [i32; 3], wrong: Wrong) {
    let game = script(text);
    let shallow = careless(&*game, &game.start(), Wrong::Nothing, &mut vec![]);
    assert_eq!(shallow, value, "{text}");
    let careless = careless(&*game, &game.start(), wrong, &mut vec![]);
    assert_ne!(careless, value, "the careless search is right on {text}");
    for prune in PRUNINGS.into_iter().chain(["prune=off"]) {
        assert_eq!(solved(&game, prune), value, "{prune} on {text}");
    }
}

#[test]
fn deep_pruning_is_wrong() {
    // Both games look the same to a search that prunes deeply, and have different values.
    let with = |x: &str| format!("[(10,8,2),[(6,6,8),[(8,2,10),{x}],(12,8,0)]]");
    let answers = ["(0,9,11)", "(8,0,12)"].map(|x| {
        let game = script(&with(x));
        careless(&*game, &game.start(), Wrong::Deep, &mut vec![])
    });
    assert_eq!(answers[0], answers[1], "deep pruning does not look at the difference");
    for prune in PRUNINGS {
        assert_eq!(solved(&script(&with("(0,9,11)")), prune), [10, 8, 2], "{prune}");
        assert_eq!(solved(&script(&with("(8,0,12)")), prune), [12, 8, 0], "{prune}");
    }
}

#[test]
fn negative_parts_must_be_shifted() {
    // The third player can have -5, so the second one's 6 does not keep the first from 4.
    pinned("[(1,1,-2),[(0,1,-1),(3,2,-5)]]", [3, 2, -5], Wrong::Unshifted);
}

#[test]
fn the_bound_on_the_sum_must_be_true() {
    // Player 2 goes on to (0,5,5), but a search with 9 for 10 stops at (6,4,0) and hands it to player 1.
    pinned("[(5,5,0),[(6,4,0),(0,5,5)]]", [5, 5, 0], Wrong::SmallSum);
}

#[test]
fn no_bound_is_passed_to_the_same_mover() {
    // Player 1 moves twice: what it has above and below cannot be added.
    let text = "a: 1 b c\nb = 6,2,2\nc: 1 d e\nd = 5,3,2\ne = 8,1,1";
    pinned(text, [8, 1, 1], Wrong::SameMover);
}

#[test]
fn last_branch_pruning_must_ask_what_is_returned_instead() {
    // Player 2 has (6,3,1) and is at its last branch, where player 3 has (5,3,2): 5 + 3 + 2 = 10, so nothing from there
    // gets past player 1. But whether player 2 takes it decides if player 1 is offered (6,3,1).
    let with = |x: &str| format!("[(5,3,2),[(6,3,1),[(5,3,2),{x}]]]");
    let blind = ["(3,4,3)", "(5,2,3)"].map(|x| {
        let game = script(&with(x));
        careless(&*game, &game.start(), Wrong::LastBranchBlind, &mut vec![])
    });
    assert_eq!(blind[0], blind[1], "a blind search does not look at the difference");
    for prune in PRUNINGS {
        assert_eq!(solved(&script(&with("(3,4,3)")), prune), [5, 3, 2], "{prune}");
        assert_eq!(solved(&script(&with("(5,2,3)")), prune), [6, 3, 1], "{prune}");
    }
}

#[test]
fn every_rule_cuts_and_speculation_is_taken_back() {
    let mut counts = [[0; 4]; 2];
    for seed in 0..60 {
        let options = RandomOptions {
            depth: 6,
            branching: 4,
            outcomes: 5,
            transpositions: 0.0,
            constant_sum: true,
            seed,
            ..RandomOptions::default()
        };
        let game = packed(RandomGame::<Scores<3>>::new(options));
        for (i, prune) in PRUNINGS[..4].iter().enumerate() {
            let options = format!("{prune},table=off");
            counts[0][i] += result(&game, &options, Objective::Score, "cuts").2;
            counts[1][i] += result(&game, &options, Objective::Score, "searched again").2;
        }
    }
    assert!(counts[0].iter().all(|&cuts| cuts > 20), "{counts:?}");
    assert!(counts[1][..3] == [0; 3] && counts[1][3] > 5, "{counts:?}");
}

#[test]
fn the_lecture_tree() {
    // The value printed in the lecture is another one; see the tree by hand.
    let game = script("[[[(3,1,8),(4,2,7)],[(7,3,6),(8,4,5)]],[[(6,5,4),(5,6,3)],[(1,7,2),(2,8,1)]]]");
    for prune in PRUNINGS {
        assert_eq!(solved(&game, prune), [7, 3, 6], "{prune}");
    }
}

/// A uniform tree for three players. The last one to leave the first move leaves all ten points to the next player, so
/// the first move is always best, and every sibling of it is cut off after its own first move.
struct Ordered {
    branching: u8,
    depth: u8,
    guesses: std::sync::atomic::AtomicU64,
}

impl Game for Ordered {
    type State = (u8, u8); // ply, who gets all
    type Move = u8;
    type Payoff = Scores<3>;
    type Key = (u8, u8);

    fn start(&self) -> (u8, u8) {
        (0, 0)
    }

    fn expand(&self, &(ply, all): &(u8, u8), moves: &mut Vec<u8>) -> Status<Scores<3>> {
        if ply == self.depth {
            return Status::Over(Scores::from_scores(&[0, 1, 2].map(|p| if p == all { 10 } else { 0 })));
        }
        moves.extend(0..self.branching);
        Status::Turn(Player::new(usize::from(ply % 3)))
    }

    fn play(&self, (ply, all): &mut (u8, u8), mv: u8) {
        *ply += 1;
        if mv > 0 {
            *all = *ply % 3;
        }
    }

    fn key(&self, state: &(u8, u8)) -> (u8, u8) {
        *state
    }

    fn facts(&self) -> perfectplay_core::Facts {
        perfectplay_core::Facts {
            scores: vec![(0, 10); 3],
            sum: (10, 10),
            outcomes: None,
            heuristic: true,
            ..perfectplay_core::Facts::win_draw_loss::<Scores<3>>()
        }
    }
}

impl Notation for Ordered {
    fn position_text(&self, state: &(u8, u8)) -> String {
        format!("{state:?}")
    }

    fn parse_position(&self, _: &str) -> Result<(u8, u8), perfectplay_core::TextError> {
        Err(perfectplay_core::TextError::new("not needed"))
    }

    fn move_text(&self, _: &(u8, u8), mv: u8) -> String {
        mv.to_string()
    }
}

impl Symmetric for Ordered {}
impl Playouts for Ordered {}

impl Heuristic for Ordered {
    fn heuristic(&self, state: &(u8, u8)) -> [f32; 3] {
        [0, 1, 2].map(|p| self.heuristic_of(state, Player::new(p)))
    }

    fn heuristic_of(&self, &(_, all): &(u8, u8), player: Player) -> f32 {
        self.guesses.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if usize::from(all) == player.index() { 0.5 } else { -0.25 }
    }
}

impl Features for Ordered {}
impl SolverHints for Ordered {}
impl OrderingHints for Ordered {}
impl Persist for Ordered {}

fn ordered(branching: u8, depth: u8) -> Arc<Ordered> {
    Arc::new(Ordered { branching, depth, guesses: Default::default() })
}

#[test]
fn perfect_order_gives_the_effective_branching_of_theory() {
    let nodes = |branching: u8, depth: u8| {
        let options = format!("prune=shallow,table=off,depth={depth},deepen=off");
        result(&ordered(branching, depth), &options, Objective::Score, "nodes").2 as f64
    };
    for (branching, depth) in [(2u8, 20u8), (3, 14), (4, 12), (5, 11), (10, 8)] {
        let theory = (1.0 + f64::from(4 * u32::from(branching) - 3).sqrt()) / 2.0;
        // Over two plies, because odd and even depths differ a little.
        let measured = (nodes(branching, depth) / nodes(branching, depth - 2)).sqrt();
        assert!((measured / theory - 1.0).abs() < 0.02, "b = {branching}: {measured} instead of {theory}");
    }
}

#[test]
fn lazy_evaluation_reads_exactly_what_theory_says() {
    for (branching, depth) in [(2u8, 3u8), (2, 2), (3, 4), (4, 3), (5, 1)] {
        let (b, d) = (u64::from(branching), u32::from(depth));
        let components = |lazy: &str, depth: u32| {
            let game = ordered(branching, 20);
            let options = format!("prune=off,table=off,lazy={lazy},depth={depth}");
            let counted = result(&game, &options, Objective::Score, "components").2;
            let asked = game.guesses.load(std::sync::atomic::Ordering::Relaxed);
            (counted, asked)
        };
        let in_theory: u64 = (0..d.min(3)).map(|k| b.pow(d - k)).sum();
        // The last iteration only; and what the game was asked for, beside what the answer shows.
        let before = if d > 1 { components("on", d - 1).0 } else { 0 };
        assert_eq!(components("on", d).0 - before, in_theory, "b = {b}, d = {d}");
        let before = if d > 1 { components("off", d - 1).0 } else { 0 };
        assert_eq!(components("off", d).0 - before, 3 * b.pow(d), "b = {b}, d = {d}");
        // The answer tells the vectors of the root and its moves, every iteration.
        let shown = 3 * u64::from(d) * (1 + b);
        let (counted, asked) = components("on", d);
        assert!(counted <= asked && asked <= counted + shown, "{counted} of {asked}");
    }
    // 14 of 24 for the tree of the lecture.
    assert_eq!((0..3).map(|k| 2u64.pow(3 - k)).sum::<u64>(), 14);
}

#[test]
fn what_the_facts_do_not_carry_is_refused() {
    let game = script("[(1,0,0),(0,1,0)]");
    let refusal = |options: &str, objective| {
        let setup = Setup { objective, ..Setup::default() };
        let opened = maxn::open(game.clone(), game.start(), &setup, Params::parse(options).unwrap());
        opened.err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert!(refusal("prune=shallow", Objective::Gain).contains("--for score"));
    assert!(refusal("prune=all", Objective::Gain).contains("sum"));
    assert_eq!(refusal("prune=immediate", Objective::Gain), "");
    assert_eq!(refusal("prune=all", Objective::Score), "");
    assert!(refusal("prune=shallow,eval=hashed", Objective::Score).contains("eval=shares"));
    assert!(refusal("prune=deep", Objective::Score).contains("last-branch"));
    assert!(refusal("eval=heuristic", Objective::Score).contains("no heuristic"));
    assert!(refusal("ties=mine", Objective::Score).contains("minimise-root"));
}
