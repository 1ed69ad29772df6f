"""What each file of a fresh clone is read for is made once: each worker makes a part of it, and takes the other parts from its
neighbours.

Workers that collect the same files in the same order compile and rewrite each of them, all at the same time; and Hypothesis
parses each module for the constants that it draws, before it keeps them in its folder.
"""

from __future__ import annotations

import compileall
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis.configuration import storage_directory
from hypothesis.internal.constants_ast import constants_from_module

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


def has_constants() -> bool:
    """Whether Hypothesis keeps constants of an earlier run."""
    return storage_directory("constants").path.is_dir()


def keep_constants(root: Path, number: int, workers: int) -> None:
    """Have Hypothesis keep the constants of the modules below `root` whose turn it is; it takes none from tests."""
    paths = sorted(path for package in PACKAGES if package != "tests" for path in (root / package).rglob("*.py"))
    for path in paths[number::workers]:
        module = ModuleType(path.stem)
        module.__file__ = str(path)
        constants_from_module(module)
