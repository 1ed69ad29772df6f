"""A night repeats no search that found nothing; its tables and pages are those of a night that searches everything."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from effects.config.settings import EmbeddingSettings, WindowSettings
from effects.ingest import ingest_step
from effects.judging import rule_relations
from effects.memory.forget_targets import ForgetRequest
from effects.pages import daily_log_pages, render_step
from effects.projects import join_step
from effects.store import content_key, table_files
from effects.store.content_key import compute_search_key, find_settled
from effects.store.layout import KEPT_FOLDER
from effects.store.run import Run
from flows.pipeline import Pipeline
from flows.pipelines import forget_pipeline, nightly_pipeline
from flows.runner import run_pipeline
from tests.effects.session_home import START, Home, answer, header, iso, user, write
from transforms.pages.daily_log import LogWindow

SEARCHES = ("ingest", "attribute", "join_projects", "window", "distil", "rules", "dedupe", "consolidate", "render")
NOTES = ("_logs/parts_briefings.log", "_logs/parts_consolidate.log", "_logs/parts_daily_logs.log", "_logs/settled.log")
INTERNAL = ("runs/", "_index/", "_logs/", f"{KEPT_FOLDER}/")
SAYINGS = (
    "We use Postgres for the queue, never Redis.",
    "Always run the linter before a commit.",
    "Why does the export job fail when the cache is off?",
    "The parser broke because the header was empty; we now check for that.",
)


KINDS = ("late", "grown", "gone", "edited", "deleted", "memory", "setting", "owner", "forgotten", "nothing")


class Twins:
    """Two homes over the same sessions: one repeats no search, the other forgets before each night what was searched.

    Without the other one where nothing is compared.
    """

    def __init__(self, root: Path, names: tuple[str, ...] = ("quick", "thorough")) -> None:
        model = EmbeddingSettings(model=str(root / "no-model"))
        self.homes = [Home(root, name, embedding=model) for name in names]
        for home in self.homes:
            settings = replace(home.run.settings, workspace=root / f"{home.lake.root.name}-pages")
            home.run = Run(settings, home.lake, START + timedelta(days=30))
        self.sessions, self.number = self.homes[0].sessions, 0

    def run(self, pipeline: Pipeline) -> None:
        """Run a pipeline in all homes, a day later."""
        for home in self.homes[1:]:
            for note in list_notes(home):
                note.unlink()
        for home in self.homes:
            home.run = replace(home.run, as_of=home.run.as_of + timedelta(days=1))
            run_pipeline(home.run, pipeline)

    def write_session(self, choice: random.Random) -> None:
        """Write one more session, begun on any day."""
        self.number += 1
        name, minute = f"s-{self.number}", choice.randrange(20_000)
        lines = [header(name, timestamp=iso(minute), cwd=choice.choice(("/w/app", "/w/shop")))]
        for at in range(6):
            before = f"e{at - 1}" if at else None
            lines.append((answer if at % 2 else user)(f"e{at}", before, minute + at, choice.choice(SAYINGS)))
        write(self.sessions / f"{name}.jsonl", *lines)

    def list_pages(self, home: Home) -> list[Path]:
        """Return the pages of a home, those of the owner among them."""
        return sorted(path for path in home.run.settings.workspace.rglob("*.md*") if path.is_file())


def change_something(twins: Twins, kind: str, choice: random.Random) -> None:
    """Change the sessions, the pages, the settings or what is remembered."""
    paths = sorted(twins.sessions.glob("*.jsonl"))
    pages = [page.relative_to(twins.homes[0].run.settings.workspace) for page in twins.list_pages(twins.homes[0])]
    page, path = choice.choice(pages), choice.choice(paths)
    if kind == "late":
        twins.write_session(choice)
    elif kind == "grown":
        path.write_text(path.read_text() + user(f"g{choice.random()}", None, 30_000, choice.choice(SAYINGS)) + "\n")
    elif kind == "gone" and len(paths) > 1:
        path.rename(path.with_suffix(".moved"))
    elif kind == "forgotten":
        twins.run(forget_pipeline(ForgetRequest(session=path.stem)))
    cap, quiet = choice.choice((8_000, 20_000)), choice.choice((30, 90))
    for home in twins.homes:
        workspace = home.run.settings.workspace
        if kind == "edited":
            (workspace / page).write_text((workspace / page).read_text() + "\nmy own note\n")
        elif kind == "deleted":
            (workspace / page).unlink()
        elif kind == "memory":
            (workspace / "MEMORY.md").write_text((workspace / "MEMORY.md").read_text() + f"- A line {cap} {quiet}.\n")
        elif kind == "setting":
            window = WindowSettings(cap_tokens=cap, quiet_minutes=quiet)
            home.run = replace(home.run, settings=replace(home.run.settings, window=window))
        elif kind == "owner":
            home.run = replace(home.run, settings=replace(home.run.settings, owner=f"Owner {quiet}"))


def list_notes(home: Home) -> list[Path]:
    """Return the files that note what needs no work (whole searches, and parts of steps), and those with kept rows."""
    return sorted(path for path in map(home.lake.root.joinpath, NOTES) if path.exists()) + sorted(
        (home.lake.root / KEPT_FOLDER).glob("*")
    )


def describe(home: Home) -> dict[str, bytes]:
    """Return tables and pages of a home; `runs` has the seconds of each run."""
    workspace = home.run.settings.workspace
    pages = {path.relative_to(workspace).as_posix(): path.read_bytes() for path in workspace.rglob("*") if path.is_file()}
    return pages | {name: data for name, data in home.files().items() if not name.startswith(INTERNAL)}


def count_without_seconds(home: Home) -> dict[str, object]:
    """Return the counts of one more night."""
    counts = run_pipeline(home.run, nightly_pipeline(None))["counts"]
    return {step: {name: value for name, value in own.items() if name != "seconds"} for step, own in counts.items()}


@pytest.mark.parametrize("seed", range(2))
def test_nights_that_repeat_no_search_end_like_nights_that_search_everything(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each change, in two orders: late, grown and lost sessions, edited and deleted pages, settings, forgotten sessions."""
    monkeypatch.setattr(table_files, "KEPT_FROM", 2)
    twins, choice = Twins(tmp_path), random.Random(seed)
    for _ in range(4):
        twins.write_session(choice)
    twins.run(nightly_pipeline(None))
    done = ["first night"]
    for kind in choice.sample(KINDS, len(KINDS)):
        done.append(kind)
        change_something(twins, kind, choice)
        twins.run(nightly_pipeline(None))
        quick, thorough = map(describe, twins.homes)
        differing = sorted(name for name in quick.keys() | thorough.keys() if quick.get(name) != thorough.get(name))
        assert differing == [], done


