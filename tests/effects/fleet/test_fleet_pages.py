"""The report of a fleet as a page."""

from __future__ import annotations

import pytest

from effects.fleet.fleet_pages import render_fleet_report
from tests.transforms.fleet.test_fleet_report import AS_OF, _figures, _result


@pytest.mark.parametrize(("owners", "words"), [(["ana"], " 1 owner; 1 done"), (["ana", "bo"], " 2 owners; 2 done")])
def test_a_report_of_one_owner_counts_one_owner(owners: list[str], words: str) -> None:
    text = render_fleet_report({
        "as_of": AS_OF.isoformat(), "seconds": 4.0, "states": {"done": len(owners)}, "team": None,
        "owners": [_figures(owner, 0) for owner in owners], "results": [_result(owner, "done") for owner in owners],
    })  # fmt: skip
    assert words in text
