//! The laws can fail: games and solvers that break one of them on purpose are caught.

use std::sync::Arc;

use perfectplay_core::{
    Answer, Budget, Estimate, Facts, Features, FullGame, Game, Heuristic, Notation, Objective, Observer, OrderingHints,
    Payoff, Persist, Player, Playouts, SolverHints, Status, Stop, Symmetric, TextError, Verdict, ZeroSum,
};
use perfectplay_games::nim::{Heaps, Nim, Take};
use perfectplay_games::seam::Packed;
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::{Refusal, Search, Setup};
use perfectplay_testkit::{SolverLaws, ZeroSumSolver, check_game};

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    ForgetsMover,
    RepeatsMove,
    MovesAtTheEnd,
    Clears,
    WrongLength,
    WrongScore,
    NotAlternating,
    LosesText,
    SameTexts,
    BadSymmetry,
    GuessesTooMuch,
    Cyclic,
    StatusDisagrees,
    ReadsAnything,
}

/// Nim with something wrong.
struct Broken(Nim<ZeroSum>, Fault);

impl Game for Broken {
    type State = Heaps;
    type Move = Take;
    type Payoff = ZeroSum;
    type Key = Heaps;

    fn start(&self) -> Heaps {
        self.0.start()
    }

    fn expand(&self, state: &Heaps, moves: &mut Vec<Take>) -> Status<ZeroSum> {
        if self.1 == Fault::Clears {
            moves.clear();
        }
        let first = moves.len();
        let mut status = self.0.expand(state, moves);
        if self.1 == Fault::RepeatsMove && moves.len() > first {
            moves.push(moves[first]);
        }
        if let Status::Over(payoff) = &mut status {
            match self.1 {
                Fault::MovesAtTheEnd => moves.push(Take { heap: 0, count: 1 }),
                Fault::WrongScore => payoff.0 *= 2,
                _ => {}
            }
        }
        status
    }

    fn status(&self, state: &Heaps) -> Status<ZeroSum> {
        match self.1 {
            Fault::StatusDisagrees => Status::Over(ZeroSum::win_for(Player::FIRST)),
            _ => self.expand(state, &mut Vec::new()),
        }
    }

    fn play(&self, state: &mut Heaps, take: Take) {
        if self.1 == Fault::Cyclic && take.count == 2 {
            *state = self.start();
        } else {
            self.0.play(state, take);
        }
    }

    fn key(&self, state: &Heaps) -> Heaps {
        match self.1 {
            Fault::ForgetsMover => {
                let text = format!("{},{} 1", state.heap(0), state.heap(1));
                self.0.parse_position(&text).unwrap_or(*state)
            }
            _ => *state,
        }
    }

    fn facts(&self) -> Facts {
        let facts = self.0.facts();
        match self.1 {
            Fault::WrongLength => Facts { length: Some(3), ..facts },
            Fault::GuessesTooMuch => Facts { heuristic: true, ..facts },
            Fault::NotAlternating => Facts { players: 2, alternating: true, ..facts },
            _ => facts,
        }
    }
}

impl Notation for Broken {
    fn position_text(&self, state: &Heaps) -> String {
        let text = self.0.position_text(state);
        if self.1 == Fault::LosesText { text.replace('2', "1") } else { text }
    }

    fn parse_position(&self, text: &str) -> Result<Heaps, TextError> {
        self.0.parse_position(text)
    }

    fn move_text(&self, state: &Heaps, take: Take) -> String {
        match self.1 {
            Fault::SameTexts => format!("take{}", take.count),
            _ => self.0.move_text(state, take),
        }
    }

    fn parse_move(&self, state: &Heaps, text: &str) -> Result<Take, TextError> {
        match self.1 {
            Fault::ReadsAnything => self.0.parse_move(state, text).or_else(|_| self.0.parse_move(state, "a1")),
            _ => self.0.parse_move(state, text),
        }
    }
}

impl Symmetric for Broken {
    fn symmetries(&self) -> usize {
        if self.1 == Fault::BadSymmetry { 2 } else { 1 }
    }

    fn transform(&self, state: &Heaps, _: usize) -> Heaps {
        *state
    }

    fn transform_move(&self, _: &Self::State, take: Take, index: usize) -> Take {
        Take { heap: (take.heap + index as u8) % 2, ..take }
    }
}

impl Playouts for Broken {}

impl Heuristic for Broken {
    fn heuristic(&self, _: &Heaps) -> f32 {
        Estimate::from_fn(|_| 2.0)
    }
}

impl Features for Broken {}
impl SolverHints for Broken {}
impl OrderingHints for Broken {}
impl Persist for Broken {}

fn check(fault: Fault) {
    check_game(&Broken(Nim::new(&[2, 3], false), fault), &Default::default());
}

macro_rules! caught {
    ($($name:ident: $fault:ident, $message:literal;)*) => {$(
        #[test]
        #[should_panic(expected = $message)]
        fn $name() {
            check(Fault::$fault);
        }
    )*};
}

