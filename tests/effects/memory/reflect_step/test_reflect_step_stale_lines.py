"""Lines of MEMORY.md, also those by hand, that the owner contradicts weeks later become proposals about exactly that line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from effects.memory.proposal_store import open_proposals, promote_approved, save_proposals
from effects.memory.relate_step import list_lines
from effects.memory.replaced_lines import find_carried_rows, find_lost_rows
from effects.memory.review_step import approve
from tests.effects.memory_world import World
from transforms.friction.patterns import RepeatedFact, find_stale_lines
from transforms.pages.fact_marks import make_memory_id
from transforms.pages.memory_md import parse_memory
from transforms.tables.schema import RELATIONS, build_frame

MEMORY = """# Memory

## Hard Rules

- never deploy to the kiosk

## System Architecture

- the label printer listens on 6101
- **till** — search index: tantivy, keep it local
- Invoice timeout is 30 s
- the archive is kept for 10 years
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a workspace whose MEMORY.md was written by hand."""
    world = World(tmp_path)
    world.memory_file.parent.mkdir(parents=True)
    world.memory_file.write_text(MEMORY, encoding="utf-8")
    world.night()
    return world


def propose(world: World, text: str, kind: str = "decision", **columns: object) -> list[tuple[str, str, str]]:
    """Say something three weeks later; return operation, old line and new line of the proposals that touch a line."""
    world.days += 21
    world.observe(f'Joel decided: "{text}"', kind, project="/w/till", **columns)
    world.night()
    return [(row["op"], row["old_text"], row["text"]) for row in world.proposals().values() if row["old_text"]]


VOICES = [
    ("terse", "label printer moved from port 6101 to 6120", "- the label printer listens on 6101"),
    ("formal", "The label printer has been moved from port 6101 to port 6120.", "- the label printer listens on 6101"),
    ("chatty", "ok so tantivy is out, meilisearch for the search index", "- **till** — search index: tantivy, keep it local"),
    ("plain", "Invoice timeout is 45 s now", "- Invoice timeout is 30 s"),
]


@pytest.mark.parametrize(("voice", "text", "old"), VOICES)
def test_a_line_that_no_longer_holds_is_proposed_for_replacement(world: World, voice: str, text: str, old: str) -> None:
    ((op, line, _),) = propose(world, text)
    assert (op, line) == ("replace", old), voice


@pytest.mark.parametrize(
    ("said", "old"),
    [
        ("deploying to the kiosk is fine from now on", "- never deploy to the kiosk"),
        ("meilisearch instead of tantivy from now on", "- **till** — search index: tantivy, keep it local"),
        ("invoice timeouts are 45 s now", "- Invoice timeout is 30 s"),
    ],
)
def test_words_of_a_change_that_read_like_a_request_are_offered_in_the_place_of_the_line(
    world: World, said: str, old: str
) -> None:
    world.days += 21
    world.observe(f'User asked: "{said}"', "request", priority="medium", project="/w/till", origin="owner")
    world.night()
    assert [(row["op"], row["old_text"], row["text"]) for row in world.proposals().values()] == [
        ("replace", old, said if "till" not in old else f"**till** — {said}")
    ]


@pytest.mark.parametrize(
    ("said", "columns"),
    [
        ("deploying to the kiosk of the fair is fine from now on", {}),
        ("in the demo meilisearch instead of tantivy from now on", {}),
        ("invoice timeouts are 45 s now", {"origin": "agent"}),
    ],
)
def test_a_request_about_another_thing_or_of_an_agent_is_offered_in_the_place_of_no_line(
    world: World, said: str, columns: dict[str, str]
) -> None:
    world.days += 21
    world.observe(f'User asked: "{said}"', "request", priority="medium", project="/w/till", **({"origin": "owner"} | columns))
    world.night()
    assert world.proposals() == {}


def test_a_medium_remark_changes_a_line_and_makes_none(world: World) -> None:
    """What would never become a line by itself may change one: that the subject matters was decided before."""
    proposals = propose(world, "Invoice timeout is 45 s now", "state_change", priority="medium", confidence=0.5)
    assert [op for op, _, _ in proposals] == ["replace"]
    assert propose(world, "The courier timeout is 45 s now", "state_change", priority="medium", confidence=0.5) == proposals


LINE = "- peak hours are 17:30 to 20:30 on working days"


@pytest.mark.parametrize(
    ("former", "newer", "changes"),
    [
        (
            "17:30-20:30 working days only",
            'Ana decided: "only the one of the addendum" Reply: `PEAK = (18, 21)`. ' + "And what I changed. " * 12,
            [("remove", LINE, LINE[2:])],
        ),
        (
            "Peak hours are 17:30 to 20:30 on working days",
            'Ana decided: "peak hours are 18:00 to 21:00 now"',
            [("replace", LINE, "Peak hours are 18:00 to 21:00 now")],
        ),
        ("20:30 is dinner", 'Ana decided: "dinner is at 21:00"', []),  # one of the line's numbers, about something else
    ],
)
def test_a_line_by_hand_that_says_what_the_owner_replaced_since_is_offered(
    world: World, former: str, newer: str, changes: list[tuple[str, str, str]]
) -> None:
    """It rests on no evidence; the fact that says the same was retired, also by words that do not name what they replace."""
    world.memory_file.write_text(MEMORY + LINE + "\n", encoding="utf-8")
    told = {"project": "/w/till", "origin": "owner"}
    key = world.observe(newer, "decision", **told)
    world.observe(f'Ana said: "{former}"', "status", superseded_by=key, said_at=world.run.as_of - timedelta(days=9), **told)
    world.days += 1
    world.night()
    assert [(row["op"], row["old_text"], row["text"]) for row in world.proposals().values() if row["old_text"]] == changes


def test_approved_it_stands_in_the_place_of_the_old_line_and_the_log_keeps_the_old_words(world: World) -> None:
    propose(world, "label printer moved from port 6101 to 6120")
    (proposal_id,) = world.proposals()
    world.mark(proposal_id, "x")
    world.days += 1
    world.night()
    memory = world.memory()
    assert "6101" not in memory.replace("from port 6101 to 6120", "")
    assert "moved from port 6101 to 6120" in memory
    assert len(memory.splitlines()) == len(MEMORY.splitlines())
    promoted = [row for row in world.proposals().values() if row["status"] == "approved"]
    assert promoted[0]["old_text"] == "- the label printer listens on 6101"


@pytest.mark.parametrize(
    "text",
    [
        "The stock printer moved from port 6102 to 6120",
        "the label printer listens on 6101",
        "maybe we move the label printer from 6101 to 6120",
        "for now the label printer moved from port 6101 to 6120",
        "in the cold store the label printer listens on 6120 instead of 6101",
    ],
)
def test_others_repetitions_ideas_and_exceptions_leave_the_line_alone(world: World, text: str) -> None:
    assert propose(world, text) == []


def test_a_line_of_another_project_is_left_alone(world: World) -> None:
    world.memory_file.write_text(MEMORY.replace("- Invoice timeout", "- **depot** — Invoice timeout"), encoding="utf-8")
    assert propose(world, "Invoice timeout is 45 s now") == []


def test_a_line_that_is_only_taken_back_is_proposed_for_removal(world: World) -> None:
    """Nothing takes its place, so the proposal removes exactly that line; every other byte stays."""
    old = "- never deploy to the kiosk"
    proposals = propose(world, "you can deploy to the kiosk again", priority="medium", confidence=0.5)
    assert proposals == [("remove", old, old.removeprefix("- "))]
    before = world.memory()
    world.mark(next(iter(world.proposals())), "x")
    world.days += 1
    world.night()
    assert world.memory() == before.replace(old + "\n", "")


def test_a_line_by_hand_that_a_model_calls_replaced_is_offered_though_no_word_tells(world: World) -> None:
    """The relation of the night decides; the newer fact takes the line's place in its own words, once."""
    old = "- **till** — search index: tantivy, keep it local"
    key = world.observe("The till finds articles with a trigram table in Postgres", "decision", project="/w/till")
    relation = {
        "older_id": make_memory_id(old.removeprefix("- ")), "newer_id": key, "relation": "replaces", "engine": "test",
        "template_hash": "t", "asked_on": world.run.today,
    }  # fmt: skip
    lake = world.run.lake
    with lake.writing("test"), lake.commit() as change:
        change.replace("relations", build_frame(RELATIONS, [relation]))
    world.days += 1
    world.night()
    ((proposal_id, row),) = world.proposals().items()
    assert (row["op"], row["old_text"]) == ("replace", old)
    assert "trigram table in Postgres" in row["text"]
    world.mark(proposal_id, "-")
    world.days += 1
    world.night()
    assert list(world.proposals()) == [proposal_id]
    assert old in world.memory()


