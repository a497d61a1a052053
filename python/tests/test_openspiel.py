"""OpenSpiel both ways."""

from __future__ import annotations

import pickle

import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

import perfectplay as pp
from compare_with_openspiel import compare
from perfectplay.openspiel import WRITTEN_IN_FULL, Bot, OpenSpielGame
from perfectplay.twins import TWINS

SMALL = {
    "breakthrough": "breakthrough(rows=4,columns=3)",
    "clobber": "clobber(rows=3,columns=3)",
    "connect_four": "connect_four(rows=4,columns=4)",
    "gomoku": "gomoku(size=3,connect=3)",
    "havannah": "havannah(board_size=3)",
    "hex": "hex(board_size=3)",
    "mnk": "mnk(m=3,n=3,k=3)",
    "y": "y(board_size=4)",
}


def all_games() -> list[str]:
    def fits(kind) -> bool:
        told = (kind.dynamics.name, kind.chance_mode.name, kind.information.name)
        return told == ("SEQUENTIAL", "DETERMINISTIC", "PERFECT_INFORMATION") and kind.default_loadable

    return [kind.short_name for kind in pyspiel.registered_games() if fits(kind)]


@pytest.mark.parametrize("name", sorted(TWINS))
def test_our_games_are_theirs(name):
    found = compare(name, games=3, seed=1, longest=400)
    assert found.plies > 0


def test_all_there_are_can_be_searched():
    names = all_games()
    assert len(names) >= 33
    for name in names:
        game = pp.from_openspiel(name)
        assert game.start().search("ubfm").run(nodes=200) in ("nodes", "done")
        report = game.start().analyse("mcts", nodes=20)
        assert report.best_move in game.start().moves


def test_a_game_from_a_text_of_their_own():
    efg = 'EFG 2 R "choose" { "A" "B" } ""\np "" 1 1 "" { "l" "r" } 0\np "" 2 1 "" { "x" "y" } 0\nt "" 1 "" { 1 -1 }\nt "" 2 "" { -1 1 }\nt "" 3 "" { 0 0 }\n'
    game = pp.from_openspiel(pyspiel.load_efg_game(efg))
    report = game.start().solve()
    assert (report.value, report.best_move) == ([0, 0], "r")


def test_others_are_refused():
    refused: list[tuple[object, str]] = [("kuhn_poker", "chance"), ("goofspiel", "same time"), ("phantom_ttt", "hidden")]
    refused += [("nothing", "does not open nothing: Unknown game"), ("connect_four(rows=-3)", "length must be"), (5, "a text or")]
    for name, sentence in refused:
        with pytest.raises(ValueError, match=sentence):
            pp.from_openspiel(name)


@pytest.mark.parametrize("name", sorted(WRITTEN_IN_FULL))
def test_texts_that_are_keys_tell_everything(name):
    game = OpenSpielGame(pyspiel.load_game(SMALL.get(name, name)))
    # Every look at a state plays all its moves, several times: a few hundred states are enough where there are many.
    wide = len(game.start().legal_actions()) > 100
    pp.check_game(game, games=2 if wide else 15, states=40 if wide else 400)


def test_values_through_the_bridge_are_ours():
    pairs = [("tic_tac_toe", "tic-tac-toe"), ("connect_four(rows=4,columns=4)", "connect-four:4x4"), ("nim", "nim:1,3,5,7,misere=on")]
    for theirs, ours in pairs:
        expected = pp.open(ours).start().solve().outcome
        assert pp.from_openspiel(theirs).start().solve("df-pn").outcome == expected
        assert pp.from_openspiel(theirs).start().solve().outcome == expected


def test_solitaires_have_a_second_player_who_never_moves():
    game = pp.from_openspiel("cliff_walking(width=4,height=3,horizon=12)")
    report = game.start().solve("df-mopns", objective="score")
    assert report.value is not None and report.value[0] == -report.value[1]


def test_bots_play_there():
    game = pyspiel.load_game("tic_tac_toe")
    bots = [Bot(game, "alpha-beta", nodes=5000), Bot(game, "mcts", nodes=200)]
    assert all(isinstance(bot, pyspiel.Bot) for bot in bots)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(bots[state.current_player()].step(state))
    assert state.returns() == [0.0, 0.0]
    with pytest.raises(ValueError, match="limit"):
        Bot(game)
    y = pyspiel.load_game("y(board_size=4)")  # not one of ours: through the bridge
    assert Bot(y, "mcts", nodes=50).step(y.new_initial_state()) in y.new_initial_state().legal_actions()


def test_bridged_positions_pickle():
    position = pp.from_openspiel("tic_tac_toe").start()
    position = position.play(position.moves[4])
    assert pickle.loads(pickle.dumps(position)).moves == position.moves
