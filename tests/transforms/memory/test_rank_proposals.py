"""Which observations may take the place of the line that they retired, and in which words; how many lines a week may bring."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.memory.lasting.line_scope import Scopes
from transforms.memory.line_successor import build_successor, is_successor
from transforms.memory.normalise_claim import MAX_WORDED_CHARS, is_standalone
from transforms.memory.passing_line import is_passing
from transforms.memory.proposal_outcomes import FEWEST_VERDICTS, RECENT_VERDICTS, limit_by_verdicts
from transforms.memory.rank_proposals import LineChanges, rank_proposals
from transforms.pages.memory_md import parse_memory
from transforms.tables.enums import ProposalKind, ProposalStatus
from transforms.tables.rows import ObservationRow, ProposalRow

TEXT = "The size cap for reviews is 450 lines, because the smaller pieces did not compile alone (rejected: 300 lines)."


def row(text: str = TEXT, **changed: Any) -> ObservationRow:
    fields: dict[str, Any] = {
        "observation_id": "o-1", "session_id": "s-1", "project": "/code/app", "said_at": datetime(2026, 5, 1, tzinfo=UTC),
        "kind": "decision", "priority": "high", "category": "projects", "text": text, "verdict": "allow", "superseded_by": None,
        "confidence": 0.9, "merged_count": 1, "origin": "owner",
    }  # fmt: skip
    return cast(ObservationRow, fields | changed)


def test_an_observation_is_worded_without_what_it_rejected() -> None:
    """The rejected value may be the one of the line that goes."""
    candidate = build_successor(row(), "Joel", "Reflected")
    assert candidate.text == "The size cap for reviews is 450 lines, because the smaller pieces did not compile alone"
    assert (candidate.evidence, candidate.is_change) == (("o-1",), True)


@each_case(
    "changed",
    [
        {"superseded_by": "o-2"},
        {"verdict": "hold"},
        {"kind": "rule", "origin": "agent"},
    ],
)
def test_what_holds_no_more_or_may_not_speak_for_the_owner_replaces_nothing(changed: dict[str, Any]) -> None:
    assert is_successor(row())
    assert not is_successor(row(**changed))


@each_case(("text", "op"), [(TEXT, "replace"), ("It is 450 lines from now on.", "remove")])
def test_a_fact_that_cannot_stand_alone_only_takes_away_the_line_that_it_retired(text: str, op: str) -> None:
    page = parse_memory("## Patterns\n\n- Reviews are capped at 300 lines\n")
    candidate = build_successor(row(text), "Joel", "Reflected")
    (proposal,) = rank_proposals([candidate], page, [], LineChanges({page.bullets[0].line: "o-1"}), 5, UTC).chosen
    assert (proposal.op, proposal.old_text) == (op, "- Reviews are capped at 300 lines")
    assert proposal.text == (candidate.text if op == "replace" else "Reviews are capped at 300 lines")


def test_a_told_replacement_that_differs_in_one_name_is_no_repetition_of_its_line() -> None:
    """Words alone take the two for one claim; what was told to replace the other takes its place all the same."""
    page = parse_memory("## Patterns\n\n- Card payments go through Adyen\n")
    old = page.bullets[0].line
    told, repeated = (
        build_successor(row(f"Card payments go through {name}"), "Joel", "Reflected") for name in ("Mollie", "Adyen")
    )
    (proposal,) = rank_proposals([told], page, [], LineChanges({old: "o-1"}), 5, UTC).chosen
    assert (proposal.op, proposal.old_text, proposal.text) == ("replace", old, "Card payments go through Mollie")
    assert rank_proposals([repeated], page, [], LineChanges({old: "o-1"}), 5, UTC).chosen == ()
    assert rank_proposals([told], page, [], LineChanges(), 5, UTC).chosen == ()


def _propose(text: str, page: str = "", **changed: Any) -> list[str]:
    """Return the lines that a fact found worth one offers beside this MEMORY.md."""
    candidate = replace(build_successor(row(text, **changed), "Joel", "Reflected"), is_change=False)
    return [proposal.text for proposal in rank_proposals([candidate], parse_memory(page), [], LineChanges(), 5, UTC).chosen]


@each_case(
    ("text", "kind", "line"),
    [
        (
            "Numbered SQL files in migrations/, no alembic",
            "convention",
            "**app** — Numbered SQL files in migrations/, no alembic",
        ),
        ("Locks are taken in the order of their names", "root_cause", "**app** — Locks are taken in the order of their names"),
        ("Prefers uv over pip", "preference", "Prefers uv over pip"),
        ("Never force-push to main", "rule", "Never force-push to main"),
        ("Never edit src/schema/tables.sql by hand", "rule", "**app** — Never edit src/schema/tables.sql by hand"),
        (
            "`app/scan.py`: sums in fp32, never the product",
            "decision",
            "**app** — `app/scan.py`: sums in fp32, never the product",
        ),
        ("Logs of the gate lie in /var/app/logs for a week", "decision", "Logs of the gate lie in /var/app/logs for a week"),
        ("Locks of the app are taken in order", "convention", "Locks of the app are taken in order"),
        ("Dates are written as 05-Apr-2026 in both projects", "convention", "Dates are written as 05-Apr-2026 in both projects"),
        ("Wrapped happenings are logged in order", "convention", "**app** — Wrapped happenings are logged in order"),
    ],
)
def test_a_line_that_only_makes_sense_in_its_project_names_it_and_is_known_with_its_name(text: str, kind: str, line: str) -> None:
    """In every section; a person's wish, or rule about work, names a project only with its paths, and no line names one twice. A
    package of the project's name says little to other projects."""
    assert _propose(text, kind=kind) == [line]
    assert _propose(text, f"## Patterns\n\n- {line}\n", kind=kind) == []
    known = parse_memory(f"## Patterns\n\n- {line}\n")
    pool = [
        replace(build_successor(row(text, kind=kind, project=project, observation_id=key, session_id=key), "Joel", "Reflected"),
                is_change=False)
        for key, project in (("o-1", "/code/app"), ("o-2", "/code/shop"))
    ]  # fmt: skip
    assert rank_proposals(pool, known, [], LineChanges(), 5, UTC).chosen == (), "also when another project says it, too"


