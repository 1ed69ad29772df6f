"""Looking where words and numbers are shared finds what looking everywhere finds, and the work grows with the lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.memory_pairs import DIFFERENT, OPPOSITE, SAME
from tests.transforms.merging.plain_merges import decide_merges
from tests.transforms.merging.test_deduplicate import observation
from transforms.memory import rank_proposals, same_claim, supersession_candidates
from transforms.memory.eligibility import LineCandidate
from transforms.memory.proposal_outcomes import PastProposal
from transforms.memory.same_claim import ClaimIndex, is_same_claim, merge_same_claims
from transforms.memory.supersession_candidates import DatedClaim, trace_succession
from transforms.merging import group_restatements
from transforms.pages.memory_md import parse_memory

TEXTS = sorted({text for pair in (*SAME, *OPPOSITE, *DIFFERENT) for text in pair} | {"yes", "2", "no.", "never #42"})
NAMES = ("cache", "queue", "importer", "exporter", "login page", "index", "billing job", "mailer", "scheduler", "gateway")
DENSE_WORDS = [
    f"{name}{last}" for name in ("gate", "lamp", "rope", "mast", "hull", "crane", "berth") for last in "abcdfghkmnopqrt"
]
START = datetime(2026, 1, 1, tzinfo=UTC)


def candidate(number: int, text: str) -> LineCandidate:
    return LineCandidate(
        text, "Patterns", "rule", 1.0, (f"o{number:05}",), frozenset({f"s{number}"}), START + timedelta(hours=number), frozenset()
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(TEXTS), min_size=2, max_size=40))
def test_every_line_with_the_same_claim_is_found(texts: list[str]) -> None:
    index = ClaimIndex(texts)
    for position, text in enumerate(texts):
        index.add(text, position)
    for text in texts:
        assert {at for at, other in enumerate(texts) if is_same_claim(other, text)} <= set(index.find(text))


def test_all_known_pairs_are_found_in_one_index() -> None:
    index = ClaimIndex(TEXTS)
    for position, text in enumerate(TEXTS):
        index.add(text, position)
    pairs = [(text, at) for text in TEXTS for at, other in enumerate(TEXTS) if is_same_claim(other, text)]
    assert len(pairs) > len(TEXTS) + 20
    assert all(at in index.find(text) for text, at in pairs)


def list_daily_claims(days: int) -> list[str]:
    """Return claims of as many days: ten subjects in the words of every day, each with the number of the day and a value."""
    return [f"on day {day} the {NAMES[day % 10]} uses port {2000 + 7 * day} of host h{day}" for day in range(days)]


def count_calls(patch: pytest.MonkeyPatch, module: Any, name: str, call: Callable[[], object]) -> int:
    calls, function = [0], getattr(module, name)

    def counted(*values: Any, **named: Any) -> Any:
        calls[0] += 1
        return function(*values, **named)

    with patch.context() as replaced:
        replaced.setattr(module, name, counted)
        call()
    return calls[0]


@each_case(
    ("messages", "sessions", "lines"),
    [(("a", "a"), (1, 1), 1), (("a", "b"), (1, 1), 2), (("", ""), (1, 1), 2), (("a", "a:other"), (1, 2), 2)],
)
def test_what_a_summary_made_of_one_message_is_one_wish(messages: tuple[str, str], sessions: tuple[int, int], lines: int) -> None:
    texts = ("Prefers lamp checks after storms", "Lamp checks are part of the watch: it notes berth, wind and time in a book")
    pool = [
        replace(candidate(number, text), message=message) for number, text, message in zip(sessions, texts, messages, strict=True)
    ]
    assert len(merge_same_claims(pool)) == lines


@each_case(("session", "lines"), [(1, 1), (2, 2)])
def test_a_summary_that_says_more_exactly_what_its_owner_said_in_the_session_adds_no_line(session: int, lines: int) -> None:
    said = candidate(1, "Trial trips run against the lighthouse, never the model")
    told = candidate(session, "Trial trips against the lighthouse (host lab.quay:8443, berth 7), never the model")
    assert len(merge_same_claims([said, replace(told, message="s1:e4")])) == lines


def test_a_summary_of_the_owners_rule_that_rests_on_its_observation_adds_no_line() -> None:
    said = candidate(1, "Never run the winch, not in the dock not anywhere")
    told = replace(candidate(1, "No winch run, crane only"), message="s1:e4", evidence=(*said.evidence, "o-told"))
    assert [line.text for line in merge_same_claims([said, told])] == [said.text]
    assert len(merge_same_claims([said, replace(told, evidence=("o-told",))])) == 2


def merge_lines(days: int) -> object:
    return merge_same_claims([candidate(n, text) for n, text in enumerate(list_daily_claims(days))])


def test_lines_that_share_a_rare_word_but_too_few_others_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = [
        f"deploys of w{n} wait for the {NAMES[n % 10]} and alert q{n} when {NAMES[n * 7 % 9]} checks fail" for n in range(200)
    ]
    pool = [candidate(n, text) for n, text in enumerate(talk)]
    assert count_calls(monkeypatch, same_claim, "is_same_claim", lambda: merge_same_claims(pool)) <= len(pool)


LINES = st.lists(
    st.builds(
        " ".join,
        st.lists(
            st.one_of(st.sampled_from(DENSE_WORDS[::6]), st.sampled_from(["never", "7", "8", "12"])), min_size=1, max_size=9
        ),
    ),
    max_size=30,
)


@settings(max_examples=80, deadline=None)
@given(LINES)
def test_lines_are_merged_as_by_asking_the_judge_about_each_group(texts: list[str]) -> None:
    pool = [replace(candidate(n, text), salience=n % 3) for n, text in enumerate(texts)]
    groups: list[list[LineCandidate]] = []
    for line in sorted(pool, key=lambda line: (-line.salience, -line.said_at.timestamp(), line.evidence, line.text)):
        group = next((group for group in groups if is_same_claim(group[0].text, line.text)), None)
        if group is None:
            groups.append([line])
        else:
            group.append(line)
    merged = [(line.text, line.evidence) for line in merge_same_claims(pool)]
    assert merged == [(group[0].text, tuple(key for line in group for key in line.evidence)) for group in groups]


def test_of_lines_that_share_a_rare_word_few_are_compared_word_by_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """In dense talk of few words every line shares its rarest words with many others."""
    chance = Random(7)
    pool = [candidate(n, " ".join(chance.sample(DENSE_WORDS, 12))) for n in range(600)]
    assert count_calls(monkeypatch, same_claim, "_compare_words", lambda: merge_same_claims(pool)) <= 10 * len(pool)


def rank_after(days: int) -> object:
    """Rank the lines of one day after those of many that were decided."""
    texts = list_daily_claims(days + 3)
    past = [PastProposal(f"p{n}", "rejected", (text,), frozenset({f"x{n}"}), START, START) for n, text in enumerate(texts[:days])]
    pool = [candidate(n, text) for n, text in enumerate(texts[days:])]
    return rank_proposals.rank_proposals(pool, parse_memory("# Memory\n"), past, rank_proposals.LineChanges(), 5, UTC)


def retire_claims(days: int) -> object:
    stated = [DatedClaim(f"{n:05}", "decision", "/w/a", text) for n, text in enumerate(list_daily_claims(days))]
    return trace_succession(stated).newest


def merge_rows(days: int) -> object:
    return decide_merges([observation(n, text, "decision") for n, text in enumerate(list_daily_claims(days))])


@pytest.mark.parametrize(
    ("module", "name", "work"),
    [
        (same_claim, "is_same_claim", merge_lines),
        (rank_proposals, "is_same_claim", rank_after),
        (supersession_candidates, "find_retirement", retire_claims),
        (group_restatements, "is_restatement", merge_rows),
    ],
)
def test_comparisons_grow_with_the_history_not_with_its_square(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, work: Callable[[int], object]
) -> None:
    """Four times the days may bring five times the comparisons; comparing all pairs brings sixteen times."""
    few, many = (count_calls(monkeypatch, module, name, lambda days=days: work(days)) for days in (60, 240))
    assert many <= max(5 * few, 20)
