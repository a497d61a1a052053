"""Games as classes: every algorithm, laws, proofs, networks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import perfectplay as pp
from conftest import interrupted
from connect_four import ConnectFour


class Podium(pp.Game):
    """Nim of one heap for three: who takes the last match gets 2, who moved before that 1."""

    players = 3
    scores = (0, 2)
    length = 5

    def start(self):
        return (5, 1)

    def moves(self, state):
        return range(1, min(2, state[0]) + 1)

    def play(self, state, taken):
        return (state[0] - taken, state[1] % 3 + 1)

    def payoff(self, state):
        last = (state[1] - 2) % 3
        scores = [0, 0, 0]
        scores[last] = 2
        scores[(last - 1) % 3] = 1
        return scores


class Walk(pp.Game):
    """Two players step to the left or the right on five places in turn; the ends win for player 1 or 2. It has
    cycles."""

    scores = (-1, 1)

    def start(self):
        return (2, 1)

    def moves(self, state):
        return [] if state[0] in (0, 4) else ["left", "right"]

    def play(self, state, move):
        return (state[0] + (1 if move == "right" else -1), 3 - state[1])

    def payoff(self, state):
        return -1 if state[0] == 0 else 1


def test_every_algorithm_agrees_with_the_built_in_game():
    mine, ours = pp.open(ConnectFour(4, 4)), pp.open("connect-four:4x4")
    moves = "22314141"
    expected = ours.start().play(moves).solve("backward-induction").value
    proved = 0
    for name in mine.algorithms:
        try:
            report = mine.start().play(moves).solve(name, nodes=20_000)
        except ValueError as refusal:  # this game has no passes
            assert name == "brs", refusal
            continue
        if report.solved:
            proved += 1
            assert report.value == expected, name
    assert proved > 12


def test_moves_and_ends_are_those_of_the_built_in_game():
    dice = np.random.default_rng(1)
    mine, ours = pp.open(ConnectFour()), pp.open("connect-four:7x6")
    for _ in range(20):
        a, b = mine.start(), ours.start()
        while True:
            assert (a.moves, a.mover, a.gains) == (b.moves, b.mover, b.gains)
            if a.over:
                break
            move = str(dice.choice(a.moves))
            a, b = a.play(move), b.play(move)


def test_several_players_and_cycles():
    report = pp.open(Podium()).start().solve()
    assert report.solved and report.claim == "one equilibrium"
    assert sum(report.value) in (-1, 0, 1) or report.value is not None
    walk = pp.open(Walk()).start()
    assert not walk.game.facts.acyclic
    assert walk.solve("retrograde").value == [0, 0] == walk.solve("df-pn").value
    with pytest.raises(ValueError, match="positions can repeat"):
        walk.solve("backward-induction")


def test_a_proof_is_written_and_needs_the_class(tmp_path):
    file = tmp_path / "mine.proof"
    report = pp.open(ConnectFour(4, 4)).start().solve(proof=file)
    assert report.value == [0, 0] and report.proof is not None
    assert pp.verify(file, ConnectFour(4, 4)).verdict == "draw"
    assert "no game" in (pp.verify(file).error or "") and not pp.verify(file)
    assert "not about" in (pp.verify(file, ConnectFour(5, 4)).error or "")

    class Changed(ConnectFour):
        def payoff(self, state):
            return 1 if state[1].bit_count() == 16 else super().payoff(state)

    assert not pp.verify(file, Changed(4, 4))


def test_texts_pickles_and_drawings():
    position = pp.open(ConnectFour()).start().play("4", 4, "3")
    assert position.line == ("4", "4", "3") and position.text == "4 4 3"
    assert pickle.loads(pickle.dumps(position)).moves == position.moves
    assert position.game.position("4 4 3").moves == position.moves
    assert "<svg" in position._repr_svg_()


def test_exceptions_of_the_class_are_raised_and_leave_the_game_whole():
    class Tired(ConnectFour):
        awake = True

        def moves(self, state):
            if state[1].bit_count() == 5 and not self.awake:
                raise LookupError("too tired")
            return super().moves(state)

    rules = Tired(4, 4)
    game = pp.open(rules)
    rules.awake = False
    for algorithm in ("auto", "df-pn", "mcts", "ubfm", "alpha-beta", "backward-induction"):
        search = game.start().search(algorithm)
        with pytest.raises(LookupError, match="too tired"):
            search.run(nodes=100_000)
        with pytest.raises(ValueError, match="begin a new one"):
            search.report()
    with pytest.raises(LookupError):
        game.start().play("1 2 3 4 1").moves
    rules.awake = True
    assert game.start().play("2231").solve("df-pn").solved


def test_what_a_class_says_is_checked():
    class Bad(ConnectFour):
        def payoff(self, state):
            return 7

    with pytest.raises(ValueError, match="within scores"):
        pp.open(Bad(4, 4)).start().solve("mcts", nodes=1000)
    for name, value, sentence in [
        ("players", 7, "2 to 6"),
        ("players", "two", "2 to 6"),
        ("players", 3, "one for each"),
        ("scores", (1, -1), "least"),
        ("scores", 1, "least"),
        ("length", -1, "length must be"),
    ]:
        wrong = ConnectFour(4, 4)
        setattr(wrong, name, value)
        with pytest.raises(ValueError, match=sentence):
            pp.open(wrong).start().solve("mcts", nodes=2000)

    class Lists(ConnectFour):
        def start(self):
            return [0, 0]

    with pytest.raises(TypeError, match="define key"):
        pp.open(Lists(4, 4)).start()
    with pytest.raises(NotImplementedError, match="must define"):
        pp.open(type("Nothing", (pp.Game,), {})()).start()


def test_ctrl_c_in_a_class():
    search = pp.open(ConnectFour()).start().search("df-pn")
    interrupted(lambda progress: search.run(time=600, progress=progress))
    before = search.report().nodes
    search.run(nodes=2000)
    assert search.report().nodes > before > 0


def test_laws_pass_and_catch():
    assert pp.check_game(ConnectFour(4, 4)) > 500
    pp.check_game(Podium())
    pp.check_game(Walk())

    def broken(base=ConnectFour, *arguments, **changes):
        return type("Broken", (base,), changes)(*arguments)

    cases = [
        (broken(ConnectFour, 4, 4, key=lambda self, s: s[1]), "equal keys for states with different"),
        (broken(ConnectFour, 4, 4, key=lambda self, s: s[0].bit_count()), "equal keys for states with different"),
        (broken(ConnectFour, 4, 4, payoff=lambda self, s: 3), "within scores"),
        (broken(ConnectFour, 4, 4, payoff=lambda self, s: (1, 1)), "add up to 0"),
        (broken(ConnectFour, 4, 4, payoff=lambda self, s: 0.5), "whole number"),
        (broken(ConnectFour, 4, 4, heuristic=lambda self, s: 2.0), "between -1 and 1"),
        (broken(ConnectFour, 4, 4, moves=lambda self, s: [1, 1]), "is there twice"),
        (broken(ConnectFour, 4, 4, mover=lambda self, s: 9), "1 to 2"),
        (broken(Walk, acyclic=True), "come back"),
        (broken(Walk, length=3), "acyclic|goes on"),
        (broken(Podium, payoff=lambda self, s: (1, 2)), "each of 3 players"),
    ]
    for game, sentence in cases:
        with pytest.raises(ValueError, match=sentence):
            pp.check_game(game)

    class Changing(pp.Game):
        length = 3

        def start(self):
            return [3]

        def key(self, state):
            return state[0]

        def moves(self, state):
            return ["take"] if state[0] else []

        def play(self, state, move):
            state[0] -= 1
            return state

        def payoff(self, state):
            return 1

    with pytest.raises(ValueError, match="changes the state|same state twice"):
        pp.check_game(Changing())


def test_a_network_steers_ubfm():
    batches = []

    class Steered(ConnectFour):
        def evaluate(self, states):
            batches.append(len(states))
            return np.array([0.5 if mine > stones ^ mine else -0.5 for mine, stones in states])

    game = pp.open(Steered(5, 4))
    assert game.facts.heuristic
    search = game.start().search("ubfm", eval="heuristic")
    search.run(nodes=2000)
    assert max(batches) > 1 and sum(batches) > 500
    assert search.report().estimate is not None or search.report().solved

    class Wrong(ConnectFour):
        def evaluate(self, states):
            return [0.0]

    with pytest.raises(ValueError, match="must answer"):
        pp.open(Wrong(5, 4)).start().search("ubfm", eval="heuristic").run(nodes=1000)


def test_a_game_with_a_name_is_steered_too():
    def count(positions):
        cells, _ = pp.features(positions)
        return (cells == 1).mean(axis=1) - (cells == 2).mean(axis=1)

    steered = pp.open(pp.Evaluated("connect-four:4x4", count))
    late = "22314141"
    expected = pp.open("connect-four:4x4").start().play(late).solve("backward-induction").value
    assert steered.start().play(*late).solve("ubfm", eval="heuristic").value == expected


def test_random_games_leave_nothing_behind():
    game = pp.open(ConnectFour())
    games, moves, seconds = game.start().playouts(moves=20_000)
    assert games > 500 and moves >= 20_000 and seconds > 0
