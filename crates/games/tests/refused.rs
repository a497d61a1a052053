//! Positions that cannot be: every game refuses them with a sentence, none with a panic.

use perfectplay_core::{FullGame, Payoff, Spec, TextError, ZeroSum};
use perfectplay_games::seam::{self, Packed, SeamVisitor};

struct Read<'a>(&'a str);

impl Read<'_> {
    fn read<G: FullGame>(self, game: G) -> Result<String, TextError> {
        game.parse_position(self.0).map(|state| game.position_text(&state))
    }
}

impl SeamVisitor for Read<'_> {
    type Output = Result<String, TextError>;

    fn zero_sum<const S: usize, const K: usize, const M: usize>(self, game: Packed<ZeroSum, S, K, M>) -> Self::Output {
        self.read(game)
    }

    fn several<P: Payoff, const S: usize, const K: usize, const M: usize>(
        self,
        game: Packed<P, S, K, M>,
    ) -> Self::Output {
        self.read(game)
    }
}

fn read(spec: &str, position: &str) -> Result<String, TextError> {
    seam::open(Spec::parse(spec).unwrap(), Read(position)).expect("a known game").expect("a good spec")
}

/// `good` is read; each of `bad` is refused.
fn refuses(spec: &str, good: &[&str], bad: &[&str]) {
    for position in good {
        read(spec, position).unwrap_or_else(|error| panic!("{spec}: \"{position}\" was refused: {error}"));
    }
    for position in bad.iter().chain(&["", " ", "nonsense", "é", "0", "99999999999999999999/"]) {
        if let Ok(read) = read(spec, position) {
            panic!("{spec}: \"{position}\" was read as \"{read}\"");
        }
    }
}

#[test]
fn breakthrough() {
    refuses(
        "breakthrough:3x4",
        &["ppp/3/3/PPP w", "ppp/3/3/PPP b - - 0 7", "3/3/3/1P1 b", "P2/1p1/3/3 b"],
        &[
            "ppp/3/3/PPP",
            "ppp/3/3/PPP x",
            "ppp/3/3 w",
            "ppp/3/4/PPP w",
            "ppp/3/2Q/PPP w",
            "ppp/ppp/p2/PPP w", // seven men
            "P2/3/1p1/3 w",     // arrived before
            "3/3/3/3 w",
            "3/3/3/1P1 w", // the enemy is gone, and it is still the winner's turn
            "PP1/3/1p1/3 b",
        ],
    );
}

#[test]
fn hex() {
    refuses(
        "hex:3",
        &["3/3/3", "3/1X1/3", "3/1X1/3 swapped", "X2/XO1/X1O"],
        &[
            "3/1O1/3",
            "3/XX1/3",
            "3/3/3 swapped",
            "3/1X1/3 off",
            "X2/XOO/X2 swapped swapped",
            "XO1/XO1/X1O", // X had won before O's last stone
            "XXO/XXO/XXO", // X has too many
            "3/3",
        ],
    );
    refuses("hex:2,swap=off", &["2/2", "X1/2"], &["X1/2 swapped"]);
    refuses("hex:1", &["1", "X"], &["X swapped", "O"]);
}

#[test]
fn othello() {
    refuses(
        "othello:4",
        &["-----OX--XO----- X", ".....o*..*o..... o;", "-----XX--XX----- O"],
        &[
            "-----OX--XO-----",
            "-----OX--XO----- Z",
            "-----OX--XO------ X",
            "-----OX--X------ X", // a hole in the middle
            "-----OX--XQ----- X",
            "-----XX--XX----- X", // White cannot have moved
        ],
    );
}

#[test]
fn amazons() {
    let start = "1qq1/q2q/Q2Q/1QQ1";
    refuses(
        "amazons:4",
        &[&format!("{start} w"), &format!("{start} b - - 0 1"), "*qq*/q**q/Q2Q/*QQ* b"],
        &[start, &format!("{start} w a2"), &format!("{start} x"), "1qq1/q2q/Q2Q/1Q2 w", "1qq1/qq1q/Q2Q/1QQ1 w"],
    );
    refuses(
        "amazons:4,ply=half",
        &[&format!("{start} w a2")],
        &[
            &format!("{start} w a1"),
            &format!("{start} b a2"),
            &format!("{start} w e9"),
            "*qq*/q**q/Q**Q/*QQ* w a2",
            &format!("{start} w a2-"),
        ],
    );
    refuses(
        "amazons:4,ply=third",
        &[&format!("{start} w a2"), &format!("{start} w a2-")],
        &[&format!("{start} w a1-"), &format!("{start} b a2-"), &format!("{start} w -"), "*qq*/q**q/Q**Q/*QQ* w a2-"],
    );
}

