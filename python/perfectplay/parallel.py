"""Job-level proof-number search in two levels (Wu et al. 2013; PNS over parallel df-pn, 2025).

The master holds a small tree above; its leaves are jobs as texts, each a df-pn search with a fixed effort
(`pp.run_job`). What comes back is a proof, a disproof, or the proof numbers that the search ended with; an undecided
leaf is opened, and its moves become leaves. Leaves that somebody works on count as if they were to come back undecided
at a higher price (virtual proof numbers), so that the next worker goes elsewhere. Workers write the strategy of what
they prove into a folder that all can see; in the end they are put together to one certificate, which is verified.

A position is met once, however many ways lead to it, as long as its text says all there is.
"""

from __future__ import annotations

import concurrent.futures
import json
import multiprocessing
import os
import tempfile
import time
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Iterator, Protocol

from . import _native, limits
from .jobs import job_id
from .position import OpenGame, Position, open
from .progress import Progress, ProgressFunction, telling
from .proofs import Proof, verify
from .report import ProofFile

INFINITE = 1 << 40


class Worker(Protocol):
    """Where jobs are done: `submit` a text, and get results back in any order."""

    number: int
    """How many work at a time."""

    def submit(self, spec: str, model: bytes | None = None) -> None:
        """Hands out a job; `model` is what the file of a self-play's model holds."""

    def results(self, timeout: float) -> Iterator[tuple[str, str | None]]:
        """Specs and results that have come; no result: the worker died."""

    def close(self) -> None: ...


def _do(spec: str, model: bytes | None) -> str:
    """One job, on a worker."""
    return _native.run_job(spec, model)


def _ignore_interrupts() -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Processes:
    """Workers as processes of this machine."""

    PATIENCE = 5
    """So many deaths in a row, without a result between them, are no accident."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._deaths = 0
        self._begin()

    def _begin(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pool = concurrent.futures.ProcessPoolExecutor(self.number, context, initializer=_ignore_interrupts)
        self._under_way: dict[concurrent.futures.Future[str], str] = {}
        self._lost: list[str] = []

    def submit(self, spec: str, model: bytes | None = None) -> None:
        try:
            self._under_way[self._pool.submit(_do, spec, model)] = spec
        except concurrent.futures.process.BrokenProcessPool:
            self._lost.append(spec)

    def results(self, timeout: float) -> Iterator[tuple[str, str | None]]:
        done, _ = concurrent.futures.wait(
            self._under_way, timeout=0 if self._lost else timeout, return_when=concurrent.futures.FIRST_COMPLETED
        )
        finished, lost = [], self._lost
        for future in done:
            spec = self._under_way.pop(future)
            try:
                finished.append((spec, future.result()))
            except concurrent.futures.process.BrokenProcessPool:
                lost.append(spec)
        self._deaths = 0 if finished else self._deaths
        if lost:
            # One death takes the whole pool down: all that was under way is to be done again.
            self._deaths += 1
            if self._deaths >= self.PATIENCE:
                raise RuntimeError(
                    "workers died again and again; a script must call this below `if __name__ == \"__main__\":`"
                )
            lost += self._under_way.values()
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._begin()
        yield from finished
        yield from ((spec, None) for spec in lost)

    def close(self) -> None:
        for process in list((self._pool._processes or {}).values()):
            process.terminate()
        self._pool.shutdown(wait=False, cancel_futures=True)


class OnRay:
    """Workers as tasks of a Ray cluster; the folder for strategies must be one that all machines see."""

    def __init__(self, address: str | None = None, number: int | None = None, **options: Any) -> None:
        from .cluster import connect, cores

        self._ray = connect(address, **options)
        self.number = number or cores(self._ray)
        self._model: tuple[bytes, Any] | None = None
        self._remote = self._ray.remote(max_retries=-1, num_cpus=1)(_do)
        self._under_way: dict[Any, str] = {}

    def submit(self, spec: str, model: bytes | None = None) -> None:
        sent = None
        if model is not None:
            if self._model is None or self._model[0] is not model:
                self._model = model, self._ray.put(model)  # once for all tasks
            sent = self._model[1]
        self._under_way[self._remote.remote(spec, sent)] = spec

    def results(self, timeout: float) -> Iterator[tuple[str, str | None]]:
        from .cluster import fetched

        ready, _ = self._ray.wait(list(self._under_way), num_returns=1, timeout=timeout)
        for task in ready:
            spec = self._under_way.pop(task)
            yield spec, fetched(self._ray, task)

    def close(self) -> None:
        for task in self._under_way:
            self._ray.cancel(task, force=True)


@dataclass
class Node:
    """A position in the master's tree, for one question: does the first player get at least the goal?"""

    line: tuple[str, ...]
    mover: int
    proof: int = 1
    disproof: int = 1
    children: list[Node] | None = None
    parents: list[Node] = field(default_factory=list)
    job: str | None = None
    """The id of the job that is under way."""
    strategy: str | None = None

    @property
    def decided(self) -> bool:
        return self.proof == 0 or self.disproof == 0


