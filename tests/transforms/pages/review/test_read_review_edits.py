"""REVIEW.md over any sequence of hand edits and nights: no word is lost, and nothing is decided that nobody decided."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from effects.system.templates import render_template
from tests.transforms.pages.test_review_md import _item
from transforms.pages.review.read_review import read_review
from transforms.pages.review_decisions import Decisions, find_unreadable_reason, read_decisions
from transforms.pages.review_md import ReviewPage, group_items

LINES = {
    "p-20260517-001": ("Hard Rules", "**uv** — never pip"),
    "p-20260517-002": ("Joel", "Prefers short answers"),
    "p-20260517-003": ("Hard Rules", "Deploy before 18:00"),
    "f-20260517-001": ("Hard Rules", "uv only, pip was used in three sessions"),
}
OUR_LINE = re.compile(r"^- \[ \] `([pf]-\d{8}-\d{3})` ")
OPENED = (
    "```",
    "~~~",
    "<!--",
    "<div>",
    "<pre>",
    "<script>",
    "<?",
    "> ",
    "- ",
    "1. ",
    "    ",
    "# ",
    "## Your notes\n\n",
    "- > ",
    "\ufeff",
)
FORMS = (
    *(f"{opened}{{}}" for opened in OPENED),
    *(f"{opened}\n{{}}\n{closed}" for opened, closed in zip(OPENED, ("```", "~~~", "-->", "</div>", "</pre>"), strict=False)),
    "{}\n---", "---\n{}", "{} -->", "| {} | b |\n|---|---|", '[{}]: http://x.org "one\ntwo"', "3 proposals pending at {}",
    "\u2028{}", "_3 proposals pending_ {}", "_Next, when there is room: {}_", "- [ ] {} own", "_{}_", "\\{}", "{} p-20260517-001",
    "[^{}]: foot",
)  # fmt: skip
DEEDS = (
    "write",
    "write",
    "write",
    "row",
    "tick",
    "strike",
    "strike all",
    "delete",
    "add words",
    "twice",
    "crlf",
    "quote",
    "indent",
    "wrap",
    "move",
)
EDITS = st.lists(st.tuples(st.sampled_from(DEEDS), st.integers(0, 60), st.sampled_from(FORMS)), min_size=1, max_size=3)


def render(lines: Mapping[str, tuple[str, str]], notes: tuple[str, ...], number: int) -> str:
    items = [("friction" if key[0] == "f" else "memory", _item(key, *line)) for key, line in lines.items()]
    page = ReviewPage(f"r{number}", group_items(items, ("Joel", "Hard Rules")), notes, 7, "2026-05-16 21:30")
    return re.sub(r"\n{3,}", "\n\n", render_template("pages/review.md.j2", page=replace(page, next_lines=("a line",))))


def decide(row: str, deed: str) -> list[str]:
    """Return what a person leaves of a line that they approve or reject."""
    if deed == "delete":
        return []
    return [f"~~{row}~~" if deed == "strike all" else row.replace("[ ]", "[x]" if deed == "tick" else "[-]", 1)]


def edit(text: str, deed: str, number: int, form: str, words: str) -> tuple[str, set[str]]:
    """Return the page as a person changed it, and the lines that were ticked or struck."""
    if deed == "crlf":
        return text.replace("\r\n", "\n").replace("\n", "\r\n"), set()
    rows = text.split("\n")
    end = next((place for place, row in enumerate(rows) if row.startswith("## Your notes")), len(rows))
    ours = [place for place, row in enumerate(rows[:end]) if OUR_LINE.match(row)]
    at = number % len(rows)
    if deed == "write":
        rows[at:at] = form.format(words).split("\n")
    elif deed == "row":
        rows[at:at] = [form.replace("{}", "").split("\n")[0].rstrip()]
    elif deed == "quote":
        rows[at : at + 4] = [f"> {row}" for row in rows[at : at + 4]]
    elif deed == "indent":
        rows[at : at + 4] = [f"    {row}" if row else row for row in rows[at : at + 4]]
    elif deed == "wrap":
        rows[at : at + 6] = ["```", *rows[at : at + 6], "```"]
    elif deed == "move":
        rows[at : at + 6], rows[:0] = [], rows[at : at + 6]
    elif ours:
        place = ours[number % len(ours)]
        key = OUR_LINE.match(rows[place])[1]  # type: ignore[index]
        if deed == "add words":
            rows[place] += f" {words}"
        elif deed == "twice":
            rows.insert(place + 1, f"- [ ] `{key}` {words}")
        else:
            rows[place : place + 1] = decide(rows[place], deed)
            return "\n".join(rows), {key}
    return "\n".join(rows), set()


@settings(max_examples=60, deadline=None)
@given(st.lists(EDITS, min_size=1, max_size=3))
def test_any_edits_and_nights_lose_no_word_and_decide_nothing_that_nobody_decided(
    nights: list[list[tuple[str, int, str]]],
) -> None:
    lines, notes, count = dict(LINES), (), 0
    base, kept = render(lines, notes, 0), ""
    for number, edits in enumerate(nights):
        text, marked = base, {"x": set[str](), "-": set[str]()}
        for deed, place, form in edits:
            count += 1
            text, keys = edit(text, deed, place, form, f"words{count}q")
            marked["x" if deed == "tick" else "-"] |= keys
        review = read_review(text, base)
        if find_unreadable_reason(review, f"r{number}"):
            return
        decisions = read_decisions(text, base, lines.keys(), True)
        assert set(decisions.approved) <= marked["x"]
        assert set(decisions.rejected) <= marked["-"]
        kept += "".join(own.text for own in decisions.own)
        kept += "".join(lines[key][1] for key in decisions.edited)  # the event of an edit has the words before it
        lines |= {key: (lines[key][0], words) for key, words in decisions.edited.items()}
        kept += "".join(lines.pop(key)[1] for key in (*decisions.approved, *decisions.rejected))
        page = render(lines, review.notes, number + 1)
        for words in re.findall(r"words\d+q", text):
            assert words in page + kept, (words, text)
        again = read_decisions(page, page, lines.keys(), True)
        assert again == Decisions()
        assert set(read_review(page, page).lines) == set(lines)
        assert find_unreadable_reason(read_review(page, page), f"r{number + 1}") == ""
        base = page
