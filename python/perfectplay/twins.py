"""Games that we and OpenSpiel both have: which is which, and what moves are called here and there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, Sequence

Moves = Sequence[str]


@dataclass(frozen=True)
class Twin:
    """A game of OpenSpiel and the same game here."""

    spec: str
    move: Callable[[str, Moves], str]
    """From a move's text there, and our legal moves, to its text here."""
    draws: str = ""
    """How ends of games that nobody wins differ, if they do."""


def twin(game: Any) -> Twin | None:
    """The twin of a game of OpenSpiel; none if we do not have it, or not with these parameters."""
    name, given = game.get_type().short_name, dict(game.get_parameters())
    maker = TWINS.get(name)
    return None if maker is None else maker(given)


def _column(number: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[number]


def _cell(text: str, rows: int) -> str:
    """`x(0,3)` or `0,3`, row and column from the top, as `d8`."""
    row, column = map(int, re.findall(r"\d+", text)[-2:])
    return f"{_column(column)}{rows - row}"


def _same(text: str, moves: Moves) -> str:
    return text


def _tic_tac_toe(given: dict[str, Any]) -> Twin:
    return Twin("tic-tac-toe", lambda text, _: _cell(text, 3))


def _mnk(given: dict[str, Any]) -> Twin:
    m, n, k = given.get("m", 15), given.get("n", 15), given.get("k", 5)
    return Twin(f"mnk:{m}x{n}x{k}", lambda text, _: _cell(text, n))


def _connect_four(given: dict[str, Any]) -> Twin | None:
    rows, columns = given.get("rows", 6), given.get("columns", 7)
    if given.get("x_in_row", 4) != 4:
        return None
    return Twin(f"connect-four:{columns}x{rows}", lambda text, _: str(int(text[1:]) + 1))


def _breakthrough(given: dict[str, Any]) -> Twin | None:
    rows, columns = given.get("rows", 8), given.get("columns", 8)
    if rows < 6:
        return None  # one row of pieces there, two here

    def move(text: str, _: Moves) -> str:
        # There the first player stands at the top.
        return re.sub(r"\d+", lambda rank: str(rows + 1 - int(rank[0])), text.rstrip("*"))

    return Twin(f"breakthrough:{columns}x{rows}", move)


def _hex(given: dict[str, Any]) -> Twin | None:
    size = given.get("board_size", 11)
    if given.get("num_rows", size) != size or given.get("num_cols", size) != size or given.get("swap"):
        return None
    return Twin(f"hex:{size},swap=off", _same)


def _othello(given: dict[str, Any]) -> Twin:
    return Twin("othello", _same)


def _amazons(given: dict[str, Any]) -> Twin | None:
    size = given.get("board_size", 10)
    if size != 10:
        return None

    def move(text: str, moves: Moves) -> str:
        row, column = map(int, re.findall(r"\d+", text)[-2:])
        cell = f"{_column(column - 1)}{size + 1 - row}"
        return next((move for move in moves if move == cell or move.endswith(f"-{cell}")), cell)

    return Twin(f"amazons:{size},ply=third", move)


def _chess(given: dict[str, Any]) -> Twin | None:
    return None if given.get("chess960") else Twin("chess", _same)


def _go(given: dict[str, Any]) -> Twin:
    size, komi = given.get("board_size", 19), given.get("komi", 7.5)
    return Twin(
        f"go:{size},komi={komi:g},ko=simple",
        lambda text, _: text.split()[-1].lower(),
        "a board that returns ends the game there, and a limit on moves",
    )


def _clobber(given: dict[str, Any]) -> Twin:
    rows, columns = given.get("rows", 5), given.get("columns", 6)
    return Twin(f"clobber:{columns}x{rows}", _same)


def _dots_and_boxes(given: dict[str, Any]) -> Twin:
    rows, columns = given.get("num_rows", 2), given.get("num_cols", 2)

    def move(text: str, _: Moves) -> str:
        kind, r, c = re.findall(r"\((\w),(\d+),(\d+)\)", text)[0]
        row, column = int(r), int(c)
        if kind == "h":
            rank = rows + 1 - row
            return f"{_column(column)}{rank}{_column(column + 1)}{rank}"
        return f"{_column(column)}{rows - row}{_column(column)}{rows + 1 - row}"

    return Twin(f"dots-and-boxes:{columns}x{rows}", move)


def _gomoku(given: dict[str, Any]) -> Twin | None:
    size = given.get("size", 15)
    usual = given.get("connect", 5) == 5 and given.get("dims", 2) == 2
    if not usual or given.get("anti") or given.get("wrap"):
        return None
    return Twin(f"gomoku:{size}", lambda text, _: _cell(text, size))


def _havannah(given: dict[str, Any]) -> Twin | None:
    return None if given.get("swap") else Twin(f"havannah:{given.get('board_size', 8)},swap=off", _same)


def _lines_of_action(given: dict[str, Any]) -> Twin:
    return Twin(
        "lines-of-action",
        lambda text, _: text.replace("-", "").replace("x", ""),
        "repetitions are counted differently, and there is a limit on moves there",
    )


def _nim(given: dict[str, Any]) -> Twin:
    heaps = given.get("pile_sizes", "1;3;5;7").replace(";", ",")
    misere = "on" if given.get("is_misere", True) else "off"

    def move(text: str, _: Moves) -> str:
        pile, taken = re.findall(r"\d+", text)
        return f"{_column(int(pile) - 1)}{taken}"

    return Twin(f"nim:{heaps},misere={misere}", move)


def _nine_mens_morris(given: dict[str, Any]) -> Twin:
    points = "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1".split()

    def move(text: str, moves: Moves) -> str:
        named = [points[int(number)] for number in re.findall(r"\d+", text)]
        plain = "-".join(named)
        return plain if plain in moves else f"x{plain}"

    return Twin(
        "nine-mens-morris:removal=ply,repetition=free",
        move,
        "a limit on moves there, a limit on moves without progress here",
    )


def _xiangqi(given: dict[str, Any]) -> Twin:
    def move(text: str, _: Moves) -> str:
        row, column, to_row, to_column = map(int, re.findall(r"\d+", text))
        return f"{_column(column)}{9 - row}{_column(to_column)}{9 - to_row}"

    return Twin("xiangqi:repetition=free", move, "repetitions and moves without captures are counted differently")


TWINS: dict[str, Callable[[dict[str, Any]], Twin | None]] = {
    "amazons": _amazons,
    "breakthrough": _breakthrough,
    "chess": _chess,
    "clobber": _clobber,
    "connect_four": _connect_four,
    "dots_and_boxes": _dots_and_boxes,
    "go": _go,
    "gomoku": _gomoku,
    "havannah": _havannah,
    "hex": _hex,
    "lines_of_action": _lines_of_action,
    "mnk": _mnk,
    "nim": _nim,
    "nine_mens_morris": _nine_mens_morris,
    "othello": _othello,
    "tic_tac_toe": _tic_tac_toe,
    "xiangqi": _xiangqi,
}
