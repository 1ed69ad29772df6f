"""Ranking: a weighted sum of signs, mild factors, superseded facts below, near duplicates folded, kept lines first."""

from __future__ import annotations

import dataclasses
import random
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.language.tokenizer import tokenize
from transforms.recall.question import parse_question
from transforms.recall.rank import (
    DATE_BOOST,
    ELSEWHERE_LEAD,
    PERFECT_SCORE,
    CorpusStatistics,
    RankedCandidate,
    add_cited_words,
    compute_boosts,
    find_neighbours,
    fold_duplicates,
    mark_kept_lines,
    put_elsewhere_last,
    put_newer_first,
    rank_candidates,
)
from transforms.recall.ranking_features import compute_features, find_best_cosine
from transforms.recall.ranking_record import measure_question_share

AS_OF = datetime(2026, 2, 20, tzinfo=UTC)


def row(key: str, text: str, **more: Any) -> dict[str, Any]:
    """Return a document as search gives it."""
    words = tokenize(text)
    base = {"key": key, "id": key, "part": "entries/2026-02-09", "source": "observation", "text": text, "words": " ".join(words)}
    base["terms"] = words
    base |= {
        "word_count": len(words),
        "priority": "medium",
        "session_id": "one",
        "position": None,
        "speaker": None,
        "cites": None,
        "outdated_turns": None,
    }
    base |= {"question_share": measure_question_share(text), "ends_with_question": text.endswith("?"), "follows": None}
    return base | {"said_at": AS_OF - timedelta(days=5), "superseded_by": None, "kind": None, "project": None} | more


def ranked(rows: list[dict[str, Any]], text: str, vectors: Any = None) -> list[str]:
    """Keys, best first."""
    question = parse_question(text, AS_OF.date())
    frequency = {word: sum(word in record["terms"] for record in rows) for word in question.words}
    corpus = CorpusStatistics(len(rows) + 50, 10.0, frequency)
    return [rows[hit.index]["key"] for hit in rank_candidates(rows, question, corpus, vectors, AS_OF)]


def test_the_newer_decision_goes_before_the_turn_that_said_the_former() -> None:
    """A turn is never superseded, so it would lead with what no longer holds."""
    turn = row("t:1", "decided: the job store is sqlite, because there is one node", source="turn", speaker="user")
    former = row("o-1", "decided: the job store is sqlite", kind="decision", superseded_by="o-2", outdated_turns=["t:1"])
    newer = row("o-2", "two hosts claim jobs now, so postgres replaces sqlite as the job store", kind="status")
    aside = row("t:2", "the job store is slow", source="turn")
    question = "what did we decide about the job store, is it sqlite?"
    assert ranked([turn, former | {"outdated_turns": None}, newer, aside], question)[0] == "t:1"
    assert ranked([turn, former, newer, aside], question)[:2] == ["o-2", "t:1"]


def test_a_question_about_the_past_gets_what_was_replaced_beside_what_holds() -> None:
    """The former decision shares less with a question that names what holds now; the one before it comes behind it."""
    newest = row("o-3", "decided: the job store is postgres, because two hosts claim jobs", kind="decision", priority="high")
    former = row("o-2", "decided: jobs live in sqlite", kind="decision", superseded_by="o-3")
    first = row("o-1", "decided: jobs live in a pickle file", kind="decision", superseded_by="o-2")
    merged = row("o-4", "the job store is postgres, because two hosts claim jobs", superseded_by="o-3")
    others = [row(f"t:{number}", f"the job store and postgres, part {number}", source="turn") for number in range(8)]
    rows = [newest, former, first, merged, *others]
    past = [key for key in ranked(rows, "what did we use for the job store before postgres?") if key != "o-4"]
    assert past[past.index("o-3") :][:3] == ["o-3", "o-2", "o-1"]
    now = ranked(rows, "what do we use for the job store, postgres?")
    assert now.index("o-2") > now.index("t:7")


