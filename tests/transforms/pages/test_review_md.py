"""REVIEW.md read back: forgiving about form, strict about what a page is."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from effects.system.templates import render_template
from tests.each_case import each_case
from transforms.pages.review.read_review import read_review
from transforms.pages.review_decisions import count_days_left, find_unreadable_reason, is_expiring, read_decisions
from transforms.pages.review_md import ReviewItem, ReviewPage, ReviewSource, group_items

GOLDEN = Path(__file__).parents[2] / "golden" / "review.md"
A, B, C, F = "p-20260517-001", "p-20260517-002", "p-20260517-003", "f-20260517-001"
IDS = (A, B, C, F)


def _item(proposal_id: str, section: str, text: str, **changes: object) -> ReviewItem:
    source = ReviewSource("2026-05-16 21:30", "app", "“Queue”", "use uv, never pip, please", "o-1")
    values = {
        "op": "add", "old_text": None, "vanished": None, "target": None, "evidence": (source,), "more_evidence": 0,
        "expires_on": date(2026, 5, 24), "is_expiring": False,
    } | changes  # fmt: skip
    return ReviewItem(proposal_id=proposal_id, section=section, text=text, **values)  # type: ignore[arg-type]


def _page(notes: tuple[str, ...] = ()) -> str:
    items = [
        ("memory", _item(A, "Hard Rules", "**uv** — never pip")),
        ("memory", _item(B, "Joel", "Prefers short answers <!-- really -->", more_evidence=2, is_expiring=True)),
        ("memory", _item(C, "Hard Rules", "Deploy before 18:00", op="replace", old_text="- (2026-01-01) Deploy `any` time")),
        ("friction", _item(F, "Hard Rules", "**uv only** — pip was used in 3 sessions", target="~/.pi/agent/AGENTS.md")),
    ]
    page = ReviewPage("abc123", group_items(items, ("Joel", "Hard Rules")), notes, 7, "2026-05-16T21:30:00Z")
    return render_template("pages/review.md.j2", page=page)


PAGE = _page()


def _decided(text: str, is_confirmed: bool = False) -> tuple[tuple[str, ...], tuple[str, ...]]:
    decisions = read_decisions(text, PAGE, IDS, is_confirmed)
    return decisions.approved, decisions.rejected


def test_the_page_is_as_agreed() -> None:
    assert GOLDEN.read_text(encoding="utf-8") == PAGE
    assert find_unreadable_reason(read_review(PAGE), "abc123") == ""
    assert read_decisions(PAGE, PAGE, IDS, False).edited == {}
    assert read_review(PAGE, PAGE).notes == ()


def test_an_empty_list_says_so() -> None:
    page = render_template("pages/review.md.j2", page=ReviewPage("abc", (), (), 7, ""))
    assert "No proposal waits for you" in page
    assert "0 proposals pending" in page


@each_case("mark", ["x", "X", " x", "✓"])
def test_ticks_approve(mark: str) -> None:
    assert _decided(PAGE.replace(f"[ ] `{A}`", f"[{mark}] `{A}`")) == ((A,), ())


@each_case("mark", ["-", "–", " - "])
def test_dashes_reject(mark: str) -> None:
    assert _decided(PAGE.replace(f"[ ] `{A}`", f"[{mark}] `{A}`")) == ((), (A,))


def test_unclear_marks_wait_and_are_reported() -> None:
    for mark in ("?", "ok"):
        decisions = read_decisions(PAGE.replace(f"[ ] `{A}`", f"[{mark}] `{A}`"), PAGE, IDS, False)
        assert (decisions.unclear, decisions.approved, decisions.rejected) == ((A,), (), ())
    no_text = read_decisions(PAGE.replace(f"[ ] `{A}` **uv** — never pip", f"[x] `{A}`"), PAGE, IDS, False)
    assert no_text.unclear == (A,)
    no_box = read_decisions(PAGE.replace(f"- [ ] `{A}`", f"- ~~`{A}`"), PAGE, IDS, False)
    assert (no_box.unclear, no_box.rejected) == ((A,), ()), "the id is still there: not deleted"


def _wrapped(text: str) -> str:
    return text.replace("Prefers short answers", "Prefers\n  short\n  answers").replace(
        "**uv only** — pip", "**uv only** — pip\n      "
    )


@each_case(
    "reformat",
    [
        lambda text: text.replace("\n- [", "\n* [").replace("\n  - ", "\n  * "),
        lambda text: text.replace("\n- [", "\n+ ["),
        lambda text: text.replace("\n- [", "\n   - [").replace("\n  - ", "\n     - "),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n\n", "\n\n\n"),
        lambda text: text.replace("_Tick", "*Tick").replace("differently._", "differently.*"),
        _wrapped,
        lambda text: text.replace(f"`{A}`", A),
        lambda text: text.rstrip("\n"),
    ],
)
def test_other_formatting_changes_no_meaning(reformat: object) -> None:
    ticked = PAGE.replace(f"[ ] `{B}`", f"[x] `{B}`").replace(f"[ ] `{C}`", f"[-] `{C}`")
    decisions = read_decisions(reformat(ticked), PAGE, IDS, False)  # type: ignore[operator]
    assert (decisions.approved, decisions.rejected, decisions.edited, decisions.moved) == ((B,), (C,), {}, {})
    assert read_review(reformat(ticked), PAGE).notes == ()  # type: ignore[operator]


def test_a_note_that_holds_the_end_of_an_older_page_ends_no_page() -> None:
    """Indented with what stood around it, our last line became a note, and each later night found its own page cut off."""
    kept = PAGE.replace("## Friction Fixes\n", "## Friction Fixes\n\n<!-- /recollect:review r0 -->\n")
    assert kept != PAGE
    assert read_review(kept, PAGE).is_complete


def test_the_same_id_twice_with_two_marks_is_unclear() -> None:
    twice = PAGE.replace("## Proposed for: Hard Rules\n", f"## Proposed for: Hard Rules\n\n- [x] `{A}` a\n- [-] `{A}` b\n")
    assert read_decisions(twice, PAGE, IDS, False).unclear == (A,)


def test_most_of_the_page_is_not_rejected_without_a_word() -> None:
    kept = PAGE.split("## Proposed")[0] + PAGE[PAGE.index("_4 proposals") :]
    held = read_decisions(kept, PAGE, IDS, False)
    assert (held.rejected, held.held) == ((), tuple(sorted(IDS)))
    assert read_decisions(kept, PAGE, IDS, True).rejected == tuple(sorted(IDS))


def test_why_a_page_cannot_be_read() -> None:
    assert "at its start" in find_unreadable_reason(read_review("# Mine\n"), "abc123")
    assert "it is an older rendering, or the page of another memory" in find_unreadable_reason(read_review(PAGE), "other")
    assert find_unreadable_reason(read_review(PAGE), None).startswith("it is the page of another memory (of another machine")
    assert "at its end" in find_unreadable_reason(read_review(PAGE[: PAGE.rindex("<!--")]), "abc123")


def test_days_until_an_end() -> None:
    first = date(2026, 5, 17)
    marked = [day for day in range(10) if is_expiring(count_days_left(first, date(2026, 5, 17 + day), 7), 7)]
    assert marked == [5, 6, 7, 8, 9]
    assert not is_expiring(count_days_left(first, first, 1), 1)


@given(st.lists(st.sampled_from([*IDS]), unique=True), st.integers(0, len(PAGE)), st.integers(0, len(PAGE)))
def test_cutting_a_piece_out_of_the_page_never_approves_and_a_cut_end_never_counts(
    ticked: list[str], start: int, end: int
) -> None:
    page = PAGE
    for key in ticked:
        page = page.replace(f"[ ] `{key}`", f"[x] `{key}`")
    cut = page[: min(start, end)] + page[max(start, end) :]
    assert set(read_decisions(cut, PAGE, IDS, False).approved) <= set(ticked)
    if max(start, end) >= PAGE.rindex("<!-- /") + 10 and min(start, end) < PAGE.rindex("<!-- /"):
        assert find_unreadable_reason(read_review(cut), "abc123")


@each_case("between", ["\n", "\n\n", "\r\n"])
def test_a_line_written_right_above_the_footer_does_not_swallow_it(between: str) -> None:
    """Markdown makes one paragraph of both, which came back as a note, with one footer more each time."""
    base = render_template("pages/review.md.j2", page=ReviewPage("abc", (), (), 7, ""))
    text = base.replace("_0 proposals", f"- [ ] a note of mine{between}_0 proposals")
    assert read_review(text, base).notes == ("- [ ] a note of mine",)


@each_case("row", ["_4 proposals", "_Next, when"], newline=["\n", "\r\n"], end=["", " ", "\u2028"])
def test_a_note_right_above_or_below_a_line_of_the_footer_is_a_note_alone(newline: str, end: str, row: str) -> None:
    """Of a note with Windows line ends, or above the second line of the footer, the footer became a part."""
    base = _page()[: PAGE.rindex("\n<!--")] + "\n_Next, when there is room: “a line”_\n\n<!-- /recollect:review abc123 -->\n"
    at = base.index(row)
    below = base.index("\n", at) + 1
    for place in (at, below):
        text = f"{base[:place]}a note of mine{end}\n{base[place:]}".replace("\n", newline)
        assert [note.strip() for note in read_review(text, base).notes] == ["a note of mine"]


_OPENED = (
    "```\n{}",
    "~~~ text\n{}",
    "<!-- {}",
    "<pre>{}",
    "<script>\n{}",
    "<div>{}",
    "<?{}",
    "<![CDATA[{}",
    "> {}",
    "{}\n---",
    "\u2028{}",
)
_ROWS = [number for number, row in enumerate(PAGE.split("\n")) if number > 3 and not row.startswith("  ")]


@given(st.sampled_from(_OPENED), st.sampled_from(_ROWS), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_note_that_its_owner_left_open_is_kept_night_after_night_and_swallows_nothing(
    form: str, row: int, newline: str, is_ticked: bool
) -> None:
    """A code fence or comment without an end took our page in, and was dropped with it: the owner's words were gone."""
    rows = PAGE.split("\n")
    rows.insert(row, form.format("a thought of mine"))
    text = newline.join(rows).replace(f"[ ] `{F}`", f"[x] `{F}`" if is_ticked else f"[ ] `{F}`")
    decisions, notes = read_decisions(text, PAGE, IDS, False), read_review(text, PAGE).notes
    assert (decisions.approved, decisions.rejected, decisions.held) == ((F,) if is_ticked else (), (), ())
    words = "\n".join([*notes, *decisions.edited.values()])
    assert words.count("a thought of mine") == 1
    page = _page(notes)
    assert read_review(page, page).notes == notes
    assert find_unreadable_reason(read_review(page, page), "abc123") == ""
    assert set(read_review(page, page).lines) == set(IDS)


