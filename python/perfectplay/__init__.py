"""Solves and plays perfect-information games for two or more players.

>>> import perfectplay as pp
>>> position = pp.open("connect-four:4x4").start().play("2")
>>> position.mover, position.moves
(2, ('1', '2', '3', '4'))
>>> position.solve().verdict
'draw'

What there is: `games`, `algorithms`, `open`, `verify`, `match`, `tournament`, `train`, `run_job`; your own game as a
subclass of `Game`; `from_openspiel`. docs/python.md is the guide.
"""

from ._native import __version__
from .arena import TournamentReport, match, tournament
from .catalog import AlgorithmInfo, Facts, GameInfo, OptionInfo, algorithms, games
from .custom import Evaluated, Game, check_game
from .jobs import job_id, run_job
from .openspiel import from_openspiel
from .parallel import Solved, solve_in_parallel
from .position import Layout, OpenGame, Position, features, open
from .progress import Bar, Progress
from .proofs import Proof, verify
from .report import Bounds, MoveReport, ProofFile, Report
from .search import Search
from .training import TrainReport, train

__all__ = [
    "AlgorithmInfo",
    "Bar",
    "Bounds",
    "Evaluated",
    "Facts",
    "Game",
    "GameInfo",
    "Layout",
    "MoveReport",
    "OpenGame",
    "OptionInfo",
    "Position",
    "Progress",
    "Proof",
    "ProofFile",
    "Report",
    "Search",
    "Solved",
    "TournamentReport",
    "TrainReport",
    "__version__",
    "algorithms",
    "check_game",
    "features",
    "from_openspiel",
    "games",
    "job_id",
    "match",
    "open",
    "run_job",
    "solve_in_parallel",
    "tournament",
    "train",
    "verify",
]
