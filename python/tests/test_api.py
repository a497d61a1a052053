"""The package says what the command line says."""

from __future__ import annotations

import json
import pickle
import sys
import threading
import time

import numpy as np
import pytest

import perfectplay as pp
from conftest import interrupted
from connect_four import ConnectFour


def without_times(document: dict) -> dict:
    return {name: value for name, value in document.items() if name not in ("seconds", "file", "proof")}


def test_lists_are_those_of_the_command_line(run):
    assert [game.to_dict() for game in pp.games()] == json.loads(run("games", "--json").stdout)
    assert [a.to_dict() for a in pp.algorithms()] == json.loads(run("algorithms", "--json").stdout)


@pytest.mark.parametrize(
    "game, moves, options, arguments",
    [
        ("connect-four:4x4", "", dict(algorithm="df-pn"), ["--with", "df-pn"]),
        ("connect-four:5x4", "3", dict(algorithm="ubfm", nodes=5000), ["--with", "ubfm", "--nodes", "5000"]),
        ("nim:1,2,3,players=3", "", dict(objective="score"), ["--for", "score", "--threads", "1"]),
        ("connect-four:7x6", "", {}, []),
        ("mnk:3x3x3", "b2", dict(algorithm="alpha-beta", objective="length"), ["--with", "alpha-beta", "--for", "length"]),
    ],
)
def test_solve_is_solve(run, game, moves, options, arguments):
    report = pp.open(game).start().play(moves).solve(**options)
    told = json.loads(run("solve", game, "--moves", moves, "--json", *arguments).stdout)
    assert without_times(report.to_dict()) == without_times(told)
    assert (report.value, report.pv, report.nodes) == (told["value"], told["pv"], told["nodes"])


def test_analyse_is_analyse(run):
    report = pp.open("connect-four:5x4").start().play("3").analyse("mcts", nodes=5000, seed=3)
    arguments = ["--moves", "3", "--with", "mcts", "--nodes", "5000", "--seed", "3", "--json"]
    told = json.loads(run("analyse", "connect-four:5x4", *arguments).stdout)
    assert without_times(report.to_dict()) == without_times(told)
    assert report.moves[0].visits == told["moves"][0]["visits"]


def test_options_are_keywords():
    position = pp.open("connect-four:4x4").start()
    assert position.search("ubfm", eval="rollouts", playouts=2).report().algorithm == "ubfm:eval=rollouts,playouts=2"
    assert position.search("df-pn", threshold_control=False).report().algorithm == "df-pn:threshold-control=off"
    with pytest.raises(ValueError, match="unknown option|eval must be"):
        position.search("ubfm", eval="nonsense")
    with pytest.raises(ValueError, match="name the algorithm"):
        position.solve(eval="heuristic")


@pytest.mark.parametrize(
    "arguments, call",
    [
        (["solve", "conect-four"], lambda: pp.open("conect-four")),
        (["solve", "connect-four:99x1"], lambda: pp.open("connect-four:99x1")),
        (["solve", "tic-tac-toe", "--with", "df-pm"], lambda: pp.open("tic-tac-toe").start().solve("df-pm")),
        (["solve", "tic-tac-toe", "--with", "ubfm:evil=1"], lambda: pp.open("tic-tac-toe").start().solve("ubfm:evil=1")),
        (["solve", "tic-tac-toe", "--position", "XX"], lambda: pp.open("tic-tac-toe").position("XX")),
        (
            ["solve", "chess:draws=loose", "--with", "backward-induction"],
            lambda: pp.open("chess:draws=loose").start().solve("backward-induction"),
        ),
        (["verify", "Cargo.none"], lambda: pp.verify("Cargo.none")),
        (["solve", "nim:1,2,players=3", "--with", "df-pn"], lambda: pp.open("nim:1,2,players=3").start().solve("df-pn")),
    ],
)
def test_errors_are_the_same_sentence(run, arguments, call):
    told = run(*arguments)
    assert told.returncode == 2
    with pytest.raises(ValueError) as error:
        call()
    assert f"perfectplay: {error.value}" == told.stderr.strip()


def test_positions_are_values():
    game = pp.open("connect-four:7x6")
    start = game.start()
    one = start.play("4")
    assert (start.line, one.line, one.mover, one.over, one.payoff) == ((), ("4",), 2, False, None)
    assert one == start.play("4") != start and len({one, start.play("4"), start}) == 2
    won = start.play("4455667")
    assert (won.over, won.mover, won.gains, won.moves) == (True, None, (1, -1), ())
    assert won.payoff == (18, -18)
    assert "X" in str(won) and "<svg" in won._repr_svg_()
    assert game.position(one.text) == one
    with pytest.raises(ValueError, match="the game is over"):
        won.play("1")


