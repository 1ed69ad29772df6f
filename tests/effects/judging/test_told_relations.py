"""A fact of which one part changed is shown with what changed, wherever it is shown as current."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from effects.judging.rule_relations import list_doubted_by_rules, mark_by_rules
from effects.judging.told_relations import mark_changed_parts, read_changed_parts
from effects.opening.request_recall import render_recalled_facts
from effects.pages.page_facts import read_marks
from effects.pages.project_briefing import render_briefing
from effects.recall.ask import ask, open_recall
from effects.recall.show_record import show_record
from effects.store.forgotten import read_remembered
from effects.store.run import Run
from recollect.answer_page import print_answer
from tests.effects.recall_world import DAY, SHOP, START, fact, filled, settle, write
from transforms.answers.hit_lines import render_answer
from transforms.recall.types import Filters
from transforms.tables.schema import OBSERVATIONS, TABLES, read_rows

LATER = START + timedelta(days=7)
WHOLE = "Ledger export runs weekly on Fridays as CSV, and Pia reads it"
PART = "Ledger export is written as Parquet [zstd]"
MARK = "in part replaced 2026-02-16: Ledger export is written as Parquet (zstd) (o-part)"


def relate(run: Run, older: str, newer: str, relation: str = "replaces_part", **more: Any) -> None:
    row = {"older_id": older, "newer_id": newer, "relation": relation, "engine": "test", "template_hash": "", "asked_on": DAY}
    write(run, "relations", [row | more])


def make_run(root: Path) -> Run:
    run = filled(root, is_indexed=False)
    write(run, "observations", [fact("whole", WHOLE), fact("part", PART, said_at=LATER)])
    relate(run, "o-whole", "o-part")
    return run


def brief(run: Run) -> str:
    return render_briefing(run, {name: read_remembered(run.lake, name) for name in TABLES}, SHOP, budget=2000)


def test_a_fact_with_a_changed_part_says_so_on_pages_in_answers_and_by_its_id(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(tmp_path)
    settle(run)
    assert f"{WHOLE} (Feb 9, `o-whole`) ⚠️ {MARK}" in brief(run)
    assert MARK in render_recalled_facts(run, SHOP, "Who reads the ledger export?", 500)
    answer = ask(open_recall(run), "Who reads the ledger export?", Filters(sources=("observation",)))
    hit = next(hit for hit in answer.hits if hit.id == "o-whole")
    assert hit.changed == next(row for row in answer.as_json()["hits"] if row["id"] == "o-whole")["changed"] == MARK
    assert f"[o-whole, 2026-02-09, {MARK}]" in (answer.answer or "")
    assert f"decision, {MARK}" in render_answer(answer, run.zone, 2000)
    print_answer(answer, run.zone, date(2026, 2, 20))
    assert f"shop · {MARK}  o-whole" in capsys.readouterr().out
    assert ("in part replaced by", "o-part") in [(link.relation, link.id) for link in show_record(run, "o-whole").parents]
    assert ("replaces a part of", "o-whole") in [(link.relation, link.id) for link in show_record(run, "o-part").children]


def test_the_mark_names_the_fact_that_holds_now_and_stands_at_the_one_that_absorbed_the_earlier(tmp_path: Path) -> None:
    run = filled(tmp_path, is_indexed=False)
    rows = [
        fact("first", WHOLE, superseded_by="o-whole", entry_ids=["aa"]),
        fact("whole", WHOLE + ".", also=["shop-1:aa"], said_at=START + timedelta(days=1)),
        fact("part", "Ledger export is JSON", superseded_by="o-last", said_at=LATER),
        fact("last", PART, said_at=LATER + timedelta(days=1)),
    ]
    write(run, "observations", rows)
    relate(run, "o-first", "o-part")
    assert read_marks(run) == {"o-whole": MARK.replace("o-part", "o-last")}


def test_nothing_is_marked_that_was_replaced_or_said_again_since_or_whose_change_was_forgotten(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    write(
        run, "observations", [fact("again", WHOLE, superseded_by="o-whole", entry_ids=["bb"], said_at=LATER + timedelta(days=1))]
    )
    assert list(read_changed_parts(run)) == ["o-whole"]  # `again` cites nothing that `whole` does: no restatement of it
    gone = {"target": "o-part", "reason": "o-part", "at": datetime(2026, 2, 18, tzinfo=UTC), "is_undone": False}
    write(run, "tombstones", [gone])
    assert read_changed_parts(run) == {}

    other = filled(tmp_path / "other", is_indexed=False)
    said_again = fact("again", WHOLE, superseded_by="o-whole", entry_ids=["bb"], said_at=LATER + timedelta(days=1))
    write(other, "observations", [fact("whole", WHOLE, also=["shop-1:bb"]), fact("part", PART, said_at=LATER), said_again])
    relate(other, "o-whole", "o-part")
    relate(other, "o-old", "o-part")  # replaced as a whole
    assert read_changed_parts(other) == {}


def test_a_change_shows_in_the_owners_zone(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    run = replace(run, settings=replace(run.settings, timezone="Pacific/Kiritimati"))
    assert "2026-02-17" in read_marks(run)["o-whole"]


CHOICE = 'Mara decided: "Stripe" (asked: Which gateway?; not: Paymob; Fawry)'
AGAIN = 'Mara said: "Stripe does not work here, we use Paymob"'


def choose(run: Run, *later: str) -> None:
    rows = [fact("choice", CHOICE, kind="decision", origin="owner")]
    rows += [
        fact(f"later{place}", text, kind="status", origin="owner", said_at=LATER + timedelta(days=place))
        for place, text in enumerate(later)
    ]
    write(run, "observations", rows)


def test_a_picked_option_that_its_owner_names_again_with_another_one_is_marked_goes_behind_and_is_no_line(tmp_path: Path) -> None:
    run = filled(tmp_path, is_indexed=False)
    choose(run, AGAIN)
    assert mark_by_rules(run) == {"named_again": 1}
    assert mark_by_rules(run) == {}  # a second night writes nothing
    settle(run)
    assert '⚠️ later, 2026-02-16: Mara said: "Stripe does not work here, we use Paymob" (o-later0)' in brief(run)
    hits = ask(open_recall(run), "Which gateway, Stripe?", Filters(sources=("observation",))).hits
    assert [hit.id for hit in hits if hit.id in ("o-choice", "o-later0")] == ["o-later0", "o-choice"]
    assert list_doubted_by_rules(run) == ["o-choice"]
    assert ("named again by", "o-later0") in [(link.relation, link.id) for link in show_record(run, "o-choice").parents]
    assert ("names again", "o-choice") in [(link.relation, link.id) for link in show_record(run, "o-later0").children]


def test_a_picked_option_that_is_only_mentioned_again_or_that_a_model_judged_has_no_mark(tmp_path: Path) -> None:
    run = filled(tmp_path / "mentioned", is_indexed=False)
    choose(run, 'Mara asked: "connect Stripe to the Django admin"')
    assert mark_by_rules(run) == {}
    run = filled(tmp_path / "judged", is_indexed=False)
    choose(run, AGAIN)
    relate(run, "o-choice", "o-later0", "unrelated")
    assert mark_by_rules(run) == {}
    assert read_marks(run).get("o-choice") is None


def test_what_goes_on_to_hold_of_a_replaced_fact_is_said_beside_the_one_that_took_its_place(tmp_path: Path) -> None:
    """Its words stand in no table of relations: with the earlier fact they are forgotten; and they go with the later one."""
    told = "Ledger export runs on Fridays, and Pia reads it at noon"
    run = filled(tmp_path, is_indexed=False)
    rows = [fact("whole", told, superseded_by="o-part"), fact("part", "Ledger export runs on Mondays", said_at=LATER)]
    write(run, "observations", rows)
    relate(run, "o-whole", "o-part", "replaces", keeps=[told.index("Pia"), len(told)])
    assert read_marks(run) == {"o-part": "still, from 2026-02-09: Pia reads it at noon (o-whole)"}
    settle(run)
    assert "runs on Mondays (Feb 16, `o-part`) · still, from 2026-02-09: Pia reads it at noon" in brief(run)
    assert ("supersedes", "o-whole") in [(link.relation, link.id) for link in show_record(run, "o-part").children]
    assert not [link for link in show_record(run, "o-part").parents if link.relation == "in part replaced by"]
    later = run.lake.read("observations").filter(pl.col("observation_id") == "o-part")
    (told,) = mark_changed_parts(run, read_rows(OBSERVATIONS, later))
    assert told["text"] == "Ledger export runs on Mondays (still, from 2026-02-09: Pia reads it at noon)"


@pytest.mark.parametrize("relation", ["replaces", "changed_number"])
def test_places_as_a_later_version_may_keep_them_are_passed_over(tmp_path: Path, relation: str) -> None:
    """Who goes back to this version after an upgrade is answered: an older one broke with an unexpected error."""
    run = filled(tmp_path, is_indexed=False)
    retired = {"superseded_by": "o-part"} if relation == "replaces" else {}
    rows = [fact("whole", "Export runs at 4", **retired), fact("part", "Export runs at 5", said_at=LATER)]
    write(run, "observations", rows)
    relate(run, "o-whole", "o-part", relation, keeps=[0, 6, 15])
    assert ("o-whole" in read_marks(run)) == (relation == "changed_number")
    assert "o-part" not in read_marks(run)


SHORT = "The public plan shows a first name and an initial (rejected: the whole name; no name)"
LONG = (
    "Every public page of the plan shows a first name and an initial, and mail addresses never (wrong: /teachers with all mails)"
)


def restate(root: Path, absorbed: str) -> Run:
    """Return a run in which a model called a correction and a decision the same, and the decision stands for both."""
    run = filled(root, is_indexed=False)
    rows = [
        fact("short", SHORT, also=["shop-1:cc"]),
        fact("long", absorbed, kind="correction", superseded_by="o-short", entry_ids=["cc"], said_at=LATER),
    ]
    write(run, "observations", rows)
    relate(run, "o-short", "o-long", "restates")
    return run


def test_what_only_the_absorbed_one_of_two_restatements_says_stands_beside_the_other(tmp_path: Path) -> None:
    """What is right, and what was wrong: on pages, in answers, in requests. It is no warning."""
    run = restate(tmp_path, LONG)
    said = (
        "also said 2026-02-16: Every public page of the plan shows a first name and an initial, and mail addresses never"
        "; not: /teachers with all mails"
    )
    assert read_marks(run) == {"o-short": f"{said} (o-long)"}
    settle(run)
    assert f"`o-short`) · {said} (o-long)" in brief(run)
    answer = ask(open_recall(run), "What does the public plan show?", Filters(sources=("observation",)))
    assert next(hit for hit in answer.hits if hit.id == "o-short").changed == f"{said} (o-long)"
    assert ("supersedes", "o-long") in [(link.relation, link.id) for link in show_record(run, "o-short").children]
    assert "o-long" not in [link.id for link in show_record(run, "o-short").parents]
    (told,) = mark_changed_parts(
        run, read_rows(OBSERVATIONS, run.lake.read("observations").filter(pl.col("observation_id") == "o-short"))
    )
    assert told["text"] == f"{SHORT} ({said})"
    write(run, "tombstones", [{"target": "o-long", "at": LATER, "reason": "", "is_purged": False, "is_undone": False}])
    assert read_marks(run) == {}


@pytest.mark.parametrize("absorbed", ["The public plan shows first names and initials", SHORT, "Initials, please!"])
def test_a_restatement_that_says_nothing_more_is_not_said_twice(tmp_path: Path, absorbed: str) -> None:
    assert read_marks(restate(tmp_path, absorbed)) == {}


def test_a_name_of_code_that_only_the_absorbed_one_has_is_said(tmp_path: Path) -> None:
    """The command is what a reader needs of the rule, however few words it takes."""
    marks = read_marks(restate(tmp_path, "The public plan shows first names and initials (`make plan`)"))
    assert "`make plan`" in marks["o-short"]


def test_of_many_restatements_those_with_most_of_their_own_are_said(tmp_path: Path) -> None:
    """Two at most, and none that the ones before it tell already."""
    run = filled(tmp_path, is_indexed=False)
    texts = {
        "wide": "The public plan shows a first name and an initial on the grid, the feed of calendars and each printed sheet",
        "feed": "The public plan shows a first name and an initial on the grid and the feed of calendars",
        "mail": "The public plan shows a first name and an initial, no mail address, no phone number",
        "born": "The public plan shows a first name and an initial, no birthday and no street",
    }
    rows = [fact(name, text, superseded_by="o-short", entry_ids=[name]) for name, text in texts.items()]
    write(run, "observations", [fact("short", SHORT, also=[f"shop-1:{name}" for name in texts], said_at=LATER), *rows])
    for name in texts:
        relate(run, f"o-{name}", "o-short", "restates")
    (mark,) = read_marks(run).values()
    assert [name for name in texts if f"(o-{name})" in mark] == ["wide", "mail"]


def test_what_goes_on_to_hold_goes_with_the_fact_beside_which_it_was_said(tmp_path: Path) -> None:
    """Nothing was asked about the words again, so what replaces that fact may have replaced them, too."""
    run = filled(tmp_path, is_indexed=False)
    rows = [
        fact("whole", WHOLE, superseded_by="o-last"),
        fact("part", PART, superseded_by="o-last", said_at=LATER),
        fact("last", "Ledger export is gone", said_at=LATER + timedelta(days=1)),
    ]
    write(run, "observations", rows)
    relate(run, "o-whole", "o-part", "replaces", keeps=[WHOLE.index("Pia"), len(WHOLE)])
    assert read_marks(run) == {}
