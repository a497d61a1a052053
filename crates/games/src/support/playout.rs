//! Random games on boards that are made for them: they keep what a draw needs and a state has no room for.

use perfectplay_core::Status;

/// Plays moves that `draw` finds until it says how the game ended, but at most `most` of them: the answer of
/// [`Playouts::playout`](perfectplay_core::Playouts::playout).
#[inline]
pub(crate) fn run<B, M, P>(
    mut board: B,
    most: u32,
    mut draw: impl FnMut(&mut B) -> Result<M, P>,
    play: impl Fn(&mut B, M),
) -> (Option<P>, u32) {
    for ply in 0..most {
        match draw(&mut board) {
            Ok(mv) => play(&mut board, mv),
            Err(payoff) => return (Some(payoff), ply),
        }
    }
    (draw(&mut board).err(), most)
}

/// The same with moves that `expand` lists, each of them as likely. `moves` is scratch space.
#[inline]
pub(crate) fn run_listed<B, M: Copy, P>(
    board: B,
    most: u32,
    moves: &mut Vec<M>,
    below: &mut impl FnMut(usize) -> usize,
    expand: impl Fn(&mut B, &mut Vec<M>) -> Status<P>,
    play: impl Fn(&mut B, M),
) -> (Option<P>, u32) {
    let draw = |board: &mut B| {
        moves.clear();
        match expand(board, moves) {
            Status::Turn(_) => Ok(moves[below(moves.len())]),
            Status::Over(payoff) => Err(payoff),
        }
    };
    run(board, most, draw, play)
}
