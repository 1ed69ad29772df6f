"""Pages that keep what rests on unchanged facts have the bytes of pages that keep nothing, through any decisions."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from effects.config.settings import Settings
from effects.pages import page_facts, project_briefing
from effects.pages.briefing_index import INDEX_FILE
from effects.pages.fact_sheet_file import SHEETS_FILE
from effects.pages.kept_groups import Grouped, KeptGroups, open_kept_groups
from effects.pages.render_step import render
from effects.store.run import Run, open_run
from tests.machine.kept_folders import copy_kept
from transforms.briefing.brief import NO_LIMITS, FactSigns
from transforms.tables.schema import TABLES, build_frame

DAY = date(2026, 3, 2)
PROJECTS = ("/w/app", "/w/shop", "/w/mail")
THINGS = ("queue", "cache", "login page", "export", "invoice form", "mailer")
KINDS = ("decision", "rule", "preference", "root_cause", "status", "fix", "question", "task")
FORMS = (
    "The {thing} waits {number} seconds", 'User decided: "the {thing} runs on port {number} from now on"',
    'User rule: "never touch the {thing} on day {number}"', "Never change the {thing} before 9",
    'User left open: "who owns the {thing}"', "I recommend {number} workers for the {thing}",
    "The freeze of the {thing} holds until 2026-03-05",
)  # fmt: skip
Rows = dict[str, dict[str, dict[str, Any]]]
KEYS = {"sessions": "session_id", "windows": "window_id", "observations": "observation_id", "proposals": "proposal_id",
        "entries": "entry_id", "relations": "older_id", "tombstones": "target"}  # fmt: skip


def at(minute: int) -> datetime:
    return datetime(2026, 3, 2, 8, tzinfo=UTC) + timedelta(minutes=minute)


def make_fact(chance: random.Random, number: int) -> dict[str, Any]:
    project = chance.choice(PROJECTS)
    text = chance.choice(FORMS).format(thing=chance.choice(THINGS), number=chance.randrange(2, 40))
    ordinal = chance.randrange(6)
    return {
        "observation_id": f"o-{number:04d}", "project": project, "session_id": project, "window_id": f"w-{project[3:]}",
        "day": DAY, "segment_id": f"s{project}", "kind": chance.choice(KINDS),
        "priority": chance.choice(("high", "medium", "low")),
        "verdict": "allow", "engine": chance.choice(("offline", "model")), "origin": chance.choice(("owner", "agent")),
        "said_at": at(number), "text": text, "ordinals": [ordinal], "entry_ids": [f"e{project}{ordinal}"],
    }  # fmt: skip


def begin(chance: random.Random) -> Rows:
    rows: Rows = {table: {} for table in KEYS}
    for project in PROJECTS:
        place = {"session_id": project, "day": DAY}
        rows["sessions"][project] = place | {"project": project, "title": "Work", "started_at": at(0)}
        rows["sessions"][project] |= {"ended_at": at(900), "source_path": "/s"}
        rows["windows"][f"w-{project[3:]}"] = place | {
            "window_id": f"w-{project[3:]}", "kind": "closing", "status": "distilled", "started_at": at(0), "ended_at": at(900),
            "user_message_count": 7,
        }  # fmt: skip
        for ordinal in range(6):
            text = " ".join(form.format(thing=thing, number=ordinal) for form in FORMS for thing in THINGS)
            entry = {"entry_id": f"e{project}{ordinal}", "ordinal": ordinal, "entry_type": "message", "text": text}
            rows["entries"][entry["entry_id"]] = place | entry | {"said_at": at(ordinal)}
    for number in range(40):
        fact = make_fact(chance, number)
        rows["observations"][fact["observation_id"]] = fact
    return rows


def change(chance: random.Random, rows: Rows, number: int) -> tuple[list[str], str | None]:
    """Change the rows as a decision, a saying or a model would; return the tables, and MEMORY.md when it changes."""
    facts = [*rows["observations"].values()]
    kind = chance.choice(("propose", "approve", "reject", "fact", "replace", "relate", "forget", "memory", "undo",
                          "session", "entry", "window"))  # fmt: skip
    if kind == "session":
        chance.choice([*rows["sessions"].values()])["ended_at"] += timedelta(days=2)
        return ["sessions"], None
    if kind == "entry":
        entry = chance.choice([*rows["entries"].values()])
        entry["text"] = " ".join(reversed(entry["text"].split()))
        return ["entries"], None
    if kind == "window":
        chance.choice([*rows["windows"].values()])["current_task"] = chance.choice((None, "fix the queue"))
        return ["windows"], None
    if kind == "fact":
        fact = make_fact(chance, 100 + number)
        rows["observations"][fact["observation_id"]] = fact
        return ["observations"], None
    if kind == "replace":
        older, newer = sorted(chance.sample(facts, 2), key=lambda fact: str(fact["observation_id"]))
        older["superseded_by"] = newer["observation_id"]
        return ["observations"], None
    if kind == "relate":
        older, newer = sorted(chance.sample(facts, 2), key=lambda fact: str(fact["observation_id"]))
        relation = {"older_id": older["observation_id"], "newer_id": newer["observation_id"], "at": at(number)}
        rows["relations"][relation["older_id"]] = relation | {
            "relation": chance.choice(("outdates", "replaces_part", "changed_number"))
        }
        return ["relations"], None
    if kind == "forget":
        target = chance.choice(facts)["observation_id"]
        rows["tombstones"][target] = {"target": target, "at": at(number), "is_undone": chance.random() < 0.3}
        return ["tombstones"], None
    if kind == "propose" or not rows["proposals"]:
        cited = chance.choice(facts)
        proposal = {
            "proposal_id": f"p-20260302-{number:03d}", "kind": "memory", "op": "add", "section": "Patterns", "text": cited["text"]
        }  # fmt: skip
        proposal |= {
            "evidence_ids": [cited["observation_id"]], "status": "pending", "first_shown_at": at(number),
            "proposed_at": at(number),
        }  # fmt: skip
        rows["proposals"][str(proposal["proposal_id"])] = proposal
        return ["proposals"], None
    proposal = chance.choice([*rows["proposals"].values()])
    status = {"approve": "approved", "reject": "rejected", "undo": "pending"}.get(kind)
    if status:
        proposal |= {"status": status, "decided_at": at(500 + number) if status != "pending" else None}
    lines = sorted({row["text"] for row in rows["proposals"].values() if row["status"] == "approved"})
    if kind == "memory":
        lines += [chance.choice(facts)["text"]]
    return ["proposals"], "# Memory\n\n## Patterns\n\n" + "".join(f"- {line}\n" for line in lines)


def write_tables(run: Run, rows: Rows, tables: list[str]) -> None:
    with run.lake.writing("test"), run.lake.commit() as commit:
        for table in tables:
            name = TABLES[table]
            known = [{key: value for key, value in row.items() if key in name.columns} for row in rows[table].values()]
            commit.replace(table, build_frame(name, known), DAY if name.is_daily else None)


def store(run: Run, rows: Rows, tables: list[str], memory: str | None) -> None:
    write_tables(run, rows, tables)
    with run.lake.writing("test"):
        if memory is not None:
            (run.settings.workspace / "MEMORY.md").write_text(memory, encoding="utf-8")
        render(run)


def read_pages(run: Run) -> dict[str, bytes]:
    """Return the pages, the short briefings of the index and the lines of the sheets."""
    pages = {path.relative_to(run.settings.workspace).as_posix(): path for path in run.settings.workspace.rglob("*.*")}
    read = {name: path.read_bytes() for name, path in pages.items() if path.is_file()}
    sheets = (run.lake.root / SHEETS_FILE).read_bytes().partition(b"\n")[2]
    return read | {INDEX_FILE: (run.lake.root / INDEX_FILE).read_bytes(), SHEETS_FILE: sheets}


def forget_notes(run: Run) -> None:
    for path in (*(run.lake.root / "_logs").glob("*"), run.lake.root / INDEX_FILE, run.lake.root / SHEETS_FILE):
        if path.is_file():
            path.unlink()


def open_at(root: Path) -> Run:
    settings = Settings(lake=root / "lake", workspace=root / "pages", timezone="UTC", owner="Mara")
    return open_run(settings, at(1_000))


def open_kept_world(root: Path) -> tuple[Rows, Run]:
    """Return the rows of seed 1 and a run where they are stored and rendered; it was done once, and each test has a copy."""
    rows = begin(random.Random(1))
    copy_kept(("kept groups",), lambda folder: store(open_at(folder), rows, [*KEYS], None), root)
    return rows, open_at(root)


@pytest.mark.parametrize("seed", range(3))
def test_kept_pages_have_the_bytes_of_pages_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Fourteen changes in a row, rendered once over the notes of the last rendering, once without any note."""
    chance = random.Random(seed)
    keeping, forgetful = open_at(tmp_path / "kept"), open_at(tmp_path / "anew")
    grouped: list[str] = []
    group = project_briefing.group_facts

    def count_and_group(observations: Any, project: str, *rest: Any, **more: Any) -> Any:
        grouped.append(project)
        return group(observations, project, *rest, **more)

    monkeypatch.setattr(project_briefing, "group_facts", count_and_group)
    rows, counts = begin(chance), [0, 0]
    for number in range(15):
        tables, memory = ([*KEYS], None) if number == 0 else change(chance, rows, number)
        forget_notes(forgetful)
        for place, run in enumerate((keeping, forgetful)):
            grouped.clear()
            store(run, rows, tables, memory)
            counts[place] += len(grouped)
        assert read_pages(keeping) == read_pages(forgetful), (number, tables)
    assert counts[0] < counts[1]


