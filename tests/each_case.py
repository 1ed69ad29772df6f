"""Tests of a table: one test for all cases, where each case would be too short to be set up, collected and reported alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import pytest

Test = Callable[..., None]


def each_case(names: str | Sequence[str], cases: Iterable[Any], /, **more: Iterable[Any]) -> Callable[[Test], Test]:
    """Call a test with each case, as `pytest.mark.parametrize` does, in one test; every case that fails is told, with its values.

    `more` has the values of further parameters: each case is called with each of them, as below stacked marks.

    For cases that need no fixture: a test of pytest costs 10 ms of processor time before and after its own, in three processes.

    Raises:
        ValueError: when there is no case, and the test would hold nothing.
    """
    is_single = isinstance(names, str) and "," not in names
    keys = [name.strip() for name in (names.split(",") if isinstance(names, str) else names)]
    rows = [(case,) if is_single else tuple(case) for case in cases]
    beside = list(product(*more.values()))
    table = [dict(zip((*keys, *more), row + others, strict=True)) for row in rows for others in beside]
    if not table:
        raise ValueError(f"no case of {[*keys, *more]}")

    def decorate(test: Test) -> Test:
        if left := [name for name in inspect.signature(test).parameters if name not in keys and name not in more]:
            raise ValueError(f"{test.__name__} takes {left}: a test with fixtures is one for `pytest.mark.parametrize`")

        def check_all() -> None:
            errors = [error for case in table if (error := _find_error(test, case))]
            if len(errors) == 1:
                raise errors[0]
            if errors:
                raise ExceptionGroup(f"{len(errors)} of {len(table)} cases", errors)

        check_all.__name__, check_all.__doc__, check_all.__module__ = test.__name__, test.__doc__, test.__module__
        check_all.place_as = test  # type: ignore[attr-defined]  # where pytest says that the test stands
        return check_all

    return decorate


def _find_error(test: Test, case: dict[str, Any]) -> Exception | None:
    try:
        test(**case)
    except Exception as error:  # noqa: BLE001 - whatever a test may end with
        error.add_note(f"the case: {case!r}")
        return error
    except pytest.skip.Exception as skipped:
        raise ValueError("a case cannot be skipped: the others would be, too") from skipped
    return None
