"""Golden pages: the daily log and the briefing as a reader gets them. `UPDATE_GOLDEN=1 pytest …` rewrites them."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from effects.pages.project_briefing import is_project_unread
from effects.system.templates import render_template
from transforms.briefing.brief import DECLINED, LIMITS, NO_LIMITS, OFFERED, STATED, Briefing, FactSigns
from transforms.briefing.build_briefing import build_briefing
from transforms.briefing.fit_briefing import fit_to_budget
from transforms.memory.proposal_outcomes import group_outcomes_by_day
from transforms.pages.daily_log import (
    LogFact,
    LogSegment,
    build_log_windows,
    build_skipped_windows,
    drop_passed_steps,
    drop_repeated_titles,
)
from transforms.tables.schema import TABLES, build_frame
from transforms.tables.tokens import count_tokens
from transforms.timeline.day_summary import summarise_day

GOLDEN = Path(__file__).parent.parent.parent / "golden"
ZONE = ZoneInfo("Europe/Berlin")
DAY = date(2026, 3, 2)


def at(hour: int, minute: int, day: int = 2) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=UTC)


def frame(table: str, *rows: dict[str, object]) -> pl.DataFrame:
    return build_frame(TABLES[table], rows)


def same_as_golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.fixture
def frames() -> dict[str, pl.DataFrame]:
    """Return a distilled window with a replaced fact, a window that is too small, and proposals with every outcome."""
    observation = {"segment_id": "s-1", "window_id": "w-1", "project": "/home/mara/parcel-api", "verdict": "allow", "day": DAY}
    return {
        "sessions": frame(
            "sessions",
            {"session_id": "one", "title": "Queue backend", "project": "/home/mara/parcel-api", "ended_at": at(9, 40),
             "source_path": "/sessions/2026-03-02_one.jsonl"},
            {"session_id": "two", "title": "hi", "project": "/home/mara/other", "ended_at": at(11, 0)},
        ),
        "windows": frame(
            "windows",
            {"window_id": "w-1", "session_id": "one", "kind": "closing", "status": "distilled", "started_at": at(8, 15),
             "ended_at": at(9, 40), "files_read": ["app/main.py"], "files_modified": ["app/queue.py", "pyproject.toml"],
             "current_task": "Retry policy of the queue", "suggested_response": "Write the test for exponential backoff.",
             "day": DAY, "reason": "", "user_message_count": 7},
            {"window_id": "w-2", "session_id": "two", "kind": "closing", "status": "skipped", "started_at": at(10, 55),
             "ended_at": at(11, 0), "reason": "too_few_user_messages", "user_message_count": 1, "day": DAY},
        ),
        "segments": frame(
            "segments",
            {"segment_id": "s-1", "window_id": "w-1", "session_id": "one", "title": "Chose a queue backend",
             "narrative": "Compared Redis * and Postgres; Postgres won.", "first_ordinal": 0, "last_ordinal": 30,
             "first_line": 1, "last_line": 31, "day": DAY},
        ),
        "observations": frame(
            "observations",
            observation | {"observation_id": "o-1", "kind": "decision", "priority": "high", "said_at": at(8, 20),
                           "text": "Jobs live in Postgres, not Redis: one service less to run."},
            observation | {"observation_id": "o-2", "kind": "preference", "priority": "high", "said_at": at(8, 30),
                           "text": "User prefers small commits.", "superseded_by": "o-9"},
            observation | {"observation_id": "o-3", "kind": "error", "priority": "low", "said_at": at(8, 31), "verdict": "hold",
                           "text": "held back"},
            observation | {"observation_id": "o-9", "kind": "preference", "priority": "high", "said_at": at(8, 30, 5),
                           "window_id": "w-9", "segment_id": "s-9", "text": "User prefers one commit per feature."},
        ),
        "proposals": frame(
            "proposals",
            {"proposal_id": "p-20260302-001", "section": "Mara", "text": "Prefers small commits", "status": "approved"},
            {"proposal_id": "p-20260302-002", "section": "Patterns", "text": "Retry twice", "status": "rejected"},
            {"proposal_id": "p-20260302-003", "section": "Patterns", "text": "Waits", "status": "pending"},
        ),
        "proposal_events": frame(
            "proposal_events",
            {"proposal_id": "p-20260302-001", "event": "proposed", "at": at(20, 0), "text": "Prefers small commits"},
            {"proposal_id": "p-20260302-002", "event": "proposed", "at": at(20, 0), "text": "Retry twice"},
            {"proposal_id": "p-20260302-003", "event": "proposed", "at": at(20, 0), "text": "Waits"},
            {"proposal_id": "p-20260302-001", "event": "promoted", "at": at(20, 0, 3), "text": "Prefers small commits"},
            {"proposal_id": "p-20260302-002", "event": "rejected", "at": at(20, 0, 3), "text": "Retry twice"},
        ),
    }  # fmt: skip


@pytest.mark.parametrize("response", ["Last completed: the retries", 'Last said by User: "the docs are missing"'])
def test_a_finished_task_is_no_current_one(frames: dict[str, pl.DataFrame], response: str) -> None:
    """What remains is said by the line that tells how to continue, on the briefing and in the daily log."""
    finished = frames | {"windows": frames["windows"].with_columns(pl.lit(response).alias("suggested_response"))}
    for shown, task_count in ((frames, 1), (finished, 0)):
        brief = build_briefing("/home/mara/parcel-api", shown, [], None, ZONE)
        assert (brief.current_task != "") == bool(task_count)
        assert brief.suggested_response
        (logged,) = build_log_windows(shown["windows"], shown["sessions"], shown["segments"], shown["observations"], ZONE)
        assert (logged.current_task != "") == bool(task_count)


def test_a_log_tells_how_to_continue_only_where_the_session_did_not_go_on(frames: dict[str, pl.DataFrame]) -> None:
    """What came of it stands in the next window, on whatever day; a window that nobody distilled tells nothing."""
    windows = frames["windows"]
    later = windows.head(1).with_columns(window_id=pl.lit("w-3"), started_at=pl.lit(at(9, 0, 3)), status=pl.lit("distilled"))
    for status, steps in (
        ("distilled", [None, "Write the test for exponential backoff."]),
        ("pending", ["Write the test for exponential backoff."]),
    ):
        shown = drop_passed_steps(pl.concat([windows, later.with_columns(status=pl.lit(status))]))
        told = shown.filter(pl.col("status") == "distilled").sort("started_at")
        assert told["suggested_response"].to_list() == steps
        assert [task is None for task in told["current_task"]] == [step is None for step in steps]


@pytest.mark.parametrize(("response", "is_shown"), [("Last completed: all five tests pass.", True), ("Write the test.", False)])
def test_a_briefing_without_a_current_task_names_the_open_tasks_of_a_model(
    frames: dict[str, pl.DataFrame], response: str, is_shown: bool
) -> None:
    row = {
        "observation_id": "o-task", "kind": "task", "priority": "medium", "engine": "pi:haiku", "verdict": "allow",
        "project": "/home/mara/parcel-api", "text": "Ask Ann for the carrier keys", "said_at": at(9, 0), "day": DAY,
    }  # fmt: skip
    shown = frames | {
        "windows": frames["windows"].with_columns(pl.lit(response).alias("suggested_response")),
        "observations": pl.concat([frames["observations"], frame("observations", row)], how="diagonal_relaxed"),
    }
    brief = build_briefing("/home/mara/parcel-api", shown, [], None, ZONE)
    assert ("o-task" in [fact.observation_id for _, facts in brief.groups for fact in facts]) == is_shown


def test_daily_log_shows_a_window_in_the_segment_form(frames: dict[str, pl.DataFrame]) -> None:
    """Trigger, files, source, topics with facts in time order; held facts are left out, replaced ones say so."""
    (window,) = build_log_windows(frames["windows"], frames["sessions"], frames["segments"], frames["observations"], ZONE)
    same_as_golden("daily_window.md", render_template("pages/daily_window.md.j2", window=window))


@pytest.mark.parametrize(("kind", "is_closed", "entry_count", "words"), [
    ("closing", True, 31, "pi closed the session"), ("closing", True, 99, "quiet time"), ("closing", False, 31, "quiet time"),
    ("compaction", True, 31, "compaction"), ("cap", True, 31, "size cap"),
])  # fmt: skip
def test_a_log_says_that_pi_closed_a_session_only_where_pi_said_so(
    frames: dict[str, pl.DataFrame], kind: str, is_closed: bool, entry_count: int, words: str
) -> None:
    """Most windows end because nothing came for hours; "shutdown" stood on all of them."""
    windows = frames["windows"].with_columns(kind=pl.lit(kind), last_ordinal=pl.lit(30))
    sessions = frames["sessions"].with_columns(is_closed=pl.lit(is_closed), entry_count=pl.lit(entry_count))
    (window,) = build_log_windows(windows, sessions, frames["segments"], frames["observations"], ZONE)
    assert window.trigger == words


def test_headings_of_a_log_name_a_matter_and_repeat_no_title(frames: dict[str, pl.DataFrame]) -> None:
    """Without a title the first topic names it, not an id; the block below with the same title has its time only."""
    untitled = frames["sessions"].with_columns(title=pl.lit(None, pl.String))
    (window,) = build_log_windows(frames["windows"], untitled, frames["segments"], frames["observations"], ZONE)
    assert window.session == "Chose a queue backend"
    other = replace(window, session="Ferry", time="11:00")
    shown = drop_repeated_titles([window, replace(window, time="10:00"), other, replace(window, time="12:00")])
    headings = [render_template("pages/daily_window.md.j2", window=block).split("\n", 1)[0] for block in shown]
    assert [heading.removeprefix("### 🔭 Observations ") for heading in headings] == [
        "(session: Chose a queue backend, 09:15)",
        "(10:00)",
        "(session: Ferry, 11:00)",
        "(session: Chose a queue backend, 12:00)",
    ]


def test_a_short_narrative_does_not_repeat_its_title(frames: dict[str, pl.DataFrame]) -> None:
    """The heading and the sentence below it were the same words."""
    title = frames["segments"]["title"].to_list()[0]
    same = frames["segments"].with_columns(narrative=pl.lit(f"{title}."))
    (window,) = build_log_windows(frames["windows"], frames["sessions"], same, frames["observations"], ZONE)
    assert window.segments[0].title == title
    assert window.segments[0].narrative == ""


def test_a_day_begins_with_a_line_that_says_what_it_held(frames: dict[str, pl.DataFrame]) -> None:
    """Sessions by project, and counts with nouns."""
    (window,) = build_log_windows(frames["windows"], frames["sessions"], frames["segments"], frames["observations"], ZONE)
    other = replace(window, source="other.jsonl", project="ferry", segments=window.segments[:1])
    text = render_template("pages/daily_summary.md.j2", summary=summarise_day([window, other, other]))
    facts = sum(len(topic.facts) for day in (window, other, other) for topic in day.segments)
    topics = len(window.segments) + 2
    files = 2 * len(window.modified)
    assert text == f"**2 sessions** in ferry (1), {window.project} (1): {topics} topics, {facts} facts, {files} modified files\n"
    alone = render_template("pages/daily_summary.md.j2", summary=summarise_day([window]))
    assert alone.startswith(f"**1 session** in {window.project}: ")


def test_a_day_that_fits_no_screen_begins_with_what_counts_and_its_topics(frames: dict[str, pl.DataFrame]) -> None:
    """Facts of high priority that hold, cut, and the topics with the most facts, in the order of the day; the rest is counted."""
    (window,) = build_log_windows(frames["windows"], frames["sessions"], frames["segments"], frames["observations"], ZONE)
    high = LogFact("🔴", "09:20", "The queue is Redis, " + "because it was there, " * 20, None)
    gone, low = replace(high, text="The queue is SQS", replaced_on=DAY), replace(high, mark="🟡", text="Ran the tests")
    topics = tuple(LogSegment(f"Topic {number}", "", (high, gone, low)[: 1 + number % 3], "09:07") for number in range(20))
    text = render_template(
        "pages/daily_summary.md.j2", summary=summarise_day([replace(window, segments=topics, project="ferry")])
    )
    head, facts, listed = text.split("**")[2], *text.split("\n\n**")[1:]
    assert " in ferry: 20 topics, " in head
    assert facts.count("* 09:20 The queue is Redis, because") == 10
    assert "\n* and 10 more below" in facts
    assert "SQS" not in text
    assert "Ran the tests" not in text
    shown = [f"* 09:07 Topic {number}" for number in range(18) if number % 3]
    assert listed.splitlines()[2:] == [*shown, "* and 8 more below"]
    few = LogSegment("Few topics, many facts", "", (high,) * 34)
    short = summarise_day([replace(window, segments=(few,), project="ferry")])
    assert len(short.facts) == 10, "its counts alone say nothing"
    assert not summarise_day([replace(window, segments=(replace(few, facts=(high,) * 19),))]).facts
    assert len(text.splitlines()) < 40
    assert max(map(len, text.splitlines())) < 220


def test_a_daily_log_says_which_proposals_were_offered_again(frames: dict[str, pl.DataFrame]) -> None:
    """Nothing was reflected then, and the page must not say that something was."""
    events = frames["proposal_events"].filter((pl.col("event") == "proposed") & (pl.col("proposal_id") == "p-20260302-001"))
    again = pl.concat([events, events.with_columns(pl.col("at").dt.offset_by("60d"))])
    first, second = group_outcomes_by_day(frames["proposals"], again, ZONE).values()
    assert first.summary == "1 proposal for MEMORY.md (1 for Mara). It waits in REVIEW.md."
    assert second.summary == "1 proposal for MEMORY.md (1 for Mara), offered again. It waits in REVIEW.md."


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"])
def test_no_clock_time_of_a_log_stands_beside_the_day_of_another_zone(frames: dict[str, pl.DataFrame], zone: str) -> None:
    """A day stays that of the zone in which its lines were read; a time that is of another date now has it in front."""
    windows = frames["windows"]
    shown = build_log_windows(windows, frames["sessions"], frames["segments"], frames["observations"], ZoneInfo(zone))
    times = {f"{window.day} {window.time}"[-16:] for window in shown}
    assert times == {
        f"{at.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}" for at in windows.filter(pl.col("status") == "distilled")["started_at"]
    }
    facts = {f"{window.day} {fact.time}"[-16:] for window in shown for topic in window.segments for fact in topic.facts}
    said = {f"{at.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}" for at in frames["observations"]["said_at"]}
    assert facts
    assert facts <= said


def test_daily_log_says_what_was_not_distilled(frames: dict[str, pl.DataFrame]) -> None:
    """Skipped is not invisible."""
    skipped = build_skipped_windows(frames["windows"], frames["sessions"], ZONE)
    same_as_golden("daily_skipped.md", render_template("pages/daily_skipped.md.j2", skipped=skipped))
    of_sub_agents = frames["sessions"].with_columns(is_subagent=pl.lit(value=True))
    assert build_skipped_windows(frames["windows"], of_sub_agents, ZONE) == []


def test_a_sub_agents_session_is_no_session_on_pages(frames: dict[str, pl.DataFrame]) -> None:
    """It is part of its parent's: no count, no next step, no recent session; its block names what it is."""
    sub_agents = frames["sessions"].with_columns(is_subagent=pl.lit(value=True))
    others = (frames["segments"], frames["observations"], ZONE)
    for sessions, count in ((frames["sessions"], "1 session"), (sub_agents, "0 sessions")):
        shown = [window for window in build_log_windows(frames["windows"], sessions, *others) if window.day == DAY]
        assert summarise_day(shown).sessions == count
        text = render_template("pages/daily_window.md.j2", window=shown[0])
        assert ("**To continue**" in text, "(sub-agent: " in text) == (count == "1 session", count != "1 session")
    page = build_briefing("/home/mara/parcel-api", frames | {"sessions": sub_agents}, [], None, ZONE)
    assert (page.recent, page.suggested_response) == ((), "")


