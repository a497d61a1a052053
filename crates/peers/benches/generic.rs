//! Generic search without special knowledge, plain alpha-beta and iterative deepening with a table of 64 MiB: on
//! Connect Four 7×6 beside `board-game` 0.8 and `minimax` 0.6, on Breakthrough 8×8 beside `minimax` (the other has no
//! such game). A node is a state that was created. All guess 0 at unfinished games.

#[cfg(feature = "peers")]
mod peers {
    use std::cell::Cell;
    use std::cmp::Ordering;
    use std::marker::PhantomData;
    use std::rc::Rc;

    use board_game::ai::minimax::{Heuristic, minimax_value};
    use board_game::board::{Board, Outcome};
    use board_game::games::connect4::Connect4;
    use minimax::{IterativeOptions, IterativeSearch, Negamax, Strategy};

    /// 0 for everything unfinished; counts the boards it sees.
    #[derive(Debug, Default)]
    struct Counting(Cell<u64>);

    impl Heuristic<Connect4> for Counting {
        type V = i32;

        fn value(&self, board: &Connect4, _: u32) -> i32 {
            self.0.set(self.0.get() + 1);
            match board.outcome() {
                Some(Outcome::WonBy(_)) => -1, // whoever moves next has lost
                _ => 0,
            }
        }

        fn merge(old: i32, new: i32) -> (i32, Ordering) {
            (old.max(new), new.cmp(&old))
        }
    }

    pub(super) fn board_game(depth: u32) -> u64 {
        let heuristic = Counting::default();
        assert_eq!(minimax_value(&Connect4::default(), &heuristic, depth), 0);
        heuristic.0.get()
    }

    /// Connect Four for `minimax`: stones of the mover, all stones, and how many.
    #[derive(Clone)]
    pub(super) struct Stones {
        mine: u64,
        all: u64,
        count: u32,
    }

    pub(super) struct Rules;

    impl minimax::Game for Rules {
        type S = Stones;
        type M = u8;

        fn generate_moves(s: &Stones, moves: &mut Vec<u8>) -> Option<minimax::Winner> {
            let over = Self::get_winner(s);
            if over.is_none() {
                moves.extend((0..7).filter(|c| s.all >> (7 * c + 5) & 1 == 0));
            }
            over
        }

        fn apply(s: &mut Stones, column: u8) -> Option<Stones> {
            let all = s.all | (s.all + (1 << (7 * column)));
            Some(Stones { mine: s.mine ^ s.all, all, count: s.count + 1 })
        }

        fn get_winner(s: &Stones) -> Option<minimax::Winner> {
            let theirs = s.mine ^ s.all;
            let four = [1, 6, 7, 8].into_iter().any(|step| {
                let pairs = theirs & theirs >> step;
                pairs & pairs >> (2 * step) != 0
            });
            match (four, s.count) {
                (true, _) => Some(minimax::Winner::PlayerJustMoved),
                (false, 42) => Some(minimax::Winner::Draw),
                _ => None,
            }
        }

        fn zobrist_hash(s: &Stones) -> u64 {
            let key = s.mine + s.all;
            let mixed = (key ^ key >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed ^ mixed >> 32
        }
    }

    /// Breakthrough 8×8 for `minimax`: the men of both, and whose turn it is. The first player moves up.
    #[derive(Clone)]
    pub(super) struct Men {
        men: [u64; 2],
        mover: usize,
    }

    pub(super) struct BreakthroughRules;

    impl minimax::Game for BreakthroughRules {
        type S = Men;
        type M = (u8, u8);

        fn generate_moves(s: &Men, moves: &mut Vec<(u8, u8)>) -> Option<minimax::Winner> {
            const LEFT: u64 = 0x0101_0101_0101_0101;
            let over = Self::get_winner(s);
            if over.is_some() {
                return over;
            }
            let (mine, empty) = (s.men[s.mover], !(s.men[0] | s.men[1]));
            let (left, right) = (mine & !LEFT, mine & !(LEFT << 7));
            let (targets, back) = if s.mover == 0 {
                ([left << 7 & !mine, mine << 8 & empty, right << 9 & !mine], [-7, -8, -9])
            } else {
                ([left >> 9 & !mine, mine >> 8 & empty, right >> 7 & !mine], [9, 8, 7])
            };
            for (mut set, back) in targets.into_iter().zip(back) {
                while set != 0 {
                    let to = set.trailing_zeros() as i32;
                    moves.push(((to + back) as u8, to as u8));
                    set &= set - 1;
                }
            }
            None
        }

        fn apply(s: &mut Men, (from, to): (u8, u8)) -> Option<Men> {
            let mut men = s.men;
            men[s.mover] ^= 1 << from | 1 << to;
            men[1 - s.mover] &= !(1 << to);
            Some(Men { men, mover: 1 - s.mover })
        }

        fn get_winner(s: &Men) -> Option<minimax::Winner> {
            let goal = [0xff << 56, 0xff][1 - s.mover];
            (s.men[1 - s.mover] & goal != 0 || s.men[s.mover] == 0).then_some(minimax::Winner::PlayerJustMoved)
        }

