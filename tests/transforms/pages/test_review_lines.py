"""The lines of REVIEW.md as real people leave them: struck through, without ids, their own, with other marks."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.pages.test_review_md import IDS, PAGE, A, B, C, F
from transforms.pages.memory_md import MAX_LINE_CHARS
from transforms.pages.review.read_review import OwnLine, read_review
from transforms.pages.review_decisions import Decisions, read_decisions

LINE_B = next(line for line in PAGE.split("\n") if f"`{B}`" in line)
WORDS_B = LINE_B.split("` ", 1)[1]


def decide(text: str) -> Decisions:
    return read_decisions(text, PAGE, IDS, False)


@each_case(
    "line",
    [
        f"- [ ] ~~`{B}` {WORDS_B}~~",
        f"- [ ] `{B}` ~~{WORDS_B}~~",
        f"- ~~[ ] `{B}` {WORDS_B}~~",
        f"~~- [ ] `{B}` {WORDS_B}~~",
        f"~~- [ ] {WORDS_B}~~",
        f"<del>* [ ] `{B}` {WORDS_B}</del>",
        f"* ~~`{B}` {WORDS_B}~~",
        f"- [-] ~~`{B}` {WORDS_B}~~",
        f"- [ ] <del>`{B}` {WORDS_B}</del>",
        f"- [ ] `{B}` <s>{WORDS_B}</s>",
        f"- [ ] **~~`{B}` {WORDS_B}~~**",
    ],
)
def test_a_line_that_is_struck_through_is_rejected(line: str) -> None:
    decisions = decide(PAGE.replace(LINE_B, line))
    assert (decisions.rejected, decisions.unclear, decisions.approved, decisions.own) == ((B,), (), (), ())


def test_words_struck_inside_of_a_line_are_gone_from_it_and_a_tick_on_a_struck_line_is_unclear() -> None:
    decisions = decide(PAGE.replace(LINE_B, f"- [x] `{B}` Prefers ~~short~~ terse answers"))
    assert (decisions.approved, decisions.edited) == ((B,), {B: "Prefers terse answers"})
    both = decide(PAGE.replace(LINE_B, f"- [x] ~~`{B}` {WORDS_B}~~"))
    assert (both.unclear, both.approved, both.rejected) == ((B,), (), ())


@each_case(
    "words", [WORDS_B, "Prefers short answers", f"`p-20260517-02` {WORDS_B}", f"`p-20260517-099` {WORDS_B}"], mark=["x", "X", "✓"]
)
def test_a_tick_whose_id_is_gone_or_mistyped_approves_the_line_that_it_reads_like(mark: str, words: str) -> None:
    decisions = decide(PAGE.replace(LINE_B, f"- [{mark}] {words}"))
    assert (decisions.approved, decisions.rejected, decisions.unclear, decisions.own) == ((B,), (), (), ())


def test_a_line_without_id_and_mark_still_waits_and_a_dash_rejects_it() -> None:
    assert decide(PAGE.replace(LINE_B, f"- [ ] {WORDS_B}")) == Decisions()
    assert decide(PAGE.replace(LINE_B, f"- [-] {WORDS_B}")).rejected == (B,)


def test_a_ticked_line_with_quite_other_words_is_the_owners_and_rejects_nothing() -> None:
    decisions = decide(PAGE.replace(LINE_B, "- [x] Coffee at ten, tea at four"))
    assert decisions.own == (OwnLine("Coffee at ten, tea at four", "Joel"),)
    assert (decisions.rejected, decisions.unclear) == ((), (B,)), "perhaps these were the words for it"


LINE_C = next(line for line in PAGE.split("\n") if f"`{C}`" in line)


def test_a_deleted_line_whose_evidence_stays_is_rejected_beside_a_line_of_the_owners() -> None:
    """The evidence stands right below the one of another proposal: nothing was written in place of the line."""
    own = f"- [x] Tea at four, please\n- [ ] `{A}`"
    deleted = decide(PAGE.replace(LINE_C + "\n", "").replace(f"- [ ] `{A}`", own))
    assert (deleted.rejected, deleted.unclear, deleted.own) == ((C,), (), (OwnLine("Tea at four, please", "Hard Rules"),))
    written = decide(PAGE.replace(LINE_C, "- [x] Tea at four,\n  please"))
    assert (written.rejected, written.unclear) == ((), (C,))
    gone = PAGE.replace(LINE_C + "\n", "").replace("  - Replaces in MEMORY.md: `- (2026-01-01) Deploy 'any' time`\n", "")
    assert decide(gone.replace(f"- [ ] `{A}`", own)).unclear == (C,), "perhaps these were the words for it"
    assert decide(PAGE.replace(LINE_C, "").replace(f"`{A}`", f"`{A}` {C}").replace(f"- [ ] `{A}`", own)).rejected == ()


def test_a_proposal_of_which_nothing_is_left_is_rejected_beside_a_line_about_something_else() -> None:
    """It was deleted with its evidence, which whoever words a line anew leaves; a line with a part of its words may be it."""
    start, end = PAGE.index(LINE_C), PAGE.index("\n\n", PAGE.index(LINE_C))
    for place in (PAGE[:start] + "{}" + PAGE[end:], PAGE[:start].replace(f"- [ ] `{A}`", f"{{}}\n- [ ] `{A}`") + PAGE[end + 1 :]):
        other = decide(place.replace("{}", "- [x] Tea at four, please"))
        assert (other.rejected, other.unclear) == ((C,), ())
        assert other.own == (OwnLine("Tea at four, please", "Hard Rules"),)
        reworded = decide(place.replace("{}", "- [x] Deploy until 17:00 only"))
        assert (reworded.rejected, reworded.unclear) == ((), (C,)), "perhaps these were the words for it"


def test_an_own_line_elsewhere_does_not_keep_a_deleted_line() -> None:
    decisions = decide(PAGE.replace(LINE_B + "\n", "").replace(f"- [ ] `{A}`", f"- [x] Tea, please\n- [ ] `{A}`"))
    assert (decisions.own, decisions.rejected) == ((OwnLine("Tea, please", "Hard Rules"),), (B,))


@each_case(
    "line",
    [
        "* [X] Tea, not coffee",
        "   - [x] Tea, not coffee",
        "1. [x] Tea, not coffee",
        "- [x] Tea,\n  not coffee",
        "[x] Tea, not coffee",
    ],
)
def test_own_ticked_lines_are_found_in_any_form_and_are_not_notes(line: str) -> None:
    page = PAGE.replace("## Friction Fixes", f"{line}\n\n## Friction Fixes")
    for text in (page, page.replace("\n", "\r\n")):
        decisions = read_review(text, PAGE)
        assert [own.text for own in decisions.own] == ["Tea, not coffee"]
        assert decisions.notes == ()
        assert decide(text).rejected == ()


@each_case(
    "line",
    [
        "- [ ] ask Kris",
        "- [x] ~~asked Kris~~",
        "- asked [x] Kris",
        "- [x](https://example.org) a link",
        "- [x] " + "w" * (MAX_LINE_CHARS + 1),
    ],
)
def test_other_lines_stay_notes(line: str) -> None:
    decisions = read_review(PAGE.replace("## Friction Fixes", f"{line}\n\n## Friction Fixes"), PAGE)
    assert decisions.own == ()
    assert decisions.notes == (line,)


def test_nested_and_moved_lines_keep_their_meaning() -> None:
    """A proposal below a bullet of the owner's, and one moved to another section."""
    nested = PAGE.replace(LINE_B, f"- style\n  * [X] `{B}` {WORDS_B}")
    assert (decide(nested).approved, decide(nested).edited) == ((B,), {})
    moved = PAGE.replace(LINE_B + "\n", "").replace("## Friction Fixes", f"* [x] {WORDS_B}\n\n## Friction Fixes")
    assert (decide(moved).approved, decide(moved).moved) == ((B,), {B: "Hard Rules"})
    assert decide(moved).rejected == ()
    assert {A, C, F}.isdisjoint(decide(moved).approved)


