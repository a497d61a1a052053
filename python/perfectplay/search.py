"""Searches that run in slices."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from . import _native, limits
from .progress import ProgressFunction, telling
from .report import MoveReport, ProofFile, Report

if TYPE_CHECKING:
    from .position import Position


class Search:
    """A search at work on a position. Made by `Position.search`.

    >>> import perfectplay as pp
    >>> search = pp.open("connect-four:4x4").start().search("df-pn")
    >>> search.run(nodes=1000)
    'nodes'
    >>> while search.run(nodes=1_000_000) != "done":
    ...     print(search.line[:3], search.value)
    >>> search.report().verdict
    'draw'

    Ctrl-C ends a run and leaves the search as it is: `run` goes on.
    """

    __slots__ = ("_position", "_native", "_threads")

    def __init__(self, position: Position, native: _native.Search, threads: int = 1) -> None:
        self._position = position
        self._native = native
        self._threads = threads

    @property
    def position(self) -> Position:
        return self._position

    @property
    def native(self) -> _native.Search:
        """The native half."""
        return self._native

    def run(
        self,
        *,
        time: limits.Time | None = None,
        nodes: limits.Count | None = None,
        memory: limits.Count | None = None,
        threads: int | None = None,
        progress: ProgressFunction | None = None,
    ) -> str:
        """Goes on searching, and says why it stopped: `done`, `time`, `nodes`, `memory` or `stalled`."""
        used = self._threads if threads is None else limits.threads(threads)
        with telling(progress) as tell:
            return self._native.run(limits.seconds(time), limits.count(nodes), limits.size(memory), used, tell)

    def report(self) -> Report:
        """What is known now."""
        return Report.from_json(self._native.report())

    @property
    def line(self) -> list[str]:
        """The best line so far."""
        return self.report().pv

    @property
    def value(self) -> list[int] | list[float] | None:
        """For each player: proved if `report().solved`, otherwise a guess, if there is one."""
        report = self.report()
        return report.value if report.value is not None else report.estimate

    @property
    def children(self) -> list[MoveReport]:
        """Every move at the root, with its value."""
        return self.report().moves

    def advance(self, move: str) -> bool:
        """Goes on from the position after a move, with what is known; `False` if the search cannot."""
        kept = self._native.advance(move)
        if kept:
            self._position = self._position.play(move)
        return kept

    def save(self, file: str | PathLike[str]) -> None:
        """Writes everything that going on depends on; `Position.resume` reads it. May be called again and again."""
        self._native.save(file)

    def prove(self, file: str | PathLike[str], *, time: limits.Time | None = None) -> ProofFile:
        """Writes the proof of a solved position, for `verify`."""
        return ProofFile.from_json(self._native.prove(file, limits.seconds(time)))

    def __repr__(self) -> str:
        return f"<search of {self._position!r}>"