def test_everything_pickles():
    for text, moves in [("connect-four:7x6", "443"), ("chess", "e2e4 e7e5 g1f3"), ("go:5", "a1 b2")]:
        position = pp.open(text).start().play(moves)
        again = pickle.loads(pickle.dumps(position))
        assert (again, again.line, again.moves) == (position, position.line, position.moves)
    report = pp.open("tic-tac-toe").start().solve()
    assert pickle.loads(pickle.dumps(report)) == report


def test_features_are_arrays():
    game = pp.open("connect-four:7x6")
    cells, numbers = pp.features([game.start(), game.start().play("4")])
    assert cells.shape == (2, 42) and cells.dtype == np.uint8 and numbers.shape[0] == 2
    assert game.layout is not None and len(game.layout.cells) == 42
    with pytest.raises(ValueError, match="no board"):
        pp.open(ConnectFour()).start().features()


def test_a_search_runs_in_slices_and_goes_on():
    position = pp.open("connect-four:5x4").start()
    whole, sliced = position.search("df-pn"), position.search("df-pn")
    assert whole.run(nodes=50_000) == "nodes"
    for _ in range(10):
        sliced.run(nodes=5_000)
    # A slice ends a few nodes late, and the next one does not know.
    assert abs(sliced.report().nodes - whole.report().nodes) < 500
    while sliced.run(nodes=1_000_000) != "done":
        pass
    assert sliced.report().value == [0, 0]


def test_a_search_tells_its_tree_and_advances():
    search = pp.open("connect-four:5x4").start().search("ubfm:eval=heuristic")
    search.run(nodes=3000)
    assert len(search.children) == 5 and search.line and search.value is not None
    move = search.line[0]
    assert search.advance(move) and search.position.line == (move,)
    search.run(nodes=100)
    assert search.report().mover == 2
    with pytest.raises(ValueError, match="not a legal move"):
        search.advance("9")


def test_a_search_is_saved_and_resumed(tmp_path):
    position = pp.open("connect-four:5x4").start()
    whole, saved = position.search("ubfm"), position.search("ubfm")
    whole.run(nodes=40_000)
    saved.run(nodes=20_000)
    saved.save(tmp_path / "search")
    saved.save(tmp_path / "search")
    resumed = position.resume(tmp_path / "search")
    resumed.run(nodes=20_000)
    assert without_times(resumed.report().to_dict()) == without_times(whole.report().to_dict())
    with pytest.raises(ValueError, match="another position"):
        position.play("3").resume(tmp_path / "search")
    with pytest.raises(ValueError, match="holds a saved search"):
        position.search("ubfm").save(tmp_path / "search")


def test_proofs_are_written_and_checked(tmp_path, run):
    file = tmp_path / "draw.proof"
    report = pp.open("connect-four:4x4").start().solve(proof=file)
    assert report.proof is not None and report.proof.states > 0
    proof = pp.verify(file)
    assert proof and proof.verdict == "draw"
    told = json.loads(run("verify", str(file), "--json").stdout)
    assert without_times(proof.to_dict()) == without_times(told)
    forged = bytearray(file.read_bytes())
    forged[-20] ^= 1
    file.write_bytes(forged)
    assert not pp.verify(file) and pp.verify(file).error


@pytest.mark.parametrize("algorithm", ["df-pn", "ubfm", "alpha-beta", "mcts", "auto"])
def test_ctrl_c_ends_a_run_and_the_search_goes_on(algorithm):
    search = pp.open("connect-four:7x6").start().search(algorithm, exact=True, memory="256M")
    # Within 200 ms; a machine that is busy with something else may need another try.
    tries = (interrupted(lambda progress: search.run(time=600, progress=progress)) for _ in range(20))
    assert any(seconds < 0.2 for seconds in tries)
    before = search.report().nodes
    assert before > 0
    assert search.run(nodes=10_000) in ("nodes", "memory")
    assert search.report().nodes > before


def test_other_threads_run_while_a_search_does():
    seen = []
    stop = threading.Event()
    thread = threading.Thread(target=lambda: [seen.append(1) or time.sleep(0.005) for _ in iter(stop.is_set, True)])
    thread.start()
    search = pp.open("connect-four:7x6").start().search("df-pn")
    for _ in range(100):  # a busy machine may need several runs
        before = len(seen)
        search.run(time=0.2)
        if len(seen) > before + 2:
            break
    stop.set()
    thread.join()
    assert len(seen) > before + 2


