"""Connect Four as a class, in bits: column by column from the lower left, an empty bit above each column."""

from __future__ import annotations

import perfectplay as pp


class ConnectFour(pp.Game):
    """A state: stones of the player to move, all stones, stones played. Over if the player before has four."""

    def __init__(self, width: int = 7, height: int = 6) -> None:
        self.width, self.height = width, height
        step = height + 1
        self.length = width * height
        self.states = 4.0**self.length
        self.bottom = [1 << (column * step) for column in range(width)]
        self.columns = list(range(1, width + 1))
        self.shifts = (1, step - 1, step, step + 1)
        self.tops = [(column + 1, 1 << (column * step + height - 1)) for column in range(width)]

    @property
    def name(self) -> str:
        return f"python-connect-four-{self.width}x{self.height}"

    def start(self):
        return (0, 0)

    def moves(self, state):
        mine, stones = state
        theirs = mine ^ stones
        for shift in self.shifts:
            pairs = theirs & (theirs >> shift)
            if pairs & (pairs >> 2 * shift):
                return []
        return [column for column, top in self.tops if not stones & top]

    def play(self, state, column):
        mine, stones = state
        return (mine ^ stones, stones | (stones + self.bottom[column - 1]))

    def payoff(self, state):
        mine, stones = state
        theirs = mine ^ stones
        won = any((pairs := theirs & (theirs >> s)) & (pairs >> 2 * s) for s in self.shifts)
        if not won:
            return 0
        return 1 if stones.bit_count() % 2 else -1
