//! One against all: paranoid search is backward induction on the game in teams; best-reply search and MP-Mix do what
//! can be worked out by hand.

use std::sync::Arc;

use crate::common::{Open, packed};
use perfectplay_core::{
    Budget, Estimate, Facts, Features, FullGame, Game, Heuristic, Notation, Objective, OrderingHints, Params, Payoff,
    Persist, Player, Playouts, Scores, SolverHints, Status, Stop, Symmetric, TextError, Verdict, ZeroSum,
};
use perfectplay_games::random::{RandomGame, RandomOptions, RandomPayoff, Turns};
use perfectplay_games::script::Script;
use perfectplay_games::seam::{PackedMove, Teams, Tiny, in_teams};
use perfectplay_search::Setup;
use perfectplay_search::n_player::{brs, maxn, mp_mix, paranoid};
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use proptest::prelude::*;

/// Runs to the end: the answer, and the root mover's part.
fn run<G: FullGame>(
    open: Open<G>,
    game: &Arc<G>,
    options: &str,
    objective: Objective,
) -> (f32, Option<G::Move>, Vec<String>) {
    let setup = Setup { objective, ..Setup::default() };
    let mut search = open(game.clone(), game.start(), &setup, Params::parse(options).unwrap()).unwrap();
    assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
    let answer = search.answer();
    let me = answer.mover.unwrap();
    let part = match answer.verdict {
        Verdict::Solved(payoff) => objective.value(payoff, me) as f32,
        Verdict::Estimated(guess) => guess.of(me),
        other => panic!("{other:?}"),
    };
    (part, answer.best_move(), answer.notes)
}

fn graph<P: RandomPayoff>(depth: u32, transpositions: f64, any_turns: bool, outcomes: u32, seed: u64) -> Arc<Tiny<P>> {
    let turns = if any_turns { Turns::Any } else { Turns::Cyclic };
    packed(RandomGame::<P>::new(RandomOptions {
        depth,
        transpositions,
        turns,
        outcomes,
        seed,
        ..RandomOptions::default()
    }))
}

/// Minimax by the book: the first team's worth.
fn book<G: FullGame>(game: &G, state: &G::State, first: &dyn Fn(Player) -> bool, objective: Objective) -> i32 {
    let mut moves = Vec::new();
    match game.expand(state, &mut moves) {
        Status::Over(payoff) => {
            let members = Player::all(G::Payoff::PLAYERS).filter(|&p| first(p));
            match objective {
                Objective::Gain => members.map(|p| payoff.gain(p).value()).max().unwrap(),
                Objective::Score | Objective::Length => members.map(|p| payoff.score(p)).sum(),
            }
        }
        Status::Turn(mover) => {
            let values = moves.into_iter().map(|mv| book(game, &game.after(state, mv), first, objective));
            if first(mover) { values.max().unwrap() } else { values.min().unwrap() }
        }
    }
}

