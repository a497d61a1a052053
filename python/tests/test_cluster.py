"""Ray, and job-level proof search over processes."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import perfectplay as pp
from perfectplay.cluster import Chunks
from perfectplay.parallel import Processes


def test_job_level_search_solves_and_proves(tmp_path):
    file = tmp_path / "draw.proof"
    found = pp.solve_in_parallel("connect-four:4x4", workers=2, nodes=3000, folder=tmp_path / "parts", proof=file)
    assert found.value == [0, 0] and found.jobs > 3 and found.tree > 5
    assert found.checked and found.checked.verdict == "draw"
    assert pp.verify(file)
    # The tree was kept: nothing is left to do.
    again = pp.solve_in_parallel("connect-four:4x4", workers=1, nodes=3000, folder=tmp_path / "parts")
    assert (again.value, again.jobs) == ([0, 0], 0)


@pytest.mark.parametrize("moves, value", [("b2 a1", [0, 0]), ("b2 a2 b1", [1, -1]), ("a1 b2 a2 b1 c3", [-1, 1])])
def test_job_level_search_finds_every_value(tmp_path, moves, value):
    position = pp.open("tic-tac-toe").start().play(moves)
    assert position.solve("backward-induction").value == value
    found = pp.solve_in_parallel(position, workers=1, nodes=20, folder=tmp_path / "parts", proof=tmp_path / "proof")
    assert found.value == value
    assert found.checked and found.checked.value == value


def test_what_job_level_search_cannot_do_is_refused(tmp_path):
    for game, sentence in [("nim:1,2,players=3", "two players"), ("breakthrough:3x4", None), ("chess:draws=loose", "no position repeats")]:
        if sentence is not None:
            with pytest.raises(ValueError, match=sentence):
                pp.solve_in_parallel(game, workers=1, nodes=100, folder=tmp_path)


def test_tasks_get_the_size_that_takes_their_time():
    chunks = Chunks(seconds=10)
    assert chunks.size() == 1
    chunks.took(1, 0.1)
    assert chunks.size() == 100
    for _ in range(30):
        chunks.took(100, 100)
    assert chunks.size() == 10


def test_a_worker_that_dies_is_replaced(tmp_path):
    workers = Processes(1)
    try:
        spec = json.dumps({"job": "proof", "game": "nim:1,2", "nodes": 1000})
        workers.submit(spec)
        for process in list(workers._pool._processes.values()):
            process.kill()
        told = []
        while not told or told[-1] is None:
            for got, result in workers.results(timeout=1):
                assert got == spec
                told.append(result)
                if result is None:
                    workers.submit(spec)
        assert json.loads(told[-1])["report"]["value"] == [1, -1] and len(told) <= 2
        workers.submit('{"job": "proof", "game": "nothing", "nodes": 1}')
        with pytest.raises(ValueError, match="there is no game"):
            while True:
                list(workers.results(timeout=1))
    finally:
        workers.close()
    script = tmp_path / "script.py"
    script.write_text("import perfectplay as pp\npp.solve_in_parallel('tic-tac-toe', workers=1, nodes=100)\n")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and "__main__" in done.stderr.splitlines()[-1]


ON_RAY = """
import sys
from perfectplay.cluster import connect, main

for attempt in range(4):
    try:
        connect()
        break
    except Exception as error:  # Ray gives its own processes 30 seconds to begin, however busy the machine is
        if "timed out" not in str(error):
            raise
else:
    sys.exit(77)
store, model = sys.argv[1:]
game = ["tic-tac-toe", "ubfm@nodes=50", "random", "--rounds", "50", "--store", store, "--task-seconds", "0.5", "--json"]
assert main(["tournament", *game]) == 0
print("and")
learn = ["--with", "descent:evaluations=20", "--games", "40", "--round-games", "20", "--exam", "0", "--out", model]
assert main(["train", "tic-tac-toe", *learn, "--json"]) == 0
"""


def test_a_cluster_plays_every_game_once_and_learns(tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed")
    store = tmp_path / "games.sqlite"
    command = [sys.executable, "-c", ON_RAY, str(store), str(tmp_path / "on-ray")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if done.returncode == 77:
        pytest.skip("this machine is too busy for Ray to begin a cluster")
    assert done.returncode == 0, done.stderr
    report, learned = map(json.loads, done.stdout.split("and\n"))
    assert (report["games"], report["status"]) == (100, "complete")
    with sqlite3.connect(store) as rows:
        assert rows.execute("SELECT count(*), count(DISTINCT job) FROM game").fetchone() == (100, 100)
    alone = pp.tournament("tic-tac-toe", ["ubfm@nodes=50", "random"], rounds=50, store=None)

    def without_times(table):
        return [{name: value for name, value in row.items() if name != "seconds"} for row in table]

    assert without_times(report["table"]) == without_times(alone.to_dict()["table"])
    here = pp.train(
        "tic-tac-toe", "descent", evaluations=20, games=40, round_games=20, exam=0, workers=1, out=tmp_path / "here"
    )
    assert without_times(learned["curve"]) == without_times(here.curve)
    assert learned["examples"] == here.examples > 0
