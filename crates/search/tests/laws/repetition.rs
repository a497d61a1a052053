//! df-pn on games in which positions repeat, against the fixed points that define their values.
//!
//! Endless play is a draw. "At least o" for an o above the draw holds where the first player can force a finished game
//! worth o or more; "at most o" below the draw likewise for the second player. Everything else is a draw.

use std::sync::Arc;

use crate::common::{Open, packed};
use perfectplay_core::{
    Budget, Facts, Features, Game, Heuristic, Notation, Objective, OrderingHints, Params, Persist, Player, Playouts,
    SolverHints, Status, Stop, Symmetric, TextError, Verdict, ZeroSum,
};
use perfectplay_search::proof_number::{df_mopns, df_pn, mopns, pns};
use perfectplay_search::{Search, Setup};
use proptest::prelude::*;

/// A graph with cycles: who moves and where to, or the score.
#[derive(Clone, Debug)]
enum Place {
    Turn(Player, Vec<u8>),
    Over(i32),
}

#[derive(Clone, Debug)]
struct Loopy(Vec<Place>);

impl Game for Loopy {
    type State = u8;
    type Move = u8;
    type Payoff = ZeroSum;
    type Key = u8;

    fn start(&self) -> u8 {
        0
    }

    fn expand(&self, at: &u8, moves: &mut Vec<u8>) -> Status<ZeroSum> {
        match &self.0[*at as usize] {
            Place::Over(score) => Status::Over(ZeroSum(*score)),
            Place::Turn(mover, to) => {
                moves.extend(to);
                Status::Turn(*mover)
            }
        }
    }

    fn play(&self, at: &mut u8, to: u8) {
        *at = to;
    }

    fn key(&self, at: &u8) -> u8 {
        *at
    }

