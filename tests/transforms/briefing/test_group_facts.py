"""Which facts of a project its briefing may show, and under which heading."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime, timedelta
from types import FrameType
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from transforms.briefing import group_facts
from transforms.briefing.brief import DECLINED, LOW, MEDIUM, OFFERED, FactGroup, FactSigns
from transforms.briefing.group_facts import (
    FOUND_HEADING,
    LASTING_HEADING,
    OPEN_HEADING,
    SAID_HEADING,
    UNDERSTOOD_HEADING,
    add_open_tasks,
    group_filling_facts,
    group_high_facts,
    group_left_open,
    group_unsorted_words,
)
from transforms.tables.schema import TABLES, build_frame

ZONE = ZoneInfo("Europe/Berlin")
START = datetime(2026, 3, 2, 8, tzinfo=UTC)


def observed(*rows: tuple[str, str, str, str, str]) -> pl.DataFrame:
    """Return observations of one project from (id, kind, priority, origin, engine), each a minute after the one before."""

    def word(key: str, origin: str) -> str:
        return f'User set a rule: "{key}" Reply: noted' if origin == "owner" and key != "reworded" else key

    return build_frame(
        TABLES["observations"],
        [
            {"observation_id": key, "kind": kind, "priority": priority, "origin": origin, "engine": engine, "project": "/p",
             "verdict": "allow", "text": word(key, origin), "said_at": START + timedelta(minutes=minute), "day": date(2026, 3, 2)}
            for minute, (key, kind, priority, origin, engine) in enumerate(rows)
        ],
    )  # fmt: skip


def ids(groups: tuple[FactGroup, ...], heading: str) -> list[str]:
    return [fact.observation_id for name, facts in groups if name == heading for fact in facts]


def fill(frame: pl.DataFrame, **signs: object) -> tuple[FactGroup, ...]:
    known = FactSigns(**signs)  # type: ignore[arg-type]
    high, _ = group_high_facts(frame, "/p", ZONE, known)
    return group_filling_facts(frame, "/p", ZONE, known, high)[0]


def test_what_rules_observed_fills_the_page_most_telling_first() -> None:
    """The owner's words under headings of their own, what is meant to last before the rest, the newest first; before what was
    done."""
    groups = fill(
        observed(
            ("asked", "request", "medium", "owner", "offline"),
            ("wondered", "question", "low", "owner", "offline"),
            ("doubted", "rule", "medium", "owner", "offline"),
            ("binding", "rule", "high", "owner", "offline"),
            ("done", "completion", "medium", "agent", "offline"),
            ("cause", "root_cause", "medium", "agent", "offline"),
            ("cure", "cure", "high", "tool", "offline"),
            ("summed", "convention", "medium", "summary", "offline"),
            ("reworded", "convention", "medium", "owner", "offline"),
        )
    )
    assert ids(groups, LASTING_HEADING) == ["binding", "doubted"]
    assert ids(groups, SAID_HEADING) == ["wondered", "asked"]
    assert ids(groups, UNDERSTOOD_HEADING) == ["reworded", "summed"]
    assert [heading for heading, _ in groups] == [UNDERSTOOD_HEADING, LASTING_HEADING, SAID_HEADING, FOUND_HEADING]
    assert groups[1][1][0].text == '"binding" Reply: noted'
    assert ids(groups, FOUND_HEADING) == ["cause", "cure", "done"]


def test_an_agent_s_report_is_nothing_that_it_understood_of_its_owner() -> None:
    """A state or an error that cites the owner's question is of the owner's origin, and in the agent's words."""
    rows = (("fixed", "state_change"), ("failed", "error"), ("wished", "convention"))
    frame = observed(*((key, kind, "medium", "owner", "offline") for key, kind in rows))
    groups = fill(frame.with_columns(text=pl.lit("The importer waits for ") + pl.col("observation_id")))
    assert ids(groups, FOUND_HEADING) == ["fixed", "failed"]
    assert ids(groups, UNDERSTOOD_HEADING) == ["wished"]