def test_daily_log_says_what_became_of_proposals(frames: dict[str, pl.DataFrame]) -> None:
    """A proposal stands on its day, its end on the day when it ended."""
    days = group_outcomes_by_day(frames["proposals"], frames["proposal_events"], ZONE)
    first, second = days[DAY], days[date(2026, 3, 3)]
    assert not first.ended
    assert not second.proposed
    text = render_template("pages/daily_reflected.md.j2", summary=first.summary, proposals=first.proposed)
    text += render_template("pages/daily_reviewed.md.j2", outcomes=second.ended)
    same_as_golden("daily_outcomes.md", text)


def test_a_briefing_shows_the_owners_words_where_no_rule_reads_them(frames: dict[str, pl.DataFrame]) -> None:
    """Priority and kind say little about a language that offline does not read: what was said last comes whole, once."""
    said = frames["observations"].filter(pl.col("observation_id") == "o-1").with_columns(origin=pl.lit("owner"))
    rows = [
        said.with_columns(
            observation_id=pl.lit(f"o-{kind}"), kind=pl.lit(kind), priority=pl.lit("medium"), text=pl.lit(f"a {kind}")
        )
        for kind in ("status", "request", "correction", "question")
    ]
    rows.append(rows[0].with_columns(observation_id=pl.lit("o-agents"), origin=pl.lit("agent"), text=pl.lit("a claim")))
    shown = frames | {"observations": pl.concat([frames["observations"], *rows], how="diagonal_relaxed")}
    plain = build_briefing("/home/mara/parcel-api", shown, [], None, ZONE)
    page = as_page(build_briefing("/home/mara/parcel-api", shown, [], None, ZONE, signs=FactSigns(is_unread=True)))
    said_last = page.partition("## In the owner's words")[2]
    assert [kind for kind in ("a status", "a request", "a correction", "a question", "a claim") if kind in said_last] == [
        "a status",
        "a request",
        "a correction",
    ]
    assert page.count("Jobs live in Postgres") == 1
    assert "owner's words" not in as_page(plain)