    fn facts(&self) -> Facts {
        let outcomes = Some((-2..=2).collect());
        Facts {
            acyclic: false,
            alternating: false,
            scores: vec![(-2, 2); 2],
            outcomes,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl Notation for Loopy {
    fn position_text(&self, at: &u8) -> String {
        at.to_string()
    }

    fn parse_position(&self, text: &str) -> Result<u8, TextError> {
        text.parse().map_err(|_| TextError::new("expected a number"))
    }

    fn move_text(&self, _: &u8, to: u8) -> String {
        to.to_string()
    }
}

impl Symmetric for Loopy {}
impl Playouts for Loopy {}
impl Heuristic for Loopy {}
impl Features for Loopy {}
impl SolverHints for Loopy {}
impl OrderingHints for Loopy {}
impl Persist for Loopy {}

impl Loopy {
    /// The places from which `player` can force a finished game that `wanted` likes.
    fn forced(&self, player: Player, wanted: impl Fn(i32) -> bool) -> Vec<bool> {
        let mut forced = vec![false; self.0.len()];
        loop {
            let next: Vec<bool> = self
                .0
                .iter()
                .map(|place| match place {
                    Place::Over(score) => wanted(*score),
                    Place::Turn(mover, to) if *mover == player => to.iter().any(|&t| forced[t as usize]),
                    Place::Turn(_, to) => to.iter().all(|&t| forced[t as usize]),
                })
                .collect();
            if next == forced {
                return forced;
            }
            forced = next;
        }
    }

    fn values(&self) -> Vec<i32> {
        let least = |score: i32| self.forced(Player::FIRST, move |s| s >= score);
        let most = |score: i32| self.forced(Player::SECOND, move |s| s <= score);
        let (one, two, minus_one, minus_two) = (least(1), least(2), most(-1), most(-2));
        let value =
            |i: usize| i32::from(one[i]) + i32::from(two[i]) - i32::from(minus_one[i]) - i32::from(minus_two[i]);
        (0..self.0.len()).map(value).collect()
    }
}

fn places(count: u8) -> impl Strategy<Value = Loopy> {
    let score = prop_oneof![Just(-2), Just(-1), Just(0), Just(1), Just(2)];
    let place = prop_oneof![
        1 => score.prop_map(Place::Over),
        4 => (any::<bool>(), prop::collection::vec(0..count, 1..4))
            .prop_map(|(first, to)| Place::Turn(if first { Player::FIRST } else { Player::SECOND }, to)),
    ];
    prop::collection::vec(place, count as usize).prop_map(Loopy)
}

fn solve(game: &Arc<Loopy>, at: u8, objective: Objective, options: &str, budget: &Budget) -> Box<dyn Search<Loopy>> {
    let setup = Setup { objective, ..Setup::default() };
    let mut search = df_pn::open(game.clone(), at, &setup, Params::parse(options).unwrap()).unwrap();
    while search.run(budget, &mut ()) != Stop::Done {}
    search
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn values_are_the_fixed_points(game in (2u8..14).prop_flat_map(places)) {
        let game = Arc::new(game);
        let values = game.values();
        let slices = Budget::nodes(7);
        for at in 0..game.0.len() as u8 {
            let value = values[at as usize];
            for options in ["", "epsilon=0", "mode=iterative", "sum=weak"] {
                let answer = solve(&game, at, Objective::Score, options, &Budget::unlimited()).answer();
                prop_assert_eq!(answer.verdict, Verdict::Solved(ZeroSum(value)), "{} from {}", options, at);
                // What is said about the moves must hold for the places they lead to.
                for report in answer.moves {
                    let real = ZeroSum(values[report.mv as usize]);
                    match report.verdict {
                        Verdict::Solved(found) => prop_assert_eq!(found, real),
                        Verdict::Bounds { lower, upper, .. } => prop_assert!(lower <= real && real <= upper),
                        _ => {}
                    }
                }
            }
            let sliced = solve(&game, at, Objective::Score, "", &slices).answer();
            prop_assert_eq!(sliced.verdict, Verdict::Solved(ZeroSum(value)));
            let gain = solve(&game, at, Objective::Gain, "", &Budget::unlimited()).answer();
            let gain = gain.verdict.solved().unwrap();
            prop_assert_eq!(Objective::Gain.value(gain, Player::FIRST), value.signum());
        }
    }

    #[test]
    fn threads_agree(game in (6u8..30).prop_flat_map(places)) {
        let game = Arc::new(game);
        let budget = Budget { threads: 2, ..Budget::default() };
        let answer = solve(&game, 0, Objective::Score, "", &budget).answer();
        prop_assert_eq!(answer.verdict, Verdict::Solved(ZeroSum(game.values()[0])));
    }
}

/// The classic trap: place 3 is lost for the goal after 1 (its only hope leads back to 1), but not after 2.
/// A table that forgets the way would carry the first result over to the second.
#[test]
fn a_result_is_not_carried_to_another_line() {
    use Place::{Over, Turn};
    let (max, min) = (Player::FIRST, Player::SECOND);
    let game = Loopy(vec![
        Turn(max, vec![1, 2]), // 0
        Turn(min, vec![3, 5]), // 1: Min goes to 3, or to a draw
        Turn(max, vec![3]),    // 2
        Turn(max, vec![4]),    // 3
        Turn(min, vec![1]),    // 4
        Turn(max, vec![6, 2]), // 5
        Over(1),               // 6
    ]);
    let game = Arc::new(game);
    let values = game.values();
    for at in 0..7 {
        let answer = solve(&game, at, Objective::Gain, "", &Budget::unlimited()).answer();
        assert_eq!(answer.verdict.solved().map(|v| v.0), Some(values[at as usize]), "from {at}");
    }
}

#[test]
fn only_the_safe_search_accepts_repetitions() {
    let game = Arc::new(Loopy(vec![Place::Turn(Player::FIRST, vec![0])]));
    let packed = packed(Loopy::clone(&game));
    let open = |open: Open<_>| open(packed.clone(), packed.start(), &Setup::default(), Params::default());
    let refused = |algorithm| open(algorithm).err().expect("refused").to_string();
    for (name, message) in
        [("pns", refused(pns::open)), ("mopns", refused(mopns::open)), ("df-mopns", refused(df_mopns::open))]
    {
        let expected =
            format!("{name} needs a game in which no position repeats, and in this one positions can repeat");
        assert_eq!(message, expected);
    }
    let answer = solve(&game, 0, Objective::Gain, "", &Budget::unlimited()).answer();
    assert_eq!(answer.verdict, Verdict::Solved(ZeroSum(0)));
    assert_eq!(answer.notes, ["positions can repeat in this game: endless play counts as a draw"]);
}
