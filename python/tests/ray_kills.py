"""A tournament on a Ray cluster whose workers, nodes and driver are killed at random: nothing is lost, nothing counts
twice.

    python python/tests/ray_kills.py [--games 2000] [--kills 10] [--nodes 3]

The cluster is simulated on this machine (ray.cluster_utils). In the end the store must have every game once, and the
table must be that of a run without kills, byte for byte.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import ray
from ray.cluster_utils import Cluster

import perfectplay as pp
from perfectplay import _native
from perfectplay.arena import plan_text

GAME, PLAYERS = "connect-four:7x6", ["mcts@nodes=2000", "ubfm@nodes=2000"]


def children(pid: int) -> list[int]:
    """Processes whose parent is this one."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                found.append(int(entry.name))
    return found


def raylets(cluster: Cluster) -> list[int]:
    pids = []
    for node in cluster.list_all_nodes():
        for infos in node.all_processes.values():
            pids += [info.process.pid for info in infos]
    return pids


class Test:
    def __init__(self, games: int, nodes: int, folder: Path) -> None:
        self.games, self.folder = games, folder
        self.store = folder / "killed.sqlite"
        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        self.nodes = [self.cluster.add_node(num_cpus=1) for _ in range(nodes - 1)]
        self.driver: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        command = [sys.executable, "-m", "perfectplay.cluster", "tournament", GAME, *PLAYERS]
        command += ["--rounds", str(self.games // 2), "--store", str(self.store), "--task-seconds", "1"]
        command += ["--address", self.cluster.address]
        self.driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def kill(self, what: str) -> str:
        assert self.driver is not None
        if what == "driver":
            self.driver.kill()
            self.driver.wait()
            self.begin()
        elif what == "node" and self.nodes:
            node = self.nodes.pop(0)
            self.cluster.remove_node(node, allow_graceful=False)
            self.nodes.append(self.cluster.add_node(num_cpus=1))
        else:
            workers = [pid for raylet in raylets(self.cluster) for pid in children(raylet) if is_worker(pid)]
            if not workers:
                return "nobody"
            os.kill(random.choice(workers), signal.SIGKILL)
        return what

    def count(self) -> tuple[int, int]:
        if not self.store.exists():
            return 0, 0
        try:
            with sqlite3.connect(self.store) as store:
                return store.execute("SELECT count(*), count(DISTINCT job) FROM game").fetchone()
        except sqlite3.OperationalError:
            return 0, 0


def is_worker(pid: int) -> bool:
    """Not a node's agents: a node ends with them, and with the head's the cluster."""
    try:
        name = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return name.startswith(b"ray::") and b"Agent" not in name


def table(store: Path, games: int) -> str:
    plan = plan_text(GAME, PLAYERS, dict(rounds=games // 2))
    report = pp.TournamentReport.from_json(_native.Tournament(plan, store).report())
    rows = [{name: value for name, value in row.items() if name != "seconds"} for row in report.table]
    return repr((report.games, report.status, rows, report.pairs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    random.seed(given.seed)
    folder = Path(tempfile.mkdtemp(prefix="ray-kills-"))
    test = Test(given.games, given.nodes, folder)
    started = time.monotonic()
    test.begin()
    plan = ["driver", "node", "worker"] * (given.kills // 3 + 1)
    kinds = plan[: given.kills]
    random.shuffle(kinds)
    killed: list[str] = []
    while test.driver is not None and test.driver.poll() is None:
        done, _ = test.count()
        # Kills are spread over the games, not over the clock: a slow machine gets as many.
        due = len(killed) < len(kinds) and done > (len(killed) + 1) * given.games // (len(kinds) + 2)
        if due:
            what = test.kill(kinds[len(killed)])
            killed.append(what)
            print(f"{time.monotonic() - started:6.1f} s  {done} games, killed: {what}", flush=True)
        time.sleep(0.2)
    assert test.driver is not None
    told = test.driver.stderr.read().decode() if test.driver.stderr else ""
    assert test.driver.returncode == 0, told[-2000:]
    rows, different = test.count()
    print(f"{time.monotonic() - started:6.1f} s  {rows} games in the store, {different} different, kills: {killed}")
    assert rows == different == given.games, (rows, different)
    test.cluster.shutdown()
    whole = folder / "whole.sqlite"
    pp.tournament(GAME, PLAYERS, rounds=given.games // 2, store=whole)
    assert table(test.store, given.games) == table(whole, given.games)
    print("the same table as without kills")


if __name__ == "__main__":
    main()