caught! {
    a_key_without_the_mover: ForgetsMover, "equal keys for different states";
    a_move_twice: RepeatsMove, "twice";
    moves_after_the_end: MovesAtTheEnd, "with 1 moves";
    expand_that_clears: Clears, "append";
    a_length_that_is_too_short: WrongLength, "at most 3 moves";
    a_score_out_of_bounds: WrongScore, "outside";
    a_position_that_is_read_as_another: LosesText, "read";
    two_moves_with_one_text: SameTexts, "two moves are written";
    a_symmetry_that_is_none: BadSymmetry, "symmetry 1";
    a_guess_out_of_bounds: GuessesTooMuch, "the heuristic says";
    play_that_comes_back: Cyclic, "come back";
    a_status_of_its_own: StatusDisagrees, "status and expand disagree";
    nonsense_read_as_a_move: ReadsAnything, "is read as the move";
}

#[test]
fn a_box_hides_nothing() {
    let promise = |fault| {
        let game = Packed::<ZeroSum, 4, 2, 1>::new(Broken(Nim::new(&[2, 3], false), fault));
        game.broken_law(&game.start())
    };
    assert_eq!(promise(Fault::Clears), Some("expand must append the same moves each time"));
    assert_eq!(promise(Fault::StatusDisagrees), Some("status and expand disagree"));
    assert_eq!(promise(Fault::RepeatsMove), Some("a move is there twice"));
    assert_eq!(promise(Fault::NotAlternating), None);
}

#[test]
fn the_game_itself_is_fine() {
    check(Fault::NotAlternating); // it does alternate
}

/// A solver with something wrong.
#[derive(Clone, Copy, PartialEq)]
enum Slip {
    WrongValue,
    WorstMove,
    WorstMoveForBounds,
    FirstMoveAtOnce,
    ClaimsTooEarly,
    ForgetsItsMove,
    Forgets,
    None,
}

struct Careless<G: FullGame> {
    inner: BackwardInduction<G>,
    game: Arc<G>,
    root: G::State,
    slip: Slip,
}

impl<G: FullGame<Payoff = ZeroSum>> Search<G> for Careless<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let stop = self.inner.run(budget, observer);
        if stop != Stop::Done && self.slip == Slip::Forgets {
            self.inner = BackwardInduction::new(self.game.clone(), self.root, Objective::Gain).unwrap();
        }
        stop
    }

    fn answer(&self) -> Answer<G> {
        let mut answer = self.inner.answer();
        match (self.slip, answer.verdict) {
            (Slip::WrongValue, Verdict::Solved(value)) => answer.verdict = Verdict::Solved(ZeroSum(value.0 + 1)),
            (Slip::WorstMove, Verdict::Solved(_))
            | (Slip::WorstMoveForBounds, Verdict::Bounds { .. })
            | (Slip::FirstMoveAtOnce, Verdict::Unknown) => {
                let mut moves = Vec::new();
                self.game.expand(&self.root, &mut moves);
                answer.line = moves.last().copied().into_iter().collect();
            }
            (Slip::ClaimsTooEarly, Verdict::Unknown) => answer.verdict = Verdict::Solved(ZeroSum(0)),
            (Slip::ForgetsItsMove, Verdict::Solved(_)) => answer.line.clear(),
            _ => {}
        }
        answer
    }
}

impl ZeroSumSolver for Slip {
    fn open<G: FullGame<Payoff = ZeroSum>>(
        &self,
        game: Arc<G>,
        root: G::State,
        setup: &Setup,
    ) -> Result<Box<dyn Search<G>>, Refusal> {
        let inner = BackwardInduction::new(game.clone(), root, setup.objective)?;
        Ok(Box::new(Careless { inner, game, root, slip: *self }))
    }
}

macro_rules! slips {
    ($($name:ident: $slip:ident, $message:literal;)*) => {$(
        #[test]
        #[should_panic(expected = $message)]
        fn $name() {
            let laws = SolverLaws::default().resumes().gain_only().most_states(6_000).random_games(40);
            laws.check_zero_sum(&Slip::$slip);
        }
    )*};
}

slips! {
    a_wrong_value: WrongValue, "is wrong for the root";
    a_bad_move: WorstMove, "does not keep";
    a_claim_without_proof: ClaimsTooEarly, "is wrong for the root";
    a_bad_move_for_proved_bounds: WorstMoveForBounds, "does not keep Bounds";
    a_placeholder: FirstMoveAtOnce, "before it looked";
    a_solution_without_a_move: ForgetsItsMove, "no move to play";
    a_search_that_begins_again: Forgets, "begins again";
}

#[test]
fn the_solver_itself_is_fine() {
    SolverLaws::default().resumes().gain_only().most_states(6_000).random_games(40).check_zero_sum(&Slip::None);
}