def test_a_second_quiet_night_searches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts are those of the night before; one late session, and everything is looked at again."""
    twins = Twins(tmp_path, ("quick",))
    twins.write_session(random.Random(1))
    for _ in range(3):
        twins.run(nightly_pipeline(None))
    quick = twins.homes[0]
    before = count_without_seconds(quick)

    def refuse(*_: object) -> None:
        pytest.fail("searched again")

    with monkeypatch.context() as patched:
        patched.setattr(ingest_step, "LakeState", refuse)
        patched.setattr(join_step, "_read_sessions", refuse)
        patched.setattr(render_step, "_render_pages", refuse)
        patched.setattr(rule_relations, "_read_stated", refuse)
        assert count_without_seconds(quick) == before
    twins.write_session(random.Random(2))
    counts = run_pipeline(quick.run, nightly_pipeline(None))["counts"]
    assert (counts["ingest"]["read"], counts["window"]["cut"], counts["attribute"]["judged"]) == (1, 1, 1)


def test_quiet_nights_change_nothing_but_the_runs_and_the_logs_and_leave_tables_to_parquet_files(tmp_path: Path) -> None:
    """Notes of a former version go; polars reads a folder only if all in it is Parquet."""
    twins = Twins(tmp_path, ("quick",))
    twins.write_session(random.Random(1))
    twins.run(nightly_pipeline(None))
    lake, before = twins.homes[0].lake, None
    for former in content_key.FORMER_SETTLED_FILES:
        (lake.root / former).write_bytes(b"{}")
    for _ in range(3):
        twins.run(nightly_pipeline(None))
        files = {path.relative_to(lake.root): path.read_bytes() for path in lake.root.rglob("*") if path.is_file()}
        kept = {path: content for path, content in files.items() if path.parts[0] not in ("runs", "_logs")}
        assert kept == (before or kept)
        before = kept
        assert {path.suffix for path in files if not path.parts[0].startswith("_")} == {".parquet"}
    assert (lake.root / content_key.SETTLED_FILE).is_file()


def test_a_changed_template_or_module_makes_every_search_due(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was settled belongs to the code that looked."""
    twins = Twins(tmp_path, ("quick",))
    twins.write_session(random.Random(1))
    for _ in range(3):
        twins.run(nightly_pipeline(None))
    run = twins.homes[0].run
    key = compute_search_key(run, ["windows"])
    content_key.settle(run, "probe", key, {"due": 0})
    assert find_settled(run, "probe", compute_search_key(run, ["windows"])) == {"due": 0}
    monkeypatch.setattr(content_key, "_hash_code", lambda: "other code")
    assert find_settled(run, "probe", compute_search_key(run, ["windows"])) is None