STATIONS, XML, CBOR = (
    "always name the stations by three letters",
    "never send the payload as xml",
    "always send the payload as cbor",
)
BOTH = "The payload is never sent as xml, and the stations always have a name of three letters"


def replace_line_of_two_facts(world: World, text: str) -> str:
    """Promote a line of two facts, replace one of them, and put `text` in the place of the line; return the line's proposal."""
    stations, xml = (world.observe(f'Joel set a rule: "{said}"') for said in (STATIONS, XML))
    world.night()
    world.days += 1
    cbor = world.observe(f'Joel set a rule: "{CBOR}"')
    world.observe(f'Joel set a rule: "{XML}"', superseded_by=cbor, said_at=world.run.as_of - timedelta(days=1, hours=6))
    store = open_proposals(world.run)
    made = next(row for row in store.rows.values() if row["evidence_ids"] == [stations])
    key, new = "p-20260517-901", "p-20260518-902"
    store.rows = {key: made | {"proposal_id": key, "text": BOTH, "evidence_ids": [stations, xml]}}
    with world.run.lake.writing("test"):
        promote_approved(store, [key])
        old = store.lines[-1]["text"]
        store.rows[new] = store.rows[key] | {
            "proposal_id": new, "status": "pending", "op": "replace", "text": text, "old_text": old, "evidence_ids": [cbor],
        }  # fmt: skip
        promote_approved(store, [new])
        save_proposals(store)
    return key