        fn zobrist_hash(s: &Men) -> u64 {
            let mixed = (s.men[0] ^ s.men[1].rotate_left(29) ^ s.mover as u64).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed ^ mixed >> 32
        }
    }

    /// 0 for everything unfinished; counts the states it sees.
    struct Zero<G>(PhantomData<G>, Rc<Cell<u64>>);

    impl<G: minimax::Game> minimax::Evaluator for Zero<G> {
        type G = G;

        fn evaluate(&self, _: &G::S) -> i16 {
            self.1.set(self.1.get() + 1);
            0
        }
    }

    pub(super) fn four() -> Stones {
        Stones { mine: 0, all: 0, count: 0 }
    }

    pub(super) fn breakthrough() -> Men {
        Men { men: [0xffff, 0xffff << 48], mover: 0 }
    }

    /// Plain alpha-beta of `minimax`. It tells no node count, so only the leaves that it guesses at are counted.
    pub(super) fn negamax<G: minimax::Game>(start: &G::S, depth: u8) -> u64
    where
        G::S: Clone,
        G::M: Copy + Eq,
    {
        let leaves = Rc::new(Cell::new(0));
        let mut strategy = Negamax::new(Zero::<G>(PhantomData, leaves.clone()), depth);
        strategy.choose_move(start);
        leaves.get()
    }

    pub(super) fn iterative<G: minimax::Game>(mut start: G::S, depth: u8) -> u64
    where
        G::S: Clone,
        G::M: Copy + Eq,
    {
        let options = IterativeOptions::new().with_table_byte_size(64 << 20);
        let mut strategy = IterativeSearch::new(Zero::<G>(PhantomData, Rc::default()), options);
        strategy.set_max_depth(depth);
        strategy.choose_move(&start);
        // It tells its node count only in words: "… Explored N nodes …".
        let words = strategy.stats(&mut start);
        let count = words.split_whitespace().skip_while(|w| *w != "Explored").nth(1);
        count.and_then(|n| n.parse().ok()).expect("a count of nodes")
    }
}

#[cfg(feature = "peers")]
fn main() {
    use std::sync::Arc;

    use perfectplay_core::{Budget, FullGame, Game, Params, Stop, ZeroSum};
    use perfectplay_games::breakthrough::Breakthrough;
    use perfectplay_games::connect_four::ConnectFour;
    use perfectplay_peers::{Cost, least, measure, rate};
    use perfectplay_search::alpha_beta::iterative_deepening;
    use perfectplay_search::alpha_beta::textbook::plain_alpha_beta;
    use perfectplay_search::{Search, Setup};

    type Open<G> =
        fn(Arc<G>, <G as Game>::State, &Setup, Params) -> Result<Box<dyn Search<G>>, perfectplay_search::Refusal>;

    fn ours<G: FullGame<Payoff = ZeroSum>>(game: &Arc<G>, open: Open<G>, options: &str) -> u64 {
        let params = Params::parse(options).expect("good options");
        let mut search = open(game.clone(), game.start(), &Setup::default(), params).expect("it takes the game");
        assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
        search.answer().effort.nodes
    }

    let four = Arc::new(ConnectFour::<u64, 6>::with_size(7, 6));
    let breakthrough = Arc::new(Breakthrough::<u64>::new(8, 8, 2));
    let mut best: [Option<Cost>; 8] = [None; 8];
    for _ in 0..5 {
        let costs = [
            measure(|| ours(&four, plain_alpha_beta::open, "depth=9,eval=zero")),
            measure(|| peers::board_game(9)),
            measure(|| ours(&four, iterative_deepening::open, "depth=14,eval=zero,table-mib=64")),
            measure(|| peers::iterative::<peers::Rules>(peers::four(), 14)),
            measure(|| ours(&breakthrough, plain_alpha_beta::open, "depth=6,eval=zero")),
            measure(|| peers::negamax::<peers::BreakthroughRules>(&peers::breakthrough(), 6)),
            measure(|| ours(&breakthrough, iterative_deepening::open, "depth=7,eval=zero,table-mib=64")),
            measure(|| peers::iterative::<peers::BreakthroughRules>(peers::breakthrough(), 7)),
        ];
        for (best, cost) in best.iter_mut().zip(costs) {
            *best = least(*best, cost);
        }
    }
    let names = [
        "connect-four:7x6    plain alpha-beta, depth 9         ours",
        "connect-four:7x6    plain alpha-beta, depth 9         board-game 0.8",
        "connect-four:7x6    iterative, 64 MiB, depth 14       ours",
        "connect-four:7x6    iterative, 64 MiB, depth 14       minimax 0.6",
        "breakthrough:8x8    plain alpha-beta, depth 6         ours",
        "breakthrough:8x8    plain alpha-beta, depth 6         minimax 0.6 (leaves only)",
        "breakthrough:8x8    iterative, 64 MiB, depth 7        ours",
        "breakthrough:8x8    iterative, 64 MiB, depth 7        minimax 0.6",
    ];
    for (name, cost) in names.iter().zip(best.into_iter().flatten()) {
        println!("{name:<72} {:>12} nodes {:>9.3} s {:>7.1} Mn/s", cost.nodes, cost.seconds, rate(cost));
    }
}

#[cfg(not(feature = "peers"))]
fn main() {
    println!("run with --features peers");
}
