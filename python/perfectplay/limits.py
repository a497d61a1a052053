"""Limits as numbers or as the texts of the command line."""

from __future__ import annotations

import operator
from typing import Callable

from . import _native

Time = float | str
Count = int | float | str


def seconds(time: Time | None) -> float | None:
    """`5`, `5.0` or `"5s"`."""
    if time is None or isinstance(time, (int, float)):
        if time is not None and not 0 <= time < 1e12:
            raise ValueError(f"a time is a number of seconds, got {time}")
        return time
    return _native.parse_duration(time)


def count(nodes: Count | None) -> int | None:
    """`1_000_000`, `1e6` or `"1M"`."""
    return None if nodes is None else _number("a count", nodes, 2**64, _native.parse_count)


def size(memory: Count | None) -> int | None:
    """Bytes, or `"2G"`."""
    return None if memory is None else _number("a size", memory, 2**63, _native.parse_size)


def _number(what: str, given: Count, end: int, parse: Callable[[str], int]) -> int:
    if isinstance(given, float):
        given = int(given) if given.is_integer() else str(given)
    if isinstance(given, str):
        return parse(given)
    if not 0 <= given < end:
        raise ValueError(f"{what} is 0 to {end - 1}, got {given}")
    return given


def whole(name: str, number: int, least: int, most: int) -> int:
    """A whole number within bounds."""
    try:
        known = operator.index(number)
    except TypeError:
        known = least - 1
    if not least <= known <= most:
        raise ValueError(f"{name} must be {least} to {most}, got {number!r}")
    return known


def threads(number: int) -> int:
    return whole("threads", number, 1, 1024)


def seed(number: int) -> int:
    return whole("seed", number, 0, 2**64 - 1)


def depth(plies: int) -> int:
    return whole("depth", plies, 0, 1000)