@dataclass
class Solved:
    """What job-level search found."""

    value: list[int]
    proof: ProofFile | None
    checked: Proof | None
    jobs: int
    nodes: int
    """Nodes of all jobs together."""
    tree: int
    """Positions in the master's tree."""
    seconds: float
    worker_seconds: float
    master_seconds: float
    """Processor time of the master itself, the proof excepted."""
    lengths: list[float]
    """Seconds that each job took."""


class Master:
    """The tree above the jobs, for one question."""

    def __init__(self, position: Position, goal: int, settings: dict[str, Any]) -> None:
        self.position = position
        self.goal = goal
        self.settings = settings
        self.history = position.game.facts.history
        self.by_text: dict[str, Node] = {}
        self.by_job: dict[str, Node] = {}
        self.root = self.node(position, ())

    def node(self, position: Position, line: tuple[str, ...]) -> Node:
        """The node of a position: the one that is there, or a new one."""
        # A text may leave the past out; the moves never do.
        text = " ".join(line) if self.history else position.text
        known = self.by_text.get(text)
        if known is not None:
            return known
        mover = position.mover
        node = Node(line, mover or 1)
        if mover is None:
            gains = position.gains if self.settings["objective"] == "gain" else position.payoff
            assert gains is not None
            node.proof, node.disproof = (0, INFINITE) if gains[0] >= self.goal else (INFINITE, 0)
        else:
            # One good move is enough for who wants it, all moves must fail for who does not.
            moves = len(position.moves)
            node.proof, node.disproof = (1, moves) if mover == 1 else (moves, 1)
        self.by_text[text] = node
        return node

    # Selection.

    def select(self) -> Node | None:
        """The leaf that would help most, among those that nobody works on."""
        return self._free_leaf(self.root, set())

    def _free_leaf(self, node: Node, seen: set[int]) -> Node | None:
        if node.decided or id(node) in seen:
            return None
        seen.add(id(node))
        if node.children is None:
            return node if node.job is None else None
        for child in sorted(node.children, key=lambda child: child.proof if node.mover == 1 else child.disproof):
            leaf = self._free_leaf(child, seen)
            if leaf is not None:
                return leaf
        return None

    def spec(self, node: Node) -> str:
        return json.dumps(
            {
                "job": "proof",
                "game": self.position.game.spec,
                "position": self.settings["position"],
                "moves": [*self.position.line, *node.line],
                "algorithm": self.settings["algorithm"],
                "objective": self.settings["objective"],
                "goal": self.goal,
                "nodes": self.settings["nodes"],
                "memory": self.settings["memory"],
                "folder": self.settings["folder"],
            }
        )

    def hand_out(self, node: Node) -> str:
        """The job for a leaf, which counts from now on as if it came back undecided at a higher price."""
        spec = self.spec(node)
        node.job = job_id(spec)
        self.by_job[node.job] = node
        node.proof, node.disproof = min(2 * node.proof + 1, INFINITE - 1), min(2 * node.disproof + 1, INFINITE - 1)
        self.update(node)
        return spec

    # What came back.

    def take_back(self, spec: str, result: dict[str, Any] | None) -> None:
        identity = job_id(spec)
        node = self.by_job.pop(identity)
        node.job = None
        if result is None:
            return  # the worker died: the leaf is free again
        if "reached" in result:
            node.proof, node.disproof = (0, INFINITE) if result["reached"] else (INFINITE, 0)
            node.strategy = result.get("strategy")
        else:
            self.open(node)
        self.update(node)

    def open(self, node: Node) -> None:
        """An undecided leaf gets its moves as leaves."""
        here = self.position.play(*node.line) if node.line else self.position
        node.children = []
        for move in here.moves:
            child = self.node(here.play(move), (*node.line, move))
            child.parents.append(node)
            node.children.append(child)

    def update(self, node: Node) -> None:
        """Numbers of a node and of all above it."""
        queue = [node]
        while queue:
            node = queue.pop()
            if node.children is not None:
                before = (node.proof, node.disproof)
                proofs, disproofs = [c.proof for c in node.children], [c.disproof for c in node.children]
                if node.mover == 1:
                    node.proof, node.disproof = min(proofs), min(sum(disproofs), INFINITE)
                else:
                    node.proof, node.disproof = min(sum(proofs), INFINITE), min(disproofs)
                if node.proof == 0:
                    node.disproof = INFINITE
                if node.disproof == 0:
                    node.proof = INFINITE
                if before == (node.proof, node.disproof):
                    continue
            queue.extend(node.parents)

    # What it has proved.

    def pieces(self) -> tuple[list[str], list[tuple[list[str], bool, int]]]:
        """Strategies, and what is proved about positions of the tree."""
        strategies = [node.strategy for node in self.by_text.values() if node.strategy is not None]
        known = [
            (list(node.line), node.proof == 0, self.goal if node.proof == 0 else self.goal - 1)
            for node in self.by_text.values()
            if node.decided
        ]
        return strategies, known

    # Checkpoints.

    def saved(self) -> list[dict[str, Any]]:
        """All that was found out, as plain data: decided leaves and opened nodes, from the root down."""
        rows = []
        for node in self.by_text.values():
            if node.children is not None or (node.decided and node.strategy is not None):
                reached = node.proof == 0 if node.decided else None
                rows.append({"line": list(node.line), "reached": reached, "strategy": node.strategy})
        return rows

    def restore(self, rows: list[dict[str, Any]]) -> None:
        for row in sorted(rows, key=lambda row: len(row["line"])):
            line = tuple(row["line"])
            node = self.node(self.position.play(*line) if line else self.position, line)
            strategy = row["strategy"]
            if strategy is not None and os.path.exists(strategy):
                node.proof, node.disproof = (0, INFINITE) if row["reached"] else (INFINITE, 0)
                node.strategy = strategy
            elif strategy is None and node.children is None and not node.decided:
                self.open(node)
            self.update(node)