def test_what_binds_stands_before_what_was_left_open(frames: dict[str, pl.DataFrame]) -> None:
    """Of five things that people left open, none was worth reading weeks later."""
    left = (
        frames["observations"]
        .filter(pl.col("observation_id") == "o-1")
        .with_columns(observation_id=pl.lit("o-left"), kind=pl.lit("question"), text=pl.lit('User left open: "and the labels?"'))
    )
    shown = frames | {"observations": pl.concat([frames["observations"], left], how="diagonal_relaxed")}
    page = as_page(build_briefing("/home/mara/parcel-api", shown, [], None, ZONE))
    assert 0 < page.find("Jobs live in Postgres") < page.find("## Left open")


def test_a_project_of_few_words_is_in_the_language_of_the_others(frames: dict[str, pl.DataFrame]) -> None:
    """Its page shows what its owner said there, though few words show no language; words of English show theirs."""
    said = frames["observations"].filter(pl.col("observation_id") == "o-1").with_columns(origin=pl.lit("owner"))
    texts = {"gateway": "ретраев максимум три", "english": "keep the retries of the gateway at three"}
    rows = [said.with_columns(project=pl.lit(name), text=pl.lit(f'User said: "{text}"')) for name, text in texts.items()]
    other = said.with_columns(project=pl.lit("billing"), text=pl.lit(f'User said: "{"деньги храним в копейках целыми " * 12}"'))
    assert not is_project_unread(pl.concat(rows), "gateway")
    together = pl.concat([*rows, other])
    assert [is_project_unread(together, project) for project in ("gateway", "english", "billing")] == [True, False, True]