def test_progress_is_told_and_may_stop_it():
    told: list[pp.Progress] = []
    search = pp.open("connect-four:7x6").start().search("df-pn")
    for _ in range(100):  # a search tells after so many nodes, however long they take on a busy machine
        search.run(time=0.3, progress=told.append)
        if told[-1].nodes > 0:
            break
    assert told[-1].nodes > 0 and told[-1].seconds > 0

    def enough(progress: pp.Progress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        search.run(time=60, progress=enough)
    assert search.run(nodes=1000) == "nodes"
    assert "nodes" in pp.Bar("solving", time=60).line(told[-1])


def test_limits_are_texts_or_numbers():
    search = pp.open("connect-four:7x6").start().search("df-pn")
    assert search.run(nodes="1k") == "nodes"
    assert search.run(time="10ms") == "time"
    for bad in (dict(time="soon"), dict(nodes=-1), dict(threads=0), dict(time=-1.0), dict(memory="much")):
        with pytest.raises(ValueError):
            search.run(**bad)


def test_wrong_numbers_are_refused_with_a_sentence():
    position = pp.open("tic-tac-toe").start()
    players = ["random", "ubfm@nodes=10"]
    for call, sentence in [
        (lambda: pp.open(5), "a game is a text"),  # type: ignore[arg-type]
        (lambda: pp.check_game(pp.Game), "an object of a class"),  # type: ignore[arg-type]
        (lambda: position.solve(seed=-1), "seed must be 0 to 18446744073709551615, got -1"),
        (lambda: position.solve(seed=2**64), "seed must be"),
        (lambda: position.solve(nodes=1.5), 'expected a whole number like 1000000, 500k, 5M or 1e6, got "1.5"'),
        (lambda: position.solve(nodes=float("inf")), "expected a whole number"),
        (lambda: position.solve(threads=1.5), "threads must be 1 to 1024, got 1.5"),
        (lambda: position.solve(objective="fun"), "gain, score or length"),
        (lambda: position.perft(-1), "depth must be 0 to 1000"),
        (lambda: position.perft(10**11), "depth must be 0 to 1000"),  # a list as long as that would end the interpreter
        (lambda: position.tree(-1), "depth must be"),
        (lambda: position.playouts(seed=-1, moves=1), "seed must be"),
        (lambda: pp.tournament("tic-tac-toe", players, rounds=0, store=None), "rounds must be 1 to 1000000, got 0"),
        (lambda: pp.tournament("tic-tac-toe", players, rounds="x", store=None), "rounds must be"),
        (lambda: pp.tournament("tic-tac-toe", players, seed=-1, store=None), "seed must be"),
        (lambda: pp.tournament("tic-tac-toe", players, rounds=1, threads=0, store=None), "threads must be"),
        (lambda: pp.solve_in_parallel("tic-tac-toe", workers=0), "workers must be"),
        (lambda: pp.solve_in_parallel("tic-tac-toe", nodes=0), "one node"),
        (lambda: pp.train("tic-tac-toe", seed=-1), "seed must be"),
        (lambda: pp.train("tic-tac-toe", exam=-1), "exam must be"),
    ]:
        with pytest.raises(ValueError) as error:
            call()
        assert sentence in str(error.value)
    assert position.search("df-pn").run(nodes=1e3) == "nodes"
    assert pp.open(position.game) is position.game


def test_a_bar_is_taken_away(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    search = pp.open("connect-four:7x6").start().search("df-pn")
    search.run(time=0.3, progress=pp.Bar("solving", time=0.3))
    drawn = capsys.readouterr().err
    assert "solving [" in drawn and "nodes" in drawn and drawn.endswith("\r\x1b[K")


def test_tournaments_share_the_store(tmp_path, run):
    store = tmp_path / "games.sqlite"
    players = ["ubfm@nodes=300", "mcts@nodes=300", "random"]
    report = pp.tournament("tic-tac-toe", players, rounds=3, store=store, threads=1)
    assert (report.status, report.games, report.planned) == ("complete", 18, 18)
    told = json.loads(run("tournament", "tic-tac-toe", *players, "--rounds", "3", "--store", str(store), "--json").stdout)
    assert told == report.to_dict()
    # More rounds go on with the same tournament.
    told = run("tournament", "tic-tac-toe", *players, "--rounds", "4", "--store", str(store), "--json")
    assert json.loads(told.stdout)["games"] == 24
    assert pp.match("tic-tac-toe", "random", "ubfm@nodes=50", rounds=2, store=None).games == 4
    with pytest.raises(ValueError, match="bad player"):
        pp.tournament("tic-tac-toe", ["nobody", "random"], store=None)


def test_trees_and_perft(run):
    position = pp.open("tic-tac-toe").start().play("a1 b2 c3 a3 c1 c2")
    assert position.tree(3, form="svg").startswith("<svg")
    told = run("show", "tic-tac-toe", "--moves", "a1 b2 c3 a3 c1 c2", "--tree", "--depth", "3").stdout
    assert position.tree(3) == told
    assert pp.open("chess").start().perft(3) == [20, 400, 8902]