def solve_in_parallel(
    position: Position | OpenGame | str,
    *,
    workers: int | None = None,
    nodes: limits.Count = 1_000_000,
    algorithm: str = "df-pn",
    objective: str = "gain",
    memory: limits.Count | None = "256M",
    folder: str | PathLike[str] | None = None,
    proof: str | PathLike[str] | None = None,
    on: str | None = None,
    address: str | None = None,
    progress: ProgressFunction | None = None,
) -> Solved:
    """Solves a position on many processes, or with `on="ray"` on many machines. Each job creates `nodes` nodes at most.

    `folder` keeps strategies and the master's tree: the same call goes on after a stop. With `proof` the certificate is
    put together and verified.
    """
    started, cpu = time.monotonic(), time.process_time()
    position = open(position).start() if isinstance(position, str) else position
    position = position.start() if isinstance(position, OpenGame) else position
    if not isinstance(position.game.source, str):
        raise ValueError("jobs are texts, so the game must have a name")
    facts = position.game.facts
    if not (facts.zero_sum and facts.players == 2):
        raise ValueError("proof-number search needs two players with opposed interests")
    if not facts.acyclic:
        raise ValueError("job-level search needs a game in which no position repeats")
    if on not in (None, "ray"):
        raise ValueError(f'on must be "ray" or None, got {on!r}')
    if workers is not None:
        limits.whole("workers", workers, 1, 1_000_000)
    if not limits.count(nodes):
        raise ValueError("a job needs one node at least")
    place = Path(folder) if folder is not None else Path(tempfile.mkdtemp(prefix="perfectplay-proof-"))
    place.mkdir(parents=True, exist_ok=True)
    settings = {
        "nodes": limits.count(nodes),
        "algorithm": algorithm,
        "objective": objective,
        "memory": limits.size(memory),
        "folder": str(place.resolve()),
        "position": position.origin,
    }
    team: Worker = Processes(workers or os.cpu_count() or 1) if on is None else OnRay(address, workers)
    run = _Run(position, settings, team, place, progress, started)
    try:
        with telling(progress):
            value = run.solve(_goals(facts.to_dict(), objective))
    finally:
        team.close()
    master_seconds = time.process_time() - cpu
    written, checked = None, None
    if proof is not None:
        strategies, known = run.pieces()
        line = position.native.assemble_proof(proof, value, objective, strategies, known)
        written = ProofFile.from_json(line)
        checked = verify(proof)
    return Solved(
        value=[value, -value],
        proof=written,
        checked=checked,
        jobs=run.jobs,
        nodes=run.nodes,
        tree=sum(len(master.by_text) for master in run.masters),
        seconds=time.monotonic() - started,
        worker_seconds=sum(run.lengths),
        master_seconds=master_seconds,
        lengths=run.lengths,
    )


