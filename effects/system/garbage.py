"""Makes this process search for reference cycles less often, keep one heap, and give memory back. Only recollect's own processes
call this."""

from __future__ import annotations

import ctypes
import gc
import sys
from functools import cache, lru_cache
from typing import Any

NEW_OBJECTS = 200_000
"""New objects between two searches; Python's own number is 700."""
LARGE_CACHE = 8_000
"""Entries of a cache that a night of an ordinary history does not reach: half of what the smaller ones hold at most (16,384)."""
ARENA_MAX = -8
"""`M_ARENA_MAX` of glibc's malloc.h: the number of heaps."""
_MODEL_PACKAGES = ("effects.embedding.", "effects.judging.")
_CACHED: type[Any] = type(cache(len))
"""The type of functions with a cache, which `functools` does not name."""


def prepare_process() -> None:
    """Prepare this process for long work, best before it starts a thread: every command, worker and run of a pipeline does."""
    collect_garbage_rarely()
    use_one_heap()


def collect_garbage_rarely() -> None:
    """Search for reference cycles rarely: reading and distilling make many objects and hardly any cycles."""
    gc.set_threshold(NEW_OBJECTS)


def use_one_heap() -> None:
    """Have all threads take memory from one heap, before the first other thread starts.

    By default glibc makes a heap for each thread, up to eight for each core (mallopt(3)), and what a thread of LanceDB or Arrow
    frees in its own, no other one uses. Python holds its lock while it works, so that two threads hardly want memory at once.
    """
    if sys.platform == "linux" and (set_option := getattr(ctypes.CDLL(None), "mallopt", None)):
        set_option(ARENA_MAX, 1)


def forget_large_caches() -> int:
    """Clear the caches of our transforms that hold the texts of a long history; return how many.

    A step that walks through all texts calls it on its way: what it analysed long ago is not asked for again soon.
    """
    large = [function for function in _list_all_caches(len(sys.modules)) if function.cache_info().currsize > LARGE_CACHE]
    for function in large:
        function.cache_clear()
    return len(large)


def forget_models() -> None:
    """Clear the caches of the packages that load models: their weights go, and who needs one loads it again, in half a second to
    two."""
    for name in [name for name in sys.modules if name.startswith(_MODEL_PACKAGES)]:
        for function in _list_caches(name):
            function.cache_clear()


def give_memory_back(*, with_models: bool = False) -> None:
    """Return what earlier work has freed to the system: after an index was built, half of what the process holds.

    `with_models`: what it can load again, too (`forget_models`), 360 MB where all are there.

    Arrow's pool keeps freed memory until `release_unused`, and glibc keeps freed blocks between used ones until its `malloc_trim`
    (malloc_trim(3)); other C libraries have no such function, and nothing is called. Analysed texts that a long history left in
    caches lie scattered between freed objects and hold these, so they are forgotten.
    """
    if with_models:
        forget_models()
    if forget_large_caches() or with_models:
        gc.collect()
    if pyarrow := sys.modules.get("pyarrow"):
        pyarrow.default_memory_pool().release_unused()
    if trim := _find_trim():
        trim(0)


@lru_cache(maxsize=1)
def _list_all_caches(modules: int) -> list[Any]:
    """Return the functions with a cache of our transforms, as long as no other module is imported: each step asks for them."""
    return [function for name in list(sys.modules) if name.startswith("transforms.") for function in _list_caches(name)]


@cache
def _list_caches(module: str) -> list[Any]:
    """Return the functions with a cache of an imported module; there are ten thousand names to look through in all modules."""
    return [value for value in vars(sys.modules[module]).values() if isinstance(value, _CACHED)]


@cache
def _find_trim() -> Any | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