def test_a_typed_rule_names_its_project_unless_it_is_about_the_work() -> None:
    """A model's line has no words beside it: the model says itself what holds everywhere."""
    lines = {
        "Never drop door events of the north gate": "**app** — Never drop door events of the north gate",
        "Never git add -A, name the files": "Never git add -A, name the files",
    }
    for text, line in lines.items():
        model = replace(build_successor(row(text, kind="rule"), "Joel", "Reflected"), is_change=False)
        for candidate, expected in ((replace(model, whole=text), line), (model, text)):
            (added,) = rank_proposals([candidate], parse_memory(""), [], LineChanges(), 5, UTC).chosen
            assert added.text == expected


@each_case(("likely", "line"), [(0.9, "Wants answers of three lines"), (0.1, "**app** — Wants answers of three lines")])
def test_learned_weights_tell_whether_a_typed_line_names_its_project(likely: float, line: str) -> None:
    """A wish, too. What was said in two projects names none, and paths, or a line that names another one, are told as before."""
    scopes = Scopes(weigh=lambda _: likely)
    here, there = (
        replace(
            build_successor(row("Wants answers of three lines", kind="preference", project=project), "Joel", "Reflected"),
            is_change=False,
        )
        for project in ("/code/app", "/code/shop")
    )
    path = replace(here, text="Never edit src/schema/tables.sql by hand", whole="Never edit src/schema/tables.sql by hand")
    everywhere = replace(path, is_everywhere=True)
    both = replace(here, projects=here.projects | there.projects)
    elsewhere = replace(here, text="Wants answers of three lines in app")
    bound = f"**app** — {path.text}"
    expected = {here: line, both: here.text, path: bound, everywhere: path.text, elsewhere: elsewhere.text}
    for candidate, text in expected.items():
        (added,) = rank_proposals([candidate], parse_memory(""), [], LineChanges(), 5, UTC, scopes).chosen
        assert added.text == text


