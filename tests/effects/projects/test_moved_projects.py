"""Projects of which no folder is here, beside one that may be them."""

from __future__ import annotations

import json
from pathlib import Path

from effects.distil.window_step import window
from effects.projects.join_step import join_projects
from effects.projects.moved_projects import list_moved_projects
from tests.effects.session_home import Home, answer, header, user, write

FILES = ("src/routes/plan.py", "./src/routes/cache.py", "src/tiles/a.py")


def night(home: Home) -> None:
    home.night()
    with home.lake.writing("test"):
        join_projects(home.run)
        window(home.run)


def add_session(home: Home, folder: Path, minute: float) -> None:
    reply = json.loads(answer("a", "u", minute, "Done."))
    calls = [{"type": "toolCall", "id": path, "name": "edit", "arguments": {"path": path}} for path in FILES]
    reply["message"]["content"] += calls
    lines = header(folder.name, cwd=str(folder)), user("u", None, minute, f"work in {folder.name}"), json.dumps(reply)
    write(home.sessions / f"{folder.name}.jsonl", *lines)


def test_a_renamed_folder_is_told_by_the_files_of_its_sessions(tmp_path: Path) -> None:
    """Nothing is asked while all folders are here."""
    home, old, new = Home(tmp_path), tmp_path / "orbit", tmp_path / "skylark"
    for minute, folder in enumerate((old, new)):
        folder.mkdir()
        add_session(home, folder, minute)
    night(home)
    assert list_moved_projects(home.run) == []
    old.rmdir()
    assert [(moved.project, moved.successor) for moved in list_moved_projects(home.run)] == [(str(old), str(new))]
    (tmp_path / "other").mkdir()
    add_session(home, tmp_path / "other", 5)
    night(home)
    assert list_moved_projects(home.run) == [], "places that a third project has tell nothing"
