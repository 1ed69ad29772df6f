"""What was forgotten is at once in no exit of memory, also while the slow part of `recollect forget` is still to come."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import polars as pl
import pytest

from effects.config.configuration import load_settings
from effects.index import part_reading
from effects.memory.forget_targets import ForgetRequest
from effects.store.run import open_run
from flows.pipeline import Pipeline
from flows.pipelines import forget_pipeline
from flows.runner import name_step, run_pipeline
from recollect.cli import run
from recollect.mcp_server import Memory
from tests.effects.session_home import answer, header, user, write
from transforms.language.tokenizer import tokenize

NIGHT = "2026-01-05T04:00:00Z"
NAME = "Falkenstein"
TALK = (
    ("user", f"Set up the exporter of the ledger for {NAME} please, in src/exporter.py."),
    ("assistant", f"I wrote src/exporter.py; it exports the ledger for {NAME} line by line."),
    ("user", f"Always use tabs in the exports for {NAME}, never commas."),
    ("assistant", f"Understood: the exports for {NAME} use tabs."),
    ("user", f"We decided: the exports for {NAME} leave at six."),
    ("assistant", f"Noted: the exports for {NAME} leave at six."),
    ("user", "From now on run make lint before every commit."),
    ("assistant", "I will run make lint before every commit."),
    ("user", "Now write the tests for the exporter please."),
    ("assistant", "The tests of the exporter pass."),
    ("user", "Good, let us stop here for today."),
    ("assistant", "Done for today."),
)
QUESTION = f"what do the exports for {NAME} use?"

SQL_VIEWS = ("entries", "sessions", "segments", "observations", "distillates", "proposals", "items", "pages")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a machine; what its first nights left is kept beside it."""
    return tmp_path_factory.mktemp("machine")


