"""Matches and tournaments: who plays better, and how sure is that?"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Sequence

from . import _native, limits
from .progress import ProgressFunction, telling
from .report import Document

STORE = "perfectplay-arena.sqlite"
"""Where the command line keeps games, too."""


@dataclass(frozen=True, kw_only=True)
class TournamentReport(Document):
    """What the games of a tournament mean."""

    game: str
    objective: str
    games: int
    players: list[str]
    table: list[dict[str, Any]]
    """A row per player, best first."""
    pairs: list[dict[str, Any]]
    incidents: list[dict[str, Any]] = field(default_factory=list)
    planned: int | None = None
    status: str | None = None
    """`complete`, `decided` or `stopped`."""
    sprt: dict[str, Any] | None = None

    def __str__(self) -> str:
        lines = [f"{self.game}: {self.games} games"]
        for place, row in enumerate(self.table, 1):
            counts = f"+{row['wins']} ={row['draws']} -{row['losses']}"
            lines.append(f"{place:3}  {100 * row['score']:5.1f} %  {counts:16} {row['player']}")
        return "\n".join(lines)


def plan_text(game: str, players: Sequence[str], plan: dict[str, Any]) -> str:
    if not isinstance(game, str):
        raise ValueError("tournaments are played by games with a name: give it as a text")
    given = {name: value for name, value in plan.items() if value is not None}
    for name, least, most in (("rounds", 1, 1_000_000), ("longest", 1, 2**32 - 1), ("seed", 0, 2**64 - 1)):
        if name in given:
            given[name] = limits.whole(name, given[name], least, most)
    if "grace" in given:
        given["grace"] = limits.seconds(given["grace"])
    return json.dumps({"game": game, "players": list(players), **given})


def tournament(
    game: str,
    players: Sequence[str],
    *,
    rounds: int | None = None,
    openings: str | None = None,
    seatings: str | None = None,
    gauntlet: bool = False,
    objective: str = "gain",
    seed: int = 0,
    longest: int = 1000,
    grace: limits.Time = 5.0,
    threads: int | None = None,
    sprt: str | None = None,
    store: str | PathLike[str] | None = STORE,
    shard: str | None = None,
    restart: bool = False,
    progress: ProgressFunction | None = None,
    on: str | None = None,
    **cluster: Any,
) -> TournamentReport:
    """Lets players meet, and says which is better. Every game is kept in the store as it ends; the same call goes on
    after a stop. With `on="ray"` the games are played on a cluster: see `perfectplay.cluster`.

    >>> report = tournament("tic-tac-toe", ["ubfm@nodes=200", "random"], rounds=5, store=None)
    >>> report.games, report.table[0]["player"]
    (10, 'ubfm@nodes=200')
    """
    plan = plan_text(
        game,
        players,
        dict(
            rounds=rounds,
            openings=openings,
            seatings=seatings,
            gauntlet=gauntlet,
            objective=objective,
            seed=seed,
            longest=longest,
            grace=grace,
        ),
    )
    native = _native.Tournament(plan, store, shard)
    native.check()
    if on == "ray":
        from . import cluster as ray_cluster

        if sprt is not None or restart:
            raise ValueError("on a cluster a tournament is played to its end: leave sprt and restart out")
        with telling(progress):
            ray_cluster.play(native, progress=progress, **cluster)
        return TournamentReport.from_json(native.report())
    if on is not None:
        raise ValueError(f'on must be "ray" or None, got {on!r}')
    if cluster:
        raise TypeError(f"tournament() got an unexpected keyword argument {next(iter(cluster))!r}")
    used = None if threads is None else limits.threads(threads)
    with telling(progress) as tell:
        return TournamentReport.from_json(native.run(used, sprt, restart, tell))


def match(game: str, first: str, second: str, **conditions: Any) -> TournamentReport:
    """Lets two players play against each other: a `tournament` of two."""
    return tournament(game, [first, second], **conditions)
