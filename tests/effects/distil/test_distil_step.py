"""The step distil: due windows become rows, one failing window costs no other, a second run changes nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import effects.distil.distil_step as step
from effects.config.settings import DistilSettings, Settings, WindowSettings
from effects.distil.distil_step import distil
from effects.distil.window_batches import OfflineTask, WindowOutcome, distil_offline
from effects.distil.window_step import window
from effects.health.sample_sessions import copy_sample_sessions
from effects.ingest.ingest_step import ingest
from effects.store.lake import Lake
from effects.store.run import Run
from effects.system.process_pool import has_idle_workers, keeping_workers
from tests.effects.system.test_process_pool import wait_for
from tests.transforms.conversations import agent, call, edited, ran, result, user
from transforms.conversation.entries import Entry, build_entries
from transforms.distil.engine_result import DistilledSegment, DistilledWindow, Fact
from transforms.distil.window_budget import MOST_TALK_TOKENS, SMALLEST_BUDGET, TALK_SHARES, count_serialized_tokens
from transforms.offline.engine import OfflineEngine
from transforms.tables.tokens import count_tokens

SAMPLES = Path(__file__).resolve().parents[3] / "data" / "samples" / "sessions"
AS_OF = datetime(2026, 6, 1, tzinfo=UTC)


def write_session(folder: Path, name: str, day: int, extra: list[Any] | None = None, *, is_english: bool = True) -> None:
    parts: list[Any] = [user("build the importer in src/importer.py"), agent("I added `src/importer.py`.")]
    for at in range(12):
        parts += [user(f"never write table_{at} without a lock"), *edited("src/importer.py", f"a{at}", f"b{at}", f"{name}{at}")]
        parts += [agent(f"`table_{at}` is locked in `src/importer.py` now.")]
    lines = [{"type": "session", "version": 3, "id": name, "timestamp": f"2026-03-{day:02d}T09:00:00.000Z", "cwd": "/work/demo"}]
    for at, raw in enumerate([*(parts if is_english else ()), *(extra or [])]):
        words = f"2026-03-{day:02d}T09:{at:02d}:00.000Z"
        lines.append(raw | {"id": f"{name}-{at}", "parentId": f"{name}-{at - 1}" if at else None, "timestamp": words})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    write_session(tmp_path / "sessions", "one", 2)
    write_session(tmp_path / "sessions", "two", 2)
    write_session(tmp_path / "sessions", "three", 5)
    return run_with(tmp_path)


def run_with(folder: Path, budget: float = 0.9) -> Run:
    settings = Settings(
        sessions=(folder / "sessions",), lake=folder / "lake", workspace=folder / "workspace", timezone="UTC",
        distil=DistilSettings(budget=budget),
    )  # fmt: skip
    return Run(settings, Lake(settings.lake), AS_OF)


def prepared(run: Run, engine: Any = None) -> dict[str, Any]:
    with run.lake.writing("test"):
        ingest(run)
        window(run)
        return distil(run, engine)


def again(run: Run, engine: Any = None) -> dict[str, Any]:
    with run.lake.writing("test"):
        return distil(run, engine)


def stored(run: Run) -> dict[str, bytes]:
    return {path.relative_to(run.lake.root).as_posix(): path.read_bytes() for path in sorted(run.lake.root.rglob("*.parquet"))}


def test_due_windows_become_segments_and_cited_observations(run: Run) -> None:
    """Every row leads to its segment, window, entries and times."""
    counts = prepared(run)
    windows, segments, facts = (run.lake.read(table) for table in ("windows", "segments", "observations"))
    assert counts["distilled"] == windows.filter(pl.col("status") == "distilled").height == 3
    assert set(facts["segment_id"]) <= set(segments["segment_id"])
    entries = {(row["session_id"], row["ordinal"]): row for row in run.lake.read("entries").iter_rows(named=True)}
    for row in facts.iter_rows(named=True):
        cited = [entries[row["session_id"], at] for at in row["ordinals"]]
        assert [record["entry_id"] for record in cited] == row["entry_ids"]
        assert [record["line_no"] for record in cited] == row["lines"]
        assert row["said_at"] == cited[0]["said_at"]
        assert (row["merged_count"], row["superseded_by"], row["also"]) == (1, None, [])
    assert set(facts["project"]) == {"/work/demo"}
    assert facts.filter(pl.col("kind") == "rule").height > 0
    assert windows["current_task"].null_count() == 0


def test_a_second_run_changes_no_byte(run: Run) -> None:
    """Nothing is due any more."""
    prepared(run)
    before = stored(run)
    assert again(run)["due"] == 0
    assert stored(run) == before


def test_an_engine_gets_the_entries_that_a_summary_sums_up(run: Run, tmp_path: Path) -> None:
    """They are those before its window, since the summary before it; windows without a summary get none."""
    given: dict[int, list[int]] = {}

    class Listening(Fragile):
        def distil(
            self,
            entries: list[Entry],
            topics: list[tuple[int, int]],
            earlier: list[str],
            budget_tokens: int,
            summarised: Sequence[Entry] = (),
        ) -> DistilledWindow:
            if entries[0].session_id == "one":
                given[entries[0].ordinal] = [entry.ordinal for entry in summarised]
            return super().distil(entries, topics, earlier, budget_tokens, summarised)

    kept = f"one-{4 * 12 + 1}"  # the last answer before the summary: it begins the second window
    summary = {"type": "compaction", "summary": "## Goal", "firstKeptEntryId": kept, "tokensBefore": 9}
    write_session(tmp_path / "sessions", "one", 2, [summary, user("go on with src/importer.py"), agent("Done.")])
    prepared(run, Listening("nobody"))
    (first, second) = sorted(given)
    assert (given[first], given[second]) == ([], list(range(first, second)))


class Fragile:
    """An engine that breaks on one session, or answers with nothing."""

    name = "fragile"
    template_hash = "t1"

    def __init__(self, session: str, answer: DistilledWindow | None = None) -> None:
        self.session, self.answer, self.asked = session, answer, 0

    def distil(
        self,
        entries: list[Entry],
        topics: list[tuple[int, int]],
        earlier: list[str],
        budget_tokens: int,
        summarised: Sequence[Entry] = (),
    ) -> DistilledWindow:
        self.asked += 1
        if entries[0].session_id == self.session:
            if self.answer is None:
                raise RuntimeError("no such luck")
            return self.answer
        return OfflineEngine().distil(entries, topics, earlier, budget_tokens, summarised)


def test_one_failing_window_costs_no_other_and_is_tried_three_times(run: Run) -> None:
    """The window is `failed` with its reason, and it is not tried again after three attempts."""
    engine = Fragile("two")
    counts = prepared(run, engine)
    assert (counts["distilled"], counts["failed"]) == (2, 1)
    assert counts["failures"] == {"RuntimeError: no such luck": 1}
    assert again(run, engine)["failed"] == again(run, engine)["failed"] == 1
    assert again(run, engine)["due"] == 0
    row = run.lake.read("windows").filter(pl.col("session_id") == "two").row(0, named=True)
    assert (row["status"], row["reason"], row["attempts"]) == ("failed", "RuntimeError: no such luck", 3)
    assert "no such luck" in (run.settings.lake / "_logs" / "errors.log").read_text(encoding="utf-8")


def test_another_version_of_the_rules_reads_what_broke_the_former_one(run: Run) -> None:
    """A mended engine tries once what was given up, and gives up again for good when it breaks, too."""
    engine = Fragile("two")
    engine.name = "offline"
    prepared(run, engine)
    again(run, engine)
    again(run, engine)
    assert again(run, engine)["due"] == 0
    still_broken = Fragile("two")
    still_broken.name, still_broken.template_hash = "offline", "next"
    assert again(run, still_broken)["failed"] == 1
    assert again(run, still_broken)["due"] == 0
    mended = OfflineEngine(template_hash="offline-mended")
    assert again(run, mended)["distilled"] >= 1
    assert run.lake.read("windows").filter(pl.col("status") == "failed").is_empty()


def test_a_window_that_breaks_another_version_keeps_its_facts(run: Run) -> None:
    """An update loses nothing: the night names the failure, and the next version reads the window again."""
    prepared(run)
    facts = run.lake.read("observations").filter(pl.col("session_id") == "two")
    topics = run.lake.read("segments").filter(pl.col("session_id") == "two")
    broken = Fragile("two")
    broken.name, broken.template_hash = "offline", "next"
    counts = again(run, broken)
    assert (counts["failed"], counts["failures"]) == (1, {"RuntimeError: no such luck": 1})
    assert not facts.is_empty()
    assert_frame_equal(run.lake.read("observations").filter(pl.col("session_id") == "two"), facts, check_row_order=False)
    assert_frame_equal(run.lake.read("segments").filter(pl.col("session_id") == "two"), topics, check_row_order=False)
    window = run.lake.read("windows").filter(pl.col("session_id") == "two").row(0, named=True)
    assert (window["status"], window["reason"]) == ("distilled", "facts of the version before: RuntimeError: no such luck")
    assert again(run, broken)["due"] == 0
    assert again(run, OfflineEngine(template_hash="offline-mended"))["distilled"] >= 1
    assert set(run.lake.read("windows")["reason"]) == {""}


def test_an_empty_answer_fails_its_window_and_leaves_no_row(run: Run) -> None:
    """Degenerate or empty output is never committed."""
    prepared(run, Fragile("two", DistilledWindow(segments=())))
    assert run.lake.read("windows").filter(pl.col("session_id") == "two")["reason"].item() == "empty output"
    assert run.lake.read("observations").filter(pl.col("session_id") == "two").is_empty()


def test_what_the_checks_stop_is_counted_by_its_reason(run: Run) -> None:
    """A night says what it lost, without the words of the facts."""
    facts = (
        Fact(text="The queue holds nine jobs.", kind="fact", priority="high", category="projects", ordinals=(99,)),
        Fact(text="ok", kind="fact", priority="high", category="projects", ordinals=(0,)),
    )
    topic = DistilledSegment(
        first_ordinal=0, last_ordinal=99, title="Queue", narrative="The queue was read.", ordinals=(0,), facts=facts
    )
    counts = prepared(run, Fragile("two", DistilledWindow(segments=(topic,))))
    assert counts["stopped"] == {"discard: cites an entry outside of its window": 1, "discard: says nothing": 1}


def test_columns_of_dedupe_stay_when_other_windows_of_the_day_are_distilled(run: Run, tmp_path: Path) -> None:
    """Partitions are rewritten; merge and supersession columns of other windows stay."""
    prepared(run)
    day = date(2026, 3, 2)
    facts = run.lake.read("observations", [day]).drop("schema_version")
    marked = facts.with_columns(superseded_by=pl.lit("o-newer"), merged_count=pl.lit(4, pl.Int32))
    with run.lake.writing("dedupe"), run.lake.commit() as change:
        change.replace("observations", marked, day)
    write_session(tmp_path / "sessions", "four", 2)
    counts = prepared(run)
    assert counts["distilled"] == 1
    rows = run.lake.read("observations", [day])
    assert rows.filter(pl.col("session_id") != "four")["merged_count"].to_list() == [4] * marked.height
    assert set(rows.filter(pl.col("session_id") == "four")["merged_count"]) == {1}


def test_another_version_or_budget_of_the_offline_engine_redoes_its_windows(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Offline rows are a function of the input and the parameters; marks on rows that come out the same stay."""
    monkeypatch.setattr("transforms.distil.window_budget.SMALLEST_BUDGET", 30)  # these windows would keep all that they have
    monkeypatch.setattr("transforms.distil.window_budget.TALK_SHARES", 7)
    monkeypatch.setattr("transforms.offline.find_candidates.SMALL_TALK_CHARS", 0)
    prepared(run)
    facts = run.lake.read("observations")
    tight = run_with(tmp_path, budget=0.02)
    assert again(tight)["distilled"] == 3
    assert tight.lake.read("observations").height < facts.height
    assert again(run)["distilled"] == 3
    assert run.lake.read("observations").equals(facts)