def test_a_damaged_note_of_searches_costs_a_search_and_nothing_else(tmp_path: Path) -> None:
    """It is no truth; whatever stands in it, one after the other."""
    twins = Twins(tmp_path, ("quick",))
    twins.write_session(random.Random(1))
    for _ in range(2):
        twins.run(nightly_pipeline(None))
    quick = twins.homes[0]
    before = describe(quick)
    for damage in (b"", b"{", b"[]", b'{"ingest": 1, "render": {}, "basis": 1, "keys": []}'):
        for name in NOTES:
            (quick.lake.root / name).write_bytes(damage)
        run_pipeline(quick.run, nightly_pipeline(None))
        assert describe(quick) == before, damage
        assert set(SEARCHES) <= content_key._read_settled(quick.run).keys(), damage


def test_a_night_renders_the_logs_of_changed_days_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a late session's day; of a page that its owner edited, though nothing is written; of one that its owner deleted."""
    twins, choice, rendered = Twins(tmp_path, ("quick",)), random.Random(3), set[date]()
    for _ in range(6):
        twins.write_session(choice)
    twins.run(nightly_pipeline(None))
    home, build = twins.homes[0], daily_log_pages.build_log_windows

    def note_days(windows: pl.DataFrame, *others: Any) -> list[LogWindow]:
        rendered.update(windows["day"])
        return build(windows, *others)

    monkeypatch.setattr(daily_log_pages, "build_log_windows", note_days)
    days = set(home.lake.read("windows")["day"])
    twins.write_session(choice)
    twins.run(nightly_pipeline(None))
    (late,) = set(home.lake.read("windows").filter(pl.col("session_id") == "s-7")["day"])
    assert rendered == {late}
    edited, deleted = sorted(days - {late})[:2]
    logs = home.run.settings.workspace / "memory"
    for day, change in ((edited, lambda log: log.write_text("Mine.\n" + log.read_text())), (deleted, Path.unlink)):
        rendered.clear()
        change(logs / f"{day}.md")
        twins.run(nightly_pipeline(None))
        assert rendered == {day}
    rendered.clear()
    monkeypatch.setattr(content_key, "_hash_code", lambda: "other code")
    twins.run(nightly_pipeline(None))
    assert rendered == days | {late}