def list_offers(world: World) -> list[str]:
    """Return what waits after the next night, and after one more."""
    for _ in range(2):
        world.days += 1
        world.night()
    return [row["text"] for row in world.proposals().values() if row["status"] == "pending"]


def test_what_a_replacement_leaves_unsaid_is_offered_as_a_line_of_its_own(tmp_path: Path) -> None:
    """A line of several facts gave way to one of them: nothing that holds leaves MEMORY.md unseen."""
    world = World(tmp_path)
    former = replace_line_of_two_facts(world, "The payload is always sent as cbor")
    lost = find_lost_rows(world.run, open_proposals(world.run).rows, parse_memory(world.memory()))
    assert [proposal_id for proposal_id, _ in lost] == [former]
    (line,) = list_offers(world)
    assert "stations" in line


def test_what_a_replacement_keeps_is_not_offered_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    text = "The payload is always sent as cbor, and the stations always have a name of three letters"
    replace_line_of_two_facts(world, text)
    assert list_offers(world) == []


def test_a_replacement_rests_on_the_facts_that_it_keeps(tmp_path: Path) -> None:
    """When one of them is replaced later, the line is found again."""
    world = World(tmp_path)
    key = replace_line_of_two_facts(world, "The payload is always sent as cbor")
    rows = open_proposals(world.run).rows
    old = next(row["old_text"] for row in rows.values() if row["old_text"])
    kept = find_carried_rows(world.run, rows, old or "", "cbor; the stations always have a name of three letters")
    assert kept == [(rows[key]["evidence_ids"] or [])[0]]
    assert find_carried_rows(world.run, rows, old or "", "The payload is always sent as cbor") == []


