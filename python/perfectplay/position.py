"""Games and positions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Iterable

import numpy as np
from numpy.typing import NDArray

from . import _native, limits
from .catalog import Facts, algorithm_text
from .progress import ProgressFunction, telling
from .report import ProofFile, Report
from .search import Search

if TYPE_CHECKING:
    from .custom import Game

USUAL_TIME = 5.0
"""How long `analyse` looks if nobody says how long."""


def open(game: str | Game | OpenGame) -> OpenGame:
    """The game that a text names, or that you wrote yourself.

    >>> open("connect-four:7x6").facts.players
    2
    >>> open("conect-four")
    Traceback (most recent call last):
    ...
    ValueError: there is no game "conect-four"; did you mean connect-four or connect6?
    """
    from .custom import Game

    if isinstance(game, OpenGame):
        return game
    if isinstance(game, str):
        return OpenGame(_native.open(game), game)
    if isinstance(game, Game):
        return OpenGame(game.native(), game)
    raise ValueError(f"a game is a text, or an object of a class derived from perfectplay.Game, got {game!r}")


@dataclass(frozen=True)
class Layout:
    """The board that `Position.features` tells values of."""

    lattice: str
    """`square`, or `hexagonal` with axial coordinates."""
    cells: list[tuple[int, int]]
    values: int
    """A cell's value is less than this."""
    numbers: list[str]
    """What the further numbers mean."""


class OpenGame:
    """A game that can be played and searched. Made by `open`."""

    __slots__ = ("_native", "_source")

    def __init__(self, native: _native.Game, source: str | Game) -> None:
        self._native = native
        self._source = source

    @property
    def spec(self) -> str:
        """The text that names it."""
        return self._native.spec

    @property
    def source(self) -> str | Game:
        """What it was opened from."""
        return self._source

    @property
    def native(self) -> _native.Game:
        """The native half."""
        return self._native

    @property
    def facts(self) -> Facts:
        """What is true of it."""
        return Facts.from_json(self._native.facts())

    @property
    def algorithms(self) -> list[str]:
        """The algorithms that work on it."""
        return self._native.algorithms()

    @property
    def layout(self) -> Layout | None:
        """Its board; none if it has none."""
        told = self._native.layout()
        return None if told is None else Layout(*told)

    def start(self) -> Position:
        """Where it begins."""
        return Position(self, self._native.start(), None, ())

    def position(self, text: str, moves: str = "") -> Position:
        """The position with this text in the game's notation, then these moves.

        >>> open("tic-tac-toe").position("XO1/3/3").mover
        1
        """
        position = Position(self, self._native.parse(text), text, ())
        return position.play(moves) if moves else position

    def __repr__(self) -> str:
        return f"perfectplay.open({self._source!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenGame) and (self is other or self._source == other._source)

    def __hash__(self) -> int:
        return hash(self.spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self._source,)


