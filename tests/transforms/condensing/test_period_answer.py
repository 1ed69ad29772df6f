"""The text of a model about a period whose facts changed in part since."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date
from typing import Any

from tests.each_case import each_case
from transforms.condensing.condense import CondensedText
from transforms.condensing.period_answer import (
    PeriodAnswer,
    PeriodExcess,
    PeriodLine,
    amend_period,
    ground_period_answer,
    pack_items,
    unpack_items,
)
from transforms.condensing.period_item import PeriodItem
from transforms.condensing.period_prompt import compute_word_limit, format_prompt_item
from transforms.tables.periods import WEEK

DAY = date(2026, 3, 2)
CHANGED = "in part replaced 2026-03-20: the run starts at 04:15"
RUN = "The nightly run starts at 02:30 and ends by 06:00"


def item(key: str, text: str, kind: str = "rule", **more: Any) -> PeriodItem:
    return PeriodItem(key, kind, "high", text, DAY, (1.0, "s1", int(key[2:])), **({"sources": frozenset({key})} | more))


FACTS = [item("o-1", RUN, changed=CHANGED), item("o-2", "No customer files in git, also anonymised ones not")]


def test_a_written_line_and_sentence_say_what_changed_since_also_after_they_were_stored() -> None:
    """Nothing is asked again: the mark stands behind the model's own words."""
    lines = [
        item("p-1", "The run begins at 02:30 and is through at 06:00", sources=frozenset({"o-1"})),
        item("p-2", "No customer files in git", sources=frozenset({"o-2"})),
        item("p-3", f"{RUN}. Files were talked about.", "narrative", sources=frozenset({"o-1", "o-2"})),
    ]
    written = CondensedText("", 0, tuple(lines))
    amended = amend_period(FACTS, written, {"o-1", "o-2"}, WEEK, 900)
    assert amended is not None
    assert f"The run begins at 02:30 and is through at 06:00 ({CHANGED})" in amended.text
    assert f"{RUN} ({CHANGED}). Files were talked about." in amended.text
    assert amended.text.count(CHANGED) == 2
    assert unpack_items(pack_items(amended.items)) == amended.items
    again = amend_period(FACTS, amended, {"o-1", "o-2"}, WEEK, 900)
    assert again is not None
    assert again.text == amended.text


def test_a_model_sees_what_changed_and_its_line_says_it_or_gets_the_mark() -> None:
    """A value of the mark is in what the line cites."""
    assert format_prompt_item(1, FACTS[0]).endswith(f"{RUN} ({CHANGED})")
    texts = (RUN, "The nightly run ends by 06:00, and the run starts at 04:15 since 2026-03-20")
    for text in texts:
        answer = PeriodAnswer(lines=[PeriodLine(text=text, kind="rule", priority="high", refs=[1])])
        draft = ground_period_answer(answer, WEEK, FACTS, 900, 0, "p", UTC)
        assert draft.condensed is not None
        assert not draft.held
        assert (f"{text} ({CHANGED})" in draft.condensed.text) == (text == RUN)


@each_case(
    ("cited", "told", "kind"),
    [
        (("request", "completion"), "completion", "completion"),
        (("request", "fix"), "completion", "completion"),
        (("request", "decision"), "completion", "decision"),
        (("request", "file_change"), "completion", "file_change"),
        (("request",), "completion", "request"),
        (("request", "question"), "rule", "request"),
        (("fact", "completion"), "rule", "completion"),
        (("completion",), "fact", "fact"),
        (("request", "completion"), "request", "request"),
        (("rule", "completion"), "fact", "rule"),
        (("narrative",), "completion", "status"),
    ],
)
def test_a_line_has_a_kind_of_its_rows_and_finished_work_does_not_look_open(cited: tuple[str, ...], told: Any, kind: str) -> None:
    """A model makes nothing binding or done that no row is; but of a request, which is high, and its outcome the line is the
    outcome."""
    text = "The importer reads tables in parallel"
    rows = [item(f"o-{number}", text, row_kind) for number, row_kind in enumerate(cited, 1)]
    rows = [row if row.kind == "request" else replace(row, priority="medium") for row in rows]
    line = PeriodLine(text=text, kind=told, priority="high", refs=list(range(1, len(rows) + 1)))
    draft = ground_period_answer(PeriodAnswer(lines=[line]), WEEK, rows, 900, 0, "p", UTC)
    assert draft.condensed is not None
    assert [one.kind for one in draft.condensed.items] == [kind]


def test_a_text_that_is_too_long_says_by_how_many_words() -> None:
    """Tokens decide, and a model counts words: the share of the tokens that is too much is told in words."""
    line = PeriodLine(text=f"{RUN}, and {FACTS[1].text.lower()}", kind="rule", priority="high", refs=[1, 2])
    draft = ground_period_answer(PeriodAnswer(narrative="", lines=[line]), WEEK, FACTS, 20, 0, "p", UTC)
    assert draft.condensed is None
    assert draft.excess is not None
    assert (draft.excess.words, draft.excess.missed) == (len(line.text.split()), ())
    assert 0 < draft.excess.excess < draft.excess.words


def test_a_text_without_spaces_is_asked_for_again_at_nearly_its_length() -> None:
    """Sixty Japanese lines were sixty words, four of them too many: the next level was asked for 56 words of 459."""
    said = "水曜日の報告書は港の委員会に必ず送ることになりました、理由は委員長が毎週確認するからです、番号は"
    rows = [item(f"o-{number}", f"{said}{number}", "rule") for number in range(60)]
    lines = [PeriodLine(text=row.text, kind="rule", priority="high", refs=[at]) for at, row in enumerate(rows, 1)]
    draft = ground_period_answer(PeriodAnswer(narrative="", lines=lines), WEEK, rows, 900, 0, "p", UTC)
    assert draft.condensed is None
    assert draft.excess is not None
    again = compute_word_limit(WEEK, 900, 0.8, rows)
    assert draft.excess.words - draft.excess.excess >= again, "the level of detail decides, not the count"


def test_a_text_that_leaves_no_room_for_high_rows_names_them() -> None:
    """The model is told which rows it forgot; that it was short enough itself is no help."""
    line = PeriodLine(text=RUN, kind="rule", priority="high", refs=[1])
    rows = [replace(FACTS[0], changed=""), FACTS[1]]
    draft = ground_period_answer(PeriodAnswer(narrative="", lines=[line]), WEEK, rows, 24, 0, "p", UTC)
    assert draft.excess == PeriodExcess(len(RUN.split()), 0, (2,))
