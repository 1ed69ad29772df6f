"""MEMORY.md is the owner's: one line changes, every other byte stays."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.pages.memory_md import (
    UnsafeEditError,
    add_bullet,
    format_bullet,
    list_sections,
    parse_memory,
    remove_line,
    replace_line,
    take_out_added,
)

DAY = date(2026, 5, 17)
ORDER = list_sections("joel")
LINE = format_bullet("Redis runs in Docker on port 6379", DAY)
PAGE = """# MEMORY.md

Some words of mine.

## Joel
- (2026-02-14) Prefers uv over pip
- Likes short answers
  that go straight to the point

## Hard Rules

1. Never force-push to main

```sh
## Patterns
- not a bullet
```

## System Architecture
* Worker runs from the monorepo

### Ports
- 8288 is Inngest

## Notes to self
buy milk
"""


def test_sections_bullets_and_dates_are_found_and_a_fence_is_neither() -> None:
    page = parse_memory(PAGE)
    assert [section.name for section in page.sections] == [
        "MEMORY.md", "Joel", "Hard Rules", "System Architecture", "Ports", "Notes to self",
    ]  # fmt: skip
    assert [(bullet.text, bullet.dated, bullet.section) for bullet in page.bullets] == [
        ("Prefers uv over pip", date(2026, 2, 14), "Joel"),
        ("Likes short answers that go straight to the point", None, "Joel"),
        ("Never force-push to main", None, "Hard Rules"),
        ("Worker runs from the monorepo", None, "System Architecture"),
        ("8288 is Inngest", None, "Ports"),
    ]
    assert [bullet.is_one_line for bullet in page.bullets] == [True, False, True, True, True]
    assert all(PAGE[bullet.start :].startswith(bullet.line) for bullet in page.bullets)


@each_case(
    ("section", "before", "after"),
    [
        ("Joel", "point\n", "\n## Hard Rules"),  # below a bullet of two lines, the blank line stays
        ("Hard Rules", "main\n", "\n```sh"),  # with the list, not below the fence
        ("system architecture", "monorepo\n", "\n### Ports"),  # above the sub-heading, whatever the case
        ("Notes to self", "buy milk\n\n", ""),  # below a paragraph, apart from it
    ],
)
def test_a_bullet_is_added_at_the_end_of_its_section(section: str, before: str, after: str) -> None:
    changed = add_bullet(PAGE, section, LINE, ORDER)
    assert before + LINE + "\n" + after in changed
    assert changed.replace(LINE + "\n", "").replace("\n\n\n", "\n\n").strip() == PAGE.strip()


def test_adding_twice_changes_nothing() -> None:
    once = add_bullet(PAGE, "Joel", LINE, ORDER)
    assert add_bullet(once, "Joel", LINE, ORDER) == once
    assert add_bullet(once, "Hard Rules", LINE, ORDER) == once


def test_a_missing_section_is_made_between_its_neighbours() -> None:
    changed = add_bullet("# M\n\n## Joel\n- a\n\n## Patterns\n- b\n", "Hard Rules", LINE, ORDER)
    assert changed == f"# M\n\n## Joel\n- a\n\n## Hard Rules\n\n{LINE}\n\n## Patterns\n- b\n"
    last = add_bullet("# M\n\n## Joel\n- a\n\n## Mine\nx\n", "Patterns", LINE, ORDER)
    assert last == f"# M\n\n## Joel\n- a\n\n## Patterns\n\n{LINE}\n\n## Mine\nx\n"
    assert add_bullet("", "Joel", LINE, ORDER) == f"## Joel\n\n{LINE}\n"
    assert add_bullet("words", "Reflected (2026-05-17)", LINE, ORDER) == f"words\n\n## Reflected (2026-05-17)\n\n{LINE}\n"


def test_windows_line_ends_and_a_missing_last_newline_are_kept() -> None:
    page = "# M\r\n\r\n## Joel\r\n- a"
    assert add_bullet(page, "Joel", LINE, ORDER) == f"{page}\r\n{LINE}"
    assert add_bullet("## Joel", "Joel", LINE, ORDER).startswith("## Joel\n\n- (2026")


def test_an_open_code_fence_is_refused_instead_of_hiding_the_bullet() -> None:
    with pytest.raises(UnsafeEditError, match="not closed"):
        add_bullet("## Joel\n\n```\nopen\n", "Joel", LINE, ORDER)


def test_one_exact_line_is_replaced_or_removed_and_a_missing_one_is_none() -> None:
    old = "- (2026-02-14) Prefers uv over pip"
    assert replace_line(PAGE, old, LINE) == PAGE.replace(old, LINE)
    assert remove_line(PAGE, old) == PAGE.replace(old + "\n", "")
    assert replace_line(PAGE, old + " ", LINE) is None
    assert remove_line(PAGE, "- not a bullet") is None, "a line inside a code fence is no bullet"
    done = PAGE.replace(old, LINE)
    assert replace_line(done, old, LINE) == done, "a second time changes nothing"
    both = PAGE.replace(old, f"{old}\n{LINE}")
    assert replace_line(both, old, LINE) == done, "the owner wrote the new line by hand: it is not doubled"


@each_case(
    "page",
    [
        "# M\n\n## Patterns\n",
        "# M\n\n## Patterns\n\n## Tools\n- a\n",
        "# M\n\n## Patterns\n\nMy words.\n",
        "# M\n\n## Patterns\n\nMy words.\n\n## Tools\n\n- a\n",
        "# M\n\n## Patterns\n- a\n\nMy words.\n",
        "# M\n\n## Patterns\n- a\n",
    ],
    newline=["\n", "\r\n"],
)
def test_a_line_that_was_added_is_taken_out_with_the_blank_line_that_came_with_it(page: str, newline: str) -> None:
    before = page.replace("\n", newline)
    order = ("Hard Rules", "Patterns", "System Architecture")
    assert take_out_added(add_bullet(before, "Patterns", LINE, order), "Patterns", LINE, order) == before


@each_case("page", ["# M\n\n## Patterns", "## Patterns", "# M\n\n## Patterns\n\nMy words.", "# M\n\n## Patterns\n- a"])
def test_a_page_without_a_last_line_end_is_as_it_was_when_an_added_line_is_taken_out(page: str) -> None:
    assert take_out_added(add_bullet(page, "Patterns", LINE), "Patterns", LINE) == page


@each_case(
    "page",
    [
        "# M\n\n## Patterns\n\nNotes\n-----\n\n- a\n",  # an empty section above an underlined heading
        "# M\n\n## Patterns\n```\n```\n\nNotes\n===\n",
        "# M\r\n\r\n## Patterns\r\n\r\nNotes\r\n-----\r\n",
    ],
)
def test_an_underlined_heading_below_an_added_line_stays_a_heading(page: str) -> None:
    """Markdown makes words right below a bullet its second line: the owner's section was none any more."""
    changed = add_bullet(page, "Patterns", LINE)
    assert [section.name for section in parse_memory(changed).sections] == ["M", "Patterns", "Notes"]
    added = parse_memory(changed).find_line(LINE)
    assert added
    assert added.is_one_line
    assert take_out_added(changed, "Patterns", LINE) == page


