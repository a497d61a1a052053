//! What must be true of every game.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use perfectplay_core::{Estimate, Facts, FeatureBatch, FullGame, OrderHint, Payoff, Player, Status};

use crate::explore::{Explored, explore, random_game};
use crate::{Dice, Extent};

/// Moves per state whose text is read back, and so on: reading a move may cost a look at all of them.
const MOVES_LOOKED_AT: usize = 12;
/// States whose symmetric images are compared, and states that are drawn.
const STATES_TRANSFORMED: usize = 400;
const STATES_DRAWN: usize = 40;

/// Checks the laws on states reached from the start: all if they are few.
///
/// - `expand` is deterministic, appends, gives moves iff somebody is to move, none of them twice; `status` agrees with
///   it;
/// - a random move is one of them;
/// - equal keys ⇔ equal states;
/// - positions and moves are read back as they were written; what is no legal move is not read as one;
/// - the facts hold: players, turns, bounds of scores and sums, outcomes, length, no repetition;
/// - symmetries commute with play, keep payoffs, and share a canonical key;
/// - what is listed in one call is what single calls say; features are as many and as large as the layout says;
/// - the heuristic stays within -1 … 1; a drawing shows something, and after the end nobody to move.
///
/// A game that carries its history (`facts.history`) may write less than the whole state: then only the text must be
/// the same after reading it.
///
/// # Panics
/// With a sentence that names the law and the state, if one is broken.
pub fn check_game<G: FullGame>(game: &G, extent: &Extent) {
    let facts = game.facts();
    check_facts::<G>(&facts);
    let explored = explore(game, extent);
    if facts.acyclic && explored.all {
        check_no_repetition(game, &facts, &explored);
    }
    let mut laws =
        Laws { game, facts: &facts, texts: HashMap::new(), keys: HashMap::new(), checked: 0, dice: Dice::new(2) };
    let started = Instant::now();
    for state in &explored.states {
        if started.elapsed() > extent.time {
            break;
        }
        laws.check(state);
    }
    let mut dice = Dice::new(1);
    let moves = facts.length.map_or(extent.moves, |l| l as usize + 1);
    let started = Instant::now();
    for _ in 0..extent.games {
        let path = random_game(game, &game.start(), moves, &mut dice);
        laws.check_path(&path, moves);
        for (state, _) in &path {
            if started.elapsed() > extent.time {
                return;
            }
            laws.check(state);
        }
    }
}

/// Facts that contradict themselves.
fn check_facts<G: FullGame>(facts: &Facts) {
    let (n, most) = (facts.players, G::Payoff::PLAYERS);
    assert!((2..=most).contains(&n), "the payoff is for {most} players, the facts say {n}");
    assert_eq!(facts.scores.len(), n, "the facts must bound the score of each player");
    assert!(facts.scores.iter().all(|(low, high)| low <= high), "bounds of scores: {:?}", facts.scores);
    assert!(facts.sum.0 <= facts.sum.1, "bounds of the sum: {:?}", facts.sum);
    assert!(!facts.zero_sum || facts.sum == (0, 0), "a zero-sum game with sums {:?}", facts.sum);
    if let Some(outcomes) = &facts.outcomes {
        assert!(!outcomes.is_empty() && outcomes.is_sorted_by(|a, b| a < b), "outcomes, worst first: {outcomes:?}");
    }
}

/// All states are known: takes away, again and again, states without successors. In the end none may be left, and
/// counting the rounds bounds the length.
fn check_no_repetition<G: FullGame>(game: &G, facts: &Facts, explored: &Explored<G>) {
    let mut before = vec![Vec::new(); explored.states.len()];
    let mut open: Vec<usize> = explored.successors.iter().map(Vec::len).collect();
    for (state, successors) in explored.successors.iter().enumerate() {
        for &successor in successors {
            before[successor].push(state);
        }
    }
    let mut height = vec![0u32; open.len()];
    let mut closed: Vec<usize> = (0..open.len()).filter(|&s| open[s] == 0).collect();
    let mut next = 0;
    while let Some(&state) = closed.get(next) {
        next += 1;
        for &earlier in &before[state] {
            height[earlier] = height[earlier].max(height[state] + 1);
            open[earlier] -= 1;
            if open[earlier] == 0 {
                closed.push(earlier);
            }
        }
    }
    if let Some(state) = open.iter().position(|&n| n > 0) {
        panic!("the facts say acyclic, but play can come back at {}", game.position_text(&explored.states[state]));
    }
    if let Some(length) = facts.length {
        assert!(height[0] <= length, "the facts say at most {length} moves, but {} are possible", height[0]);
    }
    if let Some(most) = facts.states {
        assert!(open.len() as f64 <= most, "the facts say at most {most} states, but there are {}", open.len());
    }
}