def open_groups(run: Run, facts: pl.DataFrame, ended: list[str]) -> KeptGroups:
    kept = open_kept_groups(run, {"/w/app": "app.md"}, facts, ended)
    assert kept is not None
    return kept


@pytest.mark.parametrize(
    "part", ["", "entries", "has_task", "newer", "is_over", "facts", "fewer", "marks", "ranks", "is_unread", "limits"]
)
def test_each_part_of_the_key_makes_the_groups_anew_when_it_alone_changes(tmp_path: Path, part: str) -> None:
    """The order of messages, a task above the facts, what stands beside a fact, what is over, was marked or has another rank."""
    rows, run = open_kept_world(tmp_path)
    facts = build_frame(TABLES["observations"], [*rows["observations"].values()])
    own = facts.filter(pl.col("project") == "/w/app")
    first, second = own["observation_id"].to_list()[:2]
    made: list[str] = []

    def make() -> Grouped:
        made.append(part)
        return (), 0

    def group(ended: list[str], own: pl.DataFrame, signs: FactSigns, *, has_task: bool) -> None:
        kept = open_groups(run, facts, ended)
        kept.group("/w/app", own, signs, has_task, make)
        kept.save()

    group([], own, FactSigns(), has_task=False)
    if part == "entries":
        rows["entries"]["e/w/app1"]["text"] = "other words"
        write_tables(run, rows, ["entries"])
    if part == "facts":
        facts = facts.with_columns(text=pl.lit("The queue waits 9 seconds"))
    changed = {"newer": {first: second}, "marks": {first: "gone"}, "ranks": {first: 2}, "is_unread": True, "limits": NO_LIMITS}
    signs = replace(FactSigns(), **({part: changed[part]} if part in changed else {}))
    group([first] if part == "is_over" else [], own.tail(-1) if part == "fewer" else own, signs, has_task=part == "has_task")
    assert len(made) == (2 if part else 1)


