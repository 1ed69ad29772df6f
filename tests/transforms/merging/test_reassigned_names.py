"""A name of the code that got another value retires the saying that gave the former one, whatever was typed."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.merging.plain_merges import decide_merges
from tests.transforms.merging.test_deduplicate import observation

FORMER = 'Ana said: "20" (about: "How much stays?") Reply: `SOC_MIN = 0.20` in `plan.py`.'


def retires(newer: str, kind: str = "status", **more: object) -> bool:
    rows = [observation(1, FORMER, "status"), observation(2, newer, kind, **more)]
    return decide_merges(rows)["o-0001"].superseded_by == "o-0002"


@each_case("newer", ['Ana said: "c, 18" Reply: `SOC_MIN = 0.18`.', 'Ana decided: "c" Reply: `SOC_MIN=1/5` in `plan.py`'])
def test_another_value_of_the_name_retires_the_saying(newer: str) -> None:
    assert retires(newer)


@each_case(
    ("newer", "kind", "project"),
    [
        ('Ana said: "c" Reply: `SOC_MIN = 0.20`.', "status", "/code/app"),  # the same value
        ('Ana said: "c" Reply: `SOC_MAX = 0.18`.', "status", "/code/app"),
        ('Ana said: "c" Reply: `SOC_MIN = 0.18`.', "status", "/code/other"),
        ('Ana said: "c" Reply: `SOC_MIN = 0.18` in `test_plan.py`.', "status", "/code/app"),  # another file
        ("The agent tried `SOC_MIN = 0.18`.", "status", "/code/app"),
        ('Ana asked: "what if?" Answer: `SOC_MIN = 0.18` would do.', "question", "/code/app"),
    ],
)
def test_the_same_value_other_names_places_and_speakers_retire_nothing(newer: str, kind: str, project: str) -> None:
    assert not retires(newer, kind, project=project)