def test_a_rule_s_guess_is_no_heading_a_choice_from_a_menu_is_and_what_is_offered_stays() -> None:
    """Rules take a stranger's complaint for a rule; what picks an option of the agent is a decision by its form."""
    frame = observed(
        ("guessed", "rule", "high", "owner", "offline"),
        ("picked", "decision", "high", "owner", "offline"),
        ("of-model", "rule", "high", "owner", "pi:haiku"),
    )
    menu = pl.when(pl.col("observation_id") == "picked").then(pl.lit('User decided: "the second" (asked: a or b?; chosen: b)'))
    frame = frame.with_columns(text=menu.otherwise(pl.col("text")))
    high, _ = group_high_facts(frame, "/p", ZONE, FactSigns())
    assert [(heading, [fact.observation_id for fact in facts]) for heading, facts in high] == [
        ("Rules", ["of-model"]), ("Decisions", ["picked"]),
    ]  # fmt: skip
    groups = fill(frame, ranks={"guessed": OFFERED})
    assert [(fact.observation_id, fact.rank) for fact in dict(groups)[LASTING_HEADING]] == [("guessed", OFFERED)]


def test_a_model_s_lesser_facts_texts_of_others_and_other_projects_fill_nothing() -> None:
    """A model knows what matters; what a tool printed or somebody else wrote is nobody's word here."""
    frame = observed(
        ("of-model", "decision", "medium", "owner", "pi:haiku"),
        ("pasted", "request", "medium", "other", "offline"),
        ("printed", "error", "medium", "tool", "offline"),
        ("agents-rule", "rule", "medium", "agent", "offline"),
        ("elsewhere", "request", "medium", "owner", "offline"),
    )
    moved = pl.when(pl.col("observation_id") == "elsewhere").then(pl.lit("/other")).otherwise(pl.col("project"))
    assert fill(frame.with_columns(project=moved)) == ()


def test_what_the_owner_turned_down_fills_last() -> None:
    """A line for MEMORY.md that rests on it was rejected."""
    frame = observed(("first", "request", "medium", "owner", "offline"), ("refused", "rule", "medium", "owner", "offline"))
    ranks = {fact.observation_id: fact.rank for _, facts in fill(frame, ranks={"refused": DECLINED}) for fact in facts}
    assert ranks == {"first": MEDIUM, "refused": LOW}


def test_what_the_owner_left_open_in_any_session_stands_on_the_page_the_newest_first() -> None:
    """Other questions do not, nor what was replaced since."""
    rows = [(key, "question", "low", "owner", "offline") for key in ("first", "asked", "second", "closed")]
    lead = pl.when(pl.col("observation_id") == "asked").then(pl.lit("User asked")).otherwise(pl.lit("User left open"))
    frame = observed(*rows).with_columns(
        text=pl.format('{}: "{}"', lead, pl.col("observation_id")),
        superseded_by=pl.when(pl.col("observation_id") == "closed").then(pl.lit("o-9")),
    )
    assert ids(group_left_open(frame, "/p", ZONE, FactSigns())[0], OPEN_HEADING) == ["second", "first"]
    assert group_left_open(frame, "/other", ZONE, FactSigns()) == ((), frozenset())


def test_facts_tasks_and_refusals_of_high_priority_stand_behind_what_binds_and_lesser_ones_nowhere() -> None:
    """A model called the deadline of a project high, and no page showed it; somebody else's text says nothing of the project."""
    kinds = ("rejected", "task", "fact", "rule")
    rows = [
        (f"{kind}-{priority}", kind, priority, "owner", "pi:haiku") for kind in kinds for priority in ("high", "medium", "low")
    ]
    frame = observed(
        *rows,
        ("found", "fact", "high", "agent", "pi:haiku"),
        ("printed", "fact", "high", "tool", "pi:haiku"),
        ("pasted", "task", "high", "other", "pi:haiku"),
    )
    high, considered = group_high_facts(frame, "/p", ZONE, FactSigns())
    assert [(heading, [fact.observation_id for fact in facts]) for heading, facts in high] == [
        ("Rules", ["rule-high"]), ("Facts", ["found", "fact-high"]), ("Still to do", ["task-high"]),
        ("Turned down", ["rejected-high"]),
    ]  # fmt: skip
    assert considered == {fact.observation_id for _, facts in high for fact in facts}
    assert fill(frame) == ()


