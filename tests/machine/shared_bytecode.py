"""Bytecode of a fresh clone is made once: each worker makes a part of it, and takes the other parts from its neighbours.

Workers that collect the same files in the same order compile and rewrite each of them, all at the same time.
"""

from __future__ import annotations

import compileall
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

PACKAGES = ("transforms", "effects", "prompts", "flows", "recollect", "benchmarks", "tests")


def make_share(root: Path, number: int, workers: int) -> None:
    """Compile the modules below `root` whose turn it is, and import the test files whose turn it is: pytest rewrites those then.

    What has its bytecode is not compiled again. What cannot be compiled or imported is left to the collection, which says so.
    """
    listed_paths = sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))
    tests = [path for path in listed_paths if path.name.startswith("test_")]
    for path in [path for path in listed_paths if not path.name.startswith("test_")][number::workers]:
        compileall.compile_file(path, quiet=2)
    for path in tests[number::workers]:
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(path.relative_to(root).with_suffix("").parts))