@pytest.mark.parametrize("share", [0.01, 0.05, 0.2])
def test_the_rows_of_a_window_take_its_share_or_the_floor(tmp_path: Path, share: float) -> None:
    """Titles, narratives, facts and the commands that cured a failure count; 240 tokens are kept however small the share is."""
    commands = [call("bash", "c1", command="go test ./depot"), call("bash", "c2", command="go test -tags=disk ./depot")]
    failure = [
        agent("", commands[0]), result("c1", "error: build constraints exclude all files in ./depot", is_error=True),
        agent("", commands[1]), result("c2", "ok"), agent("It passes with the tag. " * 200),
    ]  # fmt: skip
    log = [part for at in range(30) for part in ran(f"cat log_{at}.txt", f"line {at} of a long log. " * 60, f"r{at}")]
    write_session(tmp_path / "sessions", "one", 2, [*failure, *log, user("always test the depot with its tag"), agent("Noted.")])
    run = run_with(tmp_path, share)
    prepared(run)
    kept = [row["text"] for row in run.lake.read("observations").rows(named=True)]
    told = [f"{row['title']}\n{row['narrative']}" for row in run.lake.read("segments").rows(named=True)]
    read = count_serialized_tokens(build_entries(run.lake.read("entries")))
    assert any("-tags=disk" in text for text in kept)
    assert sum(map(count_tokens, [*kept, *told])) <= max(
        share * read, min(TALK_SHARES * share * read, MOST_TALK_TOKENS), SMALLEST_BUDGET
    )


