"""Steer UBFM with a network: `evaluate(positions)` gets many positions at once and answers an array.

The network here is a small one in numpy with random weights, trained for a moment on the ends of random games, so that the
example needs nothing else; a PyTorch or JAX module is called in the same place.
"""

# %% Features of a game with a board: cells seen by the mover, as an array.
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import perfectplay as pp

GAME = pp.open("connect-four:5x4")
LAYOUT = GAME.layout
assert LAYOUT is not None
DICE = np.random.default_rng(1)


def planes(positions: list[pp.Position]) -> NDArray[np.float32]:
    """A row per position: for each cell and each value, whether it has it."""
    cells, _ = pp.features(positions)
    assert LAYOUT is not None
    return np.eye(LAYOUT.values, dtype=np.float32)[cells].reshape(len(cells), -1)


# %% A network with one hidden layer, and a step of gradient descent.
INPUTS = len(LAYOUT.cells) * LAYOUT.values
W1 = DICE.normal(0, 0.1, (INPUTS, 32)).astype(np.float32)
W2 = DICE.normal(0, 0.1, (32,)).astype(np.float32)


def for_mover(x: NDArray[np.float32]) -> NDArray[np.float32]:
    guess: NDArray[np.float32] = np.tanh(np.maximum(x @ W1, 0) @ W2)
    return guess


def learn(x: NDArray[np.float32], target: NDArray[np.float32], rate: float = 0.05) -> float:
    global W1, W2
    hidden = np.maximum(x @ W1, 0)
    guess = np.tanh(hidden @ W2)
    error = (guess - target) * (1 - guess**2) / len(x)
    gradient = np.outer(error, W2) * (hidden > 0)
    W2 = W2 - rate * hidden.T @ error
    W1 = W1 - rate * x.T @ gradient
    return float(np.mean((guess - target) ** 2))


def random_game() -> tuple[list[pp.Position], list[float]]:
    position, met = GAME.start(), []
    while not position.over:
        met.append(position)
        position = position.play(str(DICE.choice(position.moves)))
    gains = position.gains
    assert gains is not None
    return met, [float(gains[(p.mover or 1) - 1]) for p in met]


# %% Learn from the ends of random games.
for epoch in range(30):
    positions: list[pp.Position] = []
    targets: list[float] = []
    for _ in range(10):
        met, worth = random_game()
        positions += met
        targets += worth
    loss = learn(planes(positions), np.array(targets, dtype=np.float32))
print(f"mean squared error {loss:.3f}")

# %% The network steers the search. Guesses are for the first player.
BATCHES: list[int] = []


def evaluate(positions: list[pp.Position]) -> NDArray[np.float32]:
    BATCHES.append(len(positions))
    sign = np.array([1 if p.mover == 1 else -1 for p in positions], dtype=np.float32)
    return sign * for_mover(planes(positions))


steered = pp.open(pp.Evaluated(GAME, evaluate))
search = steered.start().search("ubfm", eval="heuristic")
search.run(nodes=3000)
print(f"{sum(BATCHES)} positions in {len(BATCHES)} batches; best line {' '.join(search.line[:5])}")
assert search.line and max(BATCHES) > 1
