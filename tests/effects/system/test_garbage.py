"""Memory that work has freed goes back to the system."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from functools import cache
from types import ModuleType

import pytest

PROGRAM = """
import re
from pathlib import Path
from effects.system.garbage import give_memory_back

def read_resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

blocks = [bytes(2_000) for _ in range(60_000)]  # above the size that Python's own allocator serves, below that of its own mapping
kept = blocks[-1]  # the last one holds the heap's end where it is
del blocks
before = read_resident()
give_memory_back()
print(before - read_resident())
"""


def has_malloc_trim() -> bool:
    """Whether the C library is one that keeps what was freed."""
    return sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim")


@pytest.mark.skipif(not has_malloc_trim(), reason="the C library of this system gives memory back by itself")
def test_what_was_freed_below_a_block_that_is_kept_goes_back_to_the_system() -> None:
    """Without the call more than 100 MB stay with the process."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert float(done.stdout) > 80


HEAPS = """
import ctypes, sys, threading
from effects.system.garbage import use_one_heap

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
if sys.argv[1] == "one":
    use_one_heap()
is_over = threading.Event()

def take():
    libc.malloc(2_000)
    is_over.wait()

threads = [threading.Thread(target=take) for _ in range(4)]
for thread in threads:
    thread.start()
libc.fdopen.restype = ctypes.c_void_p
libc.malloc_info(0, ctypes.c_void_p(libc.fdopen(1, b"w")))
libc.fflush(None)
is_over.set()
"""


@pytest.mark.skipif(not has_malloc_trim(), reason="the C library of this system has one heap")
def test_all_threads_share_one_heap() -> None:
    """Each thread of LanceDB had one: what an index left in them were 80 MB after a night's memory was given back."""
    heaps = {
        name: subprocess.run([sys.executable, "-c", HEAPS, name], capture_output=True, text=True, check=True).stdout.count(
            "<heap nr"
        )
        for name in ("many", "one")
    }
    assert heaps["one"] == 1
    assert heaps["many"] > 1


def test_on_a_c_library_without_it_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    """The call is made after every step on every system."""
    from effects.system import garbage

    garbage._find_trim.cache_clear()
    monkeypatch.setattr(garbage.sys, "platform", "darwin")
    garbage.give_memory_back()
    assert garbage._find_trim() is None
    garbage._find_trim.cache_clear()


def test_texts_of_a_long_history_are_forgotten_and_those_of_a_short_one_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Analysing a text again is cheap, holding a hundred thousand of them is not."""
    from effects.system import garbage
    from transforms.language.tokenizer import stem

    stem.cache_clear()
    monkeypatch.setattr(garbage, "LARGE_CACHE", 2)
    stem("queues"), stem("queue")
    garbage.give_memory_back()
    assert stem.cache_info().currsize == 2
    stem("queued")
    garbage.give_memory_back()
    assert stem.cache_info().currsize == 0


def test_the_caches_of_a_module_that_is_imported_later_are_forgotten_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions are listed again when there are more modules."""
    from effects.system import garbage

    garbage.give_memory_back()
    later = ModuleType("transforms.imported_later")
    later.double = cache(lambda number: 2 * number)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, later.__name__, later)
    monkeypatch.setattr(garbage, "LARGE_CACHE", 2)
    assert [later.double(number) for number in range(3)] == [0, 2, 4]
    garbage.give_memory_back()
    assert later.double.cache_info().currsize == 0


def test_models_are_forgotten_when_a_long_history_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are 360 MB beside the comparison of all facts, and loaded again in two seconds."""
    from effects.system import garbage

    loading = ModuleType("effects.embedding.imported_later")
    loading.load = cache(object)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, loading.__name__, loading)
    model = loading.load()
    garbage.give_memory_back()
    assert loading.load() is model
    garbage.give_memory_back(with_models=True)
    assert loading.load() is not model