def as_page(brief: Briefing) -> str:
    return render_template("pages/briefing.md.j2", brief=brief)


def test_briefing_shows_facts_that_still_hold(frames: dict[str, pl.DataFrame]) -> None:
    """Replaced facts are out, preferences come from every project, the task and how to go on come first."""
    full = build_briefing("/home/mara/parcel-api", frames, ["(2026-03-01) Tests run with `make test`"], date(2026, 3, 9), ZONE)
    same_as_golden("briefing.md", fit_to_budget(full, as_page, count_tokens, 2000))


@pytest.mark.parametrize(
    ("title", "engine", "shown"),
    [
        ("so, today we look at the queue again because it…", "instructor:m", "Queue backend chosen; Retry policy"),
        ("so, today we look at the queue again because it…", "offline", "so, today we look at the queue again because it…"),
        ("Queue", "instructor:m", "Queue"),
    ],
)
def test_a_recent_session_whose_title_is_cut_is_told_by_the_topics_that_a_model_found(
    frames: dict[str, pl.DataFrame], title: str, engine: str, shown: str
) -> None:
    """First words say how somebody began; a name that its owner gave is whole, and stays."""
    topic = {"window_id": "w-1", "session_id": "one", "narrative": "", "day": DAY, "engine": engine}
    topics = [("Queue backend chosen", 0), ("Retry policy", 20), ("A third topic for which no room is left " * 3, 40)]
    rows = [topic | {"segment_id": f"t-{at}", "title": name, "first_ordinal": at} for name, at in topics]
    is_one = pl.col("session_id") == "one"
    sessions = frames["sessions"].with_columns(pl.when(is_one).then(pl.lit(title)).otherwise("title").alias("title"))
    page = build_briefing(
        "/home/mara/parcel-api", frames | {"segments": frame("segments", *rows), "sessions": sessions}, [], None, ZONE
    )
    assert [session.title for session in page.recent] == [shown]