@each_case("note", ["→ !!", "!!", "words below", "***", "[plan]: https://example.org/plan", "42", "👍"])
def test_a_note_of_any_signs_stays_wherever_it_stands(note: str) -> None:
    """Right below the footer it was part of the footer; a rule or the target of a link was nothing at all."""
    rows = PAGE.split("\n")
    first = next(number for number, row in enumerate(rows) if row.startswith("## "))
    last = next(number for number, row in enumerate(rows) if row.startswith("<!-- /recollect"))
    for place in range(first, last):
        if place and rows[place - 1].lstrip().startswith(("- ", "_")) and not rows[place - 1].startswith("_"):
            continue  # right below a line it may be the rest of the line
        read = read_review("\n".join([*rows[:place], note, *rows[place:]]), PAGE)
        assert any(note in kept for kept in read.notes), rows[place - 1]


def test_a_note_right_above_the_footer_of_a_page_with_windows_line_ends_does_not_take_it_along() -> None:
    footer = next(row for row in PAGE.split("\n") if row.startswith("_4 proposals pending"))
    text = PAGE.replace(footer, f"ask Joel\n{footer}")
    assert read_review(text.replace("\n", "\r\n"), PAGE).notes == read_review(text, PAGE).notes == ("ask Joel",)


@each_case(
    ("first", "second", "approved", "own", "notes"),
    [
        (f"- [ ] `{B}` {WORDS_B}", f"- [ ] `{B}` Tea at four", (), (), (f"- [ ] `{B}` Tea at four",)),
        (f"- [ ] `{B}` Tea at four", f"- [ ] `{B}` {WORDS_B}", (), (), (f"- [ ] `{B}` Tea at four",)),
        (f"- [x] `{B}` {WORDS_B}", f"- [ ] `{B}` Tea at four", (B,), (), (f"- [ ] `{B}` Tea at four",)),
        (f"- [x] `{B}` {WORDS_B}", f"- [x] `{B}` Tea at four", (B,), ("Tea at four",), ()),
        (f"- [ ] `{B}` {WORDS_B}", "- [x] `p-20250101-009` Tea at four", (), ("Tea at four",), ()),
    ],
)
def test_a_second_line_with_an_id_and_other_words_is_the_owners(
    first: str, second: str, approved: tuple[str, ...], own: tuple[str, ...], notes: tuple[str, ...]
) -> None:
    """A copied line is the form of a new one; its words were gone without a trace."""
    text = PAGE.replace(LINE_B, f"{first}\n{second}")
    decisions = decide(text)
    assert (decisions.approved, tuple(line.text for line in decisions.own)) == (approved, own)
    assert (decisions.edited, decisions.rejected) == ({}, ())
    assert read_review(text, PAGE).notes == notes


def test_what_was_written_beside_a_dash_or_an_unclear_mark_stays() -> None:
    """The reason of a no, and words for a line of which the mark says nothing."""
    struck = PAGE.replace(LINE_B, f"{LINE_B.replace('[ ]', '[-]')}, unless I ask for more")
    assert decide(struck).rejected == (B,)
    assert read_review(struck, PAGE).notes == (f"- [-] `{B}` {WORDS_B}, unless I ask for more",)
    unclear = decide(PAGE.replace(LINE_B, f"- [?] `{B}` Prefers terse answers"))
    assert (unclear.unclear, unclear.edited) == ((B,), {B: "Prefers terse answers"})
    shorter = PAGE.replace(LINE_B, f"- [-] `{B}` Prefers short")
    assert read_review(shorter, PAGE).notes == ()
