"""What is set for reading much is set back."""

from __future__ import annotations

import gc

import pytest

from effects.system import bulk_memory
from effects.system.bulk_memory import collector_paused, memory_kept


def test_the_collector_is_as_before_also_after_an_error_and_when_it_was_off() -> None:
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="boom"), collector_paused():
        raise ValueError("boom")
    assert gc.isenabled()
    gc.disable()
    try:
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_memory_is_given_back_at_the_end_and_without_glibc_nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    class Glibc:
        def __init__(self) -> None:
            self.told: list[tuple[str, int, int]] = []

        def mallopt(self, name: int, value: int) -> None:
            self.told.append(("mallopt", name, value))

        def malloc_trim(self, pad: int) -> None:
            self.told.append(("trim", pad, 0))

    glibc = Glibc()
    monkeypatch.setattr(bulk_memory, "_glibc", lambda: glibc)
    with memory_kept():
        assert glibc.told == [("mallopt", -1, 1 << 30), ("mallopt", -3, 1 << 25)]
    assert glibc.told[2:] == [("mallopt", -1, 1 << 26), ("trim", 0, 0)]
    with pytest.raises(ValueError, match="boom"), memory_kept():
        raise ValueError("boom")
    assert glibc.told[-1] == ("trim", 0, 0)
    monkeypatch.setattr(bulk_memory, "_glibc", lambda: None)
    with memory_kept():
        pass
