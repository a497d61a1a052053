//! The normal form (Červeňan 2025, §2.3.1): a small game as a matrix of strategies, and its equilibrium by a linear
//! program.
//!
//! A pure strategy of a player assigns a move to each of its states (Červeňan 2025, Def. 2.2.1); their number is the
//! product of the numbers of moves, so only small games have a matrix worth looking at. Games with simultaneous moves,
//! such as rock-paper-scissors over several rounds (Červeňan 2025, Appendix A), have no tree here but they do have a
//! matrix.

use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, SolveOutcome, Variable};
use perfectplay_core::{FullGame, Objective, Player, Status};

use crate::Error;

/// Payoffs of two players for every pair of strategies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// The strategies of player 1.
    pub rows: Vec<String>,
    /// The strategies of player 2.
    pub columns: Vec<String>,
    /// `cells[row][column]`: what player 1 and player 2 get.
    pub cells: Vec<Vec<[i32; 2]>>,
}

/// A pair of mixed strategies of a zero-sum game from which nobody gains by departing.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// What player 1 can be sure of on average, and player 2 can hold it to.
    pub value: f64,
    /// The probability of each row.
    pub rows: Vec<f64>,
    /// The probability of each column.
    pub columns: Vec<f64>,
}

/// More cells than this nobody can read.
const MOST_CELLS: usize = 1 << 16;

/// `rounds` rounds of rock-paper-scissors, the results added up: 3^rounds strategies each.
pub fn rock_paper_scissors(rounds: u32) -> Result<Matrix, Error> {
    const SIGNS: [&str; 3] = ["R", "P", "S"];
    let strategies = 3usize.checked_pow(rounds).filter(|n| n * n <= MOST_CELLS && rounds > 0);
    let strategies = strategies.ok_or_else(|| Error::TooLarge(format!("rounds must be from 1 to 5, got {rounds}")))?;
    let sign = |strategy: usize, round: u32| strategy / 3usize.pow(rounds - 1 - round) % 3;
    let name = |s| format!("({})", (0..rounds).map(|r| SIGNS[sign(s, r)]).collect::<Vec<_>>().join(","));
    // Each sign beats the one before it in the order rock, paper, scissors, rock.
    let round = |a: usize, b: usize| [0, 1, -1][(3 + a - b) % 3];
    let total = |a, b| (0..rounds).map(|r| round(sign(a, r), sign(b, r))).sum::<i32>();
    let names: Vec<String> = (0..strategies).map(name).collect();
    let cells = (0..strategies).map(|a| (0..strategies).map(|b| [total(a, b), -total(a, b)]).collect()).collect();
    Ok(Matrix { rows: names.clone(), columns: names, cells })
}

impl Matrix {
    /// The normal form of a two-player game that begins at `root`.
    pub(crate) fn of_game<G: FullGame>(game: &G, root: &G::State, objective: Objective) -> Result<Self, Error> {
        let players = game.facts().players;
        if players != 2 {
            return Err(Error::TooLarge(format!("a matrix shows two players, and this game has {players}")));
        }
        let decisions = Decisions::collect(game, root)?;
        let (rows, columns) = (decisions.count(Player::FIRST), decisions.count(Player::SECOND));
        let cells = rows.and_then(|r| columns.and_then(|c| r.checked_mul(c))).filter(|&n| n <= MOST_CELLS);
        let (Some(rows), Some(columns), Some(_)) = (rows, columns, cells) else {
            return Err(decisions.too_many());
        };
        let outcome = |row, column| {
            let payoff = decisions.outcome(game, root, [row, column]);
            [Player::FIRST, Player::SECOND].map(|p| objective.value(payoff, p))
        };
        Ok(Matrix {
            rows: (0..rows).map(|s| decisions.name(game, Player::FIRST, s)).collect(),
            columns: (0..columns).map(|s| decisions.name(game, Player::SECOND, s)).collect(),
            cells: (0..rows).map(|r| (0..columns).map(|c| outcome(r, c)).collect()).collect(),
        })
    }

    /// Whether what one gets the other loses.
    pub fn is_zero_sum(&self) -> bool {
        self.cells.iter().flatten().all(|[a, b]| *a == -b)
    }

    /// An equilibrium in mixed strategies; `None` unless the game is zero-sum.
    ///
    /// Player 1 looks for probabilities x and the greatest v such that every column yields at least v; player 2's
    /// program is the mirror image. By von Neumann's theorem both have the same value.
    pub fn equilibrium(&self) -> Option<Equilibrium> {
        let payoff = |r: usize, c: usize| f64::from(self.cells[r][c][0]);
        let (m, n) = (self.rows.len(), self.columns.len());
        if !self.is_zero_sum() || m == 0 || n == 0 {
            return None;
        }
        let (value, rows) = best_mix(m, n, payoff)?;
        let (_, columns) = best_mix(n, m, |c, r| -payoff(r, c))?;
        Some(Equilibrium { value, rows, columns })
    }
}

