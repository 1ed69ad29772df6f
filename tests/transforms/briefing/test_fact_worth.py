"""How likely a fact is worth reading, by the form of its row."""

from __future__ import annotations

from typing import Any, cast

from transforms.briefing.fact_worth import WORTH_WEIGHTS, describe_fact, judge_fact
from transforms.tables.window_tables import ObservationRow


def judge(text: str, kind: str = "request", origin: str | None = "owner", age: float = 0.0) -> float:
    row: dict[str, Any] = {"text": text, "kind": kind, "origin": origin}
    return judge_fact(describe_fact(cast(ObservationRow, row)), age)


def test_form_tells_how_likely_a_fact_is_worth_reading_and_each_sign_for_itself() -> None:
    """Of sayings half are, of what an agent did a quarter, of answered questions a quarter, of rules four in five."""
    said = judge('"the nightly job must not touch the ledger"')
    assert judge('"the nightly job must not touch the ledger"', kind="rule") > said
    assert judge('"the nightly job must not touch the ledger"', kind="question") < said
    assert judge('"the nightly job must not touch the ledger"', origin="agent") < said
    assert judge('"the nightly job must not touch the ledger"', age=0.9) < said
    assert judge('"twelve"') < said
    assert judge('"the nightly job must not touch the ledger" (about: "Which tables?")') < judge(
        '"the nightly job must not touch the ledger" Reply: "Which tables?" No'
    )


def test_a_row_of_an_older_version_is_judged_as_the_owners() -> None:
    """Rows without an origin passed the checks of their time."""
    assert judge("a b c", origin=None) == judge("a b c")


def test_there_is_a_weight_for_each_feature_and_for_the_age() -> None:
    """A weight more or less would move every other one."""
    row = cast(ObservationRow, {"text": "x", "kind": "fact", "origin": "agent"})
    assert len(describe_fact(row)) + 2 == len(WORTH_WEIGHTS)
