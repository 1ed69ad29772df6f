"""What became of lines for MEMORY.md is known of the facts on which they rest."""

from __future__ import annotations

import polars as pl
import pytest

from tests.each_case import each_case
from transforms.briefing.brief import DECLINED, OFFERED, STATED
from transforms.memory.line_evidence import find_line_projects, find_stated_facts, is_carried, rank_line_evidence
from transforms.tables.schema import OBSERVATIONS, PROPOSALS, SESSIONS, build_frame

LINE = "Deploys happen only from the release branch"


def make_proposal(key: str, status: str, evidence: list[str], **more: object) -> dict[str, object]:
    return {"proposal_id": key, "kind": "memory", "op": "add", "text": LINE, "status": status, "evidence_ids": evidence} | more


def make_fact(key: str, **more: object) -> dict[str, object]:
    return {"observation_id": key, "session_id": "s", "entry_ids": [f"e-{key}"], "text": LINE} | more


@pytest.fixture
def facts() -> pl.DataFrame:
    """Return a fact, one that says it again and cites the first, and one that replaced a third."""
    return build_frame(
        OBSERVATIONS,
        [
            make_fact("first", superseded_by="again"), make_fact("again", also=["s:e-first"]),
            make_fact("old", superseded_by="new"), make_fact("new"),
        ],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("status", "bullets", "rank"),
    [
        ("pending", [], OFFERED),
        ("expired", [], OFFERED),
        ("rejected", [], DECLINED),
        ("approved", [LINE], STATED),
        ("approved", ["Deploys happen from anywhere"], None),
        ("merged", [], None),
    ],
)
def test_each_fate_of_a_line_has_its_rank(facts: pl.DataFrame, status: str, bullets: list[str], rank: int | None) -> None:
    """An approved line that the owner took out of MEMORY.md or reworded states nothing; one that another took over counts not."""
    proposals = build_frame(PROPOSALS, [make_proposal("p-1", status, ["new"])])
    assert rank_line_evidence(proposals, facts, bullets) == ({"new": rank} if rank is not None else {})


def test_a_restatement_has_the_rank_of_what_it_says_again_and_a_replacement_has_not(facts: pl.DataFrame) -> None:
    """What replaced a stated fact says something else, which no line states yet."""
    proposals = build_frame(PROPOSALS, [make_proposal("p-1", "approved", ["first", "old"])])
    assert rank_line_evidence(proposals, facts, [LINE]) == {"first": STATED, "again": STATED, "old": STATED}


@each_case(
    ("said", "rank"),
    [
        ("deploys happen only from the release branch, thanks", STATED),
        ("deploys happen only from the release branch. tagging is done by Ines or me, four eyes", None),
        ("deploys happen only from the release branch, shellcheck clean", None),
    ],
)
def test_a_fact_with_a_clause_that_no_line_says_is_not_stated(said: str, rank: int | None) -> None:
    """Left out of a briefing, the clause would stand nowhere."""
    facts = build_frame(OBSERVATIONS, [make_fact("new", text=f'User set a rule: "{said}"')])
    proposals = build_frame(PROPOSALS, [make_proposal("p-1", "approved", ["new"])])
    assert rank_line_evidence(proposals, facts, [LINE]) == ({} if rank is None else {"new": rank})


def test_removals_and_fixes_say_nothing_about_facts(facts: pl.DataFrame) -> None:
    """A removal quotes a line that holds no more; a fix is no line."""
    rows = [make_proposal("p-1", "pending", ["new"], op="remove"), make_proposal("f-1", "pending", ["new"], kind="friction")]
    assert rank_line_evidence(build_frame(PROPOSALS, rows), facts, []) == {}


def test_of_two_fates_the_one_that_hides_more_counts(facts: pl.DataFrame) -> None:
    """A fact that one line states and another offered is said already."""
    rows = [
        make_proposal("p-1", "approved", ["new"]),
        make_proposal("p-2", "pending", ["new"]),
        make_proposal("p-3", "rejected", ["old"]),
    ]
    rows.append(make_proposal("p-4", "expired", ["old"]))
    assert rank_line_evidence(build_frame(PROPOSALS, rows), facts, [LINE]) == {"new": STATED, "old": DECLINED}


