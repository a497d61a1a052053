"""`pyspiel.MCTSBot` (the one in C++) against our bot in Connect Four, from won starts: none may be lost.

    python python/tests/bots_match.py [--games 100]

A start is won for the player to move, by our solver; our bot plays that side.
"""

from __future__ import annotations

import argparse
import random

import pyspiel

import perfectplay as pp
from perfectplay.openspiel import Bot


def won_start(game: pyspiel.Game, dice: random.Random, plies: int) -> pyspiel.State:
    """A position after so many random moves that the player to move has won."""
    ours = pp.open("connect-four:7x6")
    while True:
        state, position = game.new_initial_state(), ours.start()
        for _ in range(plies):
            if state.is_terminal():
                break
            action = dice.choice(state.legal_actions())
            state.apply_action(action)
            position = position.play(str(action + 1))
        if not state.is_terminal() and position.solve("alpha-beta").outcome == "win":
            return state


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--plies", type=int, default=12)
    parser.add_argument("--simulations", type=int, default=10_000)
    given = parser.parse_args()
    game, dice = pyspiel.load_game("connect_four"), random.Random(1)
    ours = Bot(game, "alpha-beta", time=2.0)
    counts = {1: 0, 0: 0, -1: 0}
    for number in range(given.games):
        state = won_start(game, dice, given.plies)
        mine = state.current_player()
        evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=number)
        theirs = pyspiel.MCTSBot(game, evaluator, 2.0, given.simulations, max_memory_mb=1000, solve=True, seed=number, verbose=False)
        while not state.is_terminal():
            bot = ours if state.current_player() == mine else theirs
            state.apply_action(bot.step(state))
        counts[int(state.returns()[mine])] += 1
    print(f"{given.games} games from won starts: {counts[1]} won, {counts[0]} drawn, {counts[-1]} lost")
    assert counts[-1] == 0


if __name__ == "__main__":
    main()