@each_case(
    ("old", "likely", "line"),
    [
        ("**app** — Gates close at dusk", 0.1, "**app** — Gates of the yard close by hand at nine"),
        ("**app** — Gates close at dusk", 0.9, "Gates of the yard close by hand at nine"),
        ("Gates close at dusk", 0.1, "Gates of the yard close by hand at nine"),
    ],
)
def test_a_typed_rule_that_replaces_a_line_names_the_project_where_that_did(old: str, likely: float, line: str) -> None:
    page = parse_memory(f"## Patterns\n\n- {old}\n")
    candidate = build_successor(row("Gates of the yard close by hand at nine", kind="rule"), "Joel", "Reflected")
    changes, scopes = LineChanges({page.bullets[0].line: "o-1"}), Scopes(weigh=lambda _: likely)
    (proposal,) = rank_proposals([candidate], page, [], changes, 5, UTC, scopes).chosen
    assert (proposal.op, proposal.text) == ("replace", line)


def test_an_added_line_says_what_was_said_beside_it_and_a_change_only_the_claim() -> None:
    claim, whole = "Never moor boats on chains of iron", "Ropes are counted. Never moor boats on chains of iron"
    candidate = replace(build_successor(row(claim, kind="convention"), "Joel", "Reflected"), is_change=False, whole=whole)
    (added,) = rank_proposals([candidate], parse_memory(""), [], LineChanges(), 5, UTC).chosen
    assert added.text == f"**app** — {whole}"
    page = parse_memory("## Patterns\n\n- Boats are moored on whatever is there\n")
    (changed,) = rank_proposals([candidate], page, [], LineChanges({page.bullets[0].line: "o-1"}), 5, UTC).chosen
    assert (changed.op, changed.text) == ("replace", claim)


def test_a_replacement_of_a_line_that_names_no_project_names_none_in_any_section() -> None:
    page = parse_memory("## System Architecture\n\n- Commit messages end with a line that gives the reason\n")
    candidate = build_successor(row("Commit messages end with the page of the notebook, kind=decision"), "Joel", "Reflected")
    moved = replace(candidate, section="System Architecture")
    (proposal,) = rank_proposals([moved], page, [], LineChanges({page.bullets[0].line: "o-1"}), 5, UTC).chosen
    assert (proposal.op, proposal.text) == ("replace", candidate.text)


def test_a_pronoun_means_what_its_line_has_named() -> None:
    """In typed words it may mean what was said before."""
    line = "A migration that has already run is not edited, because the server would never see it"
    assert is_standalone(line, is_worded=True)
    assert not is_standalone(line)
    assert not is_standalone("Revert it, before the server sees the migration", is_worded=True)


@each_case(
    "line",
    [
        'Nothing counts as done without proof ("i want the command and what came out")',
        "The bucket of the site is media at fsn1.your-storage.example",
        "One boat leaving one quay at one time is called a sailing",
        "Who changed a price is found in the table of audits",
        "Never say that a thing is done before looking at it: run the command and show the line",
        f"The source is the report; {'each row notes its origin; ' * 10}numbers are hashed",
    ],
)
def test_a_line_of_a_model_may_quote_a_person_and_have_room_for_several_facts(line: str) -> None:
    """ "I" in a quotation is somebody else, and a host named "your-storage" is a name."""
    assert 280 < len(line) <= MAX_WORDED_CHARS or len(line) < 100
    assert is_standalone(line, is_worded=True)
    assert not is_standalone("The agent tells me what it found", is_worded=True)