struct Laws<'a, G: FullGame> {
    game: &'a G,
    facts: &'a Facts,
    texts: HashMap<String, G::Key>,
    keys: HashMap<G::Key, G::State>,
    checked: usize,
    dice: Dice,
}

impl<G: FullGame> Laws<'_, G> {
    fn check(&mut self, state: &G::State) {
        let at = self.game.position_text(state);
        let moves = self.check_expand(state, &at);
        self.check_key(state, &at);
        self.check_position_text(state, &at);
        self.check_move_texts(state, &moves, &at);
        check_random_move(self.game, state, &moves, &at, &mut self.dice);
        match self.game.status(state) {
            Status::Over(payoff) => self.check_payoff(payoff, &at),
            Status::Turn(mover) => self.check_turn(state, mover, &moves, &at),
        }
        if self.checked < STATES_TRANSFORMED {
            check_symmetries(self.game, state, &moves, &at);
            check_lists(self.game, state, &moves, &at);
            check_features(self.game, state, &at);
        }
        if self.checked < STATES_DRAWN {
            let drawing = self.game.drawing(state);
            assert!(!drawing.to_text(false).trim().is_empty(), "nothing is drawn at {at}");
            assert!(drawing.to_text(true).len() >= drawing.to_text(false).len(), "colours take text away at {at}");
            assert!(drawing.to_svg().contains("</svg>"), "no picture at {at}");
            let over = matches!(self.game.status(state), Status::Over(_));
            let awaits = drawing.notes.iter().any(|note| note.contains("to move"));
            assert!(!(over && awaits), "a finished game is drawn as if somebody were to move at {at}");
        }
        self.checked += 1;
    }

    fn check_expand(&self, state: &G::State, at: &str) -> Vec<G::Move> {
        let mut moves = Vec::new();
        let status = self.game.expand(state, &mut moves);
        let count = moves.len();
        let again = self.game.expand(state, &mut moves);
        assert_eq!(status, again, "expand does not say the same twice at {at}");
        assert_eq!(moves[..count], moves[count..], "expand must append the same moves each time, at {at}");
        moves.truncate(count);
        assert_eq!(status, self.game.status(state), "status and expand disagree at {at}");
        assert_eq!(status.mover().is_some(), count > 0, "{status:?} with {count} moves at {at}");
        for (i, mv) in moves.iter().enumerate().take(100) {
            assert!(!moves[..i].contains(mv), "the move {} is there twice at {at}", self.game.move_text(state, *mv));
        }
        moves
    }

    fn check_key(&mut self, state: &G::State, at: &str) {
        let key = self.game.key(state);
        assert_eq!(key, self.game.key(&state.clone()), "a copy has another key at {at}");
        if let Some(other) = self.keys.insert(key, *state) {
            assert!(other == *state, "equal keys for different states: {other:?} and {state:?}");
        }
        if !self.facts.history
            && let Some(other) = self.texts.insert(at.to_owned(), key)
        {
            assert_eq!(other, key, "different keys for the same position {at}");
        }
    }

    fn check_position_text(&self, state: &G::State, at: &str) {
        assert!(!at.trim().is_empty() && !at.contains('\n'), "a position must be one line of text, got {at:?}");
        let read = self.game.parse_position(at);
        let read = read.unwrap_or_else(|error| panic!("the position {at} was written, but is not read: {error}"));
        assert_eq!(self.game.position_text(&read), at, "a position is not read as it was written");
        let status = |state: &G::State| self.game.status(state);
        assert_eq!(status(&read), status(state), "{at} is over as it was written or as it was read, but not as both");
        if !self.facts.history {
            assert!(read == *state, "the position {at} is read as another state: {read:?} instead of {state:?}");
            assert_eq!(self.game.key(&read), self.game.key(state), "equal states with different keys at {at}");
        }
    }

    fn check_move_texts(&self, state: &G::State, moves: &[G::Move], at: &str) {
        let mut seen = HashSet::new();
        for &mv in moves {
            let text = self.game.move_text(state, mv);
            assert!(
                !text.is_empty() && !text.contains(char::is_whitespace),
                "a move is one word, got {text:?} at {at}"
            );
            assert!(seen.insert(text.clone()), "two moves are written {text} at {at}");
        }
        let step = moves.len().div_ceil(MOVES_LOOKED_AT).max(1);
        for &mv in moves.iter().step_by(step) {
            let text = self.game.move_text(state, mv);
            let read = self.game.parse_move(state, &text);
            assert_eq!(read, Ok(mv), "the move {text} is not read as it was written at {at}");
        }
        for nonsense in ["", "?", "no move", "zz99", "-1", "a0", "99999999999999999999", "é"] {
            let read = self.game.parse_move(state, nonsense);
            assert!(read.is_err(), "{nonsense:?} is read as the move {read:?} at {at}");
        }
    }

    fn check_payoff(&self, payoff: G::Payoff, at: &str) {
        let mut sum = 0;
        for player in Player::all(self.facts.players) {
            let (score, (low, high)) = (payoff.score(player), self.facts.scores[player.index()]);
            assert!((low..=high).contains(&score), "{player} scores {score}, outside {low} … {high}, at {at}");
            sum += score;
        }
        let (low, high) = self.facts.sum;
        assert!((low..=high).contains(&sum), "scores add up to {sum}, outside {low} … {high}, at {at}");
        if let Some(outcomes) = &self.facts.outcomes {
            let score = payoff.score(Player::FIRST);
            assert!(outcomes.contains(&score), "the outcome {score} is not among {outcomes:?} at {at}");
        }
    }

    fn check_turn(&self, state: &G::State, mover: Player, moves: &[G::Move], at: &str) {
        assert!(mover.index() < self.facts.players, "{mover} is to move at {at}");
        let step = moves.len().div_ceil(MOVES_LOOKED_AT).max(1);
        for &mv in moves.iter().step_by(step) {
            let after = self.game.after(state, mv);
            let mut played = *state;
            self.game.play(&mut played, mv);
            assert!(after == played, "after and play disagree on {} at {at}", self.game.move_text(state, mv));
            let next = self.game.status(&after).mover();
            if self.facts.alternating && next.is_some() {
                assert_eq!(next, Some(mover.next(self.facts.players)), "turns do not alternate after {at}");
            }
        }
        if self.facts.heuristic {
            let guess = self.game.heuristic(state);
            assert_eq!(guess, self.game.heuristic(state), "two guesses at {at}");
            for player in Player::all(self.facts.players) {
                let part = guess.of(player);
                assert_eq!(part, self.game.heuristic_of(state, player), "the part of {player} in the guess at {at}");
                assert!((-1.0..=1.0).contains(&part), "the heuristic says {part} for {player} at {at}");
            }
        }
    }

    /// One game: no state twice, not too long, and it ends.
    fn check_path(&self, path: &[(G::State, Option<G::Move>)], moves: usize) {
        let game = self.game;
        let last = &path[path.len() - 1].0;
        if let Some(length) = self.facts.length {
            assert!(
                path.len() - 1 <= length as usize,
                "a game took more than {length} moves, to {}",
                game.position_text(last)
            );
            assert!(path.len() <= moves && game.status(last).mover().is_none(), "a game did not end");
        }
        if self.facts.acyclic {
            let mut seen = HashSet::new();
            for (state, _) in path {
                assert!(
                    seen.insert(game.key(state)),
                    "the position {} came twice in one game",
                    game.position_text(state)
                );
            }
        }
    }
}