def test_a_recent_session_whose_title_is_cut_is_told_by_its_commits(frames: dict[str, pl.DataFrame]) -> None:
    """In the order of the session, of all its windows, behind a topic that is a whole clause of its first words; without a commit
    the first words stay."""
    first = "good morning so basically start the queue import of the depot, and then there is this…"
    topic = {"window_id": "w-1", "session_id": "one", "narrative": "", "day": DAY, "engine": "offline"}
    names = ["Start the queue import of the depot", "Work on queue.py", "I must iron", "Feat(queue): one row per parcel"]
    rows = [topic | {"segment_id": f"t-{at}", "title": name, "first_ordinal": at} for at, name in enumerate(names)]
    is_one = pl.col("session_id") == "one"
    sessions = frames["sessions"].with_columns(pl.when(is_one).then(pl.lit(first)).otherwise("title").alias("title"))

    def name_session(*rows: dict[str, object]) -> str:
        shown = frames | {"segments": frame("segments", *rows), "sessions": sessions}
        return build_briefing("/home/mara/parcel-api", shown, [], None, ZONE).recent[0].title

    assert name_session(*rows) == f"{names[0]}; {names[3]}"
    assert name_session(*rows[:3]) == first


@pytest.mark.parametrize(
    ("title", "narrative", "shown"),
    [
        ("The band cancelled. The trio comes, they want 300.", 'User asked: "The trio comes, they want 300". Changed plan.md.',
         "Changed plan.md."),
        ("The band cancelled. The trio comes, they want 3…", 'User asked: "The trio comes, they want 300".', None),
        ("Band", 'User asked: "The trio comes".', None),
        ("The trio comes", "The trio comes on Saturday.", None),
        ("call the trio", "User asked to call the trio. Changed plan.md.", "Changed plan.md."),
        ("call the trio", "User asked to call the band. Changed plan.md.", None),
    ],
)  # fmt: skip
def test_a_recent_session_does_not_quote_its_title_again(
    frames: dict[str, pl.DataFrame], title: str, narrative: str, shown: str | None
) -> None:
    """A quotation stays that has a word more than the title, or may have one; other sentences stay."""
    sessions = frames["sessions"].with_columns(pl.lit(title).alias("title"))
    segments = frames["segments"].with_columns(pl.lit(narrative).alias("narrative"))
    page = build_briefing("/home/mara/parcel-api", frames | {"segments": segments, "sessions": sessions}, [], None, ZONE)
    assert [session.narrative for session in page.recent] == [narrative if shown is None else shown]