@each_case("opened", ["```", "~~~", "<pre>", "<textarea>"])
def test_a_pair_of_fences_around_the_frame_of_the_page_shuts_no_words_away(opened: str) -> None:
    """The fence was closed, so its words were taken for ours with the frame inside."""
    closed = opened if opened[0] != "<" else f"</{opened[1:]}"
    start = "<!-- recollect:review abc123 -->"
    text = PAGE.replace(start, f"{opened}\na thought of mine\n{start}\n{closed}\nanother thought")
    notes = "\n".join(read_review(text, PAGE).notes)
    assert notes.count("a thought of mine") == notes.count("another thought") == 1
    assert set(read_review(text, PAGE).lines) == set(IDS)


@each_case(
    "note",
    [
        "3 proposals pending at Ana's, ask her",
        "_4 proposals pending_ is too many",
        "Next, when there is room: the garden",
        "_Last reflection, not proposed: my own one_",
        '[plan]: https://example.org "the plan\nof May"',
    ],
)
def test_a_note_that_reads_like_our_footer_or_shows_nothing_is_a_note_as_it_was_written(note: str) -> None:
    """It was dropped by its first words; the title of a link over two lines became two notes."""
    for place in ("## Proposed for: Joel\n", "_4 proposals pending | newest evidence 2026-05-16T21:30:00Z_\n"):
        page = PAGE.replace(place, f"{note}\n\n{place}")
        for night in (page, _page((note,))):
            base = PAGE if night is page else night
            assert read_review(night, base).notes == (note,)
            assert set(read_review(night, base).lines) == set(IDS)


