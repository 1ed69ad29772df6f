"""Files and folders that stand where recollect keeps its own: a night goes on, or says in one line which and what to do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from effects.store.lake import Lake
from recollect.cli import run
from tests.flows.pipelines.test_pipelines_unusable_names import write_session

NIGHT = "2026-05-19T04:00"
OWN_FOLDERS = ("_index", "_tx", "_logs", "_queue", "_calls", "_damaged", "entries")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set lake, workspace and a folder with one session."""
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(tmp_path / name))
        (tmp_path / name).mkdir()
    monkeypatch.setenv("RECOLLECT_EMBEDDING__MODEL", str(tmp_path / "none"))
    write_session(tmp_path / "sessions", "a", "a", "/w/app")
    return tmp_path


def put_in_the_way(path: Path, kind: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "folder":
        path.mkdir()
    else:
        path.write_text("somebody's file", encoding="utf-8")


@pytest.mark.parametrize(
    ("stray", "kind"),
    [
        *((f"lake/{name}", "file") for name in OWN_FOLDERS),
        ("lake/_lock", "folder"),
        ("lake/_holder", "folder"),
        ("lake/_holder", "file"),
        ("lake/_lock", "file"),
        ("lake/_index/manifest.json", "folder"),
        ("lake/_queue/a.json", "folder"),
        ("workspace/briefing", "file"),
        ("workspace/memory", "file"),
        ("workspace/REVIEW.md", "folder"),
        ("workspace/MEMORY.md", "folder"),
    ],
)
def test_a_night_goes_on_or_says_what_stands_in_its_way(
    stray: str, kind: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody's file is removed; the named thing out of the way, the next night does the rest."""
    put_in_the_way(place / stray, kind)
    code = run(["nightly", "--direct", "--as-of", NIGHT])
    err = capsys.readouterr().err
    assert "Traceback" not in err
    if kind == "file" and (place / stray).is_file() and "_holder" not in stray:
        assert (place / stray).read_text(encoding="utf-8") in ("somebody's file", "")
    if code:
        complaint, hint = err.strip().splitlines()[-2:]
        assert str(place / stray) in complaint, complaint
        assert "Error" not in complaint
        assert "next: " in hint
        assert "errors.log" not in hint
        shutil.move(place / stray, place / "moved")
        assert run(["nightly", "--direct", "--as-of", NIGHT]) == 0
    lake = Lake(place / "lake")
    assert lake.read("entries").height == lake.read("coverage").height > 0
    capsys.readouterr()
    assert run(["doctor", "--as-of", NIGHT, "--json"]) in (0, 1)
    checks = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    lake_check = next(check for check in checks if check["check"] == "lake")
    if lake_check["level"] == "wrong":
        assert lake_check["next"] == "recollect rebuild lake"
        assert run(["rebuild", "lake"]) == 0
        assert (place / "lake" / "_damaged" / "001" / Path(stray).relative_to("lake")).exists()


@pytest.mark.parametrize("stray", ["briefing/app.md", "memory/2026-05-17.md", "memory", "briefing"])
def test_a_page_that_cannot_be_written_holds_up_no_other_page_and_no_answer(
    stray: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder where a briefing belonged stopped the night before the index: nothing new was found by any question."""
    way = place / "workspace" / stray
    put_in_the_way(way, "folder" if stray.endswith(".md") else "file")
    assert run(["nightly", "--direct", "--as-of", NIGHT]) == 1
    complaint, hint = capsys.readouterr().err.strip().splitlines()[-2:]
    assert str(way) in complaint
    assert "recollect nightly" in hint
    mend = f"mv {way} {way}.moved, then recollect nightly"
    assert hint.strip() == f"next: {mend}"
    pages = {path.name for path in (place / "workspace").rglob("*.md") if path.is_file()}
    assert pages >= {"MEMORY.md", "REVIEW.md", *(["2026-05-17.md"] if stray.startswith("briefing") else ["app.md"])}
    assert run(["ask", "port", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hits"]
    assert run(["doctor", "--as-of", NIGHT, "--json"]) == 1
    checks = {check["check"]: check for check in map(json.loads, capsys.readouterr().out.splitlines())}
    assert str(way) in checks["last nightly"]["detail"]
    assert str(way) in checks["pages"]["detail"]
    assert checks["last nightly"]["next"] == checks["pages"]["next"] == mend
    assert checks["index"]["level"] == "ok"
    shutil.move(way, place / "moved")
    assert run(["doctor", "--as-of", NIGHT, "--json"]) == 1
    checks = {check["check"]: check for check in map(json.loads, capsys.readouterr().out.splitlines())}
    assert checks["last nightly"]["next"] == "recollect nightly"
    assert "pages" not in checks
    assert run(["nightly", "--direct", "--as-of", NIGHT]) == 0
    assert {path.name for path in (place / "workspace").rglob("*.md")} >= {"2026-05-17.md", "app.md"}


@pytest.mark.parametrize("name", ["REVIEW.md", "MEMORY.md"])
def test_a_folder_in_place_of_a_page_of_the_owner_is_found_by_doctor(
    name: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All that an owner read was that `RECOLLECT_WORKSPACE leads there`, from every command and from `doctor` itself."""
    assert run(["nightly", "--direct", "--as-of", NIGHT]) == 0
    way = place / "workspace" / name
    way.unlink()
    way.mkdir()
    assert run(["nightly", "--direct", "--as-of", NIGHT]) == 1
    mend = f"mv {way} {way}.moved, then recollect nightly"
    assert capsys.readouterr().err.endswith(f"{way} must be a page, but it is a folder\n  next: {mend}\n")
    assert run(["doctor", "--as-of", NIGHT, "--json"]) == 1
    checks = {check["check"]: check for check in map(json.loads, capsys.readouterr().out.splitlines())}
    assert checks["memory files"]["next"] == checks["last nightly"]["next"] == mend
    way.rmdir()
    assert run(["nightly", "--direct", "--as-of", NIGHT]) == 0


def test_a_line_that_is_remembered_where_no_page_can_be_written_is_found_and_kept(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The complaint does not tell its owner to type the line again: the next run writes it."""
    assert run(["nightly", "--direct", "--as-of", NIGHT]) == 0
    page = place / "workspace" / "memory" / "2026-05-19.md"
    page.unlink(missing_ok=True)
    page.mkdir()
    capsys.readouterr()
    assert run(["remember", "--now", "The cat is called Momo", "--as-of", NIGHT]) == 1
    assert f"mv {page} {page}.moved, then recollect nightly" in capsys.readouterr().err
    assert "Momo" in (place / "workspace" / "MEMORY.md").read_text(encoding="utf-8")
    assert run(["ask", "what is the cat called?"]) == 0
    assert "Momo" in capsys.readouterr().out.splitlines()[0]


def test_a_memory_page_that_is_not_utf8_stops_no_command_and_keeps_its_bytes(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Forgetting such a line took it out of the page and then failed, so that no undo could bring it back."""
    page = place / "workspace" / "MEMORY.md"
    written = b"## Reg\xe9l\n\n- nothing else\n- (2026-05-01) We keep port 4002 f\xfcr the gateway\n  second l\xefne\n"
    page.write_bytes(written)
    assert run(["nightly", "--direct", "--as-of", NIGHT]) == 0
    capsys.readouterr()
    assert run(["ask", "port 4002 gateway", "--in", "memory", "--json"]) == 0
    line = next(hit["id"] for hit in json.loads(capsys.readouterr().out)["hits"] if "4002" in hit["text"])
    assert run(["forget", line]) == 0
    assert b"4002" not in page.read_bytes()
    assert run(["forget", line, "--undo"]) == 0
    assert page.read_bytes() == written
    assert run(["nightly", "--direct", "--as-of", "2026-05-20T04:00"]) == 0
    assert page.read_bytes() == written
