"""Learning to evaluate a game by self-play: `perfectplay train`, here, on many processes or on a cluster."""

from __future__ import annotations

import json
import time as clock
from dataclasses import dataclass
from os import PathLike
from typing import Any, Iterable

from . import _native, limits
from .catalog import algorithm_text
from .parallel import OnRay, Processes, Worker
from .progress import ProgressFunction, Tell, telling
from .report import Document

ROUND = 200
"""Games that are played elsewhere before what they show is learned."""


@dataclass(frozen=True, kw_only=True)
class TrainReport(Document):
    """How a run went."""

    game: str
    file: str
    """The model, with all that going on needs."""
    made_by: str
    games: int
    plies: int
    evaluations: int
    examples: int
    seconds: float
    curve: list[dict[str, Any]]
    """What each look at the run has shown."""

    def __str__(self) -> str:
        lines = [f"{self.game}: {self.games:,} games, {self.examples:,} examples, {self.seconds:.0f} s, in {self.file}"]
        if self.curve:
            lines += [f"{100 * score:5.1f} %  against {name}" for name, score in self.curve[-1]["scores"]]
        return "\n".join(lines)


def train(
    game: str,
    method: str | None = None,
    *,
    model: str | None = None,
    time: limits.Time | None = None,
    games: limits.Count | None = None,
    out: str | PathLike[str] | None = None,
    resume: str | PathLike[str] | None = None,
    seed: int | None = None,
    threads: int = 1,
    exam: int = 10,
    log: str | PathLike[str] | None = None,
    record: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    export: Iterable[str | PathLike[str]] = (),
    progress: ProgressFunction | None = None,
    workers: int | None = None,
    on: str | None = None,
    address: str | None = None,
    round_games: int = ROUND,
    **options: Any,
) -> TrainReport:
    """Learns to evaluate a game from its rules alone, as `perfectplay train` does: for ten minutes if no limit is
    given. Options of the method are keywords. Ctrl-C saves; `resume=FILE` goes on.

    With `workers`, or `on="ray"`, games are played by processes or on a cluster: `round_games` at a time, by the model
    as it was before them, and learned here. How many workers there are changes nothing but the time.

    >>> import os, tempfile, perfectplay as pp
    >>> file = os.path.join(tempfile.mkdtemp(), "small.safetensors")
    >>> report = train("tic-tac-toe", "descent", evaluations=20, model="tuples:count=4", games=50, exam=0, out=file)
    >>> report.games, pp.open("tic-tac-toe").start().search("ubfm", eval=f"learned:{file}").run(nodes=100)
    (50, 'nodes')
    """
    if on not in (None, "ray"):
        raise ValueError(f'on must be "ray" or None, got {on!r}')
    elsewhere = on is not None or workers is not None
    if elsewhere and threads != 1:
        raise ValueError("games are played either by threads or by workers: give one of the two")
    if round_games < 1 or (workers is not None and workers < 1):
        raise ValueError("workers and round_games are at least 1")
    native = _native.Training(
        game,
        model,
        algorithm_text(method, options),
        None if seed is None else limits.seed(seed),
        out,
        resume,
        limits.count(games),
        limits.seconds(time),
        limits.whole("exam", exam, 0, 1_000_000),
        log,
        record,
    )
    if elsewhere:
        team: Worker = OnRay(address, workers) if on == "ray" else Processes(workers or 1)
        try:
            with telling(progress) as tell:
                _learn_from(native, team, round_games, tell)
        except KeyboardInterrupt:
            native.save()
            raise
        finally:
            team.close()
    else:
        with telling(progress) as tell:
            native.learn(limits.threads(threads), tell)
    for file in export:
        native.export(file)
    if report is not None:
        native.report(report)
    return TrainReport.from_json(native.document())


def _learn_from(native: _native.Training, team: Worker, round_games: int, tell: Tell) -> None:
    """Rounds: games by the model as it is, on all workers; then what they show is learned, in the order of the
    games."""
    while True:
        started = clock.monotonic()
        model, name = native.snapshot()
        # Enough tasks that nobody waits long for the last one.
        size = max(1, -(-round_games // (4 * team.number)))
        under_way = 0
        for after in range(0, round_games, size):
            spec = native.job(name, after, min(size, round_games - after))
            if spec is not None:
                team.submit(spec, model)
                under_way += 1
        if under_way == 0:
            return
        done: dict[int, str] = {}
        while under_way:
            for spec, result in team.results(timeout=0.5):
                if result is None:
                    team.submit(spec, model)  # the worker died
                else:
                    under_way -= 1
                    done[json.loads(spec)["first"]] = result
        results = [done[first] for first in sorted(done)]
        if native.enter(results, clock.monotonic() - started, tell):
            return
