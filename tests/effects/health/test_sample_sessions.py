"""The sample sessions: no secret is tracked, every token becomes one, and what is planted is where truth.json says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from effects.health.sample_sessions import FAKE_SECRET, FAMILIES, copy_sample_sessions, fake_secret, fill_placeholders
from effects.system.errors import RecollectError
from tests.each_case import each_case

SAMPLES = Path(__file__).parents[3] / "data" / "samples"
SESSIONS = sorted((SAMPLES / "sessions").rglob("*.jsonl"))
# What scanners look for; none of it may stand in a tracked file, and most families must match one of them once filled.
SHAPES = re.compile(
    r"AKIA[0-9A-Z]{16}|sk-[a-z]+[-0-9a-zA-Z]{20,}|gh[pousr]_\w{30,}|npm_\w{30,}|xox[abp]-\d|sk_live_\w{10,}|SG\.[\w-]{20,}\."
    r"|eyJ\w{8,}\.eyJ|BEGIN [A-Z ]*PRIVATE KEY|postgres(?:ql)?://\w+:[^@{\s]+@"
)


def test_no_secret_stands_in_a_tracked_file() -> None:
    tracked = [path for path in SAMPLES.rglob("*") if path.is_file()]
    scenes = list((SAMPLES.parents[1] / "benchmarks" / "samples").rglob("*.yaml"))
    module = SAMPLES.parents[1] / "effects" / "health" / "sample_sessions.py"
    for path in [*tracked, *scenes, module]:
        text = path.read_text(encoding="utf-8")
        assert not SHAPES.search(text), path
        assert not [family for family in FAMILIES if json.dumps(fake_secret(family))[1:-1] in text], path


def test_at_least_eight_families_are_planted_and_every_token_has_a_maker() -> None:
    planted = {token for path in SESSIONS for token in FAKE_SECRET.findall(path.read_text(encoding="utf-8"))}
    assert planted <= set(FAMILIES)
    assert len(planted) >= 8


@each_case("family", FAMILIES)
def test_a_fake_secret_is_the_same_every_time_and_reads_as_fake(family: str) -> None:
    assert fake_secret(family) == fake_secret(family)
    assert "fake" in fake_secret(family).lower()


def test_an_unknown_family_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(RecollectError, match="gold-bar") as caught:
        fake_secret("gold-bar")
    assert "aws-key" in caught.value.hint


def test_materialised_samples_are_valid_json_lines_without_a_token(tmp_path: Path) -> None:
    assert copy_sample_sessions(SAMPLES / "sessions", tmp_path) == len(SESSIONS) >= 10
    for source in SESSIONS:
        copy = tmp_path / source.relative_to(SAMPLES / "sessions")
        lines = copy.read_text(encoding="utf-8").split("\n")
        assert lines[-1] == ""
        assert [json.loads(line)["type"] for line in lines[:-1]].index("session") == 0
        assert "{{FAKE:" not in copy.read_text(encoding="utf-8")
        assert len(lines) == source.read_text(encoding="utf-8").count("\n") + 1


def test_materialising_twice_changes_no_byte(tmp_path: Path) -> None:
    copy_sample_sessions(SAMPLES / "sessions", tmp_path)
    first = {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    copy_sample_sessions(SAMPLES / "sessions", tmp_path)
    assert first == {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")}


def test_a_value_with_newlines_stays_one_json_string() -> None:
    line = json.dumps({"text": "key: {{FAKE:private-key}} end"})
    assert json.loads(fill_placeholders(line))["text"] == f"key: {fake_secret('private-key')} end"


def test_an_empty_folder_is_an_error_and_not_an_empty_demo(tmp_path: Path) -> None:
    with pytest.raises(RecollectError, match="no sample sessions"):
        copy_sample_sessions(tmp_path, tmp_path / "copy")


def test_truth_names_sessions_lines_and_facts_that_exist() -> None:
    truth = json.loads((SAMPLES / "truth.json").read_text(encoding="utf-8"))
    lengths = {
        row["session"]: len((SAMPLES / "sessions" / row["path"]).read_text(encoding="utf-8").splitlines())
        for row in truth["sessions"]
    }
    assert len(lengths) == len(SESSIONS)
    for row in [*truth["facts"], *truth["must_not"], *truth["questions"]]:
        assert row["lines"], row
        assert all(0 < line < lengths[row["session"]] for line in row["lines"])
    known = {fact["id"] for fact in truth["facts"]}
    assert len(known) == len(truth["facts"])
    assert all({row["old"], row["new"]} <= known for row in truth["superseded"])


def test_the_story_lasts_thirteen_days_and_no_machine_path_is_left() -> None:
    days = {path.name[:10] for path in SESSIONS}
    assert len([day for day in days if day >= "2026-03-02"]) >= 10
    assert min(day for day in days if day >= "2026-03") == "2026-03-02"
    assert max(days) == "2026-03-15"
    for path in SESSIONS:
        text = path.read_text(encoding="utf-8")
        assert "/tmp/h8" not in text
        assert json.loads(text.split("\n", 1)[0])["cwd"].startswith("/home/mara/")
