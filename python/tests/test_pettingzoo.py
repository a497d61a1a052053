"""PettingZoo's own tests."""

from __future__ import annotations

import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")

import perfectplay as pp
from connect_four import ConnectFour
from pettingzoo.test import api_test


@pytest.mark.filterwarnings("ignore")
def test_the_api():
    from perfectplay.pettingzoo import env

    examples = [example for info in pp.games() for example in info.examples]
    assert len(examples) > 100
    for example in [*examples, "nim:1,2,3,players=3", ConnectFour(4, 4)]:
        api_test(env(example), num_cycles=20)
    api_test(env("tic-tac-toe"), num_cycles=1000)


@pytest.mark.filterwarnings("ignore")
def test_every_game_has_an_environment():
    from perfectplay.pettingzoo import Environment

    for info in pp.games():
        table = Environment(info.examples[0])
        table.reset()
        for _ in range(3):
            if table.terminations[table.agent_selection]:
                break
            observation = table.observe(table.agent_selection)
            assert observation["action_mask"].sum() == len(table.position.moves)
            assert table.observation_space(table.agent_selection).contains(observation)
            table.step(0)