def test_a_turn_stays_first_for_what_else_it_said_and_when_the_fact_was_only_merged() -> None:
    """The fact that took the place of one of its statements answers something else then."""
    turn = row("t:1", "sqlite it is. the spinner of the export dialog turns blue, not green", source="turn", speaker="user")
    former = row("o-1", "the store is sqlite", superseded_by="o-2", outdated_turns=["t:1"])
    newer = row("o-2", "postgres replaces sqlite as the store", kind="decision")
    assert ranked([turn, former, newer], "which colour has the spinner of the export dialog?")[0] == "t:1"
    turn = row("t:1", "always tag the release after the changelog is done", source="turn", speaker="user")
    former = row("o-1", "tag the release after the changelog", superseded_by="o-2", outdated_turns=["t:1"])
    merged = row("o-2", "tag the release after the changelog, said again", kind="status")
    question = "when do we tag the release, always after the changelog?"
    with_link, without = (ranked([turn, former | {"outdated_turns": turns}, merged], question) for turns in (["t:1"], None))
    assert with_link == without


@given(st.randoms())
def test_the_order_does_not_depend_on_that_of_the_candidates(shuffled: random.Random) -> None:
    """Ties are broken by key."""
    rows = [row(f"o-{number}", text) for number, text in enumerate(["cache in redis", "cache in redis", "invoices", "redis"])]
    mixed = list(rows)
    shuffled.shuffle(mixed)
    assert ranked(mixed, "redis cache") == ranked(rows, "redis cache") == ["o-0", "o-1", "o-3"]


def test_a_turn_is_found_by_what_was_said_next_to_it() -> None:
    """The question's words are in its neighbours: the answer leads, then what was asked; a turn without any is not found."""
    talk = ["Which port does the proxy use?", "8443.", "Thanks.", "Bye.", "And the mail?", "None."]
    rows = [row(f"t:{n}", text, source="turn", position=n) for n, text in enumerate(talk)]
    ordered = ranked(rows, "proxy port")
    assert ordered[:2] == ["t:1", "t:0"]
    assert "t:5" not in ordered
    assert find_neighbours(rows, [0])[0] == [(1, 1), (2, 2)]


def test_neighbours_stay_within_their_session() -> None:
    """Same position, other session."""
    rows = [row("t:0", "one", position=0, session_id="one"), row("t:1", "two", position=1, session_id="two")]
    assert find_neighbours(rows, [0, 1]) == {0: [], 1: []}


def test_superseded_facts_come_below_their_successors() -> None:
    """Even when they fit the question better."""
    rows = [row("o-old", "cache ttl is sixty minutes", superseded_by="o-new"), row("o-new", "cache: fifteen now")]
    assert ranked(rows, "cache ttl minutes") == ["o-new", "o-old"]


def test_mild_factors_decide_between_equals() -> None:
    """Memory before observation, high before low, newer before older, the day that was asked for."""
    text = "cache ttl is short"
    day = AS_OF - timedelta(days=200)
    pairs = [
        (row("z", text, source="memory", session_id=None), row("a", text)),
        (row("z", text, priority="high"), row("a", text, priority="low")),
        (row("z", text), row("a", text, said_at=day)),
        (row("z", text, speaker="user"), row("a", text, speaker="assistant")),
    ]
    for better, worse in pairs:
        assert ranked([worse, better], "what cache ttl did I want?")[0] == "z"
    asked = f"cache ttl on {day.date().isoformat()}"
    assert ranked([row("a", text), row("z", text, said_at=day)], asked)[0] == "z"


def test_vectors_find_hits_that_words_miss() -> None:
    """A row without one of the words, close in meaning; rows without a vector are judged by their words."""
    rows = [row("a", "typefaces"), row("b", "other things"), row("c", "fonts")]
    vectors = (np.array([[0.6, 0.8], [0.0, 1.0], [0.0, 0.0]], dtype=np.float32), np.array([1.0, 0.0], dtype=np.float32))
    assert ranked(rows, "fonts", vectors) == ["c", "a"]


