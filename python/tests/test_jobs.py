"""Work as texts, shards, merged stores."""

from __future__ import annotations

import json
import subprocess

import pytest

import perfectplay as pp
from perfectplay import _native
from perfectplay.arena import plan_text

PLAYERS = ["ubfm@nodes=200", "mcts@nodes=100", "random"]


def games_of(document):
    """What does not depend on the clock."""
    for game in document["games"]:
        for seat in game["played"]:
            seat["seconds"] = 0.0
    return document


def test_a_job_gives_the_same_anywhere(binary, tmp_path):
    plan = plan_text("tic-tac-toe", PLAYERS, dict(rounds=2, seed=5))
    tournament = _native.Tournament(plan)
    spec = tournament.job(tournament.left())
    here = games_of(pp.run_job(spec))
    assert here["id"] == pp.job_id(spec) == pp.job_id(json.loads(spec))
    (tmp_path / "spec.json").write_text(spec)
    told = subprocess.run([binary, "job", "run", str(tmp_path / "spec.json")], capture_output=True, text=True)
    assert games_of(json.loads(told.stdout)) == here
    assert tournament.enter(json.dumps(here)) == 12
    assert tournament.enter(json.dumps(here)) == 0
    assert json.loads(tournament.report())["games"] == 12
    foreign = json.loads(json.dumps(here))
    foreign["games"][0]["job"]["seed"] += 1
    with pytest.raises(ValueError, match="not one of this tournament"):
        tournament.enter(json.dumps(foreign))
    other = json.loads(spec)
    other["games"][0]["seed"] += 1
    assert pp.job_id(other) != here["id"]


def test_bad_jobs_are_refused(binary, tmp_path):
    for spec in ("", "{}", '{"job": "magic"}', '{"job": "proof", "game": "tic-tac-toe", "nodes": 1, "node": 2}'):
        (tmp_path / "spec.json").write_text(spec)
        told = subprocess.run([binary, "job", "run", str(tmp_path / "spec.json")], capture_output=True, text=True)
        assert told.returncode == 2 and len(told.stderr.splitlines()) == 1
        with pytest.raises(ValueError, match="no job"):
            pp.run_job(spec)


def test_shards_merge_to_the_table_of_one_run(run, tmp_path):
    common = ["tournament", "tic-tac-toe", *PLAYERS, "--rounds", "6", "--threads", "1"]
    whole = tmp_path / "whole.sqlite"
    assert run(*common, "--store", str(whole)).returncode == 0
    parts = []
    for number in range(1, 4):
        parts.append(str(tmp_path / f"part{number}.sqlite"))
        told = run(*common, "--store", parts[-1], "--shard", f"{number}/3", "--json")
        assert told.returncode == 0, told.stderr
        assert json.loads(told.stdout)["status"] == "complete"
        assert 0 < json.loads(told.stdout)["games"] < 36
    merged = tmp_path / "merged.sqlite"
    told = run("tournament", "merge", *parts, "--store", str(merged), "--json")
    assert json.loads(told.stdout)["new"] == 36
    assert json.loads(run("tournament", "merge", *parts, "--store", str(merged), "--json").stdout)["new"] == 0
    for form in ("text", "csv", "html", "moves"):
        arguments = ["--format", form, "--without-times"]
        one = run("tournament", "report", str(whole), *arguments).stdout
        assert one and one == run("tournament", "report", str(merged), *arguments).stdout, form
    # The whole tournament goes on with the merged store, and finds nothing left to do.
    assert json.loads(run(*common, "--store", str(merged), "--json").stdout)["games"] == 36
    assert run(*common, "--shard", "4/3").returncode == 2