def test_rows_of_another_engine_are_not_redone_by_the_offline_one(run: Run) -> None:
    """Texts of a paid model stay."""
    prepared(run, Fragile("nobody"))
    assert again(run)["due"] == 0


def test_a_new_engine_gets_the_facts_of_former_windows(run: Run, tmp_path: Path) -> None:
    """`earlier` holds the session's allowed facts, not those of other sessions."""
    words: dict[str, list[str]] = {}

    class Listening(Fragile):
        def distil(
            self,
            entries: list[Entry],
            topics: list[tuple[int, int]],
            earlier: list[str],
            budget_tokens: int,
            summarised: Sequence[Entry] = (),
        ) -> DistilledWindow:
            words[f"{entries[0].session_id}:{entries[0].ordinal}"] = earlier
            return super().distil(entries, topics, earlier, budget_tokens, summarised)

    late = [part | {"late": True} for part in (user("and never drop table_9"), agent("`table_9` stays."))]
    write_session(tmp_path / "sessions", "one", 2, late)
    lines = (tmp_path / "sessions" / "one.jsonl").read_bytes().splitlines()
    moved = [line.replace(b"T09:", b"T19:") if b'"late"' in line else line for line in lines]
    (tmp_path / "sessions" / "one.jsonl").write_bytes(b"\n".join(moved) + b"\n")
    prepared(run, Listening("nobody"))
    first, second = (words[key] for key in sorted((key for key in words if key.startswith("one:")), key=lambda key: int(key[4:])))
    assert first == []
    assert second
    assert all("table_" in text or "importer" in text for text in second)