/// The mix of `own` strategies whose worst result against `other` strategies is best, and that result.
fn best_mix(own: usize, other: usize, payoff: impl Fn(usize, usize) -> f64) -> Option<(f64, Vec<f64>)> {
    let mut program = Problem::new(OptimizationDirection::Maximize);
    let value = program.add_var(1.0, (f64::NEG_INFINITY, f64::INFINITY));
    let mix: Vec<Variable> = (0..own).map(|_| program.add_var(0.0, (0.0, 1.0))).collect();
    for o in 0..other {
        let mut result = LinearExpr::empty();
        mix.iter().enumerate().for_each(|(s, &p)| result.add(p, payoff(s, o)));
        result.add(value, -1.0);
        program.add_constraint(result, ComparisonOp::Ge, 0.0);
    }
    let mut sum = LinearExpr::empty();
    mix.iter().for_each(|&p| sum.add(p, 1.0));
    program.add_constraint(sum, ComparisonOp::Eq, 1.0);
    let SolveOutcome::Solution(solution) = program.solve().ok()? else { return None };
    Some((solution[value], mix.iter().map(|&p| solution[p]).collect()))
}

/// A state in which somebody decides, and between what.
struct Decision<G: FullGame> {
    state: G::State,
    key: G::Key,
    moves: Vec<G::Move>,
}

/// The decisions of each player.
struct Decisions<G: FullGame>([Vec<Decision<G>>; 2]);

impl<G: FullGame> Decisions<G> {
    /// Walks all reachable states; gives up as soon as there are more strategies than can be shown.
    fn collect(game: &G, root: &G::State) -> Result<Self, Error> {
        let mut decisions = Decisions([vec![], vec![]]);
        let mut seen = vec![game.key(root)];
        let mut waiting = vec![*root];
        while let Some(state) = waiting.pop() {
            let mut moves = Vec::new();
            let Status::Turn(mover) = game.expand(&state, &mut moves) else { continue };
            for &mv in moves.iter().rev() {
                let next = game.after(&state, mv);
                if !seen.contains(&game.key(&next)) {
                    seen.push(game.key(&next));
                    waiting.push(next);
                }
            }
            decisions.0[mover.index()].push(Decision { key: game.key(&state), state, moves });
            if decisions.count(mover).is_none() || seen.len() > MOST_CELLS {
                return Err(decisions.too_many());
            }
        }
        Ok(decisions)
    }

    /// How many strategies `player` has; `None` if too many.
    fn count(&self, player: Player) -> Option<usize> {
        let product = self.0[player.index()].iter().map(|d| d.moves.len()).try_fold(1usize, usize::checked_mul);
        product.filter(|&n| n <= MOST_CELLS)
    }

    fn too_many(&self) -> Error {
        Error::TooLarge(format!(
            "the players have too many strategies for a matrix: more than {MOST_CELLS} cells; try a smaller game"
        ))
    }

    /// The move of strategy number `strategy` at the player's `index`-th state.
    fn choice(&self, player: Player, strategy: usize, index: usize) -> G::Move {
        // The last state changes fastest, like the last digit of a number.
        let decisions = &self.0[player.index()];
        let faster: usize = decisions[index + 1..].iter().map(|d| d.moves.len()).product();
        let moves = &decisions[index].moves;
        moves[strategy / faster % moves.len()]
    }

    fn name(&self, game: &G, player: Player, strategy: usize) -> String {
        let decisions = self.0[player.index()].iter().enumerate();
        let texts = decisions.map(|(i, d)| game.move_text(&d.state, self.choice(player, strategy, i)));
        format!("({})", texts.collect::<Vec<_>>().join(","))
    }

    /// Plays two strategies against each other.
    fn outcome(&self, game: &G, root: &G::State, strategies: [usize; 2]) -> G::Payoff {
        let mut state = *root;
        loop {
            match game.status(&state) {
                Status::Over(payoff) => return payoff,
                Status::Turn(mover) => {
                    let (decisions, key) = (&self.0[mover.index()], game.key(&state));
                    let index = decisions.iter().position(|d| d.key == key).expect("every state was collected");
                    game.play(&mut state, self.choice(mover, strategies[mover.index()], index));
                }
            }
        }
    }
}
