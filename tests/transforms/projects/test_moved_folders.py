"""A project whose folder is gone may live on in one that is here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from transforms.projects.moved_folders import ProjectPlaces, find_moved_projects, list_places

START = datetime(2026, 1, 1, tzinfo=UTC)


def places(*files: str, is_here: bool = True, remote: str | None = None, first: int = 30) -> ProjectPlaces:
    days = (START + timedelta(days=day) for day in (first, first + 20))
    return ProjectPlaces(is_here, remote, *days, list_places("/w/any", files))


OLD = places(
    "src/routes/plan.py", "src/routes/cache.py", "/w/any/src/tiles/a.py", "/etc/hosts", "README.md", is_here=False, first=0
)  # fmt: skip


def test_places_are_files_in_folders_of_the_project_and_these_folders() -> None:
    assert OLD.places == {"src/routes", "src/routes/plan.py", "src/routes/cache.py", "src/tiles", "src/tiles/a.py"}


def test_a_project_that_is_gone_is_told_by_places_that_only_one_other_has() -> None:
    new = places("src/routes/plan.py", "src/tiles/b.py", "docs/new/a.md")
    moved = find_moved_projects({"/w/old": OLD, "/w/new": new, "/w/other": places("src/other/a.py")})
    assert [(pair.project, pair.successor) for pair in moved] == [("/w/old", "/w/new")]
    assert moved[0].describe() == (
        "/w/old is no longer there; it may be /w/new now: 3 files or folders that no other project has"
    )
    assert moved[0].name_command() == "recollect projects join /w/old /w/new"


def test_places_of_a_scaffold_that_a_third_project_has_too_tell_nothing() -> None:
    new = places("src/routes/plan.py", "src/tiles/b.py")
    assert find_moved_projects({"/w/old": OLD, "/w/new": new, "/w/third": new}) == []


def test_a_project_that_was_worked_in_beside_the_one_that_is_gone_is_another() -> None:
    beside = places("src/routes/plan.py", "src/routes/cache.py", "src/tiles/a.py", first=5)
    after = places("src/routes/plan.py", "src/tiles/b.py", "src/tiles/c.py")
    assert find_moved_projects({"/w/old": OLD, "/w/beside": beside}) == []
    assert find_moved_projects({"/w/old": OLD, "/w/beside": beside, "/w/after": after}) == []


def test_a_remote_tells_it_when_one_project_here_has_it() -> None:
    old = places(is_here=False, remote="git.example.org/shop")
    new, fork = (places(remote="git.example.org/shop") for _ in range(2))
    assert [pair.sign for pair in find_moved_projects({"/w/old": old, "/w/new": new})] == ["the same remote"]
    assert find_moved_projects({"/w/old": old, "/w/new": new, "/w/fork": fork}) == []


def test_a_project_that_is_here_or_has_no_other_here_is_not_moved() -> None:
    here = places("src/routes/plan.py", "src/routes/cache.py", "src/tiles/a.py")
    assert find_moved_projects({"/w/one": here, "/w/two": here}) == []
    assert find_moved_projects({"/w/old": OLD}) == []