def _goals(facts: dict[str, Any], objective: str) -> list[int]:
    """The questions between neighbouring outcomes."""
    outcomes = facts["outcomes"] if objective == "score" else [-1, 0, 1]
    if outcomes is None:
        raise ValueError("this game cannot list its scores: solve it for gain")
    if objective == "gain" and facts["outcomes"] is not None:
        outcomes = sorted({(score > 0) - (score < 0) for score in facts["outcomes"]})
    return list(outcomes)


class _Run:
    def __init__(
        self,
        position: Position,
        settings: dict[str, Any],
        team: Worker,
        place: Path,
        progress: ProgressFunction | None,
        started: float,
    ) -> None:
        self.position, self.settings, self.team = position, settings, team
        self.place, self.progress, self.started = place, progress, started
        self.masters: list[Master] = []
        self.jobs, self.nodes = 0, 0
        self.lengths: list[float] = []

    def solve(self, outcomes: list[int]) -> int:
        """Asks in the middle of the outcomes that are left, again and again."""
        while len(outcomes) > 1:
            middle = len(outcomes) // 2
            reached = self.ask(outcomes[middle])
            outcomes = outcomes[middle:] if reached else outcomes[:middle]
        return outcomes[0]

    def ask(self, goal: int) -> bool:
        """Whether the first player gets at least the goal."""
        master = Master(self.position, goal, self.settings)
        self.masters.append(master)
        file = self.place / f"master-{goal}.json"
        if file.exists():
            master.restore(json.loads(file.read_text()))
        under_way = 0
        saved = time.monotonic()
        while not master.root.decided:
            while under_way < self.team.number + 1 and (leaf := master.select()) is not None:
                self.team.submit(master.hand_out(leaf))
                under_way += 1
            for spec, text in self.team.results(timeout=0.5):
                under_way -= 1
                result = None if text is None else json.loads(text)
                master.take_back(spec, result)
                self._count(result)
            self._tell(master)
            if time.monotonic() - saved > 10:
                saved = time.monotonic()
                self._save(master, file)
        self._save(master, file)
        self._drain(under_way)
        return master.root.proof == 0

    def _drain(self, under_way: int) -> None:
        """What is still under way belongs to a question that has been answered."""
        while under_way > 0:
            for _, text in self.team.results(timeout=0.5):
                under_way -= 1
                self._count(None if text is None else json.loads(text))

    def _count(self, result: dict[str, Any] | None) -> None:
        if result is None:
            return
        self.jobs += 1
        self.nodes += result["report"]["nodes"]
        self.lengths.append(result["report"]["seconds"])

    def _save(self, master: Master, file: Path) -> None:
        temporary = file.with_suffix(".tmp")
        temporary.write_text(json.dumps(master.saved()))
        temporary.replace(file)

    def _tell(self, master: Master) -> None:
        if self.progress is not None:
            self.progress(Progress(self.nodes, 0, None, len(master.by_text), time.monotonic() - self.started))

    def pieces(self) -> tuple[list[str], list[tuple[list[str], bool, int]]]:
        strategies: list[str] = []
        known: list[tuple[list[str], bool, int]] = []
        for master in self.masters:
            mine, told = master.pieces()
            strategies += mine
            known += told
        return strategies, known
