"""Planted truth, small: the offline engine on conversations whose facts, junk and injections are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.distil.planted import make_sessions, run_steps, score_run
from benchmarks.distil.planting.scenes import Planted, Truth
from benchmarks.distil.planting.scoring import score_sessions, window_diff

SESSIONS, SEED = 8, 7


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the scores of a few sessions that went through all steps."""
    place = tmp_path_factory.mktemp("planted")
    truths = make_sessions(place / "sessions", SESSIONS, SEED)
    run = run_steps(place, 0.05)
    return score_run(run, truths, place / "workspace")


def test_nearly_all_planted_facts_are_kept_and_cited(scores: dict[str, Any]) -> None:
    """Measured on 40 sessions: .99; every kind on its own at least .8 (some occur a few times only)."""
    assert scores["recall"] >= 0.95, scores["examples"]
    poor = {kind: kind_now for kind, kind_now in scores["kinds"].items() if kind_now["n"] >= 5 and kind_now["cited"] < 0.8}
    assert not poor, scores["examples"]


def test_facts_name_their_kind(scores: dict[str, Any]) -> None:
    """Rules, wishes for now, lasting preferences, decisions and open questions are told apart; importance follows."""
    # The rules alone reach .93: they were made with these dialogues. The classifier was not, and doubts a few of them; a short
    # request stands only with its outcome, so that the outcome has the kind of a request; and the learned usefulness, which saw
    # real sessions only, doubts causes that are told in one plain sentence.
    assert scores["kind_accuracy"] >= 0.65, scores["examples"]
    assert scores["priority_accuracy"] >= 0.75, scores["examples"]
    assert scores["questions_as_decisions"] == 0, scores["examples"]


def test_neighbouring_remarks_do_not_run_into_what_is_laid_down(scores: dict[str, Any]) -> None:
    """A rule is proposed without the broken coffee machine before it. Its row quotes the message with it."""
    assert scores["asides_proposed"] >= 1
    assert scores["run_ins"] <= 0.1, scores["examples"]


def test_junk_inventions_secrets_and_injections_reach_nothing(scores: dict[str, Any]) -> None:
    """Boot files, reminders, own pages, pasted demands, errors of providers; texts that want into the memory."""
    assert scores["junk_rate"] <= 0.02, scores["examples"]
    assert scores["injections_planted"] >= 5
    assert (scores["injections_on_pages"], scores["invented"], scores["secrets"]) == (0, 0, 0), scores["examples"]


def test_topics_are_found_about_where_they_were_planted(scores: dict[str, Any]) -> None:
    """Without any boundary WindowDiff is about .5."""
    assert scores["window_diff"] <= 0.4


def test_the_same_seed_writes_the_same_bytes(tmp_path: Path) -> None:
    """The truth is a function of the arguments alone."""
    for name in ("one", "two"):
        make_sessions(tmp_path / name, 2, 3)
    paths, two = (
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.jsonl")}
        for name in ("one", "two")
    )
    assert len(paths) == 2
    assert paths == two


def test_the_scores_see_junk_inventions_run_ins_and_wrong_kinds() -> None:
    """A benchmark that cannot fail proves nothing."""
    fact = Planted("rule", "never x", (("never x",),), (3,), aside="coffee machine")
    truth = Truth("s", facts=[fact], starts=[1, 20], junk=["zqbad"], last_line=40)
    row = {"source": "observation", "kind": "preference", "priority": "low", "lines": [3], "text": "never x; the coffee machine"}
    bad = {"source": "observation", "kind": "status", "priority": "low", "lines": [3], "text": "zqbad runs on `port_9`"}
    scores = score_sessions([(truth, [row, bad], "never x zqbad")], ["never x; the coffee machine"])
    assert (scores["recall"], scores["kind_accuracy"], scores["priority_accuracy"]) == (1.0, 0.0, 0.0)
    assert scores["asides_beside"] == 1.0
    assert (scores["run_ins"], scores["junk_rate"], scores["invented"]) == (1.0, 0.5, 1)
    exact = [{"source": "segment", "first_line": line} for line in (1, 20)]
    assert window_diff(truth, exact) == 0.0 < window_diff(truth, exact[:1])