def test_nothing_to_do_in_a_fresh_lake(tmp_path: Path) -> None:
    """The tables before it may be empty."""
    assert again(run_with(tmp_path))["due"] == 0


def anywhere(task: OfflineTask) -> list[WindowOutcome]:
    """Return the process id; outside of a worker wait until a worker has begun."""
    if os.environ["HERE"] == str(os.getpid()):
        wait_for(Path(os.environ["MARK"]))
    else:
        Path(os.environ["MARK"]).touch()
    return distil_offline(task)


def only_here(task: OfflineTask) -> list[WindowOutcome]:
    """Raise an error in a worker process."""
    if os.environ["HERE"] != str(os.getpid()):
        Path(os.environ["MARK"]).touch()
        raise OSError("disk gone")
    return anywhere(task)


@pytest.mark.parametrize("work", [anywhere, only_here])
def test_several_processes_write_what_one_writes_also_when_a_worker_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: Callable[[OfflineTask], list[WindowOutcome]]
) -> None:
    runs = []
    for name in ("one", "many"):
        if work is anywhere:
            copy_sample_sessions(SAMPLES / "--home-mara-code-plumline--", tmp_path / name / "sessions")
        for at in range(6):
            write_session(tmp_path / name / "sessions", f"s{at}", 2 + at)
        runs.append(run_with(tmp_path / name))
    counts = prepared(runs[0])
    monkeypatch.setenv("HERE", str(os.getpid()))
    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    monkeypatch.setattr(step, "MIN_PARALLEL_WINDOWS", 1)
    monkeypatch.setattr(step, "BATCH_WINDOWS", 2)
    monkeypatch.setattr(step, "PIECE_WINDOWS", 2)
    monkeypatch.setattr(step, "count_workers", lambda: 2)
    monkeypatch.setattr(step, "distil_offline", work)
    with keeping_workers():
        kept_entries = prepared(runs[1])
        assert not has_idle_workers(), "no step behind it needs them, and they hold the models"
    failures = kept_entries.pop("worker_failures", [])
    assert bool(failures) == (work is only_here)
    assert kept_entries == counts
    for table in ("windows", "segments", "observations"):
        item, many = (run.lake.read(table) for run in runs)
        assert_frame_equal(item, many)
        assert item.height > 0
    assert again(runs[1])["due"] == 0


