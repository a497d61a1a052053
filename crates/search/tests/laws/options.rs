//! Every option that is listed is understood, with the values that are listed, by every algorithm.

use crate::common::{Open, packed};
use perfectplay_core::*;
use perfectplay_games::seam::Tiny;

use perfectplay_search::alpha_beta::textbook::{minimax, negamax, null_move, plain_alpha_beta, table_search};
use perfectplay_search::alpha_beta::{iterative_deepening, mtdf};
use perfectplay_search::baseline::{greedy, random_play};
use perfectplay_search::best_first::{descent, ubfm, umb};
use perfectplay_search::mcts::uct;
use perfectplay_search::n_player::{brs, maxn, mp_mix, paranoid};
use perfectplay_search::oracle::{backward_induction, equilibria};
use perfectplay_search::proof_number::{df_mopns, df_pn, mopns, pns};
use perfectplay_search::{AlgorithmInfo, LEARNED, Setup};

/// Take one or two matches from the heap; who takes the last one wins.
struct Matches;

impl Game for Matches {
    type State = (u8, Player);
    type Move = u8;
    type Payoff = ZeroSum;
    type Key = (u8, Player);
    fn start(&self) -> Self::State {
        (3, Player::FIRST)
    }
    fn expand(&self, &(left, mover): &Self::State, moves: &mut Vec<u8>) -> Status<ZeroSum> {
        if left == 0 {
            return Status::Over(ZeroSum::win_for(mover.opponent()));
        }
        moves.extend(1..=left.min(2));
        Status::Turn(mover)
    }
    fn play(&self, state: &mut Self::State, taken: u8) {
        *state = (state.0 - taken, state.1.opponent());
    }
    fn key(&self, state: &Self::State) -> Self::State {
        *state
    }
    fn facts(&self) -> Facts {
        Facts { length: Some(3), ..Facts::win_draw_loss::<ZeroSum>() }
    }
}

impl Notation for Matches {
    fn position_text(&self, state: &Self::State) -> String {
        format!("{state:?}")
    }
    fn parse_position(&self, text: &str) -> Result<Self::State, TextError> {
        Err(TextError::new(text))
    }
    fn move_text(&self, _: &Self::State, taken: u8) -> String {
        taken.to_string()
    }
}

impl Symmetric for Matches {}
impl Playouts for Matches {}
impl Heuristic for Matches {}
impl Features for Matches {}
impl SolverHints for Matches {}
impl OrderingHints for Matches {}
impl Persist for Matches {}

type Two = Tiny<ZeroSum>;

macro_rules! algorithms {
    ($($module:ident),*) => {
        [$((&$module::INFO, $module::open::<Two> as Open<Two>)),*]
    };
}

fn algorithms() -> [(&'static AlgorithmInfo, Open<Two>); 23] {
    algorithms![
        backward_induction,
        equilibria,
        ubfm,
        descent,
        umb,
        uct,
        greedy,
        random_play,
        maxn,
        paranoid,
        brs,
        mp_mix,
        pns,
        mopns,
        df_pn,
        df_mopns,
        iterative_deepening,
        mtdf,
        minimax,
        plain_alpha_beta,
        negamax,
        null_move,
        table_search
    ]
}

/// What the algorithm says to these options: nothing if it accepts them.
fn refusal(open: Open<Two>, options: &str) -> String {
    let game = packed(Matches);
    let opened = open(game.clone(), game.start(), &Setup::default(), Params::parse(options).unwrap());
    opened.err().map_or(String::new(), |refusal| refusal.to_string())
}

/// Values that the option takes.
fn good(option: &OptionDoc) -> Vec<String> {
    let mut values = match &option.values {
        Values::Switch => vec!["on".into(), "off".into()],
        Values::Whole(range) => vec![range.start().to_string()],
        Values::Fraction(range) => vec![range.start().to_string(), range.end().to_string()],
        // Models are taken out by who opens the game.
        Values::Choice(words) => words.iter().filter(|word| **word != LEARNED).map(|word| word.0.to_owned()).collect(),
        Values::Text => vec![],
    };
    if !option.optional {
        values.push(option.default.clone());
    }
    values
}

#[test]
fn what_is_listed_is_understood() {
    for (info, open) in algorithms() {
        for option in info.options() {
            for value in good(&option) {
                let said = refusal(open, &format!("{}={value}", option.name));
                assert!(!said.contains("does not take"), "{}: {said}", info.name);
                assert!(!said.contains(&format!("{} must be", option.name)), "{}: {said}", info.name);
            }
        }
    }
}

#[test]
fn what_is_not_listed_is_refused() {
    for (info, open) in algorithms() {
        let names: Vec<String> = info.options().into_iter().map(|option| option.name).collect();
        let expected = format!("{} does not take \"speed=9\"; expected: {}", info.name, names.join(", "));
        assert_eq!(refusal(open, "speed=9"), expected);
        for option in info.options().iter().filter(|option| option.values != Values::Text) {
            let said = refusal(open, &format!("{}=§", option.name));
            assert!(said.starts_with(&format!("{} must be ", option.name)), "{}: {said}", info.name);
        }
    }
}

#[test]
fn options_have_names_that_can_be_typed() {
    for (info, _) in algorithms() {
        let mut names: Vec<String> = info.options().into_iter().map(|option| option.name).collect();
        assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-')), "{names:?}");
        assert_eq!(names.last().map(String::as_str), Some("teams"));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), info.options().len(), "{}", info.name);
    }
}