#[test]
fn draughts() {
    refuses(
        "international-draughts",
        &["W:W31-50:B1-20", "B:WK5,23:B17,K48.", "W:WK1:BK50:H7", "W:WK1,K2,6:BK50:E3", "W:WK1:BK50 moves 1-6 50-45"],
        &[
            "W:W31-50",
            "W:W31-50:W1-20",
            "X:W31-50:B1-20",
            "W:W31-51:B1-20",
            "W:W0:B1",
            "W:W31-50:B1-21", // 21 men
            "W:W5:B6",        // a white man on the last row
            "W:W31:B31",
            "W:W:B",
            "W:W31:B", // Black has no piece and cannot have moved
            "W:WK1:BK50:H51",
            "W:W31:B1:E3",
            "W:WK1:BK50 moves 1-2",
            "W:WK1:BK50:Q",
            "W:WK:B1",
            "W:W31-:B1",
        ],
    );
    refuses("english-checkers", &["B:W21-32:B1-12"], &["B:W21-32:B1-12:E1", "B:W21-32:B1-13"]);
}

#[test]
fn go() {
    refuses(
        "go:3",
        &["3/3/3 b 0", "XO1/3/3 w 1", "3/3/3 b 0 moves a1 b2 pass", "3/3/3 b 2"],
        &[
            "3/3/3",
            "3/3/3 b",
            "3/3/3 b 3",
            "3/3/3 x 0",
            "OX1/X2/3 b 0", // no liberty
            "XXX/XXX/XXX b 0",
            "3/3/3 b 0 ko=a1",
            "3/3/3 b 0 moves d4",
            "3/3/3 b 0 moves a1 a1",
            "3/3/3 b 0 moves pass pass a1",
        ],
    );
    refuses(
        "go:3,ko=simple",
        &["1XO/XO1/1XO b 0 ko=c2"],
        &["1XO/XO1/1XO b 0 ko=a2", "3/3/3 b 1 ko=a1", "3/3/3 b 0 ko=i1"],
    );
}

#[test]
fn chess() {
    refuses(
        "chess",
        &[
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha -",
            "2b5/1nbn4/n3n3/1kn5/n3n3/1n1n4/5RQ1/2KQ1R2 w K - 0 1",
            "4k3/8/8/8/8/8/8/4K2R w K - 3 9 moves e1g1 e8d7",
            "8/8/8/8/8/8/8/K1k5 w - - 100 80",
            "4k3/8/8/8/8/8/8/4K3 w - e6 0 1", // no pawn was there
            // En passant although the king was in check before the pawn moved: no game leads there.
            "8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1",
            "rnbqk1nr/bb3p1p/1q2r3/2pPp3/3P4/7P/1PP1NpPP/R1BQKBNR w KQkq c6 0 1",
            "4k3/4r3/8/8/1b5q/5n2/8/4K3 w - - 0 1", // four checks at once
        ],
        &[
            "8/8/8/8/8/8/8/8 w - - 0 1", // no kings
            "kk6/8/8/8/8/8/8/K7 w - - 0 1",
            "4k3/8/8/8/8/8/8/4K2R w KQ - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - - 0",
            "4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
            "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", // the king can be taken
            "4k3/8/8/8/8/8/8/4K3 w - e9 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - - 101 1",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 0",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1 moves e1e3",
            "rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKBNR w KQkq - 0 1", // nine pawns
            "k7/8/K7 w - - 0 1",
            "4k3/4r3/8/8/1b5q/5n2/8/4K3 w - - 0 1 moves e1e2", // stays in check
        ],
    );
}

