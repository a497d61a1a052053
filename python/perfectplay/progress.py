"""How long work goes on: a function that is called now and then, and a bar made of it."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Iterator

ProgressFunction = Callable[["Progress"], object]
Tell = Callable[[int, int, float | None, int | None, float], object] | None
"""What the native half calls."""


@dataclass(frozen=True)
class Progress:
    """How far work has come. Of a tournament, `nodes` counts its games."""

    nodes: int
    bytes: int
    share: float | None
    """From 0 to 1, if that can be told."""
    depth: int | None
    seconds: float


class Bar:
    """A line that tells how work goes on: `position.solve(progress=pp.Bar())`.

    In a terminal it is drawn on standard error and taken away when the work has ended, in a notebook it stays below the
    cell. It takes what a budget allows as the end,
    if it is told: `pp.Bar(time=60)`.
    """

    WIDTH = 24

    def __init__(self, what: str = "", time: float | None = None, nodes: int | None = None) -> None:
        self.what = what
        self.time = time
        self.nodes = nodes
        self._handle: Any = None
        self._notebook = "IPython" in sys.modules and _in_notebook()

    def __call__(self, progress: Progress) -> None:
        self._show(self.line(progress))

    def line(self, progress: Progress) -> str:
        """The line as text."""
        shares = [progress.share]
        shares.append(progress.seconds / self.time if self.time else None)
        shares.append(progress.nodes / self.nodes if self.nodes else None)
        known = [share for share in shares if share is not None]
        parts = [f"{progress.seconds:.1f} s", f"{progress.nodes:,} nodes"]
        if progress.seconds > 0:
            parts.append(f"{progress.nodes / progress.seconds / 1e6:.2f} M/s")
        if progress.depth is not None:
            parts.append(f"depth {progress.depth}")
        if progress.bytes:
            parts.append(f"{progress.bytes / 2**20:,.0f} MiB")
        bar = ""
        if known:
            done = round(min(max(known), 1.0) * self.WIDTH)
            bar = f"[{'#' * done}{'.' * (self.WIDTH - done)}] "
        return f"{self.what}{' ' if self.what else ''}{bar}{' · '.join(parts)}"

    def _show(self, line: str) -> None:
        if self._notebook:
            from IPython.display import display

            if self._handle is None:
                self._handle = display({"text/plain": line}, raw=True, display_id=True)
            else:
                self._handle.update({"text/plain": line}, raw=True)
        elif sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K" + line[:200])
            sys.stderr.flush()

    def close(self) -> None:
        """Takes the line away."""
        if not self._notebook and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _in_notebook() -> bool:
    from IPython import get_ipython

    shell = get_ipython()
    return shell is not None and shell.has_trait("kernel")


@contextmanager
def telling(progress: ProgressFunction | None) -> Iterator[Tell]:
    """What the native half calls while work goes on; a bar is taken away when it has ended."""
    try:
        told = progress
        yield None if told is None else lambda *now: told(Progress(*now))
    finally:
        if isinstance(progress, Bar):
            progress.close()
