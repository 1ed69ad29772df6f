"""`recollect forget` and `recollect prune`, from session files to pages, index and answers, and back."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from effects.index.lance_writer import open_tables, read_columns
from effects.pages.fact_sheet_file import SHEETS_FILE
from recollect.cli import run
from recollect.terminal import open_reading_run
from tests.effects.session_home import answer, header, user, write
from transforms.language.tokenizer import tokenize

AS_OF = "2026-01-20T04:00:00Z"
LATER = "2026-01-21T04:00:00Z"
SECRET_NAME = "Falkenstein"
TALK = (
    ("user", "Please set up the importer for the ledger files in src/importer.py."),
    ("assistant", "I wrote src/importer.py; it reads the ledger files line by line."),
    ("user", f"Always use tabs in the exports for {SECRET_NAME}, never commas."),
    ("assistant", f"Understood: the exports for {SECRET_NAME} use tabs."),
    ("user", "From now on run make lint before every commit."),
    ("assistant", "I will run make lint before every commit."),
    ("user", "Now write the tests for the importer please."),
    ("assistant", "The tests of the importer pass."),
    ("user", "Good, let us stop here for today."),
    ("assistant", "Done for today."),
)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for the machine, the same for all tests, because the lake holds the paths of its sessions."""
    return tmp_path_factory.mktemp("machine")