fn check_random_move<G: FullGame>(game: &G, state: &G::State, moves: &[G::Move], at: &str, dice: &mut Dice) {
    match (game.random_move(state, &mut Vec::new(), &mut |n| dice.below(n)), game.status(state)) {
        (Ok(mv), Status::Turn(_)) => assert!(moves.contains(&mv), "a random move is illegal: {mv:?} at {at}"),
        (Err(payoff), Status::Over(same)) => assert_eq!(payoff, same, "random_move and status disagree at {at}"),
        (drawn, status) => panic!("random_move says {drawn:?}, status says {status:?} at {at}"),
    }
}

/// What a wrapper may list in one call must be what single calls say.
fn check_lists<G: FullGame>(game: &G, state: &G::State, moves: &[G::Move], at: &str) {
    let (mut listed, mut children, mut hints) = (Vec::new(), Vec::new(), Vec::new());
    let status = game.children(state, &mut listed, &mut children);
    assert!(status == game.status(state) && listed == moves, "children lists other moves than expand at {at}");
    let one_by_one = moves.iter().map(|&mv| game.after(state, mv)).map(|child| (child, game.key(&child)));
    assert!(children.iter().copied().eq(one_by_one), "children leads elsewhere than after and key at {at}");
    game.order_hints(state, moves, &mut hints);
    let hint = |&mv| OrderHint { score: game.order_score(state, mv), history: game.history_index(state, mv) };
    assert!(hints.iter().copied().eq(moves.iter().map(hint)), "order_hints differ from single hints at {at}");
}

