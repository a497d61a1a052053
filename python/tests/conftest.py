"""What tests share."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Callable

import pytest

import perfectplay as pp

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def binary() -> str:
    """The command line, if it was built: what the package says is compared with what it prints."""
    for place in (ROOT / "target/debug/perfectplay", ROOT / "target/release/perfectplay"):
        if place.is_file():
            return str(place)
    found = shutil.which("perfectplay")
    if found is None:
        pytest.skip("the command line was not built")
    return found


@pytest.fixture(scope="session")
def run(binary: str):
    """Runs the command line."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=300)

    return run


def interrupted(run: Callable[[Callable[[pp.Progress], object]], object]) -> float:
    """Presses Ctrl-C when a run has told that it is at work; seconds until that is felt."""
    at_work, pressed = threading.Event(), []

    def press() -> None:
        at_work.wait()
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def listen(progress: pp.Progress) -> None:
        if progress.nodes > 0:
            at_work.set()

    thread = threading.Thread(target=press)
    # A shell begins what runs in its background deaf to Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run(listen)
            thread.join()  # if it was over before that
        return time.monotonic() - pressed[0]
    finally:
        at_work.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
