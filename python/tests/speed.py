"""How fast: random games of a class and through the bridge, and built-in games from Python beside the command line.

    python python/tests/speed.py [--binary PATH] [--turns 10] [--only df-pn]

Both sides do the same search in processes of their own, in turns, and the order changes from turn to turn. Processor
time is compared, medians and bests. Before each run there is a pause: a virtual machine may give memory that is free
back to its host after a second or two, and then whoever comes next pays for getting it again. In strict turns without
pauses that is always the same side.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time

import perfectplay as pp
from connect_four import ConnectFour

GAME = "connect-four:7x6"
NODES = {"df-pn": 20_000_000, "alpha-beta": 20_000_000, "ubfm": 4_000_000, "mcts": 1_000_000}


def plies_per_second(game: pp.OpenGame, turns: int, moves: int = 400_000) -> float:
    best = 0.0
    for seed in range(turns):
        started = time.process_time()
        _, played, _ = game.start().playouts(seed=seed, moves=moves)
        best = max(best, played / (time.process_time() - started))
    return best


def search(algorithm: str) -> tuple[int, float]:
    """Nodes and processor time of a search in this process."""
    started = time.process_time()
    report = pp.open(GAME).start().solve(algorithm, nodes=NODES[algorithm], memory="1G")
    return report.nodes, time.process_time() - started


def here(algorithm: str, binary: str) -> tuple[int, float]:
    """Nodes and processor time from Python, without the interpreter's own beginning."""
    told = subprocess.run([sys.executable, __file__, "--search", algorithm], capture_output=True, text=True, check=True)
    nodes, seconds = json.loads(told.stdout)
    return nodes, seconds


def there(algorithm: str, binary: str) -> tuple[int, float]:
    """Nodes and processor time by the command line, from its beginning to its end."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    command = [binary, "solve", GAME, "--with", algorithm, "--nodes", str(NODES[algorithm])]
    started = spent()
    # 8 MiB of its limit are the program's own.
    told = subprocess.run([*command, "--memory", "1032M", "--json"], capture_output=True, text=True)
    return json.loads(told.stdout)["nodes"], spent() - started


def beside_the_command_line(algorithm: str, binary: str, turns: int, pause: float) -> str:
    sides, rates = [here, there], {here: [], there: []}
    for _ in range(turns):
        for side in sides:
            time.sleep(pause)
            nodes, seconds = side(algorithm, binary)
            rates[side].append(nodes / seconds)
        sides.reverse()
    told = []
    for name, of in (("median", statistics.median), ("best", max)):
        ours, theirs = of(rates[here]), of(rates[there])
        told.append(f"{name} {ours:,.0f} nodes/s here, {theirs:,.0f} there: {100 * (ours / theirs - 1):+.1f} %")
    return "; ".join(told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default="target/release/perfectplay")
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--pause", type=float, default=4.0, help="seconds before each run")
    parser.add_argument("--only", choices=["playouts", *NODES])
    parser.add_argument("--search", choices=list(NODES), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.search:
        print(json.dumps(search(given.search)))
        return
    if given.only in (None, "playouts"):
        print(f"class:    {plies_per_second(pp.open(ConnectFour()), given.turns):12,.0f} plies/s", flush=True)
        try:
            bridged = plies_per_second(pp.from_openspiel("connect_four"), given.turns)
            print(f"bridge:   {bridged:12,.0f} plies/s", flush=True)
        except ImportError:
            print("bridge:   OpenSpiel is not installed")
        print(f"built in: {plies_per_second(pp.open(GAME), given.turns, 20_000_000):12,.0f} plies/s", flush=True)
    for algorithm in NODES:
        if given.only in (None, algorithm):
            told = beside_the_command_line(algorithm, given.binary, given.turns, given.pause)
            print(f"{algorithm}: {told}", flush=True)


if __name__ == "__main__":
    main()