def test_a_model_s_latest_open_tasks_stand_on_the_page_of_a_project_whose_last_work_was_finished() -> None:
    """Behind those of high priority; neither a rule's tasks nor low ones, nor what was named a month before."""
    frame = observed(
        ("old", "task", "medium", "owner", "pi:haiku"),
        ("low", "task", "low", "owner", "pi:haiku"),
        ("by-rules", "task", "medium", "owner", "offline"),
        ("first", "task", "medium", "owner", "pi:haiku"),
        ("high", "task", "high", "owner", "pi:haiku"),
        ("second", "task", "medium", "agent", "pi:haiku"),
    )
    is_old = pl.col("observation_id") == "old"
    frame = frame.with_columns(said_at=pl.when(is_old).then(pl.col("said_at") - timedelta(days=40)).otherwise("said_at"))
    high, _ = group_high_facts(frame, "/p", ZONE, FactSigns())
    assert ids(add_open_tasks(high, frame, "/p", ZONE, FactSigns())[0], "Still to do") == ["high", "second", "first"]
    assert ids(add_open_tasks((), frame, "/p", ZONE, FactSigns())[0], "Still to do") == ["second", "first"]
    assert add_open_tasks((), frame, "/other", ZONE, FactSigns()) == ((), frozenset())


def test_what_came_back_on_other_days_in_the_same_words_is_one_line_with_its_number() -> None:
    """Three root causes of one holiday stood below each other; another cause, or another value, is a line of its own."""
    lot = "The lot of {} was empty because the office had a holiday"
    texts = {
        "first": lot.format("2026-03-02"), "second": lot.format("2026-03-09"), "third": lot.format("2026-03-16"),
        "other": lot.format("2026-03-09").replace("a holiday", "no power"),
        "short-1": "Due 2026-03-02", "short-2": "Due 2026-03-09",
        "port-1": "The gateway of the shop listens on 9477", "port-2": "The gateway of the shop listens on 9500",
    }  # fmt: skip
    frame = observed(*((key, "root_cause", "high", "agent", "pi:haiku") for key in texts))
    frame = frame.with_columns(text=pl.col("observation_id").replace_strict(texts))
    high, considered = group_high_facts(frame, "/p", ZONE, FactSigns())
    shown = dict(high)["Root causes and fixes"]
    assert [fact.observation_id for fact in shown] == ["port-2", "port-1", "short-2", "short-1", "other", "third"]
    assert [(fact.alike, fact.since) for fact in shown] == [(1, None)] * 5 + [(3, date(2026, 3, 2))]
    assert considered == {fact.observation_id for fact in shown}


def test_what_the_owner_labelled_is_what_its_label_says() -> None:
    """Whatever a rule took it for, in any sentence of the saying; a question that names a kind settles nothing."""
    words = {
        "rule": 'User set a rule: "rule: never apply on a Friday"',
        "changed": 'User asked: "we change the decision: backups go to borg" Reply: Done.',
        "settled": 'User said: "That settles it. Decision: no Redis."',
        "asked": 'User asked: "the decision: should we keep it?"',
        "picked": 'User decided: "the second" (asked: a or b?; chosen: b)',
        "guessed": 'User decided: "it was a long day"',
        "of-model": 'User decided: "rule: no tabs"',
    }
    kinds = {"rule": "rule", "changed": "request", "settled": "status", "asked": "question"}
    rows = [(key, kinds.get(key, "decision"), "high", "owner", "offline") for key in words]
    rows[-1] = ("of-model", "decision", "high", "owner", "pi:haiku")
    frame = observed(*rows).with_columns(text=pl.col("observation_id").replace_strict(words))
    high, _ = group_high_facts(frame, "/p", ZONE, FactSigns())
    assert {heading: [fact.observation_id for fact in facts] for heading, facts in high} == {
        "Rules": ["rule"], "Decisions": ["settled", "changed", "of-model", "picked"],
    }  # fmt: skip
    assert dict(high)["Rules"][0].text == '"rule: never apply on a Friday"'
    assert [bool(fact.features) for fact in dict(high)["Decisions"]] == [False, False, False, True]
    assert ids(fill(frame), SAID_HEADING) == ["guessed", "asked"]


