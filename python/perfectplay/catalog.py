"""What there is: games and algorithms, with their parameters and options."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from . import _native
from .report import Document


@dataclass(frozen=True, kw_only=True)
class OptionInfo(Document):
    """A parameter of a game or an option of an algorithm."""

    name: str
    meaning: str
    default: str
    optional: bool
    kind: str
    """`switch`, `whole`, `fraction`, `choice` or `text`."""
    min: float | None = None
    max: float | None = None
    choices: list[dict[str, str]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Facts(Document):
    """What is true of a game."""

    players: int
    zero_sum: bool
    acyclic: bool
    alternating: bool
    history: bool
    scores: list[list[int]]
    sum: list[int]
    outcomes: list[int] | None = None
    length: int | None = None
    states: float | None = None
    heuristic: bool = False


@dataclass(frozen=True, kw_only=True)
class GameInfo(Document):
    """A game in the list."""

    name: str
    summary: str
    players: str
    parameters: list[OptionInfo]
    examples: list[str]
    facts: Facts
    states: str

    @classmethod
    def _read(cls, name: str, value: Any) -> Any:
        if name == "parameters":
            return [OptionInfo.from_dict(option) for option in value]
        return Facts.from_dict(value) if name == "facts" else value


@dataclass(frozen=True, kw_only=True)
class AlgorithmInfo(Document):
    """An algorithm in the list."""

    name: str
    summary: str
    players: str
    exact: bool
    threads: str
    """`all` or `one`: how many of its threads it uses; `threads_note` tells why."""
    threads_note: str
    reproducible: bool
    options: list[OptionInfo]

    @classmethod
    def _read(cls, name: str, value: Any) -> Any:
        return [OptionInfo.from_dict(option) for option in value] if name == "options" else value


def games() -> list[GameInfo]:
    """Every game, with its parameters and facts.

    >>> "hex" in [game.name for game in games()]
    True
    """
    return [GameInfo.from_dict(game) for game in json.loads(_native.games())]


def algorithms() -> list[AlgorithmInfo]:
    """Every algorithm, with its options.

    >>> ubfm = next(a for a in algorithms() if a.name == "ubfm")
    >>> "eval" in [option.name for option in ubfm.options]
    True
    """
    return [AlgorithmInfo.from_dict(algorithm) for algorithm in json.loads(_native.algorithms())]


def algorithm_text(algorithm: str | None, options: dict[str, Any]) -> str | None:
    """`ubfm` and `{"eval": "heuristic"}` as `ubfm:eval=heuristic`. Underscores stand for hyphens."""
    if not options:
        return algorithm
    if algorithm is None:
        raise ValueError(f"{next(iter(options))} is an option of an algorithm: name the algorithm, too")
    texts = [f"{name.replace('_', '-')}={_option_text(value)}" for name, value in options.items()]
    if "(" in algorithm:
        raise ValueError(f"give options either in {algorithm} or as keywords")
    return algorithm + ("," if ":" in algorithm else ":") + ",".join(texts)


def _option_text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