@pytest.fixture
def home(kept: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set up a machine with one session, condensed into days, weeks and months, with all pages written."""
    home = kept / "home"
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(home / name))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__MODEL", str(home / "no-model"))
    monkeypatch.setenv("RECOLLECT_OWNER", "mara")
    monkeypatch.setenv("RECOLLECT_TIMEZONE", "UTC")
    monkeypatch.chdir(kept)
    if (kept / "nights").exists():
        shutil.rmtree(home)
    else:
        lines = [header("s1-talk")]
        for number, (role, text) in enumerate(TALK):
            make = user if role == "user" else answer
            lines.append(make(f"e{number}", f"e{number - 1}" if number else None, number, text))
        write(home / "sessions" / "talk.jsonl", *lines)
        for as_of in (NIGHT, "2026-01-20T04:00:00Z", "2026-03-20T04:00:00Z"):
            assert run(["nightly", "--direct", "--as-of", as_of, "--json"]) == 0
        home.rename(kept / "nights")
    shutil.copytree(kept / "nights", home, symlinks=True)
    return home


def list_exits(home: Path, memory: Memory, capsys: pytest.CaptureFixture[str]) -> dict[str, Callable[[], str]]:
    """Return a function for each exit, which gives all that it shows but the question; `memory` is a server that runs."""

    def print_command(*arguments: str) -> str:
        capsys.readouterr()
        run(list(arguments))
        return capsys.readouterr().out.replace(QUESTION, "")

    def report() -> str:
        print_command("report", "--no-open")
        return (home / "workspace" / "report.html").read_text(encoding="utf-8")

    commands = {
        "ask": ("ask", QUESTION, "--project", "all"),
        "briefing": ("briefing", "--project", "/w/app"),
        "opening": ("briefing", "--opening", "--project", "/w/app", "--request", QUESTION),
        "show session": ("show", "s1-talk"),
        "show entry": ("show", "s1-talk:e2"),
        "sessions": ("sessions", "--project", "all"),
        "sessions of words": ("sessions", f"exports for {NAME}", "--project", "all"),
        "review": ("review", "list"),
        "export": ("export", "--all"),
    }
    commands |= {f"export {tier}": ("export", "--tier", str(tier), "--all") for tier in (1, 2)}
    exits: dict[str, Callable[[], str]] = {
        name: partial(print_command, *command, *(() if command[0] == "briefing" else ("--json",)))
        for name, command in commands.items()
    }
    exits |= {"mcp search": lambda: search(memory), "mcp briefing": lambda: memory.briefing("/w/app")}
    exits |= {"report": report, "pages": lambda: read_pages(home)}
    return exits


def search(memory: Memory) -> str:
    return memory.search(QUESTION, project="all", details=True).replace(QUESTION, "")


def show_exits(home: Path, memory: Memory, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Return what each exit shows but the question; the views of `recollect sql` are asked for in one command."""
    shown = {name: show() for name, show in list_exits(home, memory, capsys).items()}
    queries = (f"SELECT '{view}' AS view_name, to_json({view})::VARCHAR AS words FROM {view}" for view in SQL_VIEWS)
    printed = run_and_read(capsys, "sql", " UNION ALL ".join(queries), "--json")
    rows = [json.loads(line) for line in printed.splitlines()]
    return shown | {f"sql {view}": "\n".join(row["words"] for row in rows if row["view_name"] == view) for view in SQL_VIEWS}


def read_pages(home: Path) -> str:
    """Return all pages that agents and people read; a client shows the one of a project when a hook is slow."""
    pages = (path for path in sorted((home / "workspace").rglob("*.md")) if path.parent.name != "timeline")
    return "\n".join(path.read_text(encoding="utf-8") for path in pages)


def name_request(request: str, home: Path) -> ForgetRequest:
    if request == "a session":
        return ForgetRequest(session="s1-talk")
    if request == "an entry":
        return ForgetRequest("s1-talk:e2")
    if request == "a fact":
        rows = pl.read_parquet(home / "lake" / "observations" / "**" / "*.parquet", hive_partitioning=False)
        return ForgetRequest(rows.filter(pl.col("text").str.contains(f"tabs in the exports for {NAME}"))["observation_id"][0])
    return ForgetRequest(match=NAME, is_purge=request == "words, for good")


def test_each_exit_shows_a_text_that_nobody_forgot(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Otherwise the next test would find nothing in an exit that shows nothing."""
    shown = show_exits(home, Memory(load_settings()), capsys)
    assert [name for name, text in shown.items() if NAME not in text] == []


@pytest.mark.parametrize("request_name", ["a session", "a fact", "an entry", "words", "words, for good"])
def test_a_forgotten_text_is_at_once_in_no_exit(home: Path, capsys: pytest.CaptureFixture[str], request_name: str) -> None:
    """Only the tombstones and the pages are written: what follows in the command may take minutes, or be stopped."""
    words = "tabs in the exports" if request_name in ("a fact", "an entry") else NAME
    memory = Memory(load_settings())
    shown = (search(memory), memory.briefing("/w/app"))
    assert [text for text in shown if NAME not in text] == [], "the server runs before and has read the memory"
    request = name_request(request_name, home)
    forgetting = forget_pipeline(request)
    first_steps = forgetting.steps[: [name_step(step) for step in forgetting.steps].index("dedupe")]
    run_pipeline(open_run(load_settings()), Pipeline("forget", first_steps, {}))
    assert [name for name, text in show_exits(home, memory, capsys).items() if words in text] == []
    if request_name in ("a fact", "words"):  # where other rows still have the words, and where none has them
        assert run(["forget", "--match", NAME]) == 0
        assert [name for name, text in show_exits(home, memory, capsys).items() if NAME in text] == []


def test_a_purge_that_was_stopped_is_hidden_named_and_ended_by_the_same_command(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had removed the facts, by which the same command found the rest; `ask` and `doctor` say what to do meanwhile."""
    fact = name_request("a fact", home).record_id or ""
    steps = forget_pipeline(ForgetRequest(fact, is_purge=True)).steps
    stopped = steps[: [name_step(step) for step in steps].index("purge") + 1]
    run_pipeline(open_run(load_settings()), Pipeline("forget", stopped, {}))
    command = f"recollect forget {fact} --purge"
    capsys.readouterr()
    run(["ask", QUESTION, "--project", "all", "--json"])
    assert command in json.loads(capsys.readouterr().out)["note"]
    run(["doctor", "--json"])
    assert command in capsys.readouterr().out
    assert run(["forget", fact, "--purge", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["rows_read"]
    run(["doctor", "--json"])
    assert command not in capsys.readouterr().out
    everything = (path for root in ("lake", "workspace") for path in sorted((home / root).rglob("*")) if path.is_file())
    assert [path for path in everything if b"tabs in the exports for" in path.read_bytes()] == []


def test_a_purge_changes_the_index_where_the_words_stood_and_leaves_them_in_none_of_its_files(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another day's documents are not read again; the index stays the same generation and answers."""
    later = [
        header("s2-later", timestamp="2026-01-08T10:00:00.000Z"),
        *(user(f"f{n}", None, 10_000 + n, f"Word {n} of the later day.") for n in range(6)),
    ]
    write(home / "sessions" / "later.jsonl", *later)
    assert run(["nightly", "--direct", "--json"]) == 0
    read: list[str] = []
    real = part_reading.read_part_documents
    monkeypatch.setattr(
        part_reading, "read_part_documents", lambda run, part, *more: (read.append(part), real(run, part, *more))[1]
    )
    capsys.readouterr()
    assert run(["forget", "--match", NAME, "--purge", "--json"]) == 0
    assert read
    assert "entries/2026-01-08" not in read
    stem = tokenize(NAME)[0].encode()
    files = [path for path in (home / "lake" / "_index").rglob("*") if path.is_file()]
    assert [path for path in files if stem in path.read_bytes().lower()] == []
    assert "make lint" in run_and_read(capsys, "ask", "what runs before every commit?", "--project", "all", "--json")


def run_and_read(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    run(list(arguments))
    return capsys.readouterr().out
