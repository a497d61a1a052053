//! Shapes of pieces: outlines in a box from -20 to 20 both ways, y downwards.

/// An outline, filled with the owner's colour, and finer lines upon it.
pub(super) struct Figure {
    pub(super) outline: &'static str,
    pub(super) detail: &'static str,
}

const PAWN: Figure = Figure {
    outline: "M0,-13a5,5 0 0 1 3.2,8.8h2v2.5h-2.2c.5,5 3,7.5 5.5,9.5v4.2h-17v-4.2c2.5,-2 5,-4.5 5.5,-9.5h-2.2v-2.5h2\
              a5,5 0 0 1 3.2,-8.8z",
    detail: "M-7,9h14",
};

const ROOK: Figure = Figure {
    outline: "M-10,12v-4l3,-3v-9l-3,-3v-7h4.5v3h3.2v-3h4.6v3h3.2v-3h4.5v7l-3,3v9l3,3v4z",
    detail: "M-7,-4h14M-7,5h14",
};

const BISHOP: Figure = Figure {
    outline: "M-9,12v-3.5c3,-1 5,-2 6,-3.5c-4,-2 -6,-5 -6,-8.5c0,-4.5 4.5,-7.5 7.2,-10a2.6,2.6 0 1 1 3.6,0\
              c2.7,2.5 7.2,5.5 7.2,10c0,3.5 -2,6.5 -6,8.5c1,1.5 3,2.5 6,3.5v3.5z",
    detail: "M0,-9v7M-3.2,-5.5h6.4M-3,5h6",
};

const KNIGHT: Figure = Figure {
    outline: "M-9,12v-3c0,-6 7,-8 7,-13c-3,0 -5,2.5 -7.5,2.5c-1.8,0 -3,-1.5 -2.5,-3.2c1,-3.3 5,-6.5 \
7.5,-8.8l.5,-3l3,2.2c6.5,.8 10.5,6 10.5,14v12.3z",
    detail: "M-4,-9.5h.6M3,-10c3,2.5 3.6,6.5 3.4,11.5M-7,9h14",
};

const QUEEN: Figure = Figure {
    outline: "M-10,12v-3.5l2,-2l-4.5,-13.5l6,5l1.5,-9l5,8l5,-8l1.5,9l6,-5l-4.5,13.5l2,2v3.5z\
              M-12.5,-10.4a1.7,1.7 0 1 1 -.1,0zM-5,-14.4a1.7,1.7 0 1 1 -.1,0zM5,-14.4a1.7,1.7 0 1 1 -.1,0z\
              M12.5,-10.4a1.7,1.7 0 1 1 -.1,0z",
    detail: "M-8,6.5h16M-9,9.5h18",
};

const KING: Figure = Figure {
    outline: "M-9.5,12v-3.5l1.5,-2c-5,-4 -6,-12 .5,-13c3,-.4 5.5,1.2 6,3.5v-4h-3v-3h3v-3.5h3v3.5h3v3h-3v4\
              c.5,-2.3 3,-3.9 6,-3.5c6.5,1 5.5,9 .5,13l1.5,2v3.5z",
    detail: "M-8,6.5h16M0,-3v9",
};

/// By the letter of English notation, of either case.
pub(super) fn chess(letter: char) -> Option<&'static Figure> {
    Some(match letter.to_ascii_lowercase() {
        'p' => &PAWN,
        'r' => &ROOK,
        'b' => &BISHOP,
        'n' => &KNIGHT,
        'q' => &QUEEN,
        'k' => &KING,
        _ => return None,
    })
}

const CROWN: Figure = Figure { outline: "M-9,7v-11l4.5,4l4.5,-8l4.5,8l4.5,-4v11z", detail: "M-9,3.5h18" };

