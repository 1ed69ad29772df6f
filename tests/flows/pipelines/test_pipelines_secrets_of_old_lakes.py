"""Secrets that an older version left in a lake: doctor names them and the command that takes them out, and it does."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from effects.health.health_checks import check_installation
from effects.health.secret_scan import list_secret_entries
from effects.memory.forget_targets import ForgetRequest
from flows.pipelines import forget_pipeline
from flows.runner import run_pipeline
from tests.effects.session_home import Home, answer, header, user, write
from transforms.redaction.seed_words import SEED_BEGINNINGS

VALUE = "lantern" + "anchor"
CELL = "zebra" + "71xq"
PHRASE = "\n".join(sorted(word for word in SEED_BEGINNINGS if len(word) == 4)[5:600:45])
STRUCTURES = {
    "command": f"I ran lftp -u web,{VALUE} ftp.example and it worked",
    "table": f"| name | note | pw |\n|---|---|---|\n| ann | some note here | {CELL} |\n",
    "seed phrase": f"the wallet is\n{PHRASE}\nthat is all",
}


def make_old_lake(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Return a lake of a version that knew no structures."""
    home = Home(folder)
    write(home.sessions / "a.jsonl", header(), user("e1", None, 0, "Please look."), answer("e2", "e1", 1, text))
    with monkeypatch.context() as patch:
        patch.setattr("transforms.reading.secret_prefilter.find_structured_rows", lambda *_: [])
        home.night()
    return home


def find_secrets_check(home: Home) -> tuple[str, str, str]:
    (check,) = [check for check in check_installation(home.run) if check.name == "secrets"]
    return check.level, check.detail, check.next


@pytest.mark.parametrize("structure", STRUCTURES)
def test_doctor_names_the_command_that_takes_a_structured_secret_out_and_it_does(
    structure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_old_lake(tmp_path, STRUCTURES[structure], monkeypatch)
    level, detail, advice = find_secrets_check(home)
    assert level == "wrong"
    assert "entries." in detail
    assert "recollect forget s-1:e2 --purge" in advice
    assert not any(value in detail + advice for value in (VALUE, CELL, PHRASE))
    run_pipeline(home.run, forget_pipeline(ForgetRequest("s-1:e2", None, None, is_purge=True)))
    assert find_secrets_check(home)[0] == "ok"
    assert list_secret_entries(home.lake, {}) == []


@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_new_lake_of_the_same_sessions_holds_none(structure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = make_old_lake(tmp_path, STRUCTURES[structure], monkeypatch)
    again = Home(tmp_path, "new-lake")
    again.night()
    assert find_secrets_check(again)[0] == "ok"
    assert again.lake.read("entries").select(pl.len()).item() == home.lake.read("entries").select(pl.len()).item()


def test_a_table_over_the_lines_of_a_page_is_found(tmp_path: Path) -> None:
    home = Home(tmp_path)
    write(home.sessions / "a.jsonl", header(), user("e1", None, 0, "Please look."))
    home.night()
    write(tmp_path / "ws" / "memory" / "2026-01-01.md", "# Day", *STRUCTURES["table"].split("\n"))
    level, detail, _ = find_secrets_check(home)
    assert (level, "1 in memory/2026-01-01.md" in detail) == ("wrong", True)
