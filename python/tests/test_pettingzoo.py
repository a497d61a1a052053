"""PettingZoo's own tests."""

from __future__ import annotations

import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")

import perfectplay as pp
from connect_four import ConnectFour
from pettingzoo.test import api_test


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("game", ["tic-tac-toe", "connect-four:7x6", "nim:1,2,3,players=3", "dots-and-boxes:2x2", "hex:4", "own"])
def test_the_api(game):
    from perfectplay.pettingzoo import env

    api_test(env(ConnectFour(4, 4) if game == "own" else game), num_cycles=50)


@pytest.mark.filterwarnings("ignore")
def test_every_game_has_an_environment():
    from perfectplay.pettingzoo import Environment

    for info in pp.games():
        if info.name == "script":
            continue
        table = Environment(info.examples[0], most_moves=4096)
        table.reset()
        for _ in range(3):
            if table.terminations[table.agent_selection]:
                break
            observation = table.observe(table.agent_selection)
            assert observation["action_mask"].sum() == len(table.position.moves)
            assert table.observation_space(table.agent_selection).contains(observation)
            table.step(0)
