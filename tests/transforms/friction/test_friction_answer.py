"""What a model says about friction counts only with rows of two sessions that bear it out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.each_case import each_case
from transforms.friction.friction_answer import FrictionAnswer, ground_friction, parse_friction_lines
from transforms.friction.week_evidence import WeekRow
from transforms.pages.memory_md import Bullet, parse_memory

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
LATER = START + timedelta(1)
PAGE = "# Memory\n\n## Patterns\n\n- (2026-01-02) Tests of the shop run with `make check`\n"
ROWS = [
    WeekRow("User objected: “german comments again”", ("correction", "owner"), START, "/work/shop", ("s1",), "o-1", "owner"),
    WeekRow("User asked: “comments in english please”", ("request", "owner"), LATER, "/work/shop", ("s2",), "o-2", "owner"),
    WeekRow(
        "`make check` failed (exit 2): No rule to make target; then `just check` worked instead",
        ("failed command", "tool"), START, "/work/shop", ("s1",), "s1:e4", "tool", 12.0,
    ),
    WeekRow(
        "`make check` failed (exit 2): No rule to make target",
        ("failed command", "tool"), LATER, "/work/shop", ("s2",), "s2:e9", "tool", 4.0,
    ),
]  # fmt: skip


def bullets() -> tuple[Bullet, ...]:
    return tuple(parse_memory(PAGE).bullets)


def ground(**item: object):
    answer = FrictionAnswer.model_validate({"items": [{"pattern": "repeated correction", "text": "", "refs": []} | item]})
    return ground_friction(answer, ROWS, bullets(), ["Run tests with `make check`"], UTC)


def test_an_item_that_two_sessions_bear_out_becomes_a_friction_with_their_evidence() -> None:
    (found,) = ground(text="Comments in the shop's code are in English", refs=[1, 2]).items
    assert found.sessions == ("s1", "s2")
    assert found.evidence == ("o-1", "o-2")
    assert found.origin == "owner"


@each_case(
    ("item", "reason"),
    [
        ({"text": "Comments in the shop's code are in English", "refs": [1]}, "rests on one session"),
        ({"text": "Comments in the shop's code are in English", "refs": [7, 9]}, "cites what was not given"),
        ({"text": "Comments go to docs/notes.txt in English", "refs": [1, 2]}, "not in what it cites"),
        ({"text": "Comments in the shop are checked by `make check` in English", "refs": [1, 2]}, "not in what it cites"),
        ({"text": "Tests of the shop run with `just check`", "refs": [3, 4], "pattern": "stale memory"}, "quotes no line"),
        (
            {"text": "Tests run with `just check`", "refs": [3, 4], "pattern": "stale memory", "replaces": "Tests run with make"},
            "quotes no line",
        ),
    ],
)
def test_an_item_that_rests_on_less_is_held_with_its_reason(item: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        ground(**item)


def test_a_stale_line_is_replaced_exactly_and_one_of_another_file_is_named() -> None:
    told = {"text": "Tests of the shop run with `just check`", "refs": [3, 4], "pattern": "stale memory", "target": "memory"}
    (found,) = ground(**told, replaces="(2026-01-02) Tests of the shop run with `make check`").items
    assert (found.old_line, found.scope, found.minutes) == (
        "- (2026-01-02) Tests of the shop run with `make check`",
        "memory",
        8.0,
    )
    (found,) = ground(**told, replaces="Run tests with `make check`").items
    assert (found.old_line, found.scope) == (None, "agents")
    assert found.text.endswith("(instead of “Run tests with `make check`”)")


def test_a_stale_line_may_end_with_a_quotation() -> None:
    page = '# Memory\n\n## Patterns\n\n- (2026-01-02) Tests of the shop run with `make check`, "nothing else"\n'
    told = {"pattern": "stale memory", "text": "Tests of the shop run with `just check`", "refs": [3, 4]}
    item = told | {"replaces": '(2026-01-02) Tests of the shop run with `make check`, "nothing else"'}
    found = ground_friction(FrictionAnswer.model_validate({"items": [item]}), ROWS, parse_memory(page).bullets, [], UTC)
    assert found.items[0].old_line == page.splitlines()[-1]


def test_a_model_without_a_schema_answers_in_lines() -> None:
    raw = (
        "<friction>\n- tool misuse | agents | Checks run with `just check` (#3 #4)\n"
        '- stale memory | memory | replace "old line" with: new line (#3, #4)\n</friction>'
    )
    first, second = parse_friction_lines(raw).items
    assert (first.pattern, first.target, first.text, first.refs) == (
        "tool misuse",
        "agents",
        "Checks run with `just check`",
        [3, 4],
    )
    assert (second.replaces, second.text, second.refs) == ("old line", "new line", [3, 4])
    assert parse_friction_lines("<friction>\n</friction>").items == []
    with pytest.raises(ValueError, match="<friction>"):
        parse_friction_lines("nothing")


def test_nothing_to_report_is_no_fault() -> None:
    answer = FrictionAnswer(items=[])
    assert ground_friction(answer, ROWS, bullets(), [], UTC).items == ()