def test_what_was_said_again_is_not_called_replaced_in_the_log(frames: dict[str, pl.DataFrame]) -> None:
    """The same failure came back a month later, and the log said that another fact had replaced it."""
    is_heir, is_gone = pl.col("observation_id") == "o-9", pl.col("observation_id") == "o-2"
    rows = frames["observations"].with_columns(
        also=pl.when(is_heir).then(["one:e1"]),
        session_id=pl.when(is_gone).then(pl.lit("one")),
        entry_ids=pl.when(is_gone).then(["e1"]),
    )
    (window,) = build_log_windows(frames["windows"], frames["sessions"], frames["segments"], rows, ZONE)
    text = render_template("pages/daily_window.md.j2", window=window)
    assert "* 🔴 (09:30) User prefers small commits. — again 2026-03-05" in text


def test_a_line_that_names_other_projects_alone_stands_on_their_briefings(frames: dict[str, pl.DataFrame]) -> None:
    """What was said in another one may hold here: a few such lines stand behind all of the project, the rest is counted."""
    other = pl.DataFrame({"project": ["/home/mara/billing"]})
    frames = frames | {"sessions": pl.concat([frames["sessions"], other], how="diagonal_relaxed")}
    said_there = [f"Amounts are in cents, part {number}" for number in range(40)]
    memory = [
        "**billing** — No deploys after 18:00",
        *said_there,
        "Billing and parcel-api share one database",
        "Answers are short",
    ]
    signs = FactSigns(line_projects=dict.fromkeys(said_there, "/home/mara/billing"))
    full = build_briefing("/home/mara/parcel-api", frames, memory, None, ZONE, signs=signs)
    assert full.memory == ("Billing and parcel-api share one database", "Answers are short")
    roomy, tight = (fit_to_budget(full, as_page, count_tokens, budget) for budget in (5000, 220))
    assert "18:00" not in roomy
    assert roomy.index("Answers are short") < roomy.index("Amounts are in cents, part 0")
    assert roomy.count("Amounts are") == 6
    assert "_34 more lines of MEMORY.md._" in roomy
    assert roomy.index("## Decisions") < roomy.index("Amounts are in cents, part 0")
    assert tight.count("Amounts are") == 1
    assert "_39 more lines of MEMORY.md._" in tight
    assert "Answers are short" in tight
    assert build_briefing("/home/mara/billing", frames, memory, None, ZONE, signs=signs).memory[0] == memory[0]


def test_an_approved_line_without_a_name_belongs_to_the_project_of_its_facts(frames: dict[str, pl.DataFrame]) -> None:
    """Other projects read it last and with that project's name, or not at all where the line has the name itself."""
    names = ["/home/mara/tide", "/home/mara/old/parcel-api"]
    frames = frames | {"sessions": pl.concat([frames["sessions"], pl.DataFrame({"project": names})], how="diagonal_relaxed")}
    memory = ["Levels are relative to chart datum", "**parcel-api** — Weights are grams", "Answers are short", "Prices are cents"]
    homes = dict(zip(memory, [*names, "/home/mara/parcel-api"], strict=False)) | {"Prices are cents": "/home/mara/parcel-api"}
    del homes["Answers are short"]
    signs = FactSigns(line_projects=homes)
    here = build_briefing("/home/mara/parcel-api", frames, memory, None, ZONE, signs=signs)
    assert (here.project, here.memory) == ("mara/parcel-api", ("Answers are short", "Prices are cents"))
    assert here.elsewhere == ("**tide** — Levels are relative to chart datum",)
    there = build_briefing(names[0], frames, memory, None, ZONE, signs=signs)
    assert there.memory == ("Levels are relative to chart datum", "Answers are short")


