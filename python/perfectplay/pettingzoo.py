"""An AEC environment of PettingZoo for every game.

Needs `pip install pettingzoo`. Actions are numbers of moves in the list of legal moves: `action_mask` says how many
there are, and the game's own texts are in `infos[agent]["moves"]`. Rewards are the scores at the end.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from .custom import Game
from .position import OpenGame, Position, open

MOST_MOVES = 512
"""Actions of a game, unless told otherwise; twice as many as there are moves at the start, if that is more."""


class Environment(AECEnv):  # type: ignore[misc]
    """A game at PettingZoo's table, without the usual wrappers: `env` adds them."""

    metadata = {"render_modes": ["ansi", "svg"], "name": "perfectplay", "is_parallelizable": False}

    def __init__(
        self,
        game: str | Game | OpenGame,
        *,
        most_moves: int | None = None,
        longest: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.game = open(game)
        self.position: Position = self.game.start()
        if most_moves is None:
            most_moves = max(MOST_MOVES, 2 * len(self.position.moves))
        self.render_mode = render_mode
        self.longest = longest
        self.most_moves = most_moves
        facts = self.game.facts
        self.possible_agents = [f"player_{number}" for number in range(1, facts.players + 1)]
        layout = self.game.layout
        self._cells = None if layout is None else (len(layout.cells), layout.values, len(layout.numbers))
        if self._cells is None:
            board: gymnasium.spaces.Space[Any] = gymnasium.spaces.Box(0, 1, (1,), np.float32)
        else:
            cells, values, numbers = self._cells
            board = gymnasium.spaces.Box(-np.inf, np.inf, (cells + numbers,), np.float32)
        mask = gymnasium.spaces.Box(0, 1, (most_moves,), np.int8)
        self._observations = {
            agent: gymnasium.spaces.Dict({"observation": board, "action_mask": mask}) for agent in self.possible_agents
        }
        self._actions = {agent: gymnasium.spaces.Discrete(most_moves) for agent in self.possible_agents}
        self._board_shape = board.shape

    def observation_space(self, agent: str) -> Any:
        return self._observations[agent]

    def action_space(self, agent: str) -> Any:
        return self._actions[agent]

    def observe(self, agent: str) -> dict[str, Any]:
        """The features of the position (from the mover's side), and which actions are legal."""
        mask = np.zeros(self.most_moves, dtype=np.int8)
        if agent == self.agent_selection and not self.position.over:
            mask[: self._count()] = 1
        return {"observation": self._features(), "action_mask": mask}

    def _count(self) -> int:
        count = len(self.position.moves)
        if count > self.most_moves:
            raise ValueError(f"there are {count} moves here: make the environment with most_moves={count} or more")
        return count

    def _features(self) -> Any:
        if self._cells is None:
            return np.zeros(self._board_shape, dtype=np.float32)
        cells, numbers = self.position.features()
        return np.concatenate([cells.astype(np.float32), numbers])

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.position = self.game.start()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._mover()
        self._tell_moves()

    def _mover(self) -> str:
        mover = self.position.mover
        return self.possible_agents[0 if mover is None else mover - 1]

    def _tell_moves(self) -> None:
        self.infos[self.agent_selection] = {"moves": list(self.position.moves)}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        moves = self.position.moves
        if action is None or not 0 <= action < len(moves):
            raise ValueError(f"action {action} is no move here: there are {len(moves)}")
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.position = self.position.play(moves[action])
        payoff = self.position.payoff
        if payoff is not None:
            self.rewards = {agent: float(payoff[self.possible_agents.index(agent)]) for agent in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
            # Everybody gets a last turn, the others first.
            self.agent_selection = self.agents[(self.agents.index(agent) + 1) % len(self.agents)]
        else:
            if self.longest is not None and len(self.position.line) >= self.longest:
                self.truncations = dict.fromkeys(self.agents, True)
            self.agent_selection = self._mover()
            self._tell_moves()
        self._accumulate_rewards()

    def render(self) -> str | None:
        if self.render_mode == "svg":
            return self.position.svg()
        return str(self.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing to close."""


def env(game: str | Game | OpenGame, **settings: Any) -> Any:
    """The environment with PettingZoo's usual wrappers."""
    return wrappers.OrderEnforcingWrapper(Environment(game, **settings))
