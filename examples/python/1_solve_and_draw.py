"""Solve a game, look at every move, draw the board, hand on a proof.

Each `# %%` is a cell: VS Code, Spyder and `jupytext --to notebook` open this file as a notebook.
"""

# %% A game is a name and parameters; positions are values.
import tempfile
from pathlib import Path

import perfectplay as pp

game = pp.open("connect-four:5x4")
position = game.start().play("3")
print(position)  # a notebook draws it: position on the last line of a cell is enough

# %% The exact value, by the default algorithm.
report = position.solve()
print(report)
assert report.value == [0, 0]

# %% Every move, best first.
for move in position.analyse().moves:
    print(move.move, "proved" if move.resolved else "guessed", move.value)

# %% A search of your own: in slices, watched, saved, resumed.
folder = Path(tempfile.mkdtemp())
search = position.search("df-pn", exact=True)
while search.run(nodes=20_000) == "nodes":
    print(f"{search.report().nodes:>8,} nodes, best line so far {' '.join(search.line[:4])}")
search.save(folder / "search")
assert position.resume(folder / "search").report().value == [0, 0]

# %% A proof that another program can check, by the rules alone.
position.solve(proof=folder / "draw.proof")
proof = pp.verify(folder / "draw.proof")
print(proof.verdict, *proof.statements, sep="\n  - ")
assert proof

# %% Pictures for a page.
(folder / "board.svg").write_text(position.svg())
(folder / "tree.svg").write_text(pp.open("tic-tac-toe").start().play("a1 b2 c3 a3 c1 c2").tree(3, form="svg"))
print("pictures in", folder)