def test_the_counts_say_that_the_owner_types_another_language(run: Run, tmp_path: Path) -> None:
    """The offline engine reads English only; a reader of the night's line learns it there."""
    assert "language_note" not in prepared(run)
    words = "schau dir bitte den importer an, der wird bei vielen zeilen in der datei langsam"
    german = [user(f"{words} ({number})") for number in range(24)]
    write_session(tmp_path / "german" / "sessions", "four", 30, german)
    later = run_with(tmp_path / "german")
    counts = prepared(Run(later.settings, later.lake, datetime(2026, 4, 20, tzinfo=UTC)))
    assert "another language" in counts["language_note"]
    assert "multilingual" in counts["note"], "before the first vectors the model that reads it is named, too"


def test_a_session_of_few_words_is_read_in_the_language_of_all_that_the_owner_types(tmp_path: Path) -> None:
    """Alone it shows no language; what its owner typed in other sessions does."""
    words = ["почини сборку", "float64 для денег? копейки, int64", "покажи лог", "обнови тесты", "дальше"]
    terse = [part for typed in words for part in (user(typed), agent("Перевёл суммы в копейки, тип `int64`."))]
    files = ["импортёр", "экспорт", "отчёт", "реестр", "шлюз", "журнал"]
    russian = [user(f"посмотри пожалуйста на {name}, он очень долго читает большие файлы с диска") for name in files]
    kinds = []
    for folder, others in (("alone", []), ("among", russian)):
        write_session(tmp_path / folder / "sessions", "terse", 20, terse, is_english=False)
        write_session(tmp_path / folder / "sessions", "other", 10, others, is_english=False)
        run = run_with(tmp_path / folder)
        prepared(run)
        rows = run.lake.read("observations").filter(pl.col("text").str.contains('"float64'))
        kinds.append(rows["kind"].to_list())
    assert kinds == [["question"], ["status"]]


def test_windows_of_one_session_are_told_one_after_the_other(tmp_path: Path) -> None:
    """A session of 3,694 windows is one piece of work; it stood at 0 until the last one."""
    lines = [user(f"never write table_{at} without a lock") for at in range(6)]
    write_session(tmp_path / "sessions", "one", 2, lines)
    seen: list[tuple[str, int, int]] = []

    def note(unit: str, done: int = 0, total: int = 0, at_most: float | None = None) -> None:
        """Note a report."""
        seen.append((unit, done, total))

    run = run_with(tmp_path)
    cut = replace(run, settings=replace(run.settings, window=WindowSettings(cap_tokens=60, min_user_messages=1)))
    prepared(replace(cut, progress=note))
    told = [(done, total) for unit, done, total in seen if unit == "windows"]
    (total,) = {total for _, total in told}
    assert total > 3
    assert [done for done, _ in told] == list(range(total + 1))