#[test]
fn arimaa() {
    let start = "rrrrrrrrdhcemchd................................DHCMECHDRRRRRRRR";
    let empty = ".".repeat(64);
    refuses(
        "arimaa:limit=900",
        &[
            &format!("{start} g"),
            &format!("{start} s n=17"),
            &format!("{start} g moves Ee2n pass"),
            &format!("{empty} g setup"),
            &format!("{}RR...... g setup", ".".repeat(56)),
        ],
        &[
            start,
            &format!("{start} x"),
            &format!("{start}. g"),
            &format!("{start} g setup"),
            &format!("{start} g n=901"),
            &format!("{empty} g"),
            &format!("{}EE...... g", ".".repeat(56)),       // two elephants
            &format!("{}E....... g setup", ".".repeat(56)), // rabbits come first
            &format!("{}RR...... s setup", ".".repeat(56)),
            &format!("{}..R.....{} g", ".".repeat(40), ".".repeat(16)), // alone on a trap
            &format!("{start} g moves Ra1n"),
            &format!("{start} g moves pass"),
        ],
    );
}

#[test]
fn chexers() {
    let start = "GGGG/5/6/R5B/R4B/R3B/R2B";
    refuses(
        "chexers",
        &[
            &format!("{start} r 0,0,0 0"),
            &format!("{start} g 0,0,0 17"),
            "4/5/GGGG2/R6/6/BBB2/4 g 3,0,1 20",
            "4/5/6/R6/GGGG2/BBBB1/4 g 3,0,0 20 after 4/5/6/1R5/GGGG2/BBBB1/4 r",
            "4/5/6/7/GGGG2/BBBB1/4 g 4,0,0 20",
        ],
        &[
            start,
            &format!("{start} r 0,0,0"),
            &format!("{start} x 0,0,0 0"),
            &format!("{start} r 0,0,1 7"), // 13 pieces
            &format!("{start} r 0,0 0"),
            &format!("{start} r 0,0,0 257"),
            &format!("{start} r 0,0,0 0 after {start} b"),
            "4/5/6/7/GGGG2/BBBB1/4 b 4,0,0 20", // over before
            "4/5/6/7/GGGG2/BBBB1/4 g 5,0,0 20",
            "4/5/6/R6/GGGG2/BBBB1/4 g 3,0,0 20 after 4/5/6/1R5/GGGG2/BBBB1/4 b",
            "4/5/6/R6/GGGG2/BBBB1/4 g 3,0,0 20 after 4/5/6/2RR3/GGGG2/BBBB1/4 r",
            "4/5/6/8/5/6/4 r 0,0,0 0",
        ],
    );
    refuses("chexers:repetition=free", &[], &[&format!("{start} g 0,0,0 0 after {start} r")]);
    refuses("chexers:repetition=free,turns=0", &[&format!("{start} g 0,0,0 0")], &[&format!("{start} g 0,0,0 1")]);
}

#[test]
fn chinese_checkers() {
    refuses(
        "chinese-checkers:1",
        &["O/4/3/4/X X 0", "1/1O2/3/4/X X 3", "X/4/3/1O2/1 O 3"],
        &[
            "O/4/3/4/X",
            "O/4/3/4/X # 0",
            "O/4/3/4/X X 101",
            "O/4/3/4/X X -1",
            "O/4/3/3X/1 X 4", // in a foreign point
            "O/4/3/1XX1/1 X 4",
            "O/4/3/4/1 X 4",
            "1/1O2/3/4/X X 0", // nobody has moved
            "X/4/3/1O2/1 X 4", // over before
            "O/4/4/4/X X 0",
        ],
    );
    refuses("chinese-checkers:1,turns=0", &["1/1O2/3/4/X O 0"], &["1/1O2/3/4/X X 1"]);
}

#[test]
fn rolit() {
    refuses(
        "rolit:4",
        &["-----XO--+#-----", "-----XO--+#--X--"],
        &["-----XO--+#----", "-----XO--+------", "-----XO--*#-----", "X----XO--+#----", "---#-XO--+#X----#"],
    );
}

#[test]
fn open_tricks() {
    refuses(
        "open-tricks:1,suits=1",
        &[],
        &["a1/a2/a3 - 2 0,0,0", "a1/a2 - 1 0,0,0", "a1/a1/a2 - 1 0,0,0", "a4/a1/a2 - 1 0,0,0"],
    );
}
