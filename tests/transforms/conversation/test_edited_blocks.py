"""A block of the agent's that comes back with some lines changed."""

from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.conversation.edited_blocks import BlockEdit, find_edited_block, list_pieces, tell_change, tell_struck

BOARD = "Title: Next boats\nFont: DejaVu 20\nRows: 8\nClock: top right\nFooter: phone of the harbour"


def edit(text: str, reply: str) -> BlockEdit:
    """Return the edit, which there is."""
    found_edit = find_edited_block(text, reply)
    assert found_edit is not None
    return found_edit


@each_case(
    "text, reply, changed, struck",
    [
        (BOARD.replace("8", "6"), f"I'd lay it out so:\n\n```\n{BOARD}\n```\n\nOk?", ["Rows: 6, was 8"], []),
        ("the bees\nour honey is wild\nopen", "The bees.\nOur honey is organic.\nOpen.", ["our honey is wild, was organic"], []),
        (
            "- [ ] tests pass\n- [ ] changelog entry\n- [ ] one reviewer\n\nput that in",
            "- [ ] tests pass\n- [ ] changelog entry\n- [ ] signed-off commits\n- [ ] two reviewers",
            ["one reviewer, was two reviewers"],
            ["signed-off commits"],
        ),
        ("- a b\n- c d\n- e f\nso then", "- a b\n- c d\n- e f\n- g h", [], ["g h"]),
        ("date, hive, kg, keeper", "The columns:\n\ndate, hive, frames, kg", ["date, hive, kg, keeper"], ["frames"]),
        (
            "0 6 * * * /a\n*/15 * * * * /b\n0 0 1 * * /c",
            "0 6 * * * /a\n*/15 * * * * /b\n0 0 * * 0 /c",
            ["0 0 1 * * /c, was * * 0"],
            [],
        ),
    ],
)
def test_the_changed_lines_are_the_edit(text: str, reply: str, changed: list[str], struck: list[str]) -> None:
    """With what they were, in short."""
    result = edit(text, reply)
    assert [tell_change(change) for change in result.changes] == changed
    assert [tell_struck(line) for line in result.struck] == struck


@each_case(
    "text",
    [
        BOARD,
        "make the rows 6",
        f"{BOARD}\nClock: who asked for one and why is it there",
        "Title: Next boats\nok\nFont: DejaVu 20\nplease no",
        "Rows: 6\nHeight: 4\nWidth: 3",
        "Font: DejaVu 20",
    ],
)
def test_a_quotation_with_remarks_is_no_edit(text: str) -> None:
    """Nor is the same block once more, or another one."""
    result = find_edited_block(text, BOARD)
    assert result is None or text.count("Clock") == 2


def test_the_line_above_the_agents_block_is_its_heading() -> None:
    """It says what the lines are about."""
    assert edit("a: 1\nb: 2\nc: 4", "Roles:\n\na: 1\nb: 2\nc: 3").heading == "Roles"


@given(st.text(alphabet="ab:=-\n ,|", max_size=80), st.text(alphabet="ab:=-\n ,|", max_size=80))
def test_pieces_cover_the_block_in_order(text: str, reply: str) -> None:
    """Whatever was written."""
    result = find_edited_block(text, reply)
    pieces = list(list_pieces(result)) if result else []
    assert all(first[1] == second[0] for first, second in pairwise(pieces))
    assert not result or (pieces[0][0], pieces[-1][1]) == (result.start, result.end)


def test_endless_lines_of_a_block_are_compared_in_little_time() -> None:
    before = time.process_time()
    find_edited_block(f"{BOARD}\n- {'alpha beta ' * 3_000}", f"{BOARD}\n- {'beta alpha gamma ' * 2_000}")
    assert time.process_time() - before < 2


@each_case(
    "text, reply, struck, heading",
    [
        ("name, age, town", "The columns: name, age, city, mail", ["city", "mail"], "The columns"),
        ("The columns: name, age, town", "The columns: name, age, city", ["city"], "The columns"),
    ],
)
def test_the_lead_of_a_list_on_one_line_is_no_item(text: str, reply: str, struck: list[str], heading: str) -> None:
    """Its first item was kept, and not struck with the words before it."""
    assert edit(text, reply).struck == tuple(struck)
    assert edit(text, reply).heading == heading


CONFIG = "Here is the config:\n\nretries: 3\ntimeout: 30\nlog: on\ncolor: blue"
CHANGED = "retries: 3\ntimeout: 60\nlog: on\ncolor: blue"


def test_the_ends_of_lines_are_no_part_of_an_edit() -> None:
    """Of another system they are two characters."""
    result = edit(CHANGED.replace("\n", "\r\n"), CONFIG.replace("\n", "\r\n"))
    assert [tell_change(change) for change in result.changes] == ["timeout: 60, was 30"]
    assert edit(CHANGED, CONFIG).heading == result.heading == "Here is the config"


@each_case("head", ["so:", "i want this:", "it should be like this:", "the config:", "make it"])
def test_the_owner_may_say_what_a_block_is_for(head: str) -> None:
    assert edit(f"{head}\n{CHANGED}", CONFIG).changes


@each_case(
    "text, reply",
    [
        (f"anna's version:\n{CHANGED}", CONFIG),
        (f"now it prints\n{CHANGED}", CONFIG),
        (f"the server shows:\n{CHANGED}", CONFIG),
        ("a.py, b.py, c.py, z.py are broken", "These files changed: a.py, b.py, c.py, d.py"),
        ("- write tests (done?)\n- add cache\n- ship it", "- write tests\n- add cache\n- ship it"),
        ("$ npm ci\nnpm test\nnpm run build", "npm ci\nnpm test\nnpm run build"),
    ],
)
def test_what_others_or_programs_wrote_is_no_edit_of_the_owner(text: str, reply: str) -> None:
    """Nor is a remark or a question about some of the items, or a prompt before a command."""
    assert find_edited_block(text, reply) is None


def test_many_long_lines_written_anew_cost_no_second() -> None:
    """Each was compared with each: minutes for 190 lines of 900 characters."""
    reply = "- same one\n- same two\n" + "\n".join(f"- {number}{'x' * 900}" for number in range(190))
    began = time.perf_counter()
    assert find_edited_block(reply.replace("xx", "yx"), reply) is None
    assert time.perf_counter() - began < 1