@pytest.fixture
def home(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set up a machine with one session, read by one night; the night is run once, and what it left comes back for each test."""
    home, kept = machine / "home", machine / "kept"
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(home / name))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__MODEL", str(home / "no-model"))
    monkeypatch.setenv("RECOLLECT_OWNER", "mara")
    monkeypatch.setenv("RECOLLECT_TIMEZONE", "UTC")
    if kept.exists():
        shutil.rmtree(home)
    else:
        run_first_night(home)
        home.rename(kept)
    shutil.copytree(kept, home, symlinks=True)
    return home


def run_first_night(home: Path) -> None:
    lines = [header("s1-talk")]
    for number, (role, text) in enumerate(TALK):
        make = user if role == "user" else answer
        lines.append(make(f"e{number}", f"e{number - 1}" if number else None, number, text))
    write(home / "sessions" / "talk.jsonl", *lines)
    night()


def night(as_of: str = AS_OF) -> None:
    assert run(["nightly", "--direct", "--as-of", as_of, "--json"]) == 0


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    capsys.readouterr()
    assert run([*arguments, "--json"]) == 0, capsys.readouterr().out
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def all_texts(home: Path) -> Iterator[tuple[str, str]]:
    """Yield every value of every Parquet file and of LanceDB, and every other file as text."""
    for path in sorted([*(home / "lake").rglob("*"), *(home / "workspace").rglob("*")]):
        if path.suffix == ".parquet":
            yield str(path), str(pl.read_parquet(path, hive_partitioning=False).rows())
        elif path.is_file():
            yield str(path), path.read_bytes().decode("utf-8", "replace")
    for folder in (home / "lake" / "_index").glob("g-*"):
        for table in (open_tables(folder).documents, open_tables(folder).recent_documents):
            yield str(folder), " ".join(read_columns(table, ["words"])["words"])


def shown(home: Path) -> str:
    """Return all pages of the workspace."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((home / "workspace").rglob("*.md")))


def find_fact(home: Path, words: str) -> str:
    rows = pl.read_parquet(home / "lake" / "observations" / "**" / "*.parquet", hive_partitioning=False)
    return str(rows.filter(pl.col("text").str.contains(words) & (pl.col("verdict") == "allow"))["observation_id"][0])


def list_hits(capsys: pytest.CaptureFixture[str], question: str) -> str:
    (reply,) = call(capsys, "ask", question, "--project", "all")
    return json.dumps([reply["answer"], reply["hits"]])


def test_a_fact_is_gone_from_pages_index_and_answers_and_comes_back(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also the agent's repetition of it is gone, and the next night does not bring it back; other facts stay."""
    assert SECRET_NAME in shown(home)
    before = list_hits(capsys, "what do the exports use?")
    assert SECRET_NAME in before
    fact = find_fact(home, SECRET_NAME)
    (counts,) = call(capsys, "forget", fact, "--as-of", AS_OF)
    assert counts["facts"]
    assert SECRET_NAME not in list_hits(capsys, "what do the exports use?")
    night(LATER)
    assert SECRET_NAME not in shown(home)
    assert SECRET_NAME not in list_hits(capsys, "what do the exports use?")
    assert "make lint" in list_hits(capsys, "what runs before every commit?")
    assert run(["show", fact]) == 1
    call(capsys, "forget", fact, "--undo", "--as-of", LATER)
    assert SECRET_NAME in shown(home)
    assert list_hits(capsys, "what do the exports use?") == before


@pytest.mark.parametrize("command", [["--match", "falkenstein"], ["--session", "s1-talk"], []])
def test_a_purge_leaves_the_words_in_no_file(home: Path, capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    """Named by words, by session, or by the id of the fact; the session file stays byte for byte, and the words stay away."""
    source = (home / "sessions" / "talk.jsonl").read_bytes()
    memory = home / "workspace" / "MEMORY.md"
    memory.write_text(memory.read_text(encoding="utf-8") + f"\n- {SECRET_NAME} pays late\n", encoding="utf-8")
    log = next((home / "workspace" / "memory").glob("*.md"))
    log.write_text(log.read_text(encoding="utf-8") + f"\nA note of mine about {SECRET_NAME}.\n", encoding="utf-8")
    is_match = bool(command) and command[0] == "--match"
    (counts,) = call(capsys, "forget", *(command or [find_fact(home, SECRET_NAME)]), "--purge", "--as-of", AS_OF)
    assert counts["rows_read"]
    night(LATER)
    words = SECRET_NAME if is_match else f"exports for {SECRET_NAME}"
    assert [place for place, text in all_texts(home) if words.lower() in text.lower()] == []
    assert (home / "sessions" / "talk.jsonl").read_bytes() == source
    assert run(["forget", *(command or ["o-"]), "--undo"]) in (1, 2)


def test_forgetting_says_that_the_files_keep_the_text_and_a_purge_removes_it_from_them(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`recollect sql` reads the lake's files, too, when a query names them; its views leave out what was forgotten at once."""
    in_files = (
        f"SELECT count(*) AS n FROM read_parquet('{home}/lake/observations/**/*.parquet') WHERE text LIKE '%{SECRET_NAME}%'"
    )
    in_view = f"SELECT count(*) AS n FROM observations WHERE text LIKE '%{SECRET_NAME}%'"
    assert run(["forget", "--match", "falkenstein", "--as-of", AS_OF]) == 0
    assert "with --purge removes the text from the lake's files" in capsys.readouterr().out
    assert call(capsys, "sql", in_view) == [{"n": 0}]
    assert call(capsys, "sql", in_files) != [{"n": 0}]
    call(capsys, "forget", "--match", "falkenstein", "--undo", "--as-of", AS_OF)
    call(capsys, "forget", "--match", "falkenstein", "--purge", "--as-of", AS_OF)
    assert call(capsys, "sql", in_files) == [{"n": 0}]


def test_a_purge_leaves_the_words_in_no_sheet_of_facts(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sheet holds lines and their index words; both had the name before."""
    sheets = home / "lake" / SHEETS_FILE
    name, word = SECRET_NAME.encode(), tokenize(SECRET_NAME)[0].encode()
    assert (name in sheets.read_bytes(), b'"%s":' % word in sheets.read_bytes()) == (True, True)
    call(capsys, "forget", "--match", "falkenstein", "--purge", "--as-of", AS_OF)
    assert b"make lint" in sheets.read_bytes()
    assert (name in sheets.read_bytes(), word in sheets.read_bytes().lower()) == (False, False)


def test_a_purge_leaves_the_pages_that_forgetting_leaves(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record of a page without the words would make the page on disk look edited, and its old titles would stay."""
    fact = find_fact(home, SECRET_NAME)
    call(capsys, "forget", fact, "--as-of", AS_OF)
    forgotten = shown(home)
    call(capsys, "forget", fact, "--undo", "--as-of", AS_OF)
    assert shown(home) != forgotten
    call(capsys, "forget", fact, "--purge", "--as-of", AS_OF)
    assert shown(home) == forgotten


def test_a_week_of_which_everything_is_forgotten_keeps_no_chapter(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    after = "2026-02-20T04:00:00Z"
    call(capsys, "timeline", "--as-of", after)
    (chapter,) = (home / "workspace" / "timeline").glob("*-W*.md")
    assert SECRET_NAME in chapter.read_text()
    call(capsys, "forget", "--session", "s1-talk", "--as-of", after)
    assert chapter.read_text() == f"# {chapter.stem}\n\nNothing of this week is remembered.\n"
    call(capsys, "forget", "--session", "s1-talk", "--undo", "--as-of", after)
    assert SECRET_NAME in chapter.read_text()


def test_a_session_file_that_is_read_again_does_not_bring_it_back(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rewritten file is read whole; its purged entries are emptied before anything is made of them."""
    call(capsys, "forget", "--match", "falkenstein", "--purge", "--as-of", AS_OF)
    path = home / "sessions" / "talk.jsonl"
    path.write_bytes(path.read_bytes().replace(b"Good, let us stop", b"Fine, let us stop"))
    night(LATER)
    assert [place for place, text in all_texts(home) if SECRET_NAME.lower() in text.lower()] == []


def test_lines_of_memory_go_and_return(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line is forgotten by its words; undoing puts it back into its section."""
    memory = home / "workspace" / "MEMORY.md"
    call(capsys, "remember", "Invoices go out on Fridays\u0020", "--section", "Patterns", "--now", "--as-of", AS_OF)
    (counts,) = call(capsys, "forget", "--match", "invoices go out", "--as-of", AS_OF)
    assert counts["lines_removed"] == 1
    assert "Invoices" not in memory.read_text(encoding="utf-8")
    call(capsys, "forget", "--match", "Invoices  go out", "--undo", "--as-of", AS_OF)
    assert "Invoices go out" in memory.read_text(encoding="utf-8").partition("## Patterns")[2]


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["o-ffffff"], 1, "not_found"),
        (["--match", "no such words anywhere"], 1, "not_found"),
        (["--match", "a"], 2, "usage"),
        (["--session", "nobody"], 1, "not_found"),
        (["--match", "never forgotten", "--undo"], 1, "not_found"),
        (["d-123"], 2, "usage"),
        ([], 2, "usage"),
        (["o-1", "--match", "x"], 2, "usage"),
    ],
)  # fmt: skip
def test_it_says_why_nothing_was_forgotten(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, error: str
) -> None:
    """With the code of the contract and a next command."""
    capsys.readouterr()
    assert run(["forget", *arguments, "--json"]) == code
    reply = json.loads(capsys.readouterr().out)["error"]
    assert reply["code"] == error
    assert reply["hint"]


@pytest.mark.parametrize("age", ["0", "0y", "2026-02-20", "2027-01-01"])
def test_prune_refuses_a_span_below_a_day(home: Path, capsys: pytest.CaptureFixture[str], age: str) -> None:
    """It would take everything up to now; the refusal says so and names the dry run."""
    before = list(all_texts(home))
    assert run(["prune", "--older-than", age, "--as-of", "2026-02-20"]) == 2
    complaint = capsys.readouterr().err
    assert "everything up to now" in complaint
    assert "--dry-run" in complaint
    assert list(all_texts(home)) == before


def test_prune_asks_in_a_terminal_and_removes_nothing_without_a_yes(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question comes after what would go; an empty answer is no."""
    night("2026-02-20T04:00:00Z")
    entries = sorted((home / "lake" / "entries").rglob("*.parquet"))
    before = [path.read_bytes() for path in entries]
    for answered, verb in (("\n", "nothing removed"), ("no\n", "nothing removed"), ("perhaps\nyes\n", " removed; ")):
        assert [path.read_bytes() for path in entries] == before
        typed = io.StringIO(answered)
        monkeypatch.setattr(typed, "isatty", lambda: True)
        monkeypatch.setattr("sys.stdin", typed)
        capsys.readouterr()
        assert run(["prune", "--older-than", "10d", "--as-of", "2026-02-20"]) == 0
        captured = capsys.readouterr()
        assert "would be removed" in captured.err
        assert "cannot be undone" in captured.err
        assert verb in captured.out
    assert [path.read_bytes() for path in entries if path.exists()] != before


@pytest.mark.parametrize(
    "command",
    [
        ["forget", "--match", "falkenstein", "--purge", "--as-of", AS_OF],
        ["prune", "--older-than", "10d", "--as-of", "2026-02-20"],
    ],
)
def test_what_cannot_be_undone_asks_in_a_terminal_also_with_json(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    """Without a yes stdout has what would go, as after `--dry-run`, and nothing went; with `--yes` nobody is asked."""
    night("2026-02-20T04:00:00Z")
    before = texts_but_runs(home)
    (planned,) = call(capsys, *command, "--dry-run")
    for answered, extra in (("\n", []), ("no\n", []), ("", ["--yes"])):
        assert texts_but_runs(home) == before
        typed = io.StringIO(answered)
        monkeypatch.setattr(typed, "isatty", lambda: True)
        monkeypatch.setattr("sys.stdin", typed)
        capsys.readouterr()
        assert run([*command, *extra, "--json"]) == 0
        captured = capsys.readouterr()
        assert ("cannot be undone" in captured.err) is not bool(extra)
        assert (json.loads(captured.out) == planned) is not bool(extra)
        assert json.loads(captured.out).get("dry_run", False) is not bool(extra)
    assert texts_but_runs(home) != before


def texts_but_runs(home: Path) -> dict[str, str]:
    """Return the texts of the lake without the record of runs and the list of files, which has the record's."""
    return {place: text for place, text in all_texts(home) if "/runs/" not in place and not place.endswith("files.log")}


def test_prune_takes_only_condensed_and_uncited_entries(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A dry run changes nothing; cited entries stay, and facts and narratives still answer."""
    night("2026-02-20T04:00:00Z")
    before = texts_but_runs(home)
    (planned,) = call(capsys, "prune", "--older-than", "10d", "--dry-run", "--as-of", "2026-02-20")
    assert texts_but_runs(home) == before
    (done,) = call(capsys, "prune", "--older-than", "10d", "--as-of", "2026-02-20")
    assert planned["entries"] == done["entries"] != 0
    assert (done["kept"]["cited"], done["kept"]["not_summarised"]) != (0, 0)  # type: ignore[index]
    entries = pl.read_parquet(home / "lake" / "entries" / "**" / "*.parquet", hive_partitioning=False)
    pruned = entries.filter(pl.col("flags").list.contains("pruned"))
    assert pruned.height == done["entries"]
    assert set(pruned["text"]) == {""}
    assert entries.height == len(TALK)
    assert "make lint" in list_hits(capsys, "what runs before every commit?")
    (again,) = call(capsys, "prune", "--older-than", "10d", "--as-of", "2026-02-20")
    assert again["entries"] == 0
    assert run(["prune", "--older-than", "soon"]) == 2


def test_a_dry_run_counts_and_forgets_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The counts are those of the command itself, for forgetting and for a purge."""
    for kind in ([], ["--purge"]):
        (planned,) = call(capsys, "forget", "--match", "falkenstein", *kind, "--dry-run", "--as-of", AS_OF)
        assert planned["facts"]
        assert {entry["id"] for entry in planned.pop("entries")} >= {"s1-talk:e2", "s1-talk:e3"}  # type: ignore[attr-defined]
        assert SECRET_NAME in shown(home)
    assert planned.pop("dry_run") is True
    (done,) = call(capsys, "forget", "--match", "falkenstein", "--as-of", AS_OF)
    assert {name: done[name] for name in planned} == planned
    assert run(["forget", "o-", "--undo", "--dry-run"]) == 2


@pytest.mark.parametrize(("answer", "stays"), [("\n", True), ("n\n", True), ("y\n", False)])
def test_a_purge_in_a_terminal_says_what_goes_and_asks(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, answer: str, stays: bool
) -> None:
    """One turn may take facts, neighbours and lines with it, and nothing brings them back."""
    terminal = io.StringIO(answer)
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)
    assert run(["forget", "--match", "falkenstein", "--purge", "--as-of", AS_OF]) == 0
    printed = capsys.readouterr()
    assert "would be removed for good: " in printed.err
    assert ("nothing removed" in printed.out) is stays
    assert (SECRET_NAME in shown(home)) is stays


def test_a_line_of_a_daily_log_leads_to_the_command_that_forgets_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = next((home / "workspace" / "memory").glob("2026-*.md")).read_text(encoding="utf-8")
    line = next(line for line in log.splitlines() if line.startswith("* ") and "make lint" in line)
    assert run(["forget", line]) == 1
    command = capsys.readouterr().err.split("next: ")[1].strip()
    assert run(command.split()[1:]) == 0
    assert line not in next((home / "workspace" / "memory").glob("2026-*.md")).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "target", [("--match", SECRET_NAME), ("s1-talk:e2",), ("--session", "s1-talk")], ids=["words", "entry", "session"]
)
def test_what_is_forgotten_before_it_was_distilled_is_not_distilled_later_and_comes_back_with_undo(
    home: Path, capsys: pytest.CaptureFixture[str], target: tuple[str, ...]
) -> None:
    """The session was still open when a night read it; facts that are made later have ids that no tombstone knows."""
    shutil.rmtree(home / "lake")
    shutil.rmtree(home / "workspace")
    night("2026-01-01T22:30:00Z")
    call(capsys, "forget", *target, "--as-of", "2026-01-01T22:31:00Z")
    night()
    told = "Always use tabs in the exports"
    assert told not in shown(home)
    assert told not in list_hits(capsys, "what do the exports use?")
    assert told not in str(pl.read_parquet(home / "lake" / "segments" / "**" / "*.parquet", hive_partitioning=False).rows())
    assert ("run make lint" in shown(home)) == (target[0] != "--session"), "the other words of the session stay"
    call(capsys, "forget", *target, "--undo", "--as-of", AS_OF)
    assert told in shown(home)
    assert told in list_hits(capsys, "what do the exports use?")
    undone = find_fact(home, told)
    shutil.rmtree(home / "lake")
    night()
    assert undone == find_fact(home, told), "as if it had never been forgotten"


@pytest.mark.parametrize("fewest", ["5", "9"], ids=["distilled", "too few messages"])
def test_a_forgotten_entry_names_no_session_and_stands_in_no_narrative(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, fewest: str
) -> None:
    """The first message gave the session its title, which pages and `sessions` show, and no fact was made of it."""
    monkeypatch.setenv("RECOLLECT_WINDOW__MIN_USER_MESSAGES", fewest)
    shutil.rmtree(home / "lake")
    shutil.rmtree(home / "workspace")
    night()
    told = "set up the importer for the ledger files"
    assert told in shown(home)
    call(capsys, "forget", "s1-talk:e0", "--as-of", AS_OF)
    night(LATER)
    assert told not in shown(home)
    assert told not in json.dumps(call(capsys, "sessions", "importer"))
    assert told not in json.dumps(call(capsys, "export"))
    call(capsys, "forget", "s1-talk:e0", "--undo", "--as-of", LATER)
    assert told in shown(home)


def test_a_fact_that_quotes_a_plain_answer_takes_no_other_answers_along(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`yes` stood in 27 turns of a session; the dry run lists what would go."""
    said = (
        ("user", "Please set up the kiosk page of the harbour in src/kiosk.py."),
        ("assistant", "I wrote src/kiosk.py with its opening hours. Want me to plan the refactor of the timetable, too?"),
        ("user", "yes"),
        ("assistant", "Yes. Done with that plan: a module of its own."),
        ("user", "Now write the tests for the parser."),
        ("assistant", "Yes. The parser has tests now, and they pass."),
        ("user", "yes"),
        ("assistant", "Yes, thank you."),
        ("user", "Good, let us stop here for today."),
    )
    lines = [header("s2-yes")]
    for number, (role, text) in enumerate(said):
        make = user if role == "user" else answer
        lines.append(make(f"y{number}", f"y{number - 1}" if number else None, number, text))
    write(home / "sessions" / "yes.jsonl", *lines)
    night(LATER)
    lake = open_reading_run(LATER).lake
    rows = lake.read("observations").drop("schema_version")
    name = rows.filter(pl.col("session_id") == "s2-yes")["observation_id"][0]
    is_fact, words = (
        pl.col("observation_id") == name,
        'User decided: "yes" (asked: Want me to plan the refactor of the timetable?)',
    )
    rows = rows.with_columns(
        text=pl.when(is_fact).then(pl.lit(words)).otherwise("text"),
        entry_ids=pl.when(is_fact).then(pl.lit(["y1", "y2"])).otherwise("entry_ids"),
    )
    with lake.writing("test"), lake.commit() as change:
        change.replace_days("observations", rows, rows["day"].unique().to_list())
    (planned,) = call(capsys, "forget", name, "--dry-run", "--as-of", LATER)
    assert [entry["id"] for entry in planned["entries"]] == ["s2-yes:y1", "s2-yes:y2"]  # type: ignore[attr-defined]
    assert run(["forget", name, "--dry-run", "--as-of", LATER]) == 0
    assert " owner: yes\n" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "is_said"), [("8080", False), ("Falkenstein", True), ("2026", False), ("app", False)])
def test_a_short_quotation_takes_only_turns_that_have_it_as_a_word(
    home: Path, capsys: pytest.CaptureFixture[str], words: str, is_said: bool
) -> None:
    """Each entry has a year, a folder and ids in its envelope; a purge of `8080` wrote its mark into "280801" of another file."""
    memory = home / "workspace" / "MEMORY.md"
    memory.write_text(memory.read_text(encoding="utf-8") + f"\n- the invoice is 2{words}1\n", encoding="utf-8")
    note = home / "workspace" / "notes.txt"
    note.write_text(f"call 0170 {words}99, and {words} of mine\n", encoding="utf-8")
    lake = open_reading_run(AS_OF).lake
    rows = lake.read("observations").drop("schema_version")
    name = find_fact(home, "make lint")
    is_fact = pl.col("observation_id") == name
    rows = rows.with_columns(
        text=pl.when(is_fact).then(pl.lit(f'User decided: "{words}" (asked: Which?)')).otherwise("text"),
        entry_ids=pl.when(is_fact).then(pl.lit(["e4"])).otherwise("entry_ids"),
    )
    with lake.writing("test"), lake.commit() as change:
        change.replace_days("observations", rows, rows["day"].unique().to_list())
    (planned,) = call(capsys, "forget", name, "--dry-run", "--as-of", AS_OF)
    ids = ["s1-talk:e2", "s1-talk:e3", "s1-talk:e4"] if is_said else ["s1-talk:e4"]
    assert [entry["id"] for entry in planned["entries"]] == ids  # type: ignore[attr-defined]
    call(capsys, "forget", name, "--purge", "--as-of", AS_OF)
    assert f"2{words}1" in memory.read_text(encoding="utf-8")
    assert note.read_text(encoding="utf-8") == f"call 0170 {words}99, and {words} of mine\n"
    blanked = open_reading_run(AS_OF).lake.read("entries").filter(pl.col("flags").list.contains("forgotten"))
    assert sorted(blanked["entry_id"]) == [entry.removeprefix("s1-talk:") for entry in ids]
    told = open_reading_run(AS_OF).lake.read("observations").filter(pl.col("session_id") == "s1-talk")["text"].to_list()
    assert not any(words.lower() in text.lower() for text in told) or words == "app"