/// An official with a winged hat.
const ADVISOR: Figure = Figure {
    outline: "M-10,-6.5h5.6a4.5,4.5 0 0 1 8.8,0h5.6v2h-5.4a4.5,4.5 0 0 1 -2,4.4c3.6,1.3 5.6,4.6 6,9.6h-17.2\
              c.4,-5 2.4,-8.3 6,-9.6a4.5,4.5 0 0 1 -2,-4.4h-5.4z",
    detail: "M-2.6,0l2.6,3.5l2.6,-3.5",
};

/// A head with big ears and a trunk.
const ELEPHANT: Figure = Figure {
    outline: "M-3.5,-8c1.5,-2 5.5,-2 7,0c4.5,-2 8,.5 8,4.5c0,4 -3,6.5 -6.5,6c-.6,2 -1.7,3 -2.5,3.4v2.1\
              c0,1 1.7,1 1.8,-.4h2c.2,4.2 -6.3,4.2 -6.3,.2v-2c-.8,-.4 -1.9,-1.4 -2.5,-3.3c-4,.5 -9,-2 -9,-6\
              c0,-4 3.5,-6.5 8,-4.5z",
    detail: "M-2.8,-3.4h.6M2.2,-3.4h.6",
};

/// A wheel with spokes.
const CHARIOT: Figure = Figure {
    outline: "M0,-10a10,10 0 1 1 -.1,0zM0,-7.4a7.4,7.4 0 1 0 .1,0zM-1,-7.4h2v5.2a2.4,2.4 0 0 1 1.2,1.2h5.2v2h-5.2\
              a2.4,2.4 0 0 1 -1.2,1.2v5.2h-2v-5.2a2.4,2.4 0 0 1 -1.2,-1.2h-5.2v-2h5.2a2.4,2.4 0 0 1 1.2,-1.2z",
    detail: "",
};

/// A barrel upon a wheel.
const CANNON: Figure =
    Figure { outline: "M-9.5,-.5l15.5,-8.5l3,5.2l-12,6.7a5,5 0 1 1 -6,-3.4z", detail: "M-4.6,4.4h.6M3.6,-7.6l3,5.2" };

/// A man with a spear.
const SOLDIER: Figure = Figure {
    outline: "M-2.5,-9a3.6,3.6 0 0 1 2.4,6.3c2.6,1 4.3,3.6 4.8,7.2h1.6v-11.3h-1.5l2.3,-5l2.3,5h-1.5v16h-1.6v-2.2h-15\
              c0,-5 1.6,-8.5 4.8,-9.7a3.6,3.6 0 0 1 1.4,-6.3z",
    detail: "",
};

/// By the letter of the notation, of either case.
pub(super) fn xiangqi(letter: char) -> Option<&'static Figure> {
    Some(match letter.to_ascii_lowercase() {
        'k' => &CROWN,
        'a' => &ADVISOR,
        'b' | 'e' => &ELEPHANT,
        'n' | 'h' => &KNIGHT,
        'r' => &CHARIOT,
        'c' => &CANNON,
        'p' => &SOLDIER,
        _ => return None,
    })
}

/// The name of a man of chess or Xiangqi, for those who cannot see it.
pub(super) fn name(letter: char, xiangqi: bool) -> &'static str {
    match (letter.to_ascii_lowercase(), xiangqi) {
        ('p', false) => "pawn",
        ('r', false) => "rook",
        ('b', false) => "bishop",
        ('n', false) => "knight",
        ('q', false) => "queen",
        ('k', false) => "king",
        ('k', true) => "general",
        ('a', true) => "advisor",
        ('b' | 'e', true) => "elephant",
        ('n' | 'h', true) => "horse",
        ('r', true) => "chariot",
        ('c', true) => "cannon",
        ('p', true) => "soldier",
        _ => "piece",
    }
}

/// A king of draughts wears it.
pub(super) const SMALL_CROWN: &str = "M-7,5v-8.5l3.5,3.2l3.5,-6.2l3.5,6.2l3.5,-3.2v8.5z";
