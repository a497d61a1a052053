"""Compare algorithms: nodes to a proof, with a plot if matplotlib is there; then by play."""

# %% What every exact algorithm needs for the same position.
import tempfile
from pathlib import Path

import perfectplay as pp

POSITION = pp.open("connect-four:4x4").start()
NAMES = ["df-pn", "df-mopns", "alpha-beta", "ubfm", "descent"]

needed: dict[str, int] = {}
for name in NAMES:
    report = POSITION.solve(name, nodes=5_000_000)
    assert report.solved and report.value == [0, 0], name
    needed[name] = report.nodes
    print(f"{name:10} {report.nodes:>10,} nodes  {report.seconds:6.2f} s")

# %% A bar for each, on a logarithmic scale.
try:
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt
except ImportError:
    print("matplotlib is not installed: no plot")
else:
    figure, axes = plt.subplots(figsize=(6, 3))
    ranked = sorted(NAMES, key=lambda name: needed[name])
    axes.barh(ranked, [needed[name] for name in ranked], color="#30638e")
    axes.set_xscale("log")
    axes.set_xlabel("nodes to prove that Connect Four on 4x4 is a draw")
    figure.tight_layout()
    file = Path(tempfile.mkdtemp()) / "nodes.svg"
    figure.savefig(file)
    print("plot in", file)

# %% Who plays better with the same number of nodes? Every opening is played twice, with both in either seat.
players = ["ubfm@nodes=2000", "mcts@nodes=2000", "random"]
result = pp.tournament("connect-four:7x6", players, rounds=2, store=None)
print(result)
assert result.table[-1]["player"] == "random"