fn check<P: RandomPayoff>(game: &Arc<Tiny<P>>, seed: u64) {
    let me = game.status(&game.start()).mover().unwrap();
    for objective in [Objective::Gain, Objective::Score] {
        let alone = Teams::alone(me, P::PLAYERS);
        let reduced = Arc::new(in_teams(game, alone, objective));
        let ZeroSum(value) = BackwardInduction::solve(reduced.clone(), reduced.start(), objective).unwrap();
        assert_eq!(value, book(&**game, &game.start(), &|p| p == me, objective));
        for options in ["", "table=off", "deepen=off,depth=50"] {
            let (part, mv, notes) = run(paranoid::open, game, options, objective);
            assert_eq!(part, value as f32, "paranoid:{options}");
            assert!(
                notes.iter().any(|n| n.contains(&format!("can secure a {} of {value}", objective.name()))),
                "{notes:?}"
            );
            assert_eq!(book(&**game, &game.after(&game.start(), mv.unwrap()), &|p| p == me, objective), value);
        }
        // Any two teams.
        let mask = 1 + (seed % ((1 << P::PLAYERS) - 2));
        let team = |wanted: u64| (0..P::PLAYERS).filter(move |p| mask >> p & 1 == wanted).map(|p| (p + 1).to_string());
        let text = format!("{}/{}", team(1).collect::<String>(), team(0).collect::<Vec<_>>().join("+"));
        let teams = Teams::parse(&text, P::PLAYERS).unwrap();
        let reduced = Arc::new(in_teams(game, teams, objective));
        let ZeroSum(value) = BackwardInduction::solve(reduced.clone(), reduced.start(), objective).unwrap();
        assert_eq!(value, book(&**game, &game.start(), &|p| mask >> p.index() & 1 == 1, objective), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn paranoid_is_backward_induction_on_the_game_in_teams(
        depth in 2u32..8, shared in prop_oneof![Just(0.0), Just(0.5)], any_turns: bool, outcomes in 1u32..4, seed: u64
    ) {
        check(&graph::<Scores<3>>(depth, shared, any_turns, outcomes, seed), seed);
        check(&graph::<Scores<4>>(depth, shared, any_turns, outcomes, seed), seed >> 8);
    }
}

/// The third player wins at every end and the second one always loses, so nobody but the first has a preference.
fn ends(first: [[[i32; 2]; 2]; 2]) -> Arc<Tiny<Scores<3>>> {
    let text = format!("{first:?}").replace(|c: char| c.is_ascii_digit(), "#");
    let mut numbers = first.iter().flatten().flatten();
    let text: String = text
        .chars()
        .map(|c| if c == '#' { format!("({},0,20)", numbers.next().unwrap()) } else { c.to_string() })
        .collect();
    packed(Script::<Scores<3>>::parse(&text).unwrap())
}

#[test]
fn best_reply_plus_by_hand() {
    let game = ends([[[7, 3], [6, 1]], [[4, 4], [2, 9]]]);
    // Move 1: player 2 replies (7 or 6, player 3 plays its first move) or player 3 does (7 or 3, after player 2's
    // first): 3.
    // Move 2: 4 or 2, or 4 or 4: 2. So the first move is best, though paranoid search sees 1 and 2 and takes the
    // second.
    let (part, mv, _) = run(brs::open, &game, "plus=on", Objective::Score);
    assert_eq!((part, game.move_text(&game.start(), mv.unwrap())), (3.0, "1".into()));
    let (part, mv, _) = run(paranoid::open, &game, "", Objective::Score);
    assert_eq!((part, game.move_text(&game.start(), mv.unwrap())), (2.0, "2".into()));
    let (part, mv, _) = run(maxn::open, &game, "", Objective::Score);
    assert_eq!((part, game.move_text(&game.start(), mv.unwrap())), (7.0, "1".into()));
}

#[test]
fn best_reply_needs_skipping_unless_plus() {
    let game = ends([[[7, 3], [6, 1]], [[4, 4], [2, 9]]]);
    let off = Params::parse("plus=off").unwrap();
    let refused = brs::open(game.clone(), game.start(), &Setup::default(), off).err().unwrap();
    assert!(refused.to_string().contains("plus=on"), "{refused}");
    let found = |options| run(brs::open, &game, options, Objective::Score);
    assert_eq!(found(""), found("plus=on"), "the default where turns cannot be skipped");
}

/// One round: each of three players adds something to what the first one gets, or skips its turn.
struct OneRound {
    effects: [[i32; 2]; 3],
}

impl Game for OneRound {
    type State = (u8, i32);
    type Move = u8;
    type Payoff = Scores<3>;
    type Key = (u8, i32);

    fn start(&self) -> (u8, i32) {
        (0, 10)
    }

    fn expand(&self, &(ply, points): &(u8, i32), moves: &mut Vec<u8>) -> Status<Scores<3>> {
        if ply == 3 {
            return Status::Over(Scores::from_scores(&[points, 0, 40]));
        }
        moves.extend([0, 1]);
        Status::Turn(Player::new(usize::from(ply)))
    }

    fn play(&self, (ply, points): &mut (u8, i32), mv: u8) {
        *points += self.effects[usize::from(*ply)][usize::from(mv)];
        *ply += 1;
    }

    fn key(&self, state: &(u8, i32)) -> (u8, i32) {
        *state
    }

    fn facts(&self) -> Facts {
        Facts { scores: vec![(0, 40); 3], sum: (0, 120), outcomes: None, ..Facts::win_draw_loss::<Scores<3>>() }
    }
}

impl Notation for OneRound {
    fn position_text(&self, state: &(u8, i32)) -> String {
        format!("{state:?}")
    }

    fn parse_position(&self, _: &str) -> Result<(u8, i32), TextError> {
        Err(TextError::new("not needed"))
    }

    fn move_text(&self, _: &(u8, i32), mv: u8) -> String {
        mv.to_string()
    }
}

impl Symmetric for OneRound {}
impl Playouts for OneRound {}
impl Heuristic for OneRound {}
impl Features for OneRound {}
impl SolverHints for OneRound {}

impl OrderingHints for OneRound {
    fn null_move(&self, &(ply, points): &(u8, i32)) -> Option<(u8, i32)> {
        Some((ply + 1, points))
    }
}

impl Persist for OneRound {}

#[test]
fn best_reply_by_hand() {
    let part = |open: Open<Tiny<Scores<3>>>, effects, options| {
        run(open, &packed(OneRound { effects }), options, Objective::Score).0
    };
    let bad_first = [[0, 2], [-1, 0], [-3, 2]];
    let bad_last = [[0, 2], [0, -1], [2, -3]];
    for effects in [bad_first, bad_last] {
        assert_eq!(part(brs::open, effects, ""), 10.0 + 2.0 - 3.0, "only the worst reply counts");
        assert_eq!(part(paranoid::open, effects, ""), 10.0 + 2.0 - 1.0 - 3.0, "everybody replies");
    }
    assert_eq!(part(brs::open, bad_first, "plus=on"), 10.0 + 2.0 - 1.0 - 3.0, "both first moves are bad");
    assert_eq!(part(brs::open, bad_last, "plus=on"), 10.0 + 2.0 + 0.0 - 3.0, "player 2 steps aside with 0");
    // One ply sees the own move only, two plies see the reply.
    assert_eq!(part(brs::open, bad_last, "depth=2"), 9.0);
}

/// Two moves, two ends; the heuristic says who leads before.
struct Leads {
    heuristic: [f32; 3],
}

impl Game for Leads {
    type State = u8;
    type Move = u8;
    type Payoff = Scores<3>;
    type Key = u8;

    fn start(&self) -> u8 {
        0
    }

    fn expand(&self, &state: &u8, moves: &mut Vec<u8>) -> Status<Scores<3>> {
        match state {
            0 => {
                moves.extend([1, 2]);
                Status::Turn(Player::FIRST)
            }
            1 => Status::Over(Scores::from_scores(&[5, 9, 0])),
            _ => Status::Over(Scores::from_scores(&[4, 2, 3])),
        }
    }

    fn play(&self, state: &mut u8, mv: u8) {
        *state = mv;
    }

    fn key(&self, &state: &u8) -> u8 {
        state
    }

    fn facts(&self) -> Facts {
        Facts { scores: vec![(0, 9); 3], heuristic: true, outcomes: None, ..Facts::win_draw_loss::<Scores<3>>() }
    }
}

impl Notation for Leads {
    fn position_text(&self, state: &u8) -> String {
        state.to_string()
    }

    fn parse_position(&self, _: &str) -> Result<u8, TextError> {
        Err(TextError::new("not needed"))
    }

    fn move_text(&self, _: &u8, mv: u8) -> String {
        mv.to_string()
    }
}

impl Symmetric for Leads {}
impl Playouts for Leads {}

impl Heuristic for Leads {
    fn heuristic(&self, _: &u8) -> [f32; 3] {
        self.heuristic
    }
}

impl Features for Leads {}
impl SolverHints for Leads {}
impl OrderingHints for Leads {}
impl Persist for Leads {}

#[test]
fn mp_mix_chooses_by_the_lead() {
    let with = |heuristic, options: &str| run(mp_mix::open, &packed(Leads { heuristic }), options, Objective::Score);
    let near = |heuristic, options: &str, mv: u8, word: &str| {
        let found = with(heuristic, options);
        assert_eq!(found.1.map(PackedMove::unpack), Some(mv), "{heuristic:?} {options}");
        assert!(found.2[0].contains(word), "{:?}", found.2);
    };
    // Scores run from 0 to 9, so a guess of 0.2 more is 0.9 points more.
    near([0.1, 0.0, 0.0], "defend=2,attack=2", 1, "plays max^n");
    near([0.8, 0.0, 0.0], "defend=2,attack=2", 1, "plays paranoid: player 1 leads by 3.6");
    near([0.0, 0.8, 0.0], "defend=2,attack=2", 2, "plays against player 2");
    near([0.0, 0.8, 0.0], "defend=2,attack=4", 1, "plays max^n");
    near([0.0, 0.0, 0.8], "attack=2", 1, "plays against player 3");
    // What is found on the way against a leader is no value of the game.
    let game = packed(Leads { heuristic: [0.0, 0.8, 0.0] });
    let setup = Setup { objective: Objective::Score, ..Setup::default() };
    let mut search = mp_mix::open(game.clone(), game.start(), &setup, Params::default()).unwrap();
    search.run(&Budget::unlimited(), &mut ());
    assert!(matches!(search.answer().verdict, Verdict::Estimated(v) if v == [4.0, 2.0, 3.0]));
}
