"""Ray clusters: `pp.tournament(..., on="ray")`, `pp.train(..., on="ray")`, `perfectplay-ray tournament …` and
`perfectplay-ray train …`.

Needs `pip install ray`. A task of a tournament is a job as a text: many short games, 5 to 30 seconds in all. A bounded
window of tasks is under way; what comes back is entered into the store by the driver, each game once, by its name. So
whatever is killed, nothing is lost and nothing counts twice: a killed worker's task is done again by Ray, a killed
driver finds in the store what it has and asks for the rest.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Callable

from . import _native
from .progress import Bar, Progress, ProgressFunction

TASK_SECONDS = 10.0
"""How long a task should take."""
FEWEST_SECONDS, MOST_SECONDS = 5.0, 30.0


@dataclass
class Chunks:
    """How many games go into a task: as many as take about `seconds`, judged by the tasks that came back."""

    seconds: float = TASK_SECONDS
    most: int = 10_000
    per_game: float | None = None

    def size(self) -> int:
        if self.per_game is None:
            return 1  # nothing is known yet: a game tells
        return max(1, min(self.most, int(self.seconds / max(self.per_game, 1e-6))))

    def took(self, games: int, seconds: float) -> None:
        """Learns from a task."""
        mean = seconds / max(games, 1)
        self.per_game = mean if self.per_game is None else 0.7 * self.per_game + 0.3 * mean


@dataclass
class Ledger:
    """What was handed out and what came back, for whoever asks afterwards."""

    tasks: int = 0
    entered: int = 0
    again: int = 0
    """Games that came back a second time and were not counted again."""
    lost: int = 0
    """Tasks that died with a machine and were handed out again."""
    lengths: list[float] = field(default_factory=list)
    """Seconds that each task took."""


def connect(address: str | None = None, **options: Any) -> Any:
    """Joins the cluster that is named, or that `RAY_ADDRESS` names, or begins one on this machine. Telemetry is off."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise ValueError("Ray is not installed: pip install ray") from None
    if not ray.is_initialized():
        address = address or os.environ.get("RAY_ADDRESS")
        settings: dict[str, Any] = dict(log_to_driver=False, logging_level="error", **options)
        if address is None:
            ray.init(include_dashboard=False, **settings)
        else:
            ray.init(address=address, **settings)
    return ray


