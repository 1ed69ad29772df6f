"""Names of pages: safe on every file system, distinct, and plain where the project's name is plain."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.pages.page_names import (
    MAX_NAME_BYTES,
    find_foreign_projects,
    find_line_scope,
    find_named_projects,
    is_within_scope,
    label_projects,
    name_project_pages,
    name_session,
)

PIECES = [*'aAbB./\\-_ ~<>!:*?"|\0\x1b\u202e\u2066\u200b\u3164\ufeffÄäß\ud800', "..", "CON", "nul"]
HOSTILE = st.lists(st.sampled_from(PIECES)).map("".join)


def test_a_plain_name_stays_as_it_is() -> None:
    names = name_project_pages(["/home/a/parcel-api", "/srv/Überraschung 2", "/x/c++", "/y/日本語"])
    assert list(names.values()) == ["parcel-api", "Überraschung 2", "c++", "日本語"]


@given(st.lists(st.one_of(st.text(), HOSTILE), max_size=8))
@example(["/a/api", "/b/API", "/c/Api"])
@example(["/a/..", "/a/../..", "..", "."])
@example(["/w/" + "long" * 100, "/w/" + "long" * 101])
@example(["/a/<!-- recollect:briefing -->", "/a/-rf", "/a/CON", "/a/con.txt", "/a/.hidden", "/a/abc\u202efdp.md"])
def test_any_projects_get_safe_names_that_differ_for_every_file_system(projects: list[str]) -> None:
    names = name_project_pages(projects)
    folded = {unicodedata.normalize("NFKC", name).casefold() for name in names.values()}
    assert len(folded) == len(set(projects))
    for name in names.values():
        assert name[0] not in ".-~ "
        assert name[-1] not in ". "
        assert len(name.encode()) <= MAX_NAME_BYTES + 20
        assert not set(name) & set('/\\<>:"|?*\0')
        assert all(unicodedata.category(char)[0] in "LMN" or char in "._-+@=, " for char in name)
        assert name.split(".")[0].lower() not in {"con", "prn", "aux", "nul", "com1", "lpt9"}


def test_projects_with_the_same_last_part_get_longer_names() -> None:
    """Two checkouts named alike do not share a briefing, and each name says which one it is."""
    names = name_project_pages(["/home/a/api", "/home/b/api", "/srv/web", ""])
    assert names == {"": "unknown", "/home/a/api": "api", "/home/b/api": "b-api", "/srv/web": "web"}


@each_case("others", [[], ["/a/web"], ["/z/WEB"]])
def test_a_changed_name_does_not_depend_on_other_projects(others: list[str]) -> None:
    """The hash is one of the project itself, so that its page keeps its name when other projects come."""
    assert name_project_pages(["/a/<b>", *others])["/a/<b>"] == name_project_pages(["/a/<b>"])["/a/<b>"]


SHOP, ADMIN, BLOG, HOME = "/home/mara/code/shop", "/home/mara/code/shop-admin", "/home/mara/code/blog", "/home/mara"


@each_case(
    ("line", "foreign"),
    [
        ("**blog** — Pages are cached for a day", (BLOG,)),
        ("The Blog's pages are cached", (BLOG,)),
        ("See src/blog/cache.py", (BLOG,)),
        ("Both shop and blog pin Node", ()),
        ("Money is integer cents", ()),
        ("shop-admin runs on port 80", (ADMIN,)),
        ("a weblog is no project", ()),
        ("Mara wants short answers", ()),
    ],
)
def test_a_line_is_foreign_when_it_names_only_other_projects(line: str, foreign: tuple[str, ...]) -> None:
    """A name is a whole word, a longer one wins, and the folder around a project is no other project."""
    assert find_foreign_projects(line, [SHOP], [SHOP, ADMIN, BLOG, HOME]) == foreign


@given(st.lists(st.sampled_from([SHOP, ADMIN, BLOG, HOME, "/x/c++", "/", "", "C:\\work\\api"]), unique=True), st.text())
def test_no_line_is_foreign_in_the_projects_that_it_names(projects: list[str], line: str) -> None:
    """Whatever a line says, of its own projects none is foreign, and without an own one those that are named are."""
    for own in projects:
        assert own not in find_foreign_projects(line, [own], projects)
    assert find_foreign_projects(line, [], projects) == find_named_projects(line, projects)


WORK_API, HOME_API = "/home/mara/work/api", "/home/mara/private/api"


@given(st.lists(st.one_of(st.text(), HOSTILE, st.sampled_from(["/a/api", "/b/api", "/b/API", "/c/a/api"])), max_size=6))
def test_labels_differ_and_a_name_of_its_own_stays_short(projects: list[str]) -> None:
    labels = label_projects(projects)
    assert len(set(labels.values())) == len(set(projects))
    assert label_projects(["/a/api", "/b/api", "/b/web"]) == {"/a/api": "a/api", "/b/api": "b/api", "/b/web": "web"}


@each_case(
    ("line", "named"),
    [
        ("api listens on 8080", (HOME_API, WORK_API)),
        ("**work/api** — It listens on 8080", (WORK_API,)),
        ("See Private/API for the other one", (HOME_API,)),
    ],
)
def test_the_longer_name_tells_two_projects_of_one_name_apart(line: str, named: tuple[str, ...]) -> None:
    assert find_named_projects(line, [WORK_API, HOME_API, BLOG]) == named


@each_case(
    ("line", "home", "scope"),
    [
        ("Levels are relative to chart datum", BLOG, (BLOG,)),
        ("Levels are relative to chart datum", None, ()),
        ("Use UTC in all projects", BLOG, ()),
        ("**shop** — Prices are cents", BLOG, (SHOP,)),
        ("**api** — It listens on 8080", WORK_API, (WORK_API,)),
        ("**api** — It listens on 8080", None, (HOME_API, WORK_API)),
    ],
)
def test_a_line_holds_where_it_says_else_where_its_facts_were_said(line: str, home: str | None, scope: tuple[str, ...]) -> None:
    """A line that its owner wrote rests on no facts: without a name it holds everywhere."""
    assert find_line_scope(line, home, [SHOP, BLOG, WORK_API, HOME_API]) == scope


def test_a_folder_around_a_project_is_no_other_one() -> None:
    assert is_within_scope(SHOP, (HOME,))
    assert not is_within_scope(SHOP, (HOME, BLOG))
    assert is_within_scope(SHOP, ())


@each_case(
    ("title", "quote", "name"),
    [
        ("Look at the oven", "never open it while it bakes", "“Look at the oven”"),
        ("never open it while it bakes", "Never open it while it bakes.", ""),
        ("never open it", "never open it while it bakes", ""),
        ("never open it while it bakes, and look at the rye", "never open it while it bakes", ""),
        ("Look at the oven", "", "“Look at the oven”"),
        ("w" * 70, "", "“" + "w" * 57 + "…”"),
    ],
)
def test_a_session_that_is_named_by_the_words_beside_it_has_no_name_there(title: str, quote: str, name: str) -> None:
    assert name_session(title, quote) == name
