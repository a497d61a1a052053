"""Limits as numbers or as the texts of the command line."""

from __future__ import annotations

from . import _native

Time = float | str
Count = int | str


def seconds(time: Time | None) -> float | None:
    """`5`, `5.0` or `"5s"`."""
    if time is None or isinstance(time, (int, float)):
        if time is not None and not 0 <= time < 1e12:
            raise ValueError(f"a time is a number of seconds, got {time}")
        return time
    return _native.parse_duration(time)


def count(nodes: Count | None) -> int | None:
    """`1_000_000` or `"1M"`."""
    if isinstance(nodes, str):
        return _native.parse_count(nodes)
    if nodes is not None and not 0 <= nodes < 2**64:
        raise ValueError(f"a count is not negative, got {nodes}")
    return nodes


def size(memory: Count | None) -> int | None:
    """Bytes, or `"2G"`."""
    if isinstance(memory, str):
        return _native.parse_size(memory)
    if memory is not None and not 0 <= memory < 2**63:
        raise ValueError(f"a size is a number of bytes, got {memory}")
    return memory


def threads(number: int) -> int:
    if not 1 <= number <= 1024:
        raise ValueError(f"threads must be 1 to 1024, got {number}")
    return number