def test_a_line_that_gave_way_to_its_reverse_is_not_offered_again_though_its_fact_is_in_force(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.observe('User set a rule: "never use emojis in commit messages"', origin="owner", project="/w/till")
    world.night()
    approve_all(world)
    world.days += 14
    world.observe('User set a rule: "emojis in commits are fine from now on"', origin="owner", project="/w/till")
    world.night()
    assert [row["op"] for row in world.proposals().values() if row["status"] == "pending"] == ["replace"]
    approve_all(world)
    assert list_offers(world) == []
    assert "never use emojis" not in world.memory().lower()


def approve_all(world: World) -> None:
    """Tick everything that waits, a day after it was offered."""
    world.days += 1
    with world.run.lake.writing("test"):
        approve(world.run, [key for key, row in world.proposals().items() if row["status"] == "pending"])


ZONES = [("Pacific/Tongatapu", 20), ("Pacific/Honolulu", 9)]
"""A zone 13 hours ahead of UTC and one 10 behind, each with the hour of UTC at which a local day has another date."""


PRINTER = "- the label printer listens on 6101"


def tell_replacement(world: World, old: str, text: str) -> None:
    """Say something that a model takes for a replacement of a line, and let a night pass."""
    world.days += 8
    key = world.observe(text, "decision", project="/w/till", origin="owner")
    relation = {
        "older_id": make_memory_id(old.removeprefix("- ")), "newer_id": key, "relation": "replaces", "engine": "test",
        "template_hash": "t", "asked_on": world.run.today,
    }  # fmt: skip
    lake = world.run.lake
    with lake.writing("test"), lake.commit() as change:
        change.replace("relations", build_frame(RELATIONS, [relation]))
    world.night()


@pytest.mark.parametrize("text", ["for today the label printer listens on 6120", "until friday the label printer is on 6120"])
def test_words_of_a_day_take_the_place_of_no_line_whatever_a_model_says(world: World, text: str) -> None:
    tell_replacement(world, PRINTER, text)
    assert world.proposals() == {}


def test_a_change_that_waits_gives_way_when_its_evidence_is_replaced(world: World) -> None:
    """The port moved twice in a week: the page offers the last one for the line, and nothing else."""
    propose(world, "label printer moved from port 6101 to 6120")
    ((key, first),) = world.proposals().items()
    world.days += 2
    newer = world.observe('Joel decided: "label printer moved from port 6120 to 6130"', "decision", project="/w/till")
    (earlier,) = first["evidence_ids"]
    said = {"observation_id": earlier, "said_at": first["said_at"], "superseded_by": newer, "project": "/w/till"}
    world.observe('Joel decided: "label printer moved from port 6101 to 6120"', "decision", **said)
    world.night()
    waiting = [row for row in world.proposals().values() if row["status"] == "pending"]
    assert [(row["old_text"], row["evidence_ids"]) for row in waiting] == [(PRINTER, [newer])]
    assert world.statuses()[key] == "merged"


@pytest.mark.parametrize(
    ("edited", "outcome"),
    [
        ("- Invoice timeout is 40 s\n", ("merged", "replace", "- Invoice timeout is 30 s")),
        ("- Invoice timeout is 45 s\n", ("merged", "replace", "- Invoice timeout is 30 s")),
        ("- The invoice timeout is 30 s\n", ("pending", "replace", "- The invoice timeout is 30 s")),
        ("", ("pending", "add", None)),
    ],
)
def test_an_edit_of_the_line_by_hand_decides_about_its_change(
    world: World, edited: str, outcome: tuple[str, str, str | None]
) -> None:
    """Another value ends the offer, other words are replaced in place of the old ones, and a deleted line leaves an addition."""
    propose(world, "Invoice timeout is 45 s now")
    world.memory_file.write_text(MEMORY.replace("- Invoice timeout is 30 s\n", edited), encoding="utf-8")
    world.days += 1
    world.night()
    ((key, row),) = world.proposals().items()
    assert (row["status"], row["op"], row["old_text"]) == outcome
    assert (key in world.review_file.read_text(encoding="utf-8")) == (outcome[0] == "pending")


def test_the_removal_of_a_line_that_is_gone_ends(world: World) -> None:
    propose(world, "you can deploy to the kiosk again", priority="medium", confidence=0.5)
    world.memory_file.write_text(MEMORY.replace("- never deploy to the kiosk\n", ""), encoding="utf-8")
    world.days += 1
    world.night()
    assert set(world.statuses().values()) == {"merged"}


@pytest.mark.parametrize(("zone", "hour"), ZONES)
@pytest.mark.parametrize("days", [0, -1])
def test_a_line_is_outdated_by_what_was_said_on_its_local_day_and_by_nothing_older(
    tmp_path: Path, zone: str, hour: int, days: int
) -> None:
    """The date of a line is of the owner's calendar; a fact of the evening before is older in any zone."""
    world = World(tmp_path, settings={"timezone": zone})
    said_at = datetime(2026, 5, 15, hour, 30, tzinfo=UTC)
    day = said_at.astimezone(ZoneInfo(zone)).date() - timedelta(days=days)
    world.memory_file.parent.mkdir(parents=True)
    world.memory_file.write_text(f"# Memory\n\n## System Architecture\n\n- ({day}) Invoice timeout is 30 s\n", encoding="utf-8")
    world.observe('Joel decided: "Invoice timeout is 45 s now"', "decision", project="/w/till", said_at=said_at)
    world.night()
    offered = [row["old_text"] for row in world.proposals().values() if row["old_text"]]
    assert offered == ([f"- ({day}) Invoice timeout is 30 s"] if days == 0 else [])
    bullets = parse_memory(world.memory()).bullets
    fact = {"text": "Invoice timeout is 45 s now", "kind": "decision", "said_at": said_at, "project": ""}
    friction = find_stale_lines([RepeatedFact(fact, frozenset({"s1", "s2"}), frozenset({"a", "b"}))], bullets, world.run.zone)  # type: ignore[typeddict-item]
    assert not friction, "a line of the same day or a later one is not contradicted by a repetition"
    (line,) = list_lines(world.run)
    assert (line.said_at < said_at) == (days == 0)


def test_an_edited_change_waits_beside_a_newer_one_and_no_model_is_named_where_none_was_asked(world: World) -> None:
    """A rule about words ends a change that nobody edited; of the owner's words it says nothing, as no model does."""
    own = "Invoice timeout is 45 s for big ones"
    ((_, old, shown),) = propose(world, "Invoice timeout is 45 s now")
    world.edit(shown, own)
    proposals = propose(world, "Invoice timeout is 60 s now")
    assert [line for _, line, _ in proposals] == [old, old]
    assert set(world.statuses().values()) == {"pending"}
    assert world.events("doubted") == []
    assert "A model" not in world.review_file.read_text(encoding="utf-8")
    assert own in world.review_file.read_text(encoding="utf-8")


def test_a_change_that_nobody_edited_ends_with_a_newer_one(world: World) -> None:
    propose(world, "Invoice timeout is 45 s now")
    world.days += 3
    world.observe('Joel decided: "Invoice timeout is 60 s now"', "decision", project="/w/till")
    world.night()
    assert [row["status"] for row in world.proposals().values()] == ["merged", "pending"]
