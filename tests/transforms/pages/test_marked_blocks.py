"""Marked blocks in shared pages."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from transforms.pages.marked_blocks import find_blocks, format_block, list_base_blocks, merge_blocks

foreign = st.text(alphabet=st.characters(exclude_characters="<", exclude_categories=["Cs"]), max_size=60)
bodies = st.text(alphabet="abc *#-\n", min_size=1, max_size=30).filter(lambda text: text.strip())
names = st.lists(st.sampled_from([f"window w-{i:02x}" for i in range(6)]), unique=True, max_size=5)


@given(foreign, foreign, names, st.data())
def test_every_byte_outside_our_blocks_stays_in_order(before: str, after: str, ids: list[str], data: st.DataObject) -> None:
    """The text of others around our blocks is still there, in the same order, after any merge."""
    first = {name: format_block(name, data.draw(bodies)) for name in ids}
    page = before + "\n\n" + "\n".join(first.values()) + "\n" + after
    second = {name: format_block(name, data.draw(bodies)) for name in sorted({*ids[1:], "window w-ff"})}
    text = merge_blocks(page, second, first).text
    assert text.startswith(before)
    rest = text
    for body in find_blocks(text).values():
        rest = rest.replace(body, "", 1)
    assert re.sub("[\r\n]", "", rest) == re.sub("[\r\n]", "", before + after)


@example("\r", ["window w-00"], None)
@example("\r\n", ["window w-00"], None)
@given(foreign, names, st.data())
def test_merging_twice_changes_nothing_more(before: str, ids: list[str], data: st.DataObject | None) -> None:
    """The second merge of the same blocks is a no-op; they have the line ends of a page that has some, and those alone."""
    new = {name: format_block(name, data.draw(bodies) if data else "abc") for name in ids}
    once = merge_blocks(before, new, {}).text
    assert once.startswith(before)
    assert merge_blocks(once, new, new).text == once
    is_of_windows = before.partition("\n")[0].endswith("\r") and "\n" in before
    assert find_blocks(once) == {name: block.replace("\n", "\r\n" if is_of_windows else "\n") for name, block in new.items()}


def test_a_block_that_a_person_edited_stays_as_edited() -> None:
    """Our newer rendering does not overwrite a person's words, and says which block it left."""
    base = {"window w-01": format_block("window w-01", "first")}
    edited = base["window w-01"].replace("first", "first, and my note")
    new = {"window w-01": format_block("window w-01", "second")}
    merged = merge_blocks("# day\n\n" + edited, new, base)
    assert "my note" in merged.text
    assert "second" not in merged.text
    assert merged.kept == ("window w-01",)


def test_a_block_that_a_person_deleted_does_not_come_back() -> None:
    """Deleting a block is a decision, too."""
    base = {"window w-01": format_block("window w-01", "first")}
    assert merge_blocks("# day\n", base, base).text == "# day\n"


def test_a_block_that_is_no_longer_rendered_goes_unless_it_was_edited() -> None:
    """A window that was cut anew takes its old block with it."""
    base = {"window w-01": format_block("window w-01", "first")}
    page = "# day\n\n" + base["window w-01"] + "\nmine\n"
    assert merge_blocks(page, {}, base).text == "# day\n\nmine\n"
    edited = page.replace("first", "first!")
    assert merge_blocks(edited, {}, base).text == edited


def test_new_blocks_take_their_place_in_time() -> None:
    """A late window goes in front of the later ones that are already there, foreign text stays at the end."""
    late = {"window w-02": format_block("window w-02", "two")}
    page = merge_blocks("# day\n\n", late, {}).text + "\n## Handoff\nfrom pi\n"
    both = {"window w-01": format_block("window w-01", "one"), **late}
    text = merge_blocks(page, both, late).text
    assert text.index("one") < text.index("two") < text.index("from pi")


