"""Learning: as on the command line, and with games that are played elsewhere."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

import perfectplay as pp
from conftest import interrupted
from perfectplay import _native

SMALL = dict(model="tuples:count=6,length=4", exam=0)


def lasting(report: pp.TrainReport) -> dict:
    """What does not depend on the clock, nor on where it was written."""
    document = report.to_dict()
    curve = [{name: value for name, value in point.items() if name != "seconds"} for point in document["curve"]]
    return {name: document[name] for name in ("game", "games", "plies", "evaluations", "examples")} | {"curve": curve}


def test_train_is_train(run, tmp_path):
    mine, theirs = tmp_path / "mine.safetensors", tmp_path / "theirs.safetensors"
    report = pp.train(
        "connect-four:5x4", "descent", evaluations=20, model="tuples:count=6,length=4", games=20, exam=1, seed=3,
        out=mine, log=tmp_path / "log", record=tmp_path / "games", report=tmp_path / "page.html", export=[tmp_path / "m.onnx"],
    )  # fmt: skip
    arguments = ["--with", "descent:evaluations=20", "--model", "tuples:count=6,length=4", "--games", "20", "--exam", "1"]
    told = run("train", "connect-four:5x4", *arguments, "--seed", "3", "--out", str(theirs), "--json")
    document = json.loads(told.stdout)
    assert list(document) == list(report.to_dict())
    assert lasting(pp.TrainReport.from_dict(document)) == lasting(report)
    assert report.file == str(mine) and len(report.curve) == 10
    assert len((tmp_path / "log").read_text().splitlines()) == 10
    assert len((tmp_path / "games").read_text().splitlines()) == 20
    assert "<svg" in (tmp_path / "page.html").read_text() and (tmp_path / "m.onnx").stat().st_size > 0
    again = pp.train("connect-four:5x4", resume=mine, games=25, exam=0)
    assert again.games == 25 and again.file == str(mine)
    position = pp.open("connect-four:5x4").start()
    assert position.search("ubfm", eval=f"learned:{mine}").run(nodes=500) == "nodes"


@pytest.mark.parametrize("game", ["connect-four:5x4", "othello:6", "rolit:4,players=3"])
@pytest.mark.parametrize("model", ["tuples:count=6,length=4", "tuples:count=3,length=3,patterns=on", "mlp"])
def test_another_program_reads_the_same_from_exported_models(game, model, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    out, exported = tmp_path / "m.safetensors", str(tmp_path / "m.onnx")
    method = dict(evaluations=20, games=30, model=model, exam=0, seed=1)
    pp.train(game, "descent", out=out, export=[exported], **method)
    session = onnxruntime.InferenceSession(exported, providers=["CPUExecutionProvider"])
    players = pp.open(game).facts.players
    compared = 0
    for seed in range(10):
        position, dice = pp.open(game).start(), random.Random(seed)
        for _ in range(dice.randrange(8)):
            position = position.play(dice.choice(position.moves))
        children = [position.play(move) for move in position.moves]
        if position.over or any(child.over for child in children):
            continue
        cells, numbers = pp.features(children)
        viewers = np.eye(players, dtype=np.float32)[[child.mover - 1 for child in children]]
        asked = {"cells": cells.astype(np.float32), "viewer": viewers, "numbers": numbers}
        asked = {given.name: asked[given.name] for given in session.get_inputs()}
        (values,) = session.run(["value"], asked)
        # Seen by whoever moves next: the one player's loss is the other's gain, or a value each, the mover's first.
        mover = position.mover - 1
        if players == 2:
            theirs = [v[0] if child.mover - 1 == mover else -v[0] for v, child in zip(values, children)]
        else:
            theirs = [v[(mover - (child.mover - 1)) % players] for v, child in zip(values, children)]
        search = position.search("greedy", eval=f"learned:{out}")
        search.run()
        assert search.report().estimate[mover] == pytest.approx(max(theirs), abs=1e-4)
        compared += 1
    assert compared > 3


def test_what_training_cannot_do_is_refused(run, tmp_path):
    out = tmp_path / "model"
    cases = [
        (["train", "conect-four"], lambda: pp.train("conect-four", out=out)),
        (["train", "tic-tac-toe", "--with", "magic"], lambda: pp.train("tic-tac-toe", "magic", out=out)),
        (["train", "tic-tac-toe", "--model", "forest"], lambda: pp.train("tic-tac-toe", model="forest", out=out)),
        (["train", "tic-tac-toe", "--resume", "none"], lambda: pp.train("tic-tac-toe", resume="none")),
        (["train", "tic-tac-toe", "--out", "none/x", "--games", "1"], lambda: pp.train("tic-tac-toe", out="none/x", games=1)),
    ]
    for arguments, call in cases:
        told = run(*arguments)
        assert told.returncode == 2
        with pytest.raises(ValueError) as error:
            call()
        assert f"perfectplay: {error.value}" == told.stderr.strip()
    for bad in (dict(on="moon"), dict(workers=2, threads=2), dict(workers=0), dict(resume="x", seed=1)):
        with pytest.raises(ValueError):
            pp.train("tic-tac-toe", games=1, out=out, **bad)


def test_workers_change_nothing_but_the_time(tmp_path):
    found = []
    for workers in (1, 2):
        report = pp.train(
            "connect-four:5x4", "descent", evaluations=20, games=30, round_games=10, seed=3, workers=workers,
            out=tmp_path / f"{workers}", **SMALL,
        )  # fmt: skip
        assert report.games == 30 and report.examples > 0
        found.append(lasting(report))
    assert found[0] == found[1]


def test_self_play_is_a_job(run, tmp_path):
    pp.train("hex:4", "descent", evaluations=10, games=5, out=tmp_path / "model", **SMALL)
    native = _native.Training("hex:4", resume=str(tmp_path / "model"), games=100)
    model, name = native.snapshot()
    spec = json.loads(native.job(name, 0, 4) or "")
    assert (spec["job"], spec["first"], spec["games"]) == ("self-play", 6, 4)
    here = pp.run_job(spec, model)
    (tmp_path / "snapshot").write_bytes(model)
    (tmp_path / "spec.json").write_text(json.dumps({**spec, "file": str(tmp_path / "snapshot")}))
    there = json.loads(run("job", "run", str(tmp_path / "spec.json")).stdout)
    assert {**there, "id": here["id"]} == here and there["id"] != here["id"]
    assert [game["game"] for game in here["games"]] == [6, 7, 8, 9]
    position = pp.open("hex:4").start().play(*here["games"][0]["moves"])
    assert list(position.gains or ()) == here["games"][0]["gains"]
    other = pp.run_job({**spec, "seed": 1}, model)
    assert other["games"] != here["games"]
    assert not native.enter([json.dumps(here)], 1.0)
    with pytest.raises(ValueError, match="game 6 came where game 10"):
        native.enter([json.dumps(here)], 1.0)
    with pytest.raises(ValueError, match="about the model"):
        pp.run_job({**spec, "model": "0"}, model)


def test_ctrl_c_saves_and_the_run_goes_on(tmp_path):
    file = tmp_path / "model"
    interrupted(lambda progress: pp.train("connect-four:5x4", time=600, out=file, progress=progress, **SMALL))
    told: list[pp.Progress] = []
    report = pp.train("connect-four:5x4", resume=file, time=0.2, exam=0, progress=told.append)
    assert report.games > 0 and report.seconds > 0.2
    assert told[-1].nodes > 0 and told[-1].share is not None
