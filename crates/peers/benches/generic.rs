//! Generic search without special knowledge: plain alpha-beta beside `board-game` 0.8, iterative deepening with a table of
//! 64 MiB beside `minimax` 0.6, both on Connect Four 7×6; and ours on Breakthrough 8×8. A node is a state that was created.

#[cfg(feature = "peers")]
mod peers {
    use std::cell::Cell;
    use std::cmp::Ordering;

    use board_game::ai::minimax::{Heuristic, minimax_value};
    use board_game::board::{Board, Outcome};
    use board_game::games::connect4::Connect4;
    use minimax::{IterativeOptions, IterativeSearch, Strategy};

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
    struct Stones {
        mine: u64,
        all: u64,
        count: u32,
    }

    struct Rules;

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

    struct Zero;

    impl minimax::Evaluator for Zero {
        type G = Rules;

        fn evaluate(&self, _: &Stones) -> i16 {
            0
        }
    }

    pub(super) fn iterative(depth: u8) -> u64 {
        let options = IterativeOptions::new().with_table_byte_size(64 << 20);
        let mut strategy = IterativeSearch::new(Zero, options);
        strategy.set_max_depth(depth);
        let mut start = Stones { mine: 0, all: 0, count: 0 };
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

    use perfectplay_core::{Budget, Game, Params, Stop, ZeroSum};
    use perfectplay_games::breakthrough::Breakthrough;
    use perfectplay_games::connect_four::ConnectFour;
    use perfectplay_peers::{Cost, least, measure, rate};
    use perfectplay_search::{Search, Setup, alpha_beta, engine};

    type Open<G> =
        fn(Arc<G>, <G as Game>::State, &Setup, Params) -> Result<Box<dyn Search<G>>, perfectplay_search::Refusal>;

    fn ours<G: Game<Payoff = ZeroSum>>(game: &Arc<G>, open: Open<G>, options: &str) -> u64 {
        let params = Params::parse(options).expect("good options");
        let mut search = open(game.clone(), game.start(), &Setup::default(), params).expect("it takes the game");
        assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
        search.answer().effort.nodes
    }

    let four = Arc::new(ConnectFour::<u64, 6>::with_size(7, 6));
    let breakthrough = Arc::new(Breakthrough::<u64>::new(8, 8, 2));
    let mut best: [Option<Cost>; 6] = [None; 6];
    for _ in 0..5 {
        let costs = [
            measure(|| ours(&four, alpha_beta::open, "depth=9,eval=zero")),
            measure(|| peers::board_game(9)),
            measure(|| ours(&four, engine::open, "depth=14,eval=zero,table-mib=64")),
            measure(|| peers::iterative(14)),
            measure(|| ours(&breakthrough, alpha_beta::open, "depth=5,eval=zero")),
            measure(|| ours(&breakthrough, engine::open, "depth=7,eval=zero,table-mib=64")),
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
        "breakthrough:8x8    plain alpha-beta, depth 5         ours",
        "breakthrough:8x8    iterative, 64 MiB, depth 7        ours",
    ];
    for (name, cost) in names.iter().zip(best.into_iter().flatten()) {
        println!("{name:<72} {:>12} nodes {:>9.3} s {:>7.1} Mn/s", cost.nodes, cost.seconds, rate(cost));
    }
}

#[cfg(not(feature = "peers"))]
fn main() {
    println!("run with --features peers");
}
