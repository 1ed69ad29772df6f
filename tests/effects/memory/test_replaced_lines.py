"""What joins the evidence of a candidate: the owner's message that says what a summary words."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from effects.memory.replaced_lines import add_owners_words
from tests.effects.memory_world import START, World
from transforms.memory.eligibility import LineCandidate


def _candidate(world: World, text: str, message: str) -> LineCandidate:
    key = world.observe(text, session_id="later", kind="convention", origin="owner")
    return LineCandidate(
        text=text, section="Patterns", kind="convention", salience=4.0, evidence=(key,), sessions=frozenset({"later"}),
        said_at=START, projects=frozenset({"/code/app"}), message=message,
    )  # fmt: skip


def test_a_line_that_a_summary_words_rests_first_on_the_message_of_an_earlier_session_that_says_it(tmp_path: Path) -> None:
    """Not on one of another project, nor on one that shares few words, nor on one that a proposal has already."""
    world = World(tmp_path)
    line = "No gain below 2 std over seeds"
    before = START - timedelta(days=3)
    told = {"said_at": before, "origin": "owner"}
    world.observe(f'Joel set a rule: "{line}, please"', project="/code/other", session_id="other", **told)
    world.observe('Joel set a rule: "five seeds for every table"', project="/code/app", session_id="earlier", **told)
    said = 'Joel set a rule: "what is below two std over seeds is no gain"'
    own = world.observe(said, project="/code/app", session_id="earlier", **told)
    worded, other = _candidate(world, line, "later:e1"), _candidate(world, f"{line} in tables", "")
    found, untouched = add_owners_words(world.run, [worded, other], frozenset())
    assert found.evidence == (own, *worded.evidence)
    assert found.sessions == {"earlier", "later"}
    assert untouched == other, "the owner's own lines and answers have their evidence"
    assert add_owners_words(world.run, [worded], frozenset({own})) == [worded]


def test_a_line_that_the_owner_said_and_a_summary_agreed_goes_first_and_is_a_rule_where_the_owner_made_it_one(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    line = "No pipes after test commands"
    worded = _candidate(world, line, "later:e1")
    world.observe(
        f'Joel set a rule: "{line.lower()}, and print the code"', project="/code/app", session_id="earlier", origin="owner"
    )
    (found,) = add_owners_words(world.run, [worded], frozenset())
    assert (found.kind, found.salience) == ("rule", worded.salience + 1.0)


def test_a_line_of_a_summary_is_a_rule_for_all_projects_only_where_its_words_hold_everywhere(tmp_path: Path) -> None:
    """Neither line names a noun of software work: by the rules of language alone both were conventions."""
    world = World(tmp_path)
    lines = ("Keep your answers short, no compliments", "Never drop door events of the north gate")
    worded = [_candidate(world, line, "later:e1") for line in lines]
    for line in lines:
        world.observe(f'Joel set a rule: "{line}, ok?"', project="/code/app", session_id="earlier", origin="owner")
    assert [found.kind for found in add_owners_words(world.run, worded, frozenset())] == ["rule", "convention"]


@pytest.mark.parametrize(
    ("words", "is_found"),
    [("and you swept my notes in. never force-push to main", True), ("the door code is in the notes", False)],
)
def test_a_line_of_an_old_lake_rests_on_what_its_message_says_after_the_upgrade(
    tmp_path: Path, *, words: str, is_found: bool
) -> None:
    """No night had noted what its evidence says when its window was distilled again: it waited bare in REVIEW.md."""
    world = World(tmp_path)
    former = world.observation('Joel set a rule: "never force-push to main"')
    world.observe_all([former])
    world.night()
    proposal = next(iter(world.proposals()))
    world.days, run = 1, world.run
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace("observations", run.lake.read("observations").clear(), former["day"])
        bare = run.lake.read("proposals").with_columns(evidence_sources=pl.lit(None, pl.List(pl.String)))
        change.replace("proposals", bare.drop("schema_version"))
    newer = world.observe(f'Joel set a rule: "{words}"', said_at=former["said_at"], window_id=former["window_id"])
    world.night()
    [row] = [row for key, row in world.proposals().items() if key == proposal]
    assert row["evidence_ids"] == [newer if is_found else former["observation_id"]]
    assert bool(row["evidence_sources"]) == is_found
    waiting = world.review_file.read_text(encoding="utf-8").partition(f"`{proposal}`")[2].partition("- [ ]")[0]
    assert (f"`recollect show {newer}`" in waiting) == is_found
