"""How fast: random games of a class and through the bridge, and a built-in game from Python beside the command line.

    python python/tests/speed.py [--binary PATH] [--turns 5]

Processor time, so that a busy machine matters less; both sides in turns, the best of each.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import time

import perfectplay as pp
from connect_four import ConnectFour

NODES = {"df-pn": 20_000_000, "alpha-beta": 40_000_000, "ubfm": 5_000_000}


def plies_per_second(game: pp.OpenGame, turns: int, moves: int = 400_000) -> float:
    best = 0.0
    for seed in range(turns):
        started = time.process_time()
        _, played, _ = game.start().playouts(seed=seed, moves=moves)
        best = max(best, played / (time.process_time() - started))
    return best


def here(algorithm: str) -> float:
    started = time.process_time()
    report = pp.open("connect-four:7x6").start().solve(algorithm, nodes=NODES[algorithm], memory="1G")
    return report.nodes / (time.process_time() - started)


def there(algorithm: str, binary: str) -> float:
    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    command = [binary, "solve", "connect-four:7x6", "--with", algorithm, "--nodes", str(NODES[algorithm])]
    started = spent()
    # 8 MiB of its limit are the program's own.
    told = subprocess.run([*command, "--memory", "1032M", "--json"], capture_output=True, text=True)
    return float(json.loads(told.stdout)["nodes"]) / (spent() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default="target/release/perfectplay")
    parser.add_argument("--turns", type=int, default=5)
    given = parser.parse_args()
    print(f"class:    {plies_per_second(pp.open(ConnectFour()), given.turns):12,.0f} plies/s", flush=True)
    try:
        print(f"bridge:   {plies_per_second(pp.from_openspiel('connect_four'), given.turns):12,.0f} plies/s", flush=True)
    except ImportError:
        print("bridge:   OpenSpiel is not installed")
    print(f"built in: {plies_per_second(pp.open('connect-four:7x6'), given.turns, 20_000_000):12,.0f} plies/s")
    for algorithm in NODES:
        turns = [(here(algorithm), there(algorithm, given.binary)) for _ in range(given.turns)]
        ours, theirs = (max(side) for side in zip(*turns))
        told = f"{ours:12,.0f} nodes/s here, {theirs:12,.0f} there: {100 * (ours / theirs - 1):+.1f} %"
        print(f"{algorithm:12} {told}", flush=True)


if __name__ == "__main__":
    main()
