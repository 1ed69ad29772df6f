"""Import one module of a package without running the package itself."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType


@contextmanager
def light_parents(*names: str) -> Iterator[None]:
    """Lets a module be imported without running its parent packages (the first of `names` is the outermost); they can be
    imported in full later. 0.1 s instead of 2.7 s for `mlx_embeddings`, 0.01 s instead of 0.8–2.5 s for `lancedb`.

    Raises:
        ModuleNotFoundError: when the outermost package is not installed.
    """
    before = {name: sys.modules.get(name) for name in names}
    root = importlib.util.find_spec(names[0])
    if root is None or not root.submodule_search_locations:
        raise ModuleNotFoundError(f"`{names[0]}` is not installed", name=names[0])
    base = Path(next(iter(root.submodule_search_locations)))
    for name in names:
        if before[name] is None:
            stub = ModuleType(name)
            stub.__path__ = [str(base.joinpath(*name.split(".")[1:]))]
            sys.modules[name] = stub
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
