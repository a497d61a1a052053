"""The examples run."""

from __future__ import annotations

import subprocess
import sys

import pytest

from conftest import ROOT


@pytest.mark.parametrize("file", sorted((ROOT / "examples/python").glob("*.py")), ids=lambda file: file.stem)
def test_example(file):
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