def test_near_duplicates_are_folded_but_other_numbers_are_other_facts() -> None:
    """The better one stays and knows the rows that it stands for."""
    texts = ["sessions are cached in redis for 15 minutes", "sessions are cached in Redis for 15 minutes!"]
    rows = [row("a", texts[0]), row("b", texts[1], session_id="two"), row("c", texts[0].replace("15", "60"))]
    question = parse_question("sessions cached redis", date(2026, 2, 20))
    corpus = CorpusStatistics(100, 6.0, dict.fromkeys(question.words, 3))
    kept = fold_duplicates(rows, rank_candidates(rows, question, corpus, None, AS_OF), 10)
    assert [(rows[hit.index]["key"], [rows[other]["key"] for other in others]) for hit, others in kept] == [
        ("a", ["b"]),
        ("c", []),
    ]


def test_a_message_is_one_hit_with_its_best_piece() -> None:
    """Its other pieces and the commands of the same entry are not hits; they are not duplicates that cite something, either."""
    pieces = ["The proxy listens on port 8443.", "Its port was open before the proxy came.", "Certificates are renewed weekly."]
    rows = [row(f"t:{n}", text, id="one:e1", source="turn", position=n) for n, text in enumerate(pieces)]
    rows += [row("c:one:1", "ssh proxy port", id="one:e1", source="turn"), row("t:3", "Which port?", source="turn", position=3)]
    question = parse_question("Which port does the proxy listen on?", date(2026, 2, 20))
    corpus = CorpusStatistics(100, 6.0, dict.fromkeys(question.words, 3))
    kept = fold_duplicates(rows, rank_candidates(rows, question, corpus, None, AS_OF), 10)
    assert sorted(rows[hit.index]["id"] for hit, _ in kept) == ["one:e1", "t:3"]
    assert all(not others for _, others in kept)


def test_a_fact_of_the_kind_that_is_asked_for_leads() -> None:
    """Before what merely happened with the same words, and before the raw turn."""
    words = "double deliveries: two workers claim one job"
    rows = [
        row("o-change", words, kind="file_change"),
        row("o-cause", words, kind="root_cause"),
        row("t-raw", words, source="turn"),
    ]
    assert ranked(rows, "What caused the double deliveries?") == ["o-cause", "t-raw", "o-change"]


def test_questions_are_not_evidence_and_the_person_asked_about_speaks() -> None:
    """A past question comes after the statement with its words, and is no hit for its like; the named speaker leads."""
    asked = row("a", "Which database holds the jobs?", source="turn", speaker="user")
    record = row("z", "The database that holds jobs: Postgres", source="turn", speaker="assistant")
    assert ranked([dict(asked), record], "the database of the jobs") == ["z", "a"]
    assert ranked([asked, record], "Which database holds the jobs?") == ["z"]
    talk = [row(name[0], "I went hiking in the hills", source="turn", speaker=name) for name in ("anna", "zoe")]
    assert ranked(talk, "When did Zoe go hiking?") == ["z", "a"]


def test_what_such_a_question_asks_for_leads() -> None:
    """A time for when, a number for how many; others do not care."""
    rows = [
        row("a", "the servers were moved quietly"),
        row("y", "the servers were moved yesterday"),
        row("z", "7 servers moved, too"),
    ]
    assert ranked(rows, "When were the servers moved?")[0] == "y"
    assert ranked(rows, "How many servers were moved?")[0] == "z"


def test_a_question_for_several_things_hears_several_sessions() -> None:
    """Of two equal hits of one session the second comes after the hit of the next session."""
    text = "we tried the database for jobs"
    rows = [row("a", text), row("b", text + " again"), row("c", text + " anew", session_id="two")]
    assert ranked(rows, "Which databases did we try for jobs?")[:2] == ["a", "c"]
    assert ranked(rows, "Why did we try a database for jobs?")[:2] == ["a", "b"]


@given(st.lists(st.sampled_from(["cache in redis", "why redis?", "7 caches", "invoices", "redis " * 40]), min_size=1, max_size=9))
def test_scores_fall_and_are_shares(texts: list[str]) -> None:
    """From the first hit to the last, none below zero."""
    rows = [row(f"k{number}", text, source="turn", position=number) for number, text in enumerate(texts)]
    question = parse_question("how many redis caches?", AS_OF.date())
    scores = [
        hit.score
        for hit in rank_candidates(rows, question, CorpusStatistics(100, 6.0, dict.fromkeys(question.words, 3)), None, AS_OF)
    ]
    assert scores == pytest.approx(sorted(scores, reverse=True))  # sums of the same numbers in another order differ by a bit
    assert all(score >= 0 for score in scores)