FIRST_DAY = datetime(2026, 5, 1, tzinfo=UTC)
LETTERS: dict[str, ProposalStatus] = {"x": "approved", "-": "rejected", "e": "expired", "m": "merged", "?": "pending"}


def list_proposals(verdicts: str, kind: ProposalKind = "memory") -> list[ProposalRow]:
    """Return proposals made and decided one a day, in the order of the letters."""
    return [_build_proposal(number, LETTERS[letter], kind) for number, letter in enumerate(verdicts)]


def _build_proposal(number: int, status: ProposalStatus, kind: ProposalKind) -> ProposalRow:
    day = FIRST_DAY + timedelta(days=number)
    return {
        "proposal_id": f"p-{number:03}", "kind": kind, "op": "add", "section": "Patterns", "text": "", "old_text": None,
        "target": "MEMORY.md", "evidence_ids": [], "severity": None, "pattern": None, "origin": "owner", "project": None,
        "said_at": day, "status": status, "first_shown_at": day, "created_at": day,
        "decided_at": None if status == "pending" else day + timedelta(hours=6),
    }  # fmt: skip


@each_case(
    ("verdicts", "limit"),
    [
        ("", 10), ("--", 10), ("---", 1), ("xx--", 10), ("x---", 5), ("-------x", 2), ("eeemmm???", 10), ("--eeem?", 10),
        ("--------xxxx----", 10), ("xxxxxxxx--------", 1),
    ],
)  # fmt: skip
def test_the_limit_follows_the_last_verdicts_and_only_verdicts(verdicts: str, limit: int) -> None:
    assert limit_by_verdicts(list_proposals(verdicts), "memory", 10) == limit


def test_fixes_of_friction_and_lines_of_memory_do_not_answer_for_each_other() -> None:
    assert limit_by_verdicts(list_proposals("-----", "friction"), "memory", 10) == 10
    assert limit_by_verdicts(list_proposals("-----", "friction"), "friction", 5) == 1


def test_verdicts_on_lines_from_before_the_present_wording_do_not_count() -> None:
    struck = list_proposals("-----")
    assert limit_by_verdicts(struck, "memory", 10, FIRST_DAY + timedelta(days=3)) == 10
    assert limit_by_verdicts(struck, "memory", 10, FIRST_DAY + timedelta(days=2)) == 1


@given(st.text("x-em?", max_size=20), st.integers(0, 30))
def test_one_more_tick_never_lowers_the_limit_and_it_stays_within_the_setting(verdicts: str, limit: int) -> None:
    before = limit_by_verdicts(list_proposals(verdicts), "memory", limit)
    assert min(1, limit) <= before <= limit
    assert (
        limit_by_verdicts(list_proposals(verdicts + "x"), "memory", limit) >= before
        or sum(c in "x-" for c in verdicts) < FEWEST_VERDICTS
    )
    assert limit_by_verdicts(list_proposals(verdicts + "x" * RECENT_VERDICTS), "memory", limit) == limit


@each_case(
    "line",
    [
        "個人情報をログに出してはいけない。",
        "貸出期間は21日。",
        "로그에는 주민번호를 남기지 않는다.",
        "Eine Mahnung geht erst 21 Tage nach Fälligkeit raus.",
        "A nota fiscal é emitida todo dia 2 do mês.",
    ],
)
def test_a_line_of_another_language_stands_alone(line: str) -> None:
    """Words without spaces are counted by their characters; "todo" is a word of Spanish and Portuguese."""
    assert is_standalone(line, is_worded=True)
    assert not is_passing(line, is_worded=True)


@each_case("line", ["了解です。", "ログはどうする？", "注意："])
def test_a_fragment_of_another_language_does_not(line: str) -> None:
    """Too short, a question, or the beginning of a list."""
    assert not is_standalone(line, is_worded=True)
