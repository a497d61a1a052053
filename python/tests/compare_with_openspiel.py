"""Random games of every game that we and OpenSpiel both have, compared move for move, end and payoff.

    python python/tests/compare_with_openspiel.py [--games 1000] [NAME …]
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import dataclass, field
from typing import Any

import pyspiel

import perfectplay as pp
from perfectplay.twins import TWINS, Twin, twin

VARIANTS = {
    "mnk": "mnk(m=5,n=4,k=4)",
    "hex": "hex(board_size=7)",
    "go": "go(board_size=7)",
    "dots_and_boxes": "dots_and_boxes(num_rows=3,num_cols=4)",
    "havannah": "havannah(board_size=5)",
    "gomoku": "gomoku(size=9)",
}
"""What is played instead of the default, where that is very long."""

BY_TEXT = {"chess"}
"""Moves are compared by where they lead: there they are written as SAN."""


DRAWN_HERE = {"lines_of_action"}
"""A move that joins both sides wins there and draws here."""


@dataclass
class Compared:
    name: str
    spec: str
    games: int = 0
    plies: int = 0
    draws: list[str] = field(default_factory=list)
    """Games that only one of the two had ended, as a draw."""


def compare(name: str, games: int, seed: int = 0, longest: int = 3000) -> Compared:
    game = pyspiel.load_game(VARIANTS.get(name, name))
    same = twin(game)
    assert same is not None, name
    ours = pp.open(same.spec)
    dice, found = random.Random(seed), Compared(name, same.spec)
    for number in range(games):
        one_game(game, ours, same, dice, found, longest, name in BY_TEXT)
    return found


def one_game(game: Any, ours: pp.OpenGame, same: Twin, dice: random.Random, found: Compared, longest: int, by_text: bool) -> None:
    state, position = game.new_initial_state(), ours.start()
    found.games += 1
    mover_of_player = {}
    for _ in range(longest):
        over = state.is_terminal()
        if over or position.over:
            end(state, position, same, found)
            return
        mover = mover_of_player.setdefault(state.current_player(), position.mover)
        assert mover == position.mover, f"{found.name}: {position.mover} moves here, {state.current_player()} there"
        moves = position.moves
        actions = state.legal_actions()
        texts = [same.move(state.action_to_string(state.current_player(), action), moves) for action in actions]
        if by_text:
            reached = {position.play(text).text for text in texts}
            assert len(reached) == len(texts) == len(moves), f"{found.name}: {sorted(texts)} there, {sorted(moves)} here"
        else:
            assert sorted(texts) == sorted(moves), f"{found.name}: {sorted(set(texts) ^ set(moves))} after {position.line}"
        choice = dice.randrange(len(actions))
        state.apply_action(actions[choice])
        position = position.play(texts[choice])
        found.plies += 1


def end(state: Any, position: pp.Position, same: Twin, found: Compared) -> None:
    returns = [int(value > 0) - int(value < 0) for value in state.returns()] if state.is_terminal() else None
    if state.is_terminal() and position.over:
        gains = list(position.gains or ())
        if found.name in DRAWN_HERE and not any(gains) and any(returns or ()):
            found.draws.append("both joined")
            return
        assert returns == gains or sorted(returns or ()) == sorted(gains), f"{found.name}: {gains} here, {returns} there"
        # Player 0 there is player 1 here, but for chess, where white has number 1.
        if found.name != "chess":
            assert returns == gains, f"{found.name}: {gains} here, {returns} there after {position.line}"
        return
    assert same.draws, f"{found.name}: over {'there' if state.is_terminal() else 'here'} only, after {position.line}"
    told = returns if state.is_terminal() else list(position.gains or ())
    limited = state.is_terminal() and len(state.history()) >= state.get_game().max_game_length()
    assert limited or not any(told or ()), f"{found.name}: {told} {'there' if state.is_terminal() else 'here'} only"
    found.draws.append("there" if state.is_terminal() else "here")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=sorted(TWINS))
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for name in given.names or sorted(TWINS):
        started = time.process_time()
        found = compare(name, given.games, given.seed)
        told = f", draws of one side only: {len(found.draws)}" if found.draws else ""
        print(f"{name:18} {found.spec:42} {found.games} games, {found.plies:,} plies the same{told} ({time.process_time() - started:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