def test_a_conversation_goes_on_after_midnight() -> None:
    """The last pieces of a day and the first of the next are neighbours when the one follows the other."""
    days = ("entries/2026-02-09", "entries/2026-02-10")
    rows = [row(f"t:one:2026-02-09:{n}", "said", source="turn", position=n, part=days[0]) for n in range(4)]
    follows = {"follows": "t:one:2026-02-09:3"}
    rows += [row(f"t:one:2026-02-10:{n}", "said", source="turn", position=n, part=days[1], **follows) for n in range(2)]
    assert find_neighbours(rows, [3])[3] == [(1, 2), (2, 1), (4, 1), (5, 2)]
    assert find_neighbours(rows, [4])[4] == [(2, 2), (3, 1), (5, 1)]
    apart = [record | {"follows": None} for record in rows]
    assert find_neighbours(apart, [4])[4] == [(5, 1)]


@given(st.lists(st.lists(st.sampled_from(["redis", "red", "is", "redis.ts", "cache", "é"]), max_size=8), min_size=1, max_size=6))
def test_each_occurrence_of_a_word_counts_and_no_part_of_one(texts: list[list[str]]) -> None:
    """Adjacent occurrences count each; parts of longer words and matches across two texts do not."""
    rows = [row(f"k{number}", "") | {"words": " ".join(words), "terms": words} for number, words in enumerate(texts)]
    question = parse_question("redis cache", AS_OF.date())
    corpus = CorpusStatistics(100, 6.0, {"redi": 3, "cach": 3})
    asked = dataclasses.replace(question, words=("redis", "é"))
    signs = compute_features(rows, asked, corpus, None)
    has = [len({"redis", "é"} & set(words)) / 2 for words in texts]
    assert np.allclose(signs.coverage, has)
    once, often = compute_features(
        [row("a", "") | {"words": "redis"}, row("b", "") | {"words": "redis redis redis"}], asked, corpus, None
    ).lexical
    weight = corpus.compute_inverse_frequency("redis")
    assert np.isclose(once, weight * 2.2 / (1 + 1.2 * 0.25))
    assert np.isclose(often, weight * 3 * 2.2 / (3 + 1.2 * 0.25))


LINE_VECTORS = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]], dtype=np.float32)
"""The first two are alike, the last two are not (cosines .8 and .6)."""


def fact(key: str, text: str, days_ago: int = 5, **more: Any) -> dict[str, Any]:
    """Return a fact in a model's words."""
    said_at: datetime = AS_OF - timedelta(days=days_ago)
    return row(key, text, said_at=said_at, cites=[], **more)


def test_a_fact_in_a_models_words_goes_before_the_same_words_of_a_turn() -> None:
    """A sentence of the offline engine does not."""
    turn = row("t:1", "the cache lives in redis", source="turn")
    words = "the cache is kept in redis, they said"
    assert ranked([turn, fact("o-1", words)], "redis cache")[0] == "o-1"
    assert ranked([turn, row("o-1", words, kind="status")], "redis cache")[0] == "t:1"


def test_a_line_of_memory_is_lifted_beside_a_models_facts_only() -> None:
    """Beside the offline engine's facts it would lead whatever it says."""
    memory, quoted, worded = row("m-1", "a", source="memory"), row("o-1", "b"), fact("o-2", "c")
    assert mark_kept_lines([memory, quoted]).tolist() == [0, 0]
    assert mark_kept_lines([memory, quoted, worded]).tolist() == [1, 0, 1]