_LINES = st.sampled_from(
    ["## Joel", "## Hard Rules", "### Sub", "# M", "- a", "  - nested", "* star", "text", "", "   ", "```", "> quote", "1. one",
     "Setext", "---", "<!-- note -->", "\ttab", "- (2026-02-14) dated", "\x0b", "é\u2028x", "\udcff", "   ## Patterns", "  ```",
     "  more of it", "> - quoted", "    code", "2) two", "<pre>", "</pre>", "[a]: http://x", "- b  ", "## Joel ##"]
)  # fmt: skip
_PAGES = st.builds(lambda lines, newline, end: newline.join(lines) + end, st.lists(_LINES, max_size=14),
                   st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n"]))  # fmt: skip


@given(_PAGES, st.sampled_from([*ORDER, "Sub"]))
def test_what_is_left_without_an_added_line_is_the_page_or_one_to_which_the_line_is_added_alike(page: str, section: str) -> None:
    """A blank line below a heading, or none: the line makes one page of both. Any other byte is that of the page."""
    if not parse_memory(page).find_section(section):
        return
    try:
        changed = add_bullet(page, section, LINE, ORDER)
    except UnsafeEditError:
        return
    left = take_out_added(changed, section, LINE, ORDER)
    assert left is not None
    assert add_bullet(left, section, LINE, ORDER) == changed
    assert left.endswith(("\n", "\r")) == page.endswith(("\n", "\r"))


def test_a_heading_that_came_with_a_line_stays_and_so_does_all_around_a_line_that_moved() -> None:
    """The heading may be the owner's."""
    assert take_out_added(add_bullet("# M\n", "Patterns", LINE), "Patterns", LINE) == "# M\n\n## Patterns\n"
    moved = f"# M\n\n## Patterns\n\n\n{LINE}\n\n\nMy words.\n"
    assert take_out_added(moved, "Patterns", LINE) == moved.replace(f"{LINE}\n", "")
    assert take_out_added(moved, "Patterns", "- another") is None


@given(_PAGES, st.sampled_from([*ORDER, "Reflected (2026-05-17)", "Sub"]))
def test_every_foreign_byte_survives_any_addition(page: str, section: str) -> None:
    """The original page is the new one with one contiguous insertion taken out."""
    try:
        changed = add_bullet(page, section, LINE, ORDER)
    except UnsafeEditError:
        return
    added = len(changed) - len(page)
    assert added > 0
    assert any(changed[:at] + changed[at + added :] == page for at in range(len(page) + 1))
    assert add_bullet(changed, section, LINE, ORDER) == changed
    lines = [bullet.line for bullet in parse_memory(page).bullets]
    now = [bullet.line for bullet in parse_memory(changed).bullets]
    assert sorted(line.rstrip() for line in now) == sorted(line.rstrip() for line in [*lines, LINE])
    assert [own.section for own in parse_memory(changed).bullets if own.line != LINE] == [
        own.section for own in parse_memory(page).bullets
    ]
    sections = [own.name for own in parse_memory(page).sections]
    assert [own.name for own in parse_memory(changed).sections if own.name in sections or own.name != section] == sections


@given(_PAGES, st.data())
def test_replacing_and_removing_touch_only_the_quoted_line(page: str, data: st.DataObject) -> None:
    bullets = parse_memory(page).bullets
    if not bullets:
        return
    bullet = data.draw(st.sampled_from(bullets))
    old = min((same for same in bullets if same.line == bullet.line), key=lambda same: not same.is_one_line)
    assert replace_line(page, bullet.line, LINE) == page[: old.start] + LINE + page[old.start + len(old.line) :]
    removed = remove_line(page, bullet.line)
    assert removed is not None
    assert page.startswith(removed[: old.start])
    assert page.endswith(removed[old.start :])


PIECES = st.sampled_from(
    ["# Mine", "## Hard Rules", "## Patterns  ", "### Sub", "- a rule", "- dated  ", "* star\t", "  - nested", "    more of it",
     "prose \t", "", "  ", "\t", "1. first", "> quoted", "| a | b |", "<!-- note -->", "- (2026-01-02) old line   "]
)  # fmt: skip


@given(
    st.lists(PIECES, max_size=14),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(["Hard Rules", "Patterns", "New"]),
)
def test_an_added_bullet_is_one_insertion_and_every_other_byte_stays(
    rows: list[str], newline: str, has_end: bool, section: str
) -> None:
    """Blanks at the ends of lines, empty lines and line ends are the owner's too."""
    text = newline.join(rows) + (newline if has_end else "")
    line = "- (2026-05-16) Never force-push to main"
    try:
        after = add_bullet(text, section, line, ("Hard Rules", "Patterns"))
    except UnsafeEditError:
        return
    places = [
        at
        for at in range(len(text) + 1)
        if (at in (0, len(text)) or text[at - 1] in "\r\n" or text[at] in "\r\n")
        and after.startswith(text[:at])
        and after.endswith(text[at:])
    ]
    assert places, (text, after)
    assert line in after
    assert len(after) > len(text)


def test_a_page_in_a_merge_conflict_is_left_alone() -> None:
    """Nobody knows which half counts."""
    text = "## Hard Rules\n<<<<<<< HEAD\n- one\n=======\n- two\n>>>>>>> other\n"
    with pytest.raises(UnsafeEditError, match="merge conflict"):
        add_bullet(text, "Hard Rules", "- three")


def test_the_title_of_the_page_is_no_section() -> None:
    """It is the only heading of the first level, above all others; pages whose sections are of the first level have none."""
    assert parse_memory("# Memory\n\n## Ana\n\n- a\n").find_section("memory") is None
    assert parse_memory("# Ana\n\n- a\n\n# Patterns\n\n- b\n").find_section("ana") is not None
    assert parse_memory("# Memory\n\n- a\n").find_section("memory") is not None


def test_bytes_that_are_no_utf8_stay_and_a_line_with_one_can_be_stored_and_named_but_not_replaced() -> None:
    """An editor of old wrote "für" as Latin-1; halves of surrogates in a table or an id stopped each night."""
    text = b"## Reg\xe9l\n\n- uv f\xfcr alles\n- b\n".decode("utf-8", "surrogateescape")
    first, second = parse_memory(text).bullets
    assert (first.line, first.text, first.section) == ("- uv f\ufffdr alles", "uv f\ufffdr alles", "Reg\ufffdl")
    assert (first.is_one_line, second.is_one_line) == (False, True)
    assert add_bullet(text, "Reg\ufffdl", LINE) == f"{text}{LINE}\n"
    assert remove_line(text, first.line) == text.replace("- uv f\udcfcr alles\n", "")
    assert remove_line(text, second.line) == text.removesuffix("- b\n")


@each_case(
    ("page", "section"),
    [
        ("# M\n\n   ## Patterns\n- a\n", "Hard Rules"),  # a heading of the owner's became a part of our line
        ("   ## Patterns", "Joel"),
        ("## Patterns\n\n1. a\n\n  ```sh\n  make\n  ```\n", "Patterns"),
        ("## Patterns\n- a\n\n   more of mine\n\n   ## Tools\n- b\n", "Patterns"),
        ("## Patterns\n- a\n  ### Ports\n\n  words\n", "Patterns"),
    ],
)
def test_an_added_line_takes_nothing_in_that_stands_indented_below_it(page: str, section: str) -> None:
    for text in (page, page.replace("\n", "\r\n")):
        changed = add_bullet(text, section, LINE, ORDER)
        before, after = parse_memory(text), parse_memory(changed)
        assert {own.name for own in before.sections} <= {own.name for own in after.sections}
        assert {(own.text, own.section) for own in before.bullets} == {
            (own.text, own.section) for own in after.bullets if own.line != LINE
        }
        added = after.find_line(LINE)
        assert added
        assert (added.is_one_line, added.section) == (True, section)


def test_a_line_that_would_take_in_the_words_around_it_wherever_it_stood_is_refused() -> None:
    page = "   ## Patterns\n- a\n\n<pre>\nopen\n"
    with pytest.raises(UnsafeEditError, match="would become a part of it"):
        add_bullet(page, "Joel", LINE, ORDER)


@each_case(
    ("page", "after"),
    [
        ("## Patterns\n\nMy rules:\n- a\n---\nmore\n", "## Patterns\n\nMy rules:\n\n---\nmore\n"),
        ("## Patterns\nsee\n- a\n2) two\n", "## Patterns\nsee\n\n2) two\n"),
        ("## Patterns\n- a\n- b\n---\n", "## Patterns\n- b\n---\n"),
    ],
)
def test_a_removed_line_makes_no_heading_of_the_words_above_a_rule(page: str, after: str) -> None:
    assert remove_line(page, "- a") == after
    assert remove_line(page.replace("\n", "\r\n"), "- a") == after.replace("\n", "\r\n")


def test_of_two_equal_lines_the_one_that_is_a_line_alone_is_changed() -> None:
    page = "## Patterns\n- a\n  goes on\n- b\n\n## Tools\n- a\n"
    assert replace_line(page, "- a", LINE) == f"## Patterns\n- a\n  goes on\n- b\n\n## Tools\n{LINE}\n"