def test_facts_that_have_ended_are_looked_for_again_when_a_fact_or_the_last_day_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, run, asked = begin(random.Random(1)), open_at(tmp_path), list[str]()
    facts = [*rows["observations"].values()]
    facts[3]["text"] = "The freeze of the queue holds until 2026-03-05"
    has_ended = page_facts.has_ended
    monkeypatch.setattr(page_facts, "has_ended", lambda text, *days: asked.append(text) or has_ended(text, *days))
    store(run, rows, [*KEYS], None)
    assert asked.count(facts[3]["text"]) == 1
    for part in ("proposals", "sessions", "observations"):
        asked.clear()
        rows["sessions"]["/w/app"]["ended_at"] += timedelta(days=9 * (part == "sessions"))
        facts[4]["text"] += " now" * (part == "observations")
        store(run, rows, [part], "# Memory\n" if part == "proposals" else None)
        assert asked.count(facts[3]["text"]) == (part != "proposals")


@pytest.mark.parametrize("part", ["sessions", "relations", "windows", "entries"])
def test_pages_follow_a_change_of_one_table_alone(tmp_path: Path, part: str) -> None:
    """A fact that ends as a session went on, one that is outdated, the task of the last window, the order of messages."""
    rows = begin(random.Random(1))
    for number, fact in enumerate(rows["observations"].values()):
        fact["text"] = f"The {THINGS[number % 6]} waits {number} seconds"
        fact |= {"kind": "decision", "project": "/w/app", "session_id": "/w/app", "origin": "owner"}
    texts = [*rows["observations"].values()]
    texts[3]["text"] = "The freeze of the queue holds until 2026-03-05"
    keeping, forgetful = open_at(tmp_path / "kept"), open_at(tmp_path / "anew")
    for run in (keeping, forgetful):
        store(run, rows, [*KEYS], None)
    before = read_pages(keeping)["briefing/app.md"]
    if part == "sessions":
        rows["sessions"]["/w/app"]["ended_at"] += timedelta(days=9)
    elif part == "relations":
        older, newer = texts[30]["observation_id"], texts[36]["observation_id"]
        rows["relations"][older] = {"older_id": older, "newer_id": newer, "at": at(50), "relation": "outdates"}
    elif part == "windows":
        rows["windows"]["w-app"]["current_task"] = "fix the queue"
    else:
        for entry in rows["entries"].values():
            entry["text"] = " ".join(fact["text"] for fact in reversed(texts))
    forget_notes(forgetful)
    for run in (keeping, forgetful):
        store(run, rows, [part], None)
    assert read_pages(keeping) == read_pages(forgetful)
    assert part in ("entries", "relations") or read_pages(keeping)["briefing/app.md"] != before