def test_a_fact_is_found_by_the_words_of_the_turns_that_it_cites() -> None:
    """It moves towards the best of them, keeps more words of its own, and a fact that cites nothing stays."""
    rows = [
        row("t:1", "x", source="turn"),
        fact("o-1", "y") | {"cites": ["t:1"]},
        fact("o-2", "z"),
        fact("o-3", "w") | {"cites": ["t:1"]},
    ]
    lifted = add_cited_words(rows, np.array([1.0, 0.0, 0.0, 2.0]))
    assert lifted.tolist() == [1.0, 0.6, 0.0, 2.0]


def test_the_newer_of_two_lines_that_are_alike_goes_first() -> None:
    """They exchange their scores; lines about other things, and a newer one far behind, stay where they are."""
    rows = [fact("o-1", "old", 50), fact("o-2", "new", 5), fact("o-3", "other", 1)]
    scores = np.array([9.0, 7.0, 5.0])
    put_newer_first(rows, scores, LINE_VECTORS)
    assert scores.tolist() == [7.0, 9.0, 5.0]
    far = np.array([19.0, 7.0, 5.0])
    put_newer_first(rows, far, LINE_VECTORS)
    assert far.tolist() == [19.0, 7.0, 5.0]


def test_of_three_states_the_newest_leads() -> None:
    """Whatever order they came in."""
    rows = [fact("o-1", "first", 90), fact("o-2", "second", 50), fact("o-3", "third", 5)]
    for scores in (np.array([9.0, 8.0, 7.0]), np.array([8.0, 9.0, 7.0]), np.array([7.0, 8.0, 9.0])):
        put_newer_first(rows, scores, np.array([[1.0, 0.0]] * 3, dtype=np.float32))
        assert int(scores.argmax()) == 2


def test_a_line_by_hand_is_as_old_as_the_last_fact_that_says_the_same() -> None:
    """A newer fact goes before it; a line that no fact says has no age and stays."""
    by_hand = row("m-1", "old", source="memory", said_at=None)
    rows = [by_hand, fact("o-1", "old", 50), fact("o-2", "new", 5)]
    vectors = np.array([[1.0, 0.0], [1.0, 0.0], [0.8, 0.6]], dtype=np.float32)
    scores = np.array([9.0, 6.0, 7.0])
    put_newer_first(rows, scores, vectors)
    assert int(scores.argmax()) == 2
    alone = np.array([9.0, 7.0])
    put_newer_first([by_hand, rows[2]], alone, vectors[[0, 2]])
    assert alone.tolist() == [9.0, 7.0]


@each_case(("embedded", "best"), [(4, 1.0), (2, 1.0), (1, None), (0, None)])
def test_the_best_similarity_counts_when_most_rows_have_their_vector(embedded: int, best: float | None) -> None:
    """On a first night few turns are embedded: the best of those says nothing about memory. Commands never wait."""
    rows: Any = [{"position": place, "source": "turn"} for place in range(4)] + [{"position": None, "source": "turn"}] * 9
    vectors = np.zeros((len(rows), 2), dtype=np.float32)
    vectors[:embedded, 0] = 1.0
    assert find_best_cosine(rows, (vectors, np.array([1.0, 0.0], dtype=np.float32))) == best
    assert find_best_cosine(rows, None) is None


def test_a_line_of_memory_about_another_project_loses_its_lead() -> None:
    """It is ranked like any fact, and no newer line takes the place of an older one of the question's project for it."""
    line = row("m-1", "tests run with make check", source="memory", session_id=None, kind="convention")
    fact = row("o-1", "tests run with make check", kind="convention", cites=["t:1"], priority="high")
    question = "how do tests run?"
    assert ranked([line, fact], question)[0] == "m-1"
    assert ranked([line | {"is_elsewhere": True}, fact], question)[0] == "o-1"
    assert mark_kept_lines([line | {"is_elsewhere": True}, fact]).tolist() == [0.0, 1.0]


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1))))
def test_what_is_said_of_other_projects_comes_last_unless_it_leads_by_far(candidates: list[tuple[bool, float]]) -> None:
    """Nothing is lost, and both groups keep their order."""
    ordered = sorted(candidates, key=lambda candidate: -candidate[1])
    rows = [row(str(number), "text", is_elsewhere=is_elsewhere) for number, (is_elsewhere, _) in enumerate(ordered)]
    hits = [RankedCandidate(number, score, 0.0, 0.0, 0.0) for number, (_, score) in enumerate(ordered)]
    places = [hit.index for hit in put_elsewhere_last(rows, hits)]
    own = [place for place in places if not rows[place]["is_elsewhere"]]
    others = [place for place in places if rows[place]["is_elsewhere"]]
    assert (own, others) == (sorted(own), sorted(others))
    assert sorted(places) == list(range(len(ordered)))
    best = max((ordered[place][1] for place in own), default=0.0)
    first = [place for place in others if ordered[place][1] >= best + ELSEWHERE_LEAD / PERFECT_SCORE]
    assert places == [*first, *own, *others[len(first) :]]


