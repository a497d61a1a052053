"""Proofs: checked by the rules alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from . import _native, limits
from .custom import Game
from .position import OpenGame, open
from .progress import ProgressFunction, telling
from .report import Document


@dataclass(frozen=True, kw_only=True)
class Proof(Document):
    """What a check of a proof found. It is true in a condition if the proof holds."""

    file: str
    proved: bool
    error: str | None = None
    """Why it does not hold."""
    game: str | None = None
    position: str | None = None
    objective: str | None = None
    value: list[int] | None = None
    verdict: str | None = None
    statements: list[str] = field(default_factory=list)
    states: int | None = None
    bytes: int | None = None
    seconds: float = 0.0

    def __bool__(self) -> bool:
        return self.proved


def verify(
    file: str | PathLike[str],
    game: Game | OpenGame | None = None,
    *,
    memory: limits.Count = "2G",
    progress: ProgressFunction | None = None,
) -> Proof:
    """Checks a proof, as `perfectplay verify` does. A proof about a game of your own needs the game.

    >>> import os, tempfile, perfectplay as pp
    >>> file = os.path.join(tempfile.mkdtemp(), "draw.proof")
    >>> _ = pp.open("tic-tac-toe").start().solve(proof=file)
    >>> pp.verify(file).verdict
    'draw'
    """
    held = limits.size(memory)
    assert held is not None
    opened = open(game) if isinstance(game, Game) else game
    native = None if opened is None or isinstance(opened.source, str) else opened.native
    with telling(progress) as tell:
        return Proof.from_json(_native.verify(file, held, native, tell))
