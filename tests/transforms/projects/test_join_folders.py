from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from transforms.projects.join_folders import join_folders
from transforms.tables.enums import ProjectSign
from transforms.tables.rows import ProjectRow

START = datetime(2026, 1, 1, tzinfo=UTC)


def row(
    folder: str,
    root: str | None = None,
    git_dir: str | None = None,
    remote: str | None = None,
    first_commit: str | None = None,
    joined_to: str | None = None,
) -> ProjectRow:
    return {
        "folder": folder, "project": folder, "joined_by": "folder", "root": root, "git_dir": git_dir, "remote": remote,
        "first_commit": first_commit, "joined_to": joined_to,
    }  # fmt: skip


def join(*rows: ProjectRow, first: str = "") -> dict[str, tuple[str, str]]:
    seen = {own["folder"]: START + timedelta(days=own["folder"] != first) for own in rows}
    return {own["folder"]: (own["project"], own["joined_by"]) for own in join_folders(rows, seen)}


def test_worktrees_clones_and_moved_folders_are_one_project_named_by_the_first() -> None:
    assert join(
        row("/w/app", "/w/app", "/w/app/.git", "example.com/t/app", "c0"),
        row("/wt/app-fix", "/w/app", "/w/app/.git", "example.com/t/app", "c0"),
        row("/clone", "/clone", "/clone/.git", "example.com/t/app", "c0"),
        row("/claims", "/claims", "/claims/.git", "example.com/t/app", "c1"),
        row("/says", remote="example.com/t/app"),
        row("/moved", "/moved", "/moved/.git", None, "c0"),
        row("/other", "/other", "/other/.git", "example.com/t/other", "c9"),
        first="/w/app",
    ) == {
        "/claims": ("/claims", "folder"),
        "/clone": ("/w/app", "remote"),
        "/moved": ("/w/app", "first_commit"),
        "/other": ("/other", "folder"),
        "/says": ("/says", "folder"),
        "/w/app": ("/w/app", "git_dir"),
        "/wt/app-fix": ("/w/app", "git_dir"),
    }


def test_a_folder_inside_a_repository_belongs_to_its_root() -> None:
    assert join(row("/w/app/docs", "/w/app", "/w/app/.git")) == {"/w/app/docs": ("/w/app", "git_dir")}


def test_a_folder_with_composed_letters_and_with_marks_is_one_project_unless_its_owner_parts_them() -> None:
    """macOS gives "が" as one letter or as two; signs of a repository join all of them."""
    composed, marked = "/w/\u304c", "/w/\u304b\u3099"
    assert join(row(composed), row(marked), first=marked) == {composed: (marked, "folder"), marked: (marked, "folder")}
    assert join(row(composed), row(marked, joined_to=marked)) == {composed: (composed, "folder"), marked: (marked, "folder")}
    assert join(row(composed, None, "/w/.git"), row(marked), row("/b", None, "/w/.git"), first=composed)[marked][0] == composed


def test_folders_of_which_nothing_is_known_stand_alone() -> None:
    assert join(row("/a"), row("/b")) == {"/a": ("/a", "folder"), "/b": ("/b", "folder")}


def test_what_the_owner_joins_takes_its_repository_along_and_what_he_splits_stands_alone() -> None:
    joined = join(row("/a", "/a", "g"), row("/a2", "/a", "g"), row("/b", joined_to="/a"), first="/a")
    assert joined["/b"] == ("/a", "owner")
    both = join(row("/a", "/a", "g", joined_to="/b"), row("/a2", "/a", "g"), row("/b"), first="/a")
    assert {project for project, _ in both.values()} == {"/b"}
    alone = join(row("/a", "/a", "g"), row("/a2", "/a", "g", joined_to="/a2"), first="/a")
    assert alone == {"/a": ("/a", "folder"), "/a2": ("/a2", "folder")}


def test_a_ring_of_joins_ends() -> None:
    joined = join(row("/a", joined_to="/b"), row("/b", joined_to="/a"))
    assert set(joined) == {"/a", "/b"}


_SIGNS = st.none() | st.sampled_from(["x", "y"])
_FOLDERS = st.sampled_from([f"/{name}" for name in "abcde"])


@given(st.dictionaries(_FOLDERS, st.tuples(_SIGNS, _SIGNS, _SIGNS, st.none() | _FOLDERS), min_size=1))
def test_the_order_of_the_folders_does_not_matter_and_a_second_time_changes_nothing(
    known: dict[str, tuple[str | None, str | None, str | None, str | None]],
) -> None:
    rows = [row(folder, None, *signs) for folder, signs in known.items()]
    seen = dict.fromkeys(known, START)
    once = join_folders(rows, seen)
    assert join_folders(reversed(rows), seen) == once
    assert join_folders(once, seen) == once
    for own in once:
        for other in once:
            if own["git_dir"] is not None and own["git_dir"] == other["git_dir"]:
                apart = any(item["joined_to"] == item["folder"] for item in (own, other))
                assert apart or own["project"] == other["project"]


def test_folders_that_something_else_shows_to_be_one_are_joined_unless_their_owner_parted_them() -> None:
    rows = [row("/gone/a"), row("/gone/b"), row("/gone/c", joined_to="/gone/c")]
    pairs: list[tuple[str, str, ProjectSign]] = [("/gone/a", "/gone/b", "commit"), ("/gone/a", "/gone/c", "commit")]
    projects = {own["folder"]: (own["project"], own["joined_by"]) for own in join_folders(rows, {}, pairs)}
    joined = ("/gone/a", "commit")
    assert projects == {"/gone/a": joined, "/gone/b": joined, "/gone/c": ("/gone/c", "folder")}