fn check_features<G: FullGame>(game: &G, state: &G::State, at: &str) {
    let (mut cells, mut numbers) = (Vec::new(), Vec::new());
    game.cell_values(state, &mut cells);
    game.numbers(state, &mut numbers);
    let layout = game.layout();
    let (places, values, names) = layout.as_ref().map_or((0, 0, 0), |l| (l.cells.len(), l.values, l.numbers.len()));
    assert_eq!(cells.len(), places, "as many values as cells, at {at}");
    assert!(cells.iter().all(|&value| value < values), "a cell has one of {values} values, not {cells:?} at {at}");
    assert_eq!(numbers.len(), names, "as many numbers as names for them, at {at}");
    assert!(numbers.iter().all(|n| n.is_finite() && n.abs() <= 4.0), "numbers about -1 … 1, not {numbers:?} at {at}");
    if let Status::Turn(mover) = game.status(state) {
        assert_eq!(game.viewer(state), mover, "the mover is the viewer, at {at}");
    }
    let mut batch = FeatureBatch::default();
    game.features(&[*state, *state], &mut batch);
    let one = (game.viewer(state).index() as u8, &cells[..], &numbers[..]);
    assert!(batch.get(0) == one && batch.get(1) == one, "features of a batch are those of its states, at {at}");
    let distinct = layout.map_or(0, |l| l.cells.iter().collect::<HashSet<_>>().len());
    assert_eq!(distinct, places, "two cells at one place");
}

fn check_symmetries<G: FullGame>(game: &G, state: &G::State, moves: &[G::Move], at: &str) {
    assert!(game.symmetries() > 0, "the identity is a symmetry");
    for index in 0..game.symmetries() {
        let image = game.transform(state, index);
        assert!(index > 0 || image == *state, "symmetry 0 must change nothing, at {at}");
        assert_eq!(game.status(&image), game.status(state), "symmetry {index} changes the status of {at}");
        assert_eq!(game.canonical_key(&image), game.canonical_key(state), "symmetry {index}, canonical key of {at}");
        let mut legal = Vec::new();
        game.expand(&image, &mut legal);
        assert_eq!(legal.len(), moves.len(), "symmetry {index} changes the number of moves at {at}");
        for &mv in moves.iter().take(MOVES_LOOKED_AT) {
            let text = game.move_text(state, mv);
            let moved = game.transform_move(state, mv, index);
            assert!(index > 0 || moved == mv, "symmetry 0 must change no move, at {at}");
            let place = legal.iter().position(|m| *m == moved);
            let place =
                place.unwrap_or_else(|| panic!("symmetry {index} makes {text} an illegal move or a used one, at {at}"));
            legal.remove(place);
            let then = game.transform(&game.after(state, mv), index);
            assert!(then == game.after(&image, moved), "symmetry {index} does not commute with {text} at {at}");
        }
    }
}
