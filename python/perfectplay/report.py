"""What searches answer: dataclasses that know the document they came from."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field, fields
from typing import Any, Self


@dataclass(frozen=True, kw_only=True)
class Document:
    """Something that the command line prints with `--json`."""

    document: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls.from_dict(json.loads(text))

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        """What a document says. Fields that it leaves out have their defaults."""
        known = {f.name: cls._read(f.name, document[f.name]) for f in fields(cls) if f.name in document}
        return cls(document=document, **known)

    @classmethod
    def _read(cls, name: str, value: Any) -> Any:
        return value

    def to_dict(self) -> dict[str, Any]:
        """The document itself, as the command line prints it with `--json`."""
        return copy.deepcopy(self.document)


@dataclass(frozen=True, kw_only=True)
class Bounds(Document):
    """What is proved of a value that is not known: payoffs per player of the two ends."""

    lower: list[int]
    upper: list[int]


@dataclass(frozen=True, kw_only=True)
class MoveReport(Document):
    """One move at the root."""

    move: str
    resolved: bool
    """Whether its value is proved."""
    value: list[float] | None = None
    """For each player, if proved; otherwise the guess, if there is one."""
    bounds: Bounds | None = None
    plies: int | None = None
    visits: int | None = None

    @classmethod
    def _read(cls, name: str, value: Any) -> Any:
        return Bounds.from_dict(value) if name == "bounds" and value is not None else value


@dataclass(frozen=True, kw_only=True)
class ProofFile(Document):
    """A proof that was written."""

    file: str
    bytes: int
    states: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Report(Document):
    """Everything a search has to say.

    `value` is there only if it is proved, `estimate` only if it is not. Players are counted from 1; lists have an entry
    per player.
    """

    game: str
    position: str
    algorithm: str
    objective: str
    status: str
    """`solved`, `bounds` or `unsolved`."""
    value: list[int] | None = None
    outcome: str | None = None
    """`win`, `draw` or `loss` for the player to move, if proved."""
    mover: int | None = None
    best_move: str | None = None
    pv: list[str] = field(default_factory=list)
    """The best line."""
    nodes: int = 0
    threads: int = 1
    """Threads that searched."""
    seconds: float = 0.0
    bytes: int = 0
    stop: str | None = None
    """Why it stopped: `done`, `time`, `nodes`, `memory`, `cancelled` or `stalled`."""
    counts: dict[str, int] = field(default_factory=dict)
    proved_by: str | None = None
    teams: str | None = None
    claim: str | None = None
    plies: int | None = None
    bounds: Bounds | None = None
    estimate: list[float] | None = None
    notes: list[str] = field(default_factory=list)
    proof: ProofFile | None = None
    moves: list[MoveReport] = field(default_factory=list)

    @classmethod
    def _read(cls, name: str, value: Any) -> Any:
        if name == "bounds" and value is not None:
            return Bounds.from_dict(value)
        if name == "proof" and value is not None:
            return ProofFile.from_dict(value)
        if name == "moves":
            return [MoveReport.from_dict(line) for line in value]
        return value

    @property
    def solved(self) -> bool:
        return self.status == "solved"

    @property
    def verdict(self) -> str:
        """The answer in a few words."""
        if self.value is None:
            if self.bounds is not None:
                lower, upper = (_words(bound, self.objective) for bound in (self.bounds.lower, self.bounds.upper))
                return f"between {lower} and {upper}"
            return "solved, without a single value" if self.solved else "not solved"
        plies = f" in {self.plies} plies" if self.plies is not None else ""
        return _words(self.value, self.objective) + plies

    def __str__(self) -> str:
        move = f", best {self.best_move}" if self.best_move is not None else ""
        return f"{self.game}: {self.verdict} ({self.algorithm}{move}, {self.nodes:,} nodes)"


def _words(value: list[int], objective: str) -> str:
    best = max(value)
    if all(v == best for v in value):
        return "draw" if best == 0 else f"draw, {best} each"
    if len(value) == 2:
        winner = 1 if value[0] == best else 2
        by = f" by {best}" if objective == "score" and value[0] == -value[1] else ""
        return f"player {winner} wins{by}"
    winners = [str(player) for player, v in enumerate(value, 1) if v == best]
    if objective == "gain" and best == 1:
        return f"player {winners[0]} wins" if len(winners) == 1 else f"players {' and '.join(winners)} win"
    return f"({', '.join(map(str, value))})"
