"""The figures of docs/sources.md, counted again on the real files where they are at hand."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from effects.config.settings import Settings
from effects.ingest.ingest_step import ingest
from effects.store.lake import Lake
from effects.store.run import Run
from tests.effects.session_home import START

SHARED = Path(__file__).parents[4] / "shared" / "sessions"
BULK = ("signature", "encrypted_content", "data")
ROOTS = (SHARED / "claude", SHARED / "codex")

pytestmark = pytest.mark.skipif(not all(root.is_dir() for root in ROOTS), reason="the real files are not here")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    folder = tmp_path_factory.mktemp("real")
    settings = Settings(sessions=ROOTS, lake=folder / "lake", workspace=folder / "workspace", timezone="UTC", owner="o")
    lake = Lake(settings.lake)
    with lake.writing("test"):
        ingest(Run(settings, lake, START))
    return lake


def test_every_line_of_every_file_is_one_entry(lake: Lake) -> None:
    lines = {}
    for path in (path for root in ROOTS for path in root.glob("*.jsonl")):
        lines[str(path)] = list(range(len(path.read_text(encoding="utf-8").splitlines())))
    rows = lake.scan("entries").select("source_path", "line_no").collect().sort("line_no")
    read = {path[0]: part["line_no"].to_list() for path, part in rows.partition_by("source_path", as_dict=True).items()}
    assert {path: len(numbers) for path, numbers in read.items()} == {path: len(numbers) for path, numbers in lines.items()}
    assert read == lines
    assert lake.read("quarantine").is_empty()


def test_the_counts_of_the_traps_are_those_of_the_page(lake: Lake) -> None:
    agents = lake.scan("sessions").select("session_id", "agent").collect()
    rows = lake.scan("entries").drop("thinking").collect().join(agents, on="session_id")
    claude, codex = rows.filter(pl.col("agent") == "claude"), rows.filter(pl.col("agent") == "codex")
    assert (claude.height, codex.height) == (7391, 2598)
    assert claude.filter(pl.col("entry_type") == "message_part").height == 1339
    assert claude.filter(pl.col("role") == "assistant").height == 1142
    assert claude["output_tokens"].sum() == 413_839
    assert codex["input_tokens"].sum() == 30_926_980
    reasons = claude.filter(pl.col("speaker_reason").str.starts_with("claude")).group_by("speaker_reason").len()
    assert dict(reasons.iter_rows()) == {
        "claude:words_of_refusal": 6, "claude:plan": 11, "claude:meta": 38, "claude:no_prompt_mark": 27,
    }  # fmt: skip
    assert codex.filter(pl.col("role") == "user").group_by("turn_kind").len().sort("turn_kind").rows() == [
        ("machine", 5), ("typed", 45),
    ]  # fmt: skip


def test_nothing_of_a_line_is_lost_but_signatures_images_and_secrets(lake: Lake) -> None:
    """Every text of a line stands in its stored JSON."""
    rows = lake.scan("entries").filter(pl.col("flags").list.contains("redacted").not_())
    stored = {
        (path, line): json.loads(raw) for path, line, raw in rows.select("source_path", "line_no", "raw_json").collect().rows()
    }
    assert stored
    for path in (path for root in ROOTS for path in sorted(root.glob("*.jsonl"))[:6]):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if (raw := stored.get((str(path), number))) is not None:
                assert _list_texts(json.loads(line)) <= _list_texts(raw), (path.name, number)


def _list_texts(value: object) -> set[str]:
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set().union(*(_list_texts(item) for name, item in value.items() if name not in BULK))
    return set().union(*map(_list_texts, value)) if isinstance(value, list) else set()