def test_a_line_whose_replacement_waits_in_review_says_so_on_every_briefing(frames: dict[str, pl.DataFrame]) -> None:
    """It stood first and unmarked, while a fact further down said otherwise."""
    names = ["/home/mara/tide"]
    frames = frames | {"sessions": pl.concat([frames["sessions"], pl.DataFrame({"project": names})], how="diagonal_relaxed")}
    memory = ["Backups stay 30 days", "Levels are metres", "Answers are short"]
    signs = FactSigns(line_marks=dict.fromkeys(memory[:2], "replacement waits: p-7"), line_projects={memory[1]: names[0]})
    brief = build_briefing("/home/mara/parcel-api", frames, memory, None, ZONE, signs=signs)
    assert brief.memory == ("Backups stay 30 days (replacement waits: p-7)", "Answers are short")
    assert brief.elsewhere == ("**tide** — Levels are metres (replacement waits: p-7)",)
    assert "- Backups stay 30 days (replacement waits: p-7)\n" in as_page(brief)


def add_decisions(frames: dict[str, pl.DataFrame], count: int, text: str) -> dict[str, pl.DataFrame]:
    """Return the frames with high decisions `o-0000` (the oldest) and following, `{}` in the text for the number."""
    base = frames["observations"].filter(pl.col("observation_id") == "o-1")
    rows = [
        base.with_columns(
            observation_id=pl.lit(f"o-{number:04d}"), text=pl.lit(text.format(number)), said_at=pl.lit(at(8, number % 60))
        )
        for number in range(count)
    ]
    return frames | {"observations": pl.concat([frames["observations"], *rows], how="vertical_relaxed")}


def test_a_briefing_keeps_what_a_reflection_offers_and_says_once_what_memory_states(frames: dict[str, pl.DataFrame]) -> None:
    """Of many facts the offered one stays though it is the oldest, the declined one goes first though it is the newest."""
    many = add_decisions(frames, 40, "Worker {} reads its queue from a table of its own, which the migrations make")
    ranks = {"o-0000": OFFERED, "o-0039": DECLINED, "o-0038": STATED}
    full = build_briefing("/home/mara/parcel-api", many, ["Worker 38 reads"], None, ZONE, signs=FactSigns(ranks=ranks))
    text = fit_to_budget(full, as_page, count_tokens, 700)
    assert "`o-0000`" in text
    assert "`o-0037`" in text
    assert "`o-0039`" not in text
    assert text.count("Worker 38 ") == 1
    assert "`o-0038`" not in fit_to_budget(full, as_page, count_tokens, 100_000)
    assert "`o-0039`" in fit_to_budget(full, as_page, count_tokens, 100_000)


def test_notes_behind_facts_go_before_any_fact_does(frames: dict[str, pl.DataFrame]) -> None:
    """A page with room keeps them; a full one has the facts without the choices that were rejected."""
    many = add_decisions(
        frames, 12, "Worker {} reads from a table (rejected: a broker: one service more that somebody has to run at night)"
    )
    full = build_briefing("/home/mara/parcel-api", many, [], None, ZONE)
    roomy = fit_to_budget(full, as_page, count_tokens, 5000)
    tight = fit_to_budget(full, as_page, count_tokens, count_tokens(roomy) - 1)
    assert roomy.count("(rejected: ") == 12
    assert "(rejected: " not in tight
    assert all(f"Worker {number} reads" in tight for number in range(12))


