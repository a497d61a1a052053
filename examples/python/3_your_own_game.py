"""Your own game as a class: rules, laws, solving, a proof."""

# %% Chomp: players in turn choose a square of a bar of chocolate and eat it with all above and to the right of it. Who
# eats the poisoned corner loses. A state: how long each row still is, and who is to move.
from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import perfectplay as pp

State = tuple[tuple[int, ...], int]


class Chomp(pp.Game):
    def __init__(self, rows: int = 3, columns: int = 4) -> None:
        self.rows, self.columns = rows, columns
        self.length = rows * columns

    def start(self) -> State:
        return (self.columns,) * self.rows, 1

    def moves(self, state: State) -> list[str]:
        return [f"{'abcdefgh'[column]}{row + 1}" for row, length in enumerate(state[0]) for column in range(length)]

    def play(self, state: State, move: str) -> State:
        column, row = "abcdefgh".index(move[0]), int(move[1:]) - 1
        eaten = tuple(length if r < row else min(length, column) for r, length in enumerate(state[0]))
        return eaten, 3 - state[1]

    def payoff(self, state: State) -> int:
        return 1 if state[1] == 1 else -1  # who is to move was left nothing: the other one ate the corner

    def text(self, state: State) -> str:
        return "\n".join("#" * length or "." for length in reversed(state[0]))


# %% The laws of games find a wrong key, a wrong payoff, a state that is changed.
print(pp.check_game(Chomp()), "states obey the laws")


class Careless(Chomp):
    def key(self, state: State) -> Any:
        return sum(state[0])  # forgets the shape


try:
    pp.check_game(Careless())
except ValueError as error:
    print("caught:", error)
else:
    raise AssertionError("a wrong key must be found")

# %% Every algorithm takes it. The first player wins Chomp: whoever could win by stealing would do so at once.
start = pp.open(Chomp()).start()
print(start)
for algorithm in (None, "df-pn", "alpha-beta", "backward-induction", "ubfm"):
    report = start.solve(algorithm)
    assert report.outcome == "win", algorithm
    print(report)

# %% A proof needs the class to be checked.
file = Path(tempfile.mkdtemp()) / "chomp.proof"
start.solve(proof=file)
assert pp.verify(file, Chomp())