def test_words_on_a_row_of_the_frame_or_dashes_below_our_words_are_the_owners() -> None:
    end = "<!-- /recollect:review abc123 -->"
    assert read_review(PAGE.replace(end, f"{end} a thought"), PAGE).notes == (" a thought".strip(),)
    footer = "_4 proposals pending | newest evidence 2026-05-16T21:30:00Z_\n"
    assert read_review(PAGE.replace("expires._\n", "expires._\n---\n"), PAGE).notes == ("---",)
    mixed = read_review(PAGE.replace("_Tick", "a thought\n_Tick").replace(footer, f"{footer}more\n"), PAGE)
    assert mixed.notes == ("a thought", "more")


def test_a_quoted_or_fenced_proposal_waits_and_is_not_deleted() -> None:
    """A reply quotes the line: its words were ours, and its id counted as gone."""
    line = next(row for row in PAGE.split("\n") if f"`{B}`" in row)
    for quoted in (f"> {line}\n> my answer", f"```\n{line}\n```", f"> > {line}"):
        decisions = read_decisions(PAGE.replace(line, quoted), PAGE, IDS, False)
        assert (decisions.rejected, decisions.approved) == ((), ())
        assert decisions.unclear == (B,)


def test_a_tick_inside_of_a_note_that_was_shown_as_code_decides_nothing_when_the_fence_goes() -> None:
    """A fence further up made text of it, and the line of a former night counted as ticked today."""
    line = next(row for row in PAGE.split("\n") if f"`{B}`" in row).replace("[ ]", "[x]")
    shown = _page((f"```\n{line}\n```",))
    freed = shown.replace(f"```\n{line}\n```", f"{line}\n```")
    decisions = read_decisions(freed, shown, IDS, False)
    assert (decisions.approved, decisions.rejected, decisions.edited) == ((), (), {})
    assert line in "\n".join(read_review(freed, shown).notes)
    both = freed.replace(line.replace("[x]", "[ ]"), line, 1)
    assert read_decisions(both, shown, IDS, False).approved == (B,)


def test_the_words_behind_a_fence_are_words() -> None:
    footer = next(row for row in PAGE.split("\n") if row.startswith("_4 proposals"))
    read = read_review(PAGE.replace(footer, f"> ```a-thought\n> {footer}"), PAGE)
    assert "a-thought" in "\n".join(read.notes)
