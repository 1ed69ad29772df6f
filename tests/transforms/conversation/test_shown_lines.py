"""Lines of a message as an excerpt shows them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.conversation.shown_lines import split_shown_lines


@each_case(
    ("text", "lines"),
    [
        (
            "## Key Decisions\n- [x] **Postgres 16**: two hosts\n  1. then `a*b*c`",
            ["Key Decisions:", "Postgres 16: two hosts", "then `a*b*c`"],
        ),
        ("| tool | stars |\n|---|---|\n| **Emdash** | 34 |", ["tool, stars", "Emdash, 34"]),
        ("```bash\nrm *.db && ls **/*.py\n```\n---", ["rm *.db && ls **/*.py"]),
        ("> Never retry more\n> than three times.\n> we block it", ["Never retry more than three times.", "we block it"]),
        ("- 🟡 Asked: why? (03-02)", ["Asked: why? (03-02)"]),
        ("see [docs](https://a.example/x)", ["see [docs](https://a.example/x)"]),
    ],
)
def test_marks_go_and_words_stay(text: str, lines: list[str]) -> None:
    assert split_shown_lines(text) == lines


@given(st.text(alphabet=st.sampled_from("ab1 .*#>|-`[x]\n"), max_size=120))
def test_no_word_is_lost(text: str) -> None:
    """All letters stay, in order; digits may number an item, and a fence may name a language."""
    fenced = "".join(line for line in text.splitlines() if not line.strip().startswith("```"))
    shown = "".join(char for line in split_shown_lines(text) for char in line if char.isalpha())
    letters = "".join(char for char in fenced if char.isalpha()).replace("x", "")
    assert shown.replace("x", "").endswith(letters) if "```" in text else shown.replace("x", "") == letters
