"""A discrete-event run of the scheduler of perfectplay/cluster.py, for clusters that this machine is not.

    python data/scale/simulate.py [--recorded data/scale/recorded.json] [--workers 16 256 1024]

One driver hands out tasks and takes results back, one thing at a time; workers do one task at a time. What things cost
was recorded on a real run (recorded.json: lengths of games, costs of the driver, latency), and is drawn again from there.
It says how busy workers are, how busy the driver is, and so where its limit lies. The same seed, the same numbers.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@dataclass
class Costs:
    """Seconds that the driver spends, and that a message takes."""

    submit: float
    """For a task: making its text and handing it over."""
    receive: float
    """For a result: waiting call, fetching, reading."""
    enter: float
    """For each game of it: into the store."""
    latency: float
    """From the driver to a worker, or back."""


@dataclass
class Found:
    utilisation: float
    """The share of the workers' time in which they worked."""
    driver: float
    """The share of the time in which the driver was busy."""
    tasks: int
    seconds: float
    waiting: float
    """Seconds that a worker waited for its next task, in the mean."""


def simulate(lengths: list[float], costs: Costs, workers: int, task_seconds: float, window: float, work: float, seed: int) -> Found:
    """`work` seconds for every worker in all, in tasks of about `task_seconds`; `window` tasks per worker under way."""
    dice = random.Random(seed)
    mean = sum(lengths) / len(lengths)
    games_left = round(work * workers / mean)
    per_task = max(1, round(task_seconds / mean))
    room = max(1, round(window * workers))
    # Events: (when, what), what is a result that reaches the driver or a task that reaches a worker.
    clock = driver_free = 0.0
    idle: list[float] = [0.0] * workers  # since when
    heapq.heapify(idle)
    queue: list[tuple[float, float, int]] = []  # tasks at the workers: when they came, how long, games
    results: list[tuple[float, int]] = []  # when they reach the driver, games
    under_way = tasks = 0
    busy = driver_busy = waited = 0.0
    end = 0.0
    while games_left or under_way:
        if games_left and under_way < room:
            size = min(per_task, games_left, max(1, games_left // (2 * workers)))
            games_left -= size
            driver_free += costs.submit
            driver_busy += costs.submit
            length = sum(dice.choices(lengths, k=size))
            came = driver_free + costs.latency
            since = heapq.heappop(idle)
            begin = max(came, since)
            waited += max(0.0, came - since) if since > 0 else 0.0
            heapq.heappush(idle, begin + length)
            heapq.heappush(results, (begin + length + costs.latency, size))
            busy += length
            end = max(end, begin + length)
            under_way += 1
            tasks += 1
            continue
        arrives, size = heapq.heappop(results)
        spent = costs.receive + size * costs.enter
        driver_free = max(driver_free, arrives) + spent
        driver_busy += spent
        under_way -= 1
    clock = max(end, driver_free)
    del queue
    return Found(busy / (workers * clock), driver_busy / clock, tasks, clock, waited / max(tasks, 1))


def table(recorded: dict[str, Any], counts: list[int], work: float, seed: int) -> str:
    """What docs/scale.md shows."""
    costs = Costs(**recorded["costs"])
    lines = ["| workers | task | window | workers busy | driver busy | wait per task |", "|---|---|---|---|---|---|"]
    for workers in counts:
        for task_seconds in (1.0, 5.0, 10.0, 30.0):
            for window in (1.0, 2.0, 3.0):
                found = simulate(recorded["games"], costs, workers, task_seconds, window, work, seed)
                lines.append(
                    f"| {workers:,} | {task_seconds:.0f} s | {window:.0f} per worker | {100 * found.utilisation:.1f} % "
                    f"| {100 * found.driver:.1f} % | {1000 * found.waiting:.0f} ms |"
                )
    return "\n".join(lines)


def limit(recorded: dict[str, Any], task_seconds: float) -> float:
    """Workers that keep the driver just busy: beyond, tasks must be longer."""
    costs, games = Costs(**recorded["costs"]), recorded["games"]
    mean = sum(games) / len(games)
    per_task = max(1, round(task_seconds / mean))
    return per_task * mean / (costs.submit + costs.receive + per_task * costs.enter)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recorded", type=Path, default=HERE / "recorded.json")
    parser.add_argument("--workers", type=int, nargs="+", default=[16, 256, 1024])
    parser.add_argument("--work", type=float, default=300.0, help="seconds of work for every worker")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    recorded = json.loads(given.recorded.read_text())
    print(table(recorded, given.workers, given.work, given.seed))
    for task_seconds in (1.0, 5.0, 10.0, 30.0):
        print(f"the driver is full with {limit(recorded, task_seconds):,.0f} workers and tasks of {task_seconds:.0f} s")


if __name__ == "__main__":
    main()
