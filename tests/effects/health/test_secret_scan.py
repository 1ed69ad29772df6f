"""The scan finds secrets that redaction missed, in all texts of the lake, in the index and on pages, and never shows them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pytest

from effects.config.settings import Settings
from effects.health import secret_scan
from effects.health.health_checks import check_installation
from effects.store.lake import Lake
from effects.store.run import Run
from tests.effects.health.plain_scan import count_secrets
from transforms.redaction.redact import NO_SECRETS, redact
from transforms.tables.schema import TABLES

SECRET = "sk-" + "ant-" + "kX7" * 14
DAY = date(2026, 5, 1)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    settings = Settings(sessions=(tmp_path,), lake=tmp_path / "lake", workspace=tmp_path / "workspace", timezone="UTC")
    (tmp_path / "workspace" / "memory").mkdir(parents=True)
    run = Run(settings, Lake(settings.lake), datetime(2026, 5, 2, tzinfo=UTC))
    with run.lake.writing("test"):
        pass
    return run


def _put(run: Run, table: str, text: object, column: str) -> None:
    row = dict.fromkeys(TABLES[table].key, 0) | {
        name: "k" for name in TABLES[table].key if TABLES[table].schema[name] == pl.String
    }
    row |= {column: text} | ({"day": DAY} if TABLES[table].is_daily else {})
    with run.lake.writing("test"), run.lake.commit() as change:
        change.append(table, pl.DataFrame([row]), DAY if TABLES[table].is_daily else None)


@pytest.mark.parametrize(
    ("table", "column"),
    [("entries", "text"), ("entries", "thinking"), ("sessions", "title"), ("observations", "text"), ("segments", "narrative"),
     ("distillates", "text"), ("proposals", "text"), ("quarantine", "detail"), ("model_calls", "answer"),
     ("memory_lines", "text")],
)  # fmt: skip
def test_a_secret_in_any_text_of_the_lake_is_found(run: Run, table: str, column: str) -> None:
    _put(run, table, f"use {SECRET} please", column)
    assert count_secrets(run.lake, run.settings.workspace) == {f"{table}.{column}": 1}


def test_secrets_in_lists_and_in_raw_json_are_found(run: Run) -> None:
    _put(run, "entries", '{"type":"custom","data":{"password":"' + "hunter" + '22xyz"}}', "raw_json")
    _put(run, "observations", ["src/a.py", f"notes-{SECRET}.md"], "files")
    assert count_secrets(run.lake, run.settings.workspace) == {"entries.raw_json": 1, "observations.files": 1}


def test_the_places_are_the_same_however_much_is_searched_at_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of many columns and pages are searched together: each finding keeps its own place."""
    for table, column in (("entries", "text"), ("entries", "thinking"), ("sessions", "title"), ("quarantine", "detail")):
        _put(run, table, f"use {SECRET} please", column)
    _put(run, "observations", [f"notes-{SECRET}.md", "src/a.py", f"{SECRET}.txt"], "files")
    for name in ("REVIEW.md", "memory/2026-05-01.md"):
        (run.settings.workspace / name).write_text(f"# Monday\n\n- the key is {SECRET}\n- {SECRET}\n")
    expected = {
        "entries.text": 1, "entries.thinking": 1, "sessions.title": 1, "quarantine.detail": 1, "observations.files": 2,
        "REVIEW.md": 2, "memory/2026-05-01.md": 2,
    }  # fmt: skip
    for joined, small in ((8_000_000, 1_000_000), (0, 0), (150, 0)):
        monkeypatch.setattr(secret_scan, "JOINED_BYTES", joined)
        monkeypatch.setattr(secret_scan, "SMALL_BYTES", small)
        assert count_secrets(run.lake, run.settings.workspace) == expected


def test_a_page_with_a_secret_is_named_and_the_secret_is_not_shown(run: Run) -> None:
    page = run.settings.workspace / "memory" / "2026-05-01.md"
    page.write_text(f"# Monday\n- the key is {SECRET}\n- nothing here\n")
    (findings,) = [check for check in check_installation(run) if check.name == "secrets"]
    assert findings.level == "wrong"
    assert "1 in memory/2026-05-01.md" in findings.detail
    assert SECRET not in findings.detail + findings.next


def test_redacted_texts_ids_paths_and_prose_are_not_findings(run: Run) -> None:
    text = (
        redact(f"use {SECRET} and password = {'S3cr3t' + 'V4lue77xQ9'}") + " in commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    )
    _put(run, "entries", text, "text")
    (run.settings.workspace / "REVIEW.md").write_text(text)
    assert not count_secrets(run.lake, run.settings.workspace)
    assert [check.level for check in check_installation(run) if check.name == "secrets"] == ["ok"]


def test_the_hash_of_a_mark_of_recollect_is_no_secret_of_the_word_before_it_and_a_secret_in_a_mark_is_one(run: Run) -> None:
    mark = "<!-- /recollect:review 05ce5e34b5f3a2fa -->"
    page = f"_Next, when there is room: nobody types the password_\n\n{mark}\n"
    assert redact(page) != page
    (run.settings.workspace / "REVIEW.md").write_text(page)
    _put(run, "pages", page, "text")
    assert not count_secrets(run.lake, run.settings.workspace)
    (run.settings.workspace / "REVIEW.md").write_text(page.replace("05ce5e34b5f3a2fa", SECRET))
    assert count_secrets(run.lake, run.settings.workspace) == {"REVIEW.md": 1}


def test_only_the_file_of_a_table_that_holds_a_secret_is_searched_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """One finding in an old day made each `doctor` search all days."""
    with run.lake.writing("test"), run.lake.commit() as change:
        for day, texts in ((DAY, [f"use {SECRET} please"]), (date(2026, 5, 2), ["use port 8080"] * 50)):
            rows = {"session_id": f"{day}", "ordinal": range(len(texts)), "text": texts, "day": [day] * len(texts)}
            change.append("entries", pl.DataFrame(rows), day)
    clean: dict[str, str] = {}
    searched: list[int] = []
    search = secret_scan.find_secret_candidates
    monkeypatch.setattr(secret_scan, "find_secret_candidates", lambda texts: (searched.append(len(texts)), search(texts))[1])
    for _ in range(2):
        searched.clear()
        assert count_secrets(run.lake, run.settings.workspace, NO_SECRETS, clean) == {"entries.text": 1}
    assert 0 < sum(searched) < 50


def test_what_was_clean_is_not_searched_again_and_what_was_found_is(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deployment writes the report each night: with years of sessions the search took longer than a quiet night."""
    page = run.settings.workspace / "entries.md"
    page.write_text("Nothing here\n", encoding="utf-8")
    _put(run, "entries", "use port 8080", "text")
    clean: dict[str, str] = {}
    searched: list[int] = []
    search = secret_scan.find_secret_candidates
    monkeypatch.setattr(secret_scan, "find_secret_candidates", lambda texts: (searched.append(len(texts)), search(texts))[1])

    def count(salt: str = "") -> dict[str, int]:
        searched.clear()
        return dict(count_secrets(run.lake, run.settings.workspace, NO_SECRETS, clean, salt))

    assert count() == {}
    assert sum(searched) > 0
    assert count() == {}
    assert sum(searched) == 0
    assert count("other files of secrets") == {}
    assert sum(searched) > 0
    page.write_text(f"the key is {SECRET}\n", encoding="utf-8")
    _put(run, "observations", f"use {SECRET} please", "text")
    for _ in range(2):
        assert count("other files of secrets") == {"observations.text": 1, "entries.md": 1}
    assert 0 < sum(searched) < 40