def test_what_is_newer_elsewhere_takes_its_own_place() -> None:
    rows = [row(name, "text", is_elsewhere=name != "own") for name in ("newer", "older", "own")]
    hits = [RankedCandidate(number, 0.03 - number / 100, 0.0, 0.0, 0.0) for number in range(3)]
    assert [hit.index for hit in put_elsewhere_last(rows, hits, newer={0})] == [0, 2, 1]


@each_case(("zone", "hour"), [("Pacific/Tongatapu", 20), ("Pacific/Honolulu", 9)])
def test_the_days_of_a_question_are_local_days(zone: str, hour: int) -> None:
    """What was said on the owner's Monday is of Monday, whatever day it was in UTC."""
    said_at = datetime(2026, 2, 9, hour, 30, tzinfo=UTC)
    day = said_at.astimezone(ZoneInfo(zone)).date()
    question = dataclasses.replace(parse_question("what broke?", AS_OF.date()), days=(day, day))
    rows = [row("a", "the build broke", said_at=said_at), row("b", "the build broke", said_at=said_at - timedelta(days=1))]
    on_day, before = compute_boosts(rows, question, AS_OF, ZoneInfo(zone))  # type: ignore[arg-type]
    assert day != said_at.date()
    assert on_day > DATE_BOOST * before * 0.99


def test_a_fact_and_the_turn_that_it_quotes_are_one_hit() -> None:
    """A turn that says more than the fact, and one of another moment, stay."""
    said = "use Req and not HTTPoison, it hung on ipv6"
    rows = [
        row("o-fact", f'User decided: "{said}" Outcome: Replaced it in the simulator.'),
        row("t:own", said, id="one:e1", source="turn", position=1),
        row("t:later", said, id="one:e2", source="turn", position=9, said_at=AS_OF),
        row(
            "t:more",
            f"{said}, and the client wants a timeout of five seconds wherever a kiosk polls over the satellite modem",
            id="one:e3",
            source="turn",
            position=2,
        ),
    ]
    question = parse_question("Req or HTTPoison?", date(2026, 2, 20))
    corpus = CorpusStatistics(100, 6.0, dict.fromkeys(question.words, 3))
    kept = fold_duplicates(rows, rank_candidates(rows, question, corpus, None, AS_OF), 10)
    assert sorted(rows[hit.index]["key"] for hit, _ in kept) == ["o-fact", "t:later", "t:more"]


def test_another_piece_of_a_turn_stays_when_a_fact_quotes_one() -> None:
    """A long message says more than the fact that repeats its first piece."""
    said = "use Req and not HTTPoison, it hung on ipv6"
    rows = [
        row("o-fact", f'User decided: "{said}" Outcome: Replaced it in the simulator.'),
        row("t:own-1", said, id="one:e1", source="turn", position=1),
        row("t:own-2", "Req gets five seconds for a kiosk behind the satellite modem", id="one:e1", source="turn", position=1),
        row("t:own-3", "Req logs nothing about cards of residents", id="one:e1", source="turn", position=1),
    ]
    hits = [RankedCandidate(index, 1.0 - index / 10, 0.5, 0.0, 1.0) for index in range(4)]
    kept = [rows[hit.index]["key"] for hit, _ in fold_duplicates(rows, hits, 10)]
    assert kept == ["o-fact", "t:own-2"], "a message is one hit"