def test_reports_of_one_form_are_one_line_with_their_number_and_since_when() -> None:
    """Two of a form may be a coincidence, and what the owner said in one form may be three facts."""
    rows = [(f"a{number}", "root_cause", "medium", "agent", "offline") for number in range(3)]
    rows += [("b0", "fix", "medium", "agent", "offline"), ("b1", "fix", "medium", "agent", "offline")]
    rows += [(f"c{number}", "decision", "medium", "owner", "offline") for number in range(3)]
    rows += [(f"d{number}", "correction", "high", "owner", "offline") for number in range(3)]
    text = pl.col("observation_id").map_elements(word_in_form, return_dtype=pl.String)
    days = [date(2024, 1, 1) + timedelta(days=place) for place in range(len(rows))]
    groups = fill(observed(*rows).with_columns(text=text, day=pl.Series(days)))
    found, said = (dict(groups)[heading] for heading in (FOUND_HEADING, SAID_HEADING))
    assert [(fact.observation_id, fact.alike, fact.since) for fact in found] == [
        ("a2", 3, date(2024, 1, 1)), ("b1", 1, None), ("b0", 1, None),
    ]  # fmt: skip
    assert [(fact.observation_id, fact.alike) for fact in said] == [("d2", 3), ("c2", 1), ("c1", 1), ("c0", 1)]


def word_in_form(key: str) -> str:
    name = ("mailer", "importer", "export")[int(key[1])]
    return {
        "a": f"Still open: the {name} needs a second look.",
        "b": f"The cause is that the {name} kept a stale copy.",
        "c": f'User decided: "the port of the {name} is a fixed number" Reply: noted',
        "d": f'User objected: "why did you touch {name}.py? I only asked about it?" Outcome: undone in {key}',
    }[key[0]]


def test_words_that_no_rule_reads_are_quoted_without_the_lead_that_a_rule_gave_them() -> None:
    """19 of 310 lines said "User said" below "In the owner's words", and "User set a rule" where no rule read the language."""
    words = {"said": 'User said: "계속진행" Outcome: Done.', "worded": "Money is stored as integers"}
    frame = observed(*((key, "decision", "medium", "owner", "offline") for key in words))
    frame = frame.with_columns(text=pl.col("observation_id").replace_strict(words))
    groups, _ = group_unsorted_words(frame, "/p", ZONE, FactSigns())
    said = {fact.observation_id: fact.text for fact in dict(groups)[SAID_HEADING]}
    assert said == words | {"said": '"계속진행" Outcome: Done.'}


def test_rules_and_wishes_that_no_rule_reads_stand_first_under_the_heading_that_english_ones_have() -> None:
    """The multilingual model names their kind; of the others what was said last stands first."""
    kinds = ("rule", "request", "preference", "status", "convention", "decision")
    frame = observed(*((kind, kind, "medium", "owner", "offline") for kind in kinds))
    groups, considered = group_unsorted_words(frame, "/p", ZONE, FactSigns())
    assert [heading for heading, _ in groups] == [LASTING_HEADING, SAID_HEADING]
    assert ids(groups, LASTING_HEADING) == ["convention", "preference", "rule"]
    assert ids(groups, SAID_HEADING) == ["decision", "status", "request"]
    assert considered == set(kinds)


def test_faults_that_come_back_are_joined_without_asking_each_of_each() -> None:
    """Of 4,000 faults that came back once each, joining took half a second, and four times that of twice as many."""

    def count_lines(faults: int) -> int:
        """Return how many steps this many faults take, each of them on two days."""
        texts = [f"the export of lot w{number % faults} was empty because the importer stopped" for number in range(2 * faults)]
        days = [date(2026, 1, 1 + number // faults) for number in range(2 * faults)]
        rows = pl.DataFrame({"observation_id": [str(number) for number in range(2 * faults)], "day": days, "text": texts})
        lines = 0

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            """Count a line of the module, also one that goes on in a generator."""
            nonlocal lines
            lines += event in ("line", "call") and frame.f_code.co_filename == group_facts.__file__
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            kept, forms = group_facts._keep_first_of_days(rows)
        finally:
            sys.settrace(before)
        assert kept.height == len(forms) == faults
        return lines

    assert count_lines(160) < 3 * count_lines(80)