def test_a_fact_is_carried_by_a_line_that_has_most_of_the_words_by_which_another_one_says_it() -> None:
    """What a line never said of a fact, it cannot lose."""
    line = "The sender writes JSON, and wind goes out in m/s and becomes knots only in Grafana"
    fact = "Wind speed goes out in m/s and is turned into knots at the end, in Grafana"
    assert not is_carried(fact, line, ["The sender writes CBOR", "The wind alarm of the sender fires at 24 knots"])
    assert is_carried(fact, line, ["The sender writes CBOR; wind goes out in m/s and becomes knots only in Grafana"])
    assert is_carried("The harbour office closes at five", line, [])


@each_case(
    ("evidence", "bullets", "home"),
    [
        (["here"], [LINE], "/w/tide"),
        (["here", "there"], [LINE], None),
        (["both"], [LINE], None),
        (["said again there"], [LINE], None),
        (["here"], ["Deploys happen from anywhere"], None),
        ([], [LINE], None),
    ],
)
def test_a_line_belongs_to_the_one_project_of_all_its_facts(evidence: list[str], bullets: list[str], home: str | None) -> None:
    """What was said again in another project belongs to none, and neither does a line that its owner worded."""
    facts = build_frame(
        OBSERVATIONS,
        [
            make_fact("here", project="/w/tide"),
            make_fact("there", project="/w/shop"),
            make_fact("both", project="/w/tide", also=["t:e-9"]),
            make_fact("said again there", project="/w/tide", superseded_by="heir"),
            make_fact("heir", session_id="t", project="/w/shop", also=["s:e-said again there"]),
        ],
    )
    sessions = build_frame(SESSIONS, [{"session_id": "s", "project": "/w/tide"}, {"session_id": "t", "project": "/w/shop"}])
    rows = [make_proposal("p-1", "approved", evidence), make_proposal("p-2", "rejected", ["there"])]
    assert find_line_projects(build_frame(PROPOSALS, rows), facts, sessions, bullets) == ({LINE: home} if home else {})
    rows[0]["is_everywhere"] = True  # the line binds how its owner works, wherever it was said
    assert find_line_projects(build_frame(PROPOSALS, rows), facts, sessions, bullets) == {}


@each_case(("project", "home"), [("/w/tide", "/w/tide"), (None, None), ("/w/gone", None)])
def test_a_line_that_was_saved_in_a_projects_folder_is_the_projects(project: str | None, home: str | None) -> None:
    """It rests on no fact. Where no session has the project any more it holds everywhere."""
    sessions = build_frame(SESSIONS, [{"session_id": "s", "project": "/w/tide"}])
    proposals = build_frame(PROPOSALS, [make_proposal("p-1", "approved", [], project=project)])
    assert find_line_projects(proposals, build_frame(OBSERVATIONS, []), sessions, [LINE]) == ({LINE: home} if home else {})


def test_a_fact_that_a_line_of_memory_says_in_other_words_is_stated_whatever_the_line_rests_on() -> None:
    """Its owner reworded the line, or said the same once more; the reverse, another value and another subject are not stated."""
    texts = {
        "same": "Tables always have two decimals", "reverse": "Tables never have two decimals",
        "value": "Tables always have three decimals", "other": "Figures always have a legend",
        "low": "Tables always have two decimals", "more": "Tables always have two decimals, shellcheck runs clean",
    }  # fmt: skip
    rows = [make_fact(key, text=text, verdict="allow", priority="low" if key == "low" else "high") for key, text in texts.items()]
    frame = build_frame(OBSERVATIONS, rows)
    assert find_stated_facts(frame, ["**shop** — Always two decimals in tables", LINE]) == ["same"]
    assert find_stated_facts(frame, []) == []
