"""Work as a text: what `perfectplay job run` does, from Python."""

from __future__ import annotations

import json
from typing import Any, Mapping

from . import _native

Spec = str | Mapping[str, Any]


def _text(spec: Spec) -> str:
    return spec if isinstance(spec, str) else json.dumps(spec)


def run_job(spec: Spec, model: bytes | None = None) -> dict[str, Any]:
    """Does one piece of work. The same spec gives the same result anywhere, but for the seconds it took. `model` is
    what the file of a self-play's model holds, if the spec does not say where it lies.

    >>> result = run_job({"job": "proof", "game": "tic-tac-toe", "moves": ["a1"], "nodes": 10_000})
    >>> result["report"]["value"]
    [0, 0]
    """
    result: dict[str, Any] = json.loads(_native.run_job(_text(spec), model))
    return result


def job_id(spec: Spec) -> str:
    """A hash of everything in the spec."""
    return _native.job_id(_text(spec))