GROUPS_FILE = "_logs/parts_briefing_groups.log"


def damage_notes(run: Run, damage: Callable[[str], Any]) -> None:
    """Damage the note of each page, and leave the file and what tells that it is of this code as they are."""
    path = run.lake.root / GROUPS_FILE
    stored = orjson.loads(path.read_bytes())
    stored["keys"] = {name: damage(note) for name, note in stored["keys"].items()}
    path.write_bytes(orjson.dumps(stored))


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: "{",
        lambda _: "",
        lambda _: "[]",
        lambda _: 7,
        lambda _: None,
        lambda note: note[:-9],
        lambda note: note.replace('"ids"', '"odd"'),
        lambda note: note.replace('"groups"', '"odd"'),
        lambda note: note.replace('"settled":{', '"settled":[],"odd":{'),
        lambda note: re.sub('"groups":.*,"all', '"groups":[[7]],"all', note),
    ],
)
def test_a_damaged_note_costs_work_alone(tmp_path: Path, damage: Callable[[str], Any]) -> None:
    """Of another shape, cut short, without a name, with a value of another kind."""
    rows, run = open_kept_world(tmp_path)
    before = read_pages(run)
    damage_notes(run, damage)
    (run.settings.workspace / "briefing" / "app.md").unlink()
    rows["proposals"]["p-20260302-001"] = {
        "proposal_id": "p-20260302-001", "kind": "memory", "op": "add", "section": "Patterns", "text": "Pages are short",
        "evidence_ids": [], "status": "pending", "first_shown_at": at(1), "proposed_at": at(1),
    }  # fmt: skip
    store(run, rows, ["proposals"], None)
    rows["proposals"].clear()
    store(run, rows, ["proposals"], None)
    assert read_pages(run) == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda header: [header],
        lambda header: 7,
        lambda header: {name: value for name, value in header.items() if name != "shown"},
        lambda header: header | {"shown": 7},
        lambda header: header | {"shown": [header["shown"][0], [["o-0001"]]]},
        lambda header: header | {"shown": [header["shown"][0], None]},
        lambda header: header | {"shown": [header["shown"][0], 7]},
    ],
)
def test_a_damaged_first_line_of_the_sheets_costs_work_alone(tmp_path: Path, damage: Callable[[Any], Any]) -> None:
    rows, run = open_kept_world(tmp_path)
    before, path = read_pages(run), run.lake.root / SHEETS_FILE
    header, _, sheets = path.read_bytes().partition(b"\n")
    stored = orjson.loads(header) | {"inputs": "of another day"}
    path.write_bytes(orjson.dumps(damage(stored)) + b"\n" + sheets)
    store(run, rows, [], None)
    assert read_pages(run) == before


@pytest.mark.parametrize("name", ["briefing_groups", "ended_facts"])
def test_a_damaged_note_is_none(tmp_path: Path, name: str) -> None:
    rows, run = open_kept_world(tmp_path)
    before = read_pages(run)
    (run.lake.root / "_logs" / f"parts_{name}.log").write_bytes(b"{")
    (run.settings.workspace / "briefing" / "app.md").unlink()
    store(run, rows, [], None)
    assert read_pages(run) == before