class Position:
    """A position of a game. It never changes: `play` answers another one."""

    __slots__ = ("_game", "_native", "_origin", "_line", "_before")

    def __init__(
        self,
        game: OpenGame,
        native: _native.Position,
        origin: str | None,
        line: tuple[str, ...],
        before: _native.Position | None = None,
    ) -> None:
        self._game = game
        self._native = native
        self._origin = origin
        self._line = line
        self._before = before

    @property
    def game(self) -> OpenGame:
        return self._game

    @property
    def native(self) -> _native.Position:
        """The native half."""
        return self._native

    @property
    def origin(self) -> str | None:
        """The text that it was read from, before the moves of `line`; none if that was the start."""
        return self._origin

    @property
    def text(self) -> str:
        """In the game's notation."""
        return self._native.text()

    @property
    def line(self) -> tuple[str, ...]:
        """The moves played since the start, or since the text that it was read from."""
        return self._line

    @property
    def moves(self) -> tuple[str, ...]:
        """The legal moves."""
        return tuple(self._native.moves())

    @property
    def mover(self) -> int | None:
        """Who moves, counted from 1; none if the game is over."""
        return self._native.status()[0]

    @property
    def over(self) -> bool:
        return self._native.status()[0] is None

    @property
    def payoff(self) -> tuple[int, ...] | None:
        """The score of each player, if the game is over."""
        ended = self._native.status()[1]
        return None if ended is None else tuple(ended[1])

    @property
    def gains(self) -> tuple[int, ...] | None:
        """-1, 0 or 1 for each player, if the game is over."""
        ended = self._native.status()[1]
        return None if ended is None else tuple(ended[0])

    def play(self, *moves: object) -> Position:
        """The position after a move, or after several.

        >>> p = open("connect-four:7x6").start()
        >>> p.play("4", "4").text == p.play("4 4").text == p.play("44").text
        True
        >>> p.play("8")
        Traceback (most recent call last):
        ...
        ValueError: "8" is not a legal move here; expected one of: 1 2 3 4 5 6 7
        """
        native, before, played = self._native, self._before, list(self._line)
        for move in moves:
            text = "".join(str(move).split()) if not isinstance(move, str) else move.strip()
            if not text:
                continue
            before = native
            if " " in text or "," in text or len(text) > 1:
                native, some = self._play_text(native, text)
                if len(some) > 1:
                    before = None
                played.extend(some)
            else:
                native = native.play(text)
                played.append(text)
        return Position(self._game, native, self._origin, tuple(played), before)

    @staticmethod
    def _play_text(native: _native.Position, text: str) -> tuple[_native.Position, list[str]]:
        """One move, or several in one text."""
        try:
            return native.play(text), [text]
        except ValueError:
            several = " " in text or "," in text or text.isalnum()
            if not several or text in native.moves():
                raise
            try:
                return native.play_all(text)
            except ValueError:
                pass
            if " " in text or "," in text:
                return native.play_all(text)
            raise

    def features(self) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """What a learner sees, from the mover's side: a value for every cell of the game's layout, and a few numbers.

        >>> cells, numbers = open("connect-four:7x6").start().play("4").features()
        >>> cells.shape, int(cells.sum()) > 0
        ((42,), True)
        """
        told = self._native.features()
        if told is None:
            raise ValueError(f"{self._game.spec} has no board of cells")
        return np.frombuffer(told[0], dtype=np.uint8), np.frombuffer(told[1], dtype=np.float32)

    def perft(self, depth: int) -> list[int]:
        """Counts the sequences of 1, 2, … moves."""
        return self._native.perft(limits.depth(depth))

    def search(
        self,
        algorithm: str | None = None,
        *,
        objective: str = "gain",
        memory: limits.Count | None = None,
        seed: int = 0,
        exact: bool = False,
        threads: int = 1,
        reproducible: bool = False,
        **options: Any,
    ) -> Search:
        """A search that runs when you say so, in slices: see `Search`.

        With `exact`, algorithms that can either prove or play prove. `threads` is how many `run` uses unless told
        otherwise; with `reproducible` they find the same every time, where the algorithm can do that. Options of the
        algorithm are keywords.
        """
        text, used = algorithm_text(algorithm, options), limits.threads(threads)
        native = self._native.search(text, objective, limits.seed(seed), exact, limits.size(memory), used, reproducible)
        return Search(self, native, used)

    def resume(self, file: str | PathLike[str], *, objective: str = "gain", seed: int = 0) -> Search:
        """The search of this position that was saved in a file."""
        return Search(self, self._native.resume(file, objective, limits.seed(seed)))

    def solve(
        self,
        algorithm: str | None = None,
        *,
        time: limits.Time | None = None,
        nodes: limits.Count | None = None,
        memory: limits.Count | None = None,
        threads: int = 1,
        reproducible: bool = False,
        objective: str = "gain",
        seed: int = 0,
        proof: str | PathLike[str] | None = None,
        progress: ProgressFunction | None = None,
        **options: Any,
    ) -> Report:
        """The exact value, as `perfectplay solve` finds it. Without a limit it runs until it is done.

        >>> open("nim:1,2,3").start().solve("df-pn").outcome
        'loss'
        """
        if algorithm is None and not options and proof is None:
            known = self._native.ask_book(objective, True)
            if known is not None:
                return Report.from_json(known)
        setup: dict[str, Any] = dict(
            objective=objective, memory=memory, seed=seed, threads=threads, reproducible=reproducible
        )
        search = self.search(algorithm, exact=True, **setup, **options)
        if proof is not None:
            search.native.can_prove()
        search.run(time=time, nodes=nodes, memory=memory, progress=progress)
        document = json.loads(search.native.report("solve"))
        if proof is not None:
            if document["status"] == "solved":
                with telling(progress) as tell:
                    line = search.native.prove(
                        proof, limits.seconds(time), limits.count(nodes), limits.size(memory), tell
                    )
                document["proof"] = ProofFile.from_json(line).to_dict()
            else:
                document["notes"] = [*document.get("notes", []), "no proof was written: the position is not solved"]
        return Report.from_dict(document)

    def analyse(
        self,
        algorithm: str | None = None,
        *,
        time: limits.Time | None = None,
        nodes: limits.Count | None = None,
        memory: limits.Count | None = None,
        threads: int = 1,
        reproducible: bool = False,
        objective: str = "gain",
        seed: int = 0,
        progress: ProgressFunction | None = None,
        **options: Any,
    ) -> Report:
        """Values every move, best first, as `perfectplay analyse` does: for five seconds if no limit is given.

        >>> report = open("tic-tac-toe").start().play("a1 b2 c3 a3").analyse()
        >>> report.best_move, report.moves[0].resolved
        ('c1', True)
        """
        own_limit = time is None and nodes is None
        if algorithm is None and not options:
            known = self._native.ask_book(objective, False)
            if known is not None:
                return Report.from_json(known)
        setup: dict[str, Any] = dict(
            objective=objective, memory=memory, seed=seed, threads=threads, reproducible=reproducible
        )
        search = self.search(algorithm, **setup, **options)
        search.run(time=USUAL_TIME if own_limit else time, nodes=nodes, memory=memory, progress=progress)
        document = json.loads(search.native.report("analyse"))
        if own_limit and document["stop"] == "time":
            document.setdefault("notes", []).append(f"this is what {USUAL_TIME:.0f} s have shown; --time gives more")
        return Report.from_dict(document)

    def playouts(
        self, *, seed: int = 0, time: limits.Time | None = None, moves: limits.Count | None = None
    ) -> tuple[int, int, float]:
        """Plays random games until a limit is reached: games, moves, seconds."""
        if time is None and moves is None:
            raise ValueError("random games have no end: give a time or a number of moves")
        games, played, _, spent = self._native.playouts(limits.seed(seed), limits.seconds(time), limits.count(moves))
        return games, played, spent

    def tree(self, depth: int = 2, *, objective: str = "gain", form: str = "text") -> str:
        """The game tree below, with values, as `text`, `dot` or `svg`."""
        return self._native.tree(limits.depth(depth), objective, form)

    def svg(self) -> str:
        """The board as a picture, the last move marked."""
        return self._native.svg(self._before)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self._native.drawing().rstrip("\n")

    def __repr__(self) -> str:
        return f"<{self._game.spec}: {self.text}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._game == other._game and self.text == other.text

    def __hash__(self) -> int:
        return hash((self._game.spec, self.text))

    def __reduce__(self) -> tuple[Any, ...]:
        return _reached, (self._game, self._origin, self._line)


def _reached(game: OpenGame, origin: str | None, line: tuple[str, ...]) -> Position:
    position = game.start() if origin is None else game.position(origin)
    return position.play(*line)


def features(positions: Iterable[Position]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """The features of many positions: an array of cells and one of numbers, a row per position."""
    told = [position.features() for position in positions]
    if not told:
        raise ValueError("there are no positions")
    return np.stack([cells for cells, _ in told]), np.stack([numbers for _, numbers in told])