def test_a_rule_that_its_owner_labelled_stays_on_a_page_of_years_of_reports(frames: dict[str, pl.DataFrame]) -> None:
    """Three years of findings, questions and choices of a menu are newer."""
    base = frames["observations"].filter(pl.col("observation_id") == "o-1").with_columns(engine=pl.lit("offline"))
    passing = {
        "root_cause": ("agent", "The cause of bug {0} is that worker {0} read its own copy number {0}{0}."),
        "question": ("owner", 'User asked: "how do I run worker {0} beside importer {0}{0}?" Answer: With flag {0}.'),
        "decision": ("owner", 'User decided: "the second" (asked: flag {0} or flag {0}{0}?; chosen: flag {0}{0})'),
    }
    rows = [
        ("rule", "owner", 'User set a rule: "rule: money is stored as integers"', "o-9999", datetime(2023, 11, 21, 8, tzinfo=UTC))
    ]
    rows += [
        (kind, origin, text.format(number), f"o-{kind}-{number}", at(8, number))
        for kind, (origin, text) in passing.items()
        for number in range(60)
    ]
    facts = [
        base.with_columns(
            kind=pl.lit(kind, dtype=base.schema["kind"]), origin=pl.lit(origin), text=pl.lit(text), observation_id=pl.lit(key),
            said_at=pl.lit(said_at),
        )
        for kind, origin, text, key, said_at in rows
    ]  # fmt: skip
    full = build_briefing(
        "/home/mara/parcel-api", frames | {"observations": pl.concat(facts, how="vertical_relaxed")}, [], None, ZONE
    )
    for budget in (2000, 1400, 500):
        page = fit_to_budget(full, as_page, count_tokens, budget)
        assert '## Rules\n\n- "rule: money is stored as integers" (2023-11-21, `o-9999`)' in page
        assert "The cause of bug" in page or budget == 500


@pytest.mark.parametrize("engine", ["offline", "pi:haiku"])
def test_what_a_briefing_leaves_out_is_counted_once_and_the_whole_page_has_exactly_that(
    frames: dict[str, pl.DataFrame], engine: str
) -> None:
    """Whether a limit or the budget left it out; what fills a page was not counted, decisions beyond 40 were twice."""
    base = frames["observations"].filter(pl.col("observation_id") == "o-1").with_columns(engine=pl.lit(engine))
    texts = {
        "decision": "Worker {0} keeps queue {0} in a table",
        "preference": 'User prefers: "queue {0} beside importer {0}{0}"',
        "completion": "Importer {0} reads file {0}{0} now",
        "question": 'User left open: "is worker {0} fast enough?"',
        "task": "Measure worker {0} with load {0}{0}",
    }
    facts = pl.concat([
        base.with_columns(
            kind=pl.lit(kind, dtype=base.schema["kind"]), text=pl.lit(text.format(number)), said_at=pl.lit(at(8, number % 60)),
            observation_id=pl.lit(f"o-{kind}-{number}"), origin=pl.lit("agent" if kind == "completion" else "owner"),
            priority=pl.lit("high" if kind == "decision" else "medium", dtype=base.schema["priority"]),
        )
        for kind, text in texts.items()
        for number in range(230 if kind == "completion" else 60)
    ])  # fmt: skip
    tasks = tuple(f"task {number}" for number in range(11))
    memory = [f"Line {number}" for number in range(9)]
    signs = FactSigns(line_projects=dict.fromkeys(memory[1:], "/home/mara/other"))

    def count(budget: int | None) -> list[int]:
        """Return the facts, tasks and lines of a page with those that it says it lacks."""
        shown = replace(signs, limits=LIMITS if budget else NO_LIMITS)
        full = build_briefing("/home/mara/parcel-api", {**frames, "observations": facts}, memory, None, ZONE, tasks, shown)
        page = as_page(full) if budget is None else fit_to_budget(full, as_page, count_tokens, budget)
        words = (" facts? do", ": `recollect tasks", " lines? of")
        notes = [re.search(rf"^_(\d+) more{name}", page, re.MULTILINE) for name in words]
        assert budget is not None or notes == [None] * 3
        on_page = [page.count("`o-"), page.count("- task "), page.count("Line ")]
        return [number + int(note[1] if note else 0) for number, note in zip(on_page, notes, strict=True)]

    whole = count(None)
    assert whole[1:] == [11, 9]
    assert [count(budget) for budget in (300, 800, 2000, 10_000)] == [whole] * 4


@pytest.mark.parametrize("budget", [120, 300, 800])
def test_briefing_stays_within_its_budget(frames: dict[str, pl.DataFrame], budget: int) -> None:
    """Many facts never make a page above the budget, and the page says how many were left out."""
    many = pl.concat(
        [frames["observations"].filter(pl.col("observation_id") == "o-1").with_columns(observation_id=pl.lit(f"o-{i:04d}"))
         for i in range(120)]
    ).with_columns(text=pl.format("Case {}: {}", "observation_id", "text"))  # fmt: skip
    full = build_briefing("/home/mara/parcel-api", frames | {"observations": many}, [], None, ZONE)
    text = fit_to_budget(full, as_page, count_tokens, budget)
    assert count_tokens(text) <= max(budget, 170)
    assert "not fit into this page" in text