def test_an_edited_or_deleted_block_is_the_persons_also_when_its_window_went_and_came_back() -> None:
    """A night without the window forgot what had been rendered: the next one wrote over the words, or brought the block back."""
    first = {name: format_block(name, name) for name in ("window w-01", "window w-02", "window w-03")}
    page = merge_blocks("# day\n\n", first, {}).text
    edited = page.replace("\nwindow w-01\n", "\nmy words\n").replace(first["window w-02"], "")
    gone = {"window w-04": format_block("window w-04", "four")}
    without = merge_blocks(edited, gone, first)
    assert "my words" in without.text
    assert "window w-03" not in without.text
    base = list_base_blocks(edited, gone, first)
    assert find_blocks("\n".join(base.values())) == base
    later = {name: format_block(name, "anew") for name in first} | gone
    again = merge_blocks(without.text, later, base)
    assert "my words" in again.text
    assert "window w-02" not in again.text
    assert "window w-03" in again.text, "this one the person never touched"
    assert again.kept == ("window w-01", "window w-02")


def test_lines_right_above_and_below_a_block_that_goes_stay_two_lines() -> None:
    base = {"window w-01": format_block("window w-01", "first")}
    for newline in ("\n", "\r\n"):
        page = f"# day\n- mine\n{base['window w-01']}- mine, too\n".replace("\n", newline)
        assert merge_blocks(page, {}, base).text == "# day\n- mine\n- mine, too\n".replace("\n", newline)


def test_line_ends_of_windows_and_blanks_at_the_ends_of_lines_are_no_edit_of_a_block() -> None:
    """Such a log was never brought up to date again."""
    base = {"window w-01": format_block("window w-01", "first\n\nmore")}
    new = {"window w-01": format_block("window w-01", "second"), "window w-02": format_block("window w-02", "other")}
    for change in (("\n", "\r\n"), ("\n", "  \n")):
        page = merge_blocks("# day\n\n", base, {}).text.replace(*change) + "mine"
        merged = merge_blocks(page, new, base)
        assert merged.kept == ()
        assert "first" not in merged.text
        assert "second" in merged.text
        assert "mine" in merged.text
        assert ("\r\n" in change) == (merged.text.count("\r\n") == merged.text.count("\n"))
        assert merge_blocks(merged.text, new, new).text == merged.text


deeds = st.sampled_from(["write", "delete", "crlf", "blanks", "no last newline", "unclose", "move"])


@given(st.lists(st.tuples(st.lists(st.tuples(deeds, st.integers(0, 40)), max_size=2), names), min_size=1, max_size=5))
def test_over_any_edits_and_nights_no_word_of_a_person_goes(nights: list[tuple[list[tuple[str, int]], list[str]]]) -> None:
    """Windows come, go and change with the nights."""
    page, base, count = "# day\n\n", dict[str, str](), 0
    for number, (edits, ids) in enumerate(nights):
        for deed, place in edits:
            rows, count = page.split("\n"), count + 1
            at = place % len(rows)
            if deed == "write":
                rows.insert(at, f"words{count}q")
            elif deed == "delete" and "words" not in rows[at]:
                del rows[at]
            elif deed == "unclose":
                rows = [row for row in rows if "<!-- /recollect" not in row or place % 2]
            elif deed == "move":
                rows[at : at + 4], rows[:0] = [], rows[at : at + 4]
            page = "\n".join(rows)
            page = page.replace("\r\n", "\n").replace("\n", "\r\n") if deed == "crlf" else page
            page = page.replace("\n", " \n") if deed == "blanks" else page
            page = page.rstrip() if deed == "no last newline" else page
        new = {name: format_block(name, f"of night {number}") for name in sorted(ids)}
        merged = merge_blocks(page, new, base)
        assert [row for row in merged.text.split() if "words" in row] == [row for row in page.split() if "words" in row]
        base = list_base_blocks(page, new, base)
        assert find_blocks("\n".join(base.values())) == base
        page = merged.text
        assert merge_blocks(page, new, list_base_blocks(page, new, base)).text == page
