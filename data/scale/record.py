"""Records what the scheduler's work costs on this machine, for simulate.py. Needs Ray.

    python data/scale/record.py [--games 120] > data/scale/recorded.json

Processor time, so that a busy machine matters less; latency is the median of what the clock says.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

from perfectplay import _native
from perfectplay.arena import plan_text
from perfectplay.cluster import connect

GAME, PLAYERS = "connect-four:7x6", ["mcts@nodes=20000", "ubfm@nodes=20000"]
PER_TASK = 80
"""Games of a task of about ten seconds."""


def cost(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of this process, all threads together, and what came out."""
    started = time.process_time()
    answer = work()
    return time.process_time() - started, answer


def driver(specs: list[str], answer: str) -> tuple[float, float, float]:
    """What it costs to hand out a task and to take it back, and how long a message takes."""
    ray = connect(num_cpus=2)

    def reply(spec: str, text: str) -> tuple[float, str]:
        return time.time(), text

    remote = ray.remote(num_cpus=1)(reply)
    text = ray.put(answer)
    ray.get([remote.remote(spec, text) for spec in specs[:8]])
    latencies = []
    for spec in specs[:30]:
        sent = time.time()
        latencies.append(ray.get(remote.remote(spec, text))[0] - sent)
    submit, tasks = cost(lambda: [remote.remote(spec, text) for spec in specs])

    def take_back() -> None:
        left = tasks
        while left:
            ready, left = ray.wait(left, num_returns=1)
            ray.get(ready[0])

    receive, _ = cost(take_back)
    ray.shutdown()
    return submit / len(specs), receive / len(specs), statistics.median(latencies)


def self_play(folder: Path) -> dict[str, float]:
    """What a game of self-play costs who plays it and who learns from it."""
    games = 400
    training = _native.Training(GAME, out=folder / "model", games=10 * games)
    model, name = training.snapshot()
    play, result = cost(lambda: _native.run_job(training.job(name, 0, games) or "", model))
    learn, _ = cost(lambda: training.enter([result], 1.0))
    return {"play": play / games, "learn": learn / games, "bytes": len(result) / games, "model_bytes": len(model)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=120)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="perfectplay-record-"))
    tournament = _native.Tournament(plan_text(GAME, PLAYERS, dict(rounds=given.games // 2)), folder / "games.sqlite")
    left = json.loads(tournament.left())
    lengths, records = [], []
    for game in left:
        seconds, result = cost(lambda: _native.run_job(tournament.job(json.dumps([game]))))
        lengths.append(round(seconds, 4))
        records += json.loads(result)["games"]
    answer = json.dumps({"id": "", "games": records[:PER_TASK]})
    make, spec = cost(lambda: [tournament.job(json.dumps(left[:PER_TASK])) for _ in range(200)][0])
    submit, receive, latency = driver([spec] * 200, answer)
    enter, _ = cost(lambda: tournament.enter(json.dumps({"id": "", "games": records})))
    document = {
        "what": f"{given.games} games of {GAME}, {PLAYERS[0]} against {PLAYERS[1]}: processor seconds",
        "games": lengths,
        "costs": {
            "submit": round(make / 200 + submit, 6),
            "receive": round(receive, 6),
            "enter": round(enter / len(records), 6),
            "latency": round(latency, 4),
        },
        "self_play": {name: round(value, 6) for name, value in self_play(folder).items()},
    }
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