def cores(ray: Any) -> int:
    """How many tasks the cluster does at a time."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def fetched(ray: Any, task: Any) -> Any:
    """What a task has answered; none if it died with its worker or its machine. What it was refused with is raised."""
    try:
        return ray.get(task)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, Exception):
            raise error.cause from None
        raise
    except (ray.exceptions.RayError, OSError):
        return None


def _do(spec: str) -> tuple[str, float]:
    """One task, on a worker."""
    started = time.monotonic()
    return _native.run_job(spec), time.monotonic() - started


def play(
    tournament: _native.Tournament,
    *,
    address: str | None = None,
    window: int | None = None,
    task_seconds: float = TASK_SECONDS,
    progress: ProgressFunction | None = None,
    on_task: Callable[[Ledger], object] | None = None,
    **options: Any,
) -> Ledger:
    """Plays all games that the store does not have. `window` tasks are under way at a time: three for every core if not
    given."""
    if not FEWEST_SECONDS / 50 <= task_seconds <= 100 * MOST_SECONDS:
        raise ValueError(f"a task should take {FEWEST_SECONDS:.0f} to {MOST_SECONDS:.0f} seconds, got {task_seconds}")
    ray = connect(address, **options)
    remote = ray.remote(max_retries=-1, num_cpus=1)(_do)
    left: list[Any] = json.loads(tournament.left())
    total, done = len(left), 0
    left.reverse()
    chunks, ledger = Chunks(seconds=task_seconds), Ledger()
    under_way: dict[Any, list[Any]] = {}
    started = time.monotonic()

    def tell() -> None:
        if progress is not None:
            share = done / total if total else 1.0
            progress(Progress(done, 0, share, None, time.monotonic() - started))

    try:
        while left or under_way:
            at_a_time = cores(ray)
            room = window or 3 * at_a_time
            while left and len(under_way) < room:
                # Towards the end tasks get smaller, so that nobody waits for the last one.
                size = min(chunks.size(), max(1, len(left) // (2 * at_a_time)))
                games = [left.pop() for _ in range(min(size, len(left)))]
                under_way[remote.remote(tournament.job(json.dumps(games)))] = games
            ready, _ = ray.wait(list(under_way), num_returns=1, timeout=0.2)
            for task in ready:
                games = under_way.pop(task)
                answer = fetched(ray, task)
                if answer is None:
                    ledger.lost += 1
                    left.extend(reversed(games))
                    continue
                text, seconds = answer
                new = tournament.enter(text)
                ledger.tasks += 1
                ledger.entered += new
                ledger.again += len(games) - new
                ledger.lengths.append(seconds)
                chunks.took(len(games), seconds)
                done += new
                if on_task is not None:
                    on_task(ledger)
            tell()
    except KeyboardInterrupt:
        for task in under_way:
            ray.cancel(task, force=True)
        raise
    tell()
    return ledger


def main(arguments: list[str] | None = None) -> int:
    """`perfectplay-ray tournament GAME PLAYER PLAYER … [options]` and `perfectplay-ray train GAME [options]`."""
    from .arena import STORE, tournament
    from .training import ROUND, train

    parser = argparse.ArgumentParser(prog="perfectplay-ray", description="Tournaments and learning on a Ray cluster.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--address", help="of the cluster; RAY_ADDRESS or a local one if not given")
    common.add_argument("--json", action="store_true", help="one JSON document on standard output")
    common.add_argument("game")

    verb = verbs.add_parser("tournament", parents=[common], help="let players meet, on as many machines as there are")
    verb.set_defaults(run=tournament)
    verb.add_argument("players", nargs="+")
    verb.add_argument("--rounds", type=int)
    verb.add_argument("--openings")
    verb.add_argument("--seatings", choices=["orders", "rotations", "mixed"])
    verb.add_argument("--gauntlet", action="store_true")
    verb.add_argument("--for", dest="objective", default="gain", choices=["gain", "score"])
    verb.add_argument("--seed", type=int, default=0)
    verb.add_argument("--longest", type=int, default=1000)
    verb.add_argument("--store", default=STORE)
    verb.add_argument("--window", type=int, help="tasks under way at a time")
    verb.add_argument("--task-seconds", type=float, default=TASK_SECONDS)

    verb = verbs.add_parser("train", parents=[common], help="learn to evaluate a game, with self-play on many machines")
    verb.set_defaults(run=train)
    verb.add_argument("--with", dest="method", help="the way to learn: see docs/learning.md")
    verb.add_argument("--model", help="what is trained")
    verb.add_argument("--time", help="learn for this time from now on, as in 10m")
    verb.add_argument("--games", help="stop after so many games in all")
    verb.add_argument("--out", help="where the model is written")
    verb.add_argument("--resume", help="go on with the run that wrote this file")
    verb.add_argument("--seed", type=int)
    verb.add_argument("--exam", type=int, default=10, help="games against each opponent of an exam; 0: no exams")
    verb.add_argument("--round-games", type=int, default=ROUND, help="games between two models")

    given = vars(parser.parse_args(arguments))
    run, as_json, game = given.pop("run"), given.pop("json"), given.pop("game")
    del given["verb"]
    bar = Bar(game)
    try:
        report = run(game, **given, on="ray", progress=bar)
    except ValueError as error:
        print(f"perfectplay-ray: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("perfectplay-ray: stopped; the same command goes on (train: with --resume)", file=sys.stderr)
        return 3
    finally:
        bar.close()
    print(json.dumps(report.to_dict(), indent=2) if as_json else report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
