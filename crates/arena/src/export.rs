//! Games for other programs: PGN for chess, move lists for all.

use cozy_chess::{Board, Color, Move, util};
use perfectplay_catalog::AnyGame;
use perfectplay_core::Record;

use crate::Error;
use crate::match_play::{Ending, GameRecord};

/// Every game as a text that `perfectplay show --match` reads, separated by empty lines.
pub fn move_lists(game: &str, labels: &[String], games: &[GameRecord]) -> String {
    let one = |(number, record): (usize, &GameRecord)| {
        let mut tags =
            vec![("Round".to_owned(), (record.job.round + 1).to_string()), ("Number".into(), number.to_string())];
        for (seat, &player) in record.job.seating.iter().enumerate() {
            tags.push((format!("Player{}", seat + 1), labels[player].clone()));
        }
        tags.push(("Result".into(), record.gains.iter().map(i32::to_string).collect::<Vec<_>>().join(" ")));
        tags.push(("Ending".into(), record.reason.clone()));
        let moves = record.opening.moves.iter().chain(&record.moves).cloned().collect();
        Record { game: game.into(), position: record.opening.position.clone(), tags, moves }.to_text()
    };
    (1..).zip(games).map(one).collect::<Vec<_>>().join("\n")
}

/// Every game of chess as PGN with SAN moves.
pub fn pgn(game: &dyn AnyGame, labels: &[String], games: &[GameRecord]) -> Result<String, Error> {
    if game.spec().split([':', '(']).next() != Some("chess") {
        return Err(Error::Request(format!(
            "PGN is for chess; games of {} can be exported as move lists",
            game.spec()
        )));
    }
    let usual = perfectplay_catalog::open("chess")?.start().text();
    games
        .iter()
        .map(|record| pgn_of(game, &usual, labels, record))
        .collect::<Result<Vec<_>, _>>()
        .map(|all| all.join("\n"))
}

fn pgn_of(game: &dyn AnyGame, usual: &str, labels: &[String], record: &GameRecord) -> Result<String, Error> {
    let begin = record.opening.position.clone().unwrap_or_else(|| game.start().text());
    let (fen, before) = begin.split_once(" moves").unwrap_or((&begin, ""));
    let bad = || Error::Request(format!("a stored game of round {} cannot be read", record.job.round + 1));
    let mut board = Board::from_fen(fen, false).or_else(|_| Board::from_fen(fen, true)).map_err(|_| bad())?;
    let result = match record.gains[0] {
        1 => "1-0",
        0 => "1/2-1/2",
        _ => "0-1",
    };
    let mut tags = vec![
        ("Event", "perfectplay tournament".to_owned()),
        ("Site", "?".into()),
        ("Date", "????.??.??".into()),
        ("Round", (record.job.round + 1).to_string()),
        ("White", labels[record.job.seating[0]].clone()),
        ("Black", labels[record.job.seating[1]].clone()),
        ("Result", result.into()),
    ];
    if fen != usual {
        tags.extend([("SetUp", "1".to_owned()), ("FEN", fen.to_owned())]);
    }
    if record.ending != Ending::Rules {
        tags.push((
            "Termination",
            if record.ending == Ending::Forfeit { "rules infraction" } else { "adjudication" }.into(),
        ));
    }
    let mut text: String = tags
        .iter()
        .map(|(name, value)| format!("[{name} \"{}\"]\n", value.replace('\\', "\\\\").replace('"', "\\\"")))
        .collect();
    text.push('\n');
    let (mut words, mut number, mut first) = (Vec::new(), 1, true);
    let moves = before.split_whitespace().chain(record.opening.moves.iter().chain(&record.moves).map(String::as_str));
    for mv in moves {
        let white = board.side_to_move() == Color::White;
        if white {
            words.push(format!("{number}."));
        } else if first {
            words.push(format!("{number}..."));
        }
        let mv = read_move(&board, mv).ok_or_else(bad)?;
        words.push(util::display_san_move(&board, mv).to_string());
        board.play_unchecked(mv);
        number += u32::from(!white);
        first = false;
    }
    if record.ending != Ending::Rules {
        words.push(format!("{{{}}}", record.reason.replace(['{', '}'], "")));
    }
    words.push(result.into());
    text.push_str(&wrapped(&words));
    Ok(text)
}

/// A move as our game writes it: UCI, or king to rook.
fn read_move(board: &Board, text: &str) -> Option<Move> {
    let usual = util::parse_uci_move(board, text).ok().filter(|&mv| board.is_legal(mv));
    usual.or_else(|| text.parse().ok().filter(|&mv| board.is_legal(mv)))
}

/// Lines of less than 80 characters, as PGN wants them.
fn wrapped(words: &[String]) -> String {
    let (mut text, mut line) = (String::new(), 0);
    for word in words {
        let length = word.chars().count();
        if line > 0 && line + 1 + length >= 80 {
            text.push('\n');
            line = 0;
        }
        if line > 0 {
            text.push(' ');
            line += 1;
        }
        text.push_str(word);
        line += length;
    }
    text.push('\n');
    text
}
