"""Names are compared as a whole: no part of a longer name, no other unit, no quotation beyond its marks."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, user
from tests.transforms.growth import grows_with_text
from transforms.distil.engine_result import Fact
from transforms.distil.fact_grounding import check_fact
from transforms.distil.window_evidence import NEAR_ENTRIES, WindowEvidence
from transforms.language.entities import (
    INNER_NUMBER,
    find_dates,
    find_quotations,
    find_written_numbers,
    is_known_number,
    is_whole_name_in,
    join_numbers,
    read_numbers,
)

WORDS = st.text("abcdefgh", min_size=2, max_size=8)
PHRASES = st.lists(WORDS, min_size=2, max_size=5).map(" ".join)


@each_case(
    ("text", "quotations"),
    [
        ('set to `""` (a) "b c d"', ["b c d"]),
        ('set to "" and "b c d"', ["b c d"]),
        ('{"type":"error","message":"it broke, as "the purple rule" says', ["type", "error", "message", "the purple rule"]),
        ('User said: "he said "foo" to me"', ['he said "foo" to me', "foo"]),
        ('"is that so?", as "we know" says', ["is that so?", "we know"]),
        ("“curly ones” and «others» and „noch“", ["curly ones", "others", "noch"]),
        ("don't say 'purple rule' of the users' own 'x'", ["purple rule"]),
        ("User asked: \"it's 5 o'clock\" now", ["it's 5 o'clock"]),
        ("no marks at all", []),
    ],
)
def test_quotations_are_found_whatever_their_marks(text: str, quotations: list[str]) -> None:
    """Empty, nested, unpaired, curly and single ones."""
    assert find_quotations(text) == quotations


@given(PHRASES, st.lists(st.sampled_from(['""', '`"`', '"open', "it's", "{", "}", '5"']), max_size=5), PHRASES)
def test_a_quotation_is_found_after_any_broken_marks(before: str, noise: list[str], quote: str) -> None:
    """Text before a quotation never hides it."""
    assert quote in find_quotations(f'{before} {" ".join(noise)} as "{quote}" demands.')


@given(WORDS, WORDS)
def test_a_name_does_not_stand_in_a_longer_one(name: str, more: str) -> None:
    """`main.ts` is not in `main.tsx`, but behind a folder and in front of a full stop."""
    assert not is_whole_name_in(name, f"a {name}{more} b") or name in more
    assert not is_whole_name_in(name, f"a {more}{name} b") or name in more
    assert is_whole_name_in(name, f"see src/{name}.")


def test_a_number_counts_with_its_unit() -> None:
    """Other units are other values; digits of a hash are none; a version may be shortened."""
    known = join_numbers([read_numbers("a 10 s timeout, 5min, ttl_seconds: 300, python 3.12.4, a1533f, utf8, 20%")])
    bare = join_numbers([read_numbers("ttl_seconds: 300")])
    texts = ("10s", "10 seconds", "10 min", "5 minutes", "300 s", "20 %", "20", "3.12", "3.12.5", "1533", "533")
    specifics = {text: is_known_number(next(iter(find_written_numbers(text)))[1], known, bare) for text in texts}
    assert [text for text, is_there in specifics.items() if not is_there] == ["10 min", "3.12.5", "1533", "533"]


@given(st.integers(10, 10**6), st.integers(1, 10**6))
def test_a_number_that_nobody_said_is_not_known(value: int, difference: int) -> None:
    """Off by one or by a million."""
    known = join_numbers([read_numbers(f"it took {value} rows")])
    assert is_known_number((str(value), ""), known, known)
    assert not is_known_number((str(value + difference), ""), known, known)


LINES = st.lists(
    st.sampled_from(["5", "10", "1,200", "v2", "~3.50", "#12", "a1f", "min", "%", "s", "rows", "utf8", ".", " ", "\n", "x_"])
)


@given(st.lists(LINES.map("".join), min_size=1, max_size=5))
def test_numbers_of_texts_are_those_of_the_text_with_a_line_for_each(texts: list[str]) -> None:
    """Each text is read once, although the unit of its last number may begin the next line."""
    assert join_numbers([*map(read_numbers, texts)]) == join_numbers([read_numbers("\n".join(texts))])


def test_a_unit_may_begin_the_next_line() -> None:
    """As in a paragraph that is wrapped."""
    assert join_numbers([*map(read_numbers, ("it took 300", "seconds"))]) == read_numbers("300 s").numbers


def test_dates_are_read_in_both_orders() -> None:
    """The result has month and day."""
    assert find_dates("on 2026-03-05, May 3 or 3 May") == [("2026-03-05", (3, 5)), ("May 3", (5, 3)), ("3 May", (5, 3))]


def fact(text: str, *ordinals: int, **fields: str) -> Fact:
    return Fact(text=text, ordinals=ordinals, **({"kind": "status", "priority": "medium", "category": "projects"} | fields))  # type: ignore[arg-type]


FAR = [
    turn
    for at in range(2 * NEAR_ENTRIES)
    for turn in (user(f"what about point {at} of the list?"), agent(f"Point {at} is fine."))
]
WINDOW = WindowEvidence(
    tuple(
        conversation(
            user("let the cache keep entries for 300 s, please. Should the queue use Kafka tomorrow?"),
            agent("`ttl_seconds` is 300 now, in `src/cache.ts`."),
            *FAR,
            agent("`max_retries` is 7000 in `src/queue.ts`."),
        )
    )
)
LAST = len(WINDOW.entries) - 1


@each_case(
    ("expected", "verdict"),
    [
        (fact("The cache keeps entries for 300 s (`ttl_seconds`).", 0, 1), "allow"),
        (fact("The cache keeps entries for 300 min.", 0, 1), "hold"),
        (fact("`max_retries` is 7000.", LAST), "allow"),
        (fact("`max_retries` is 300.", LAST), "hold"),
        (fact("`ttl_seconds` is 300 in `src/queue.ts`.", 0, 1), "allow"),
        (fact("The cache was set on 2019-05-03.", 1), "hold"),
        (fact("The cache was set on 3 May.", 1), "hold"),
        (fact(f"The cache was set on {WINDOW.entries[0].said_at:%Y-%m-%d}.", 1), "allow"),
        (fact("User decided that the cache keeps entries for 300 s.", 0, kind="decision"), "allow"),
        (fact("User decided that the queue uses Kafka.", 0, kind="decision"), "hold"),
        (fact("The cache lives in src/cache.tsx.", 1), "hold"),
    ],
)
def test_a_fact_is_held_against_what_stands_around_its_citation(expected: Fact, verdict: str) -> None:
    """A number from the other end of the window is as strange as one from nowhere; a name may stand anywhere in it."""
    assert check_fact(expected, WINDOW)[0] == verdict


@given(st.text("ab_.-é ", max_size=4), st.text("ab_.-é ", max_size=12))
def test_a_whole_name_has_no_word_character_beside_its_own(name: str, source: str) -> None:
    """The boundaries of regular expressions, which would be compiled for every name."""
    before, after = (r"(?<!\w)" if re.match(r"\w", name) else "", r"(?!\w)" if re.search(r"\w\Z", name) else "")
    assert is_whole_name_in(name, source) == bool(re.search(before + re.escape(name) + after, source))


@given(st.text(alphabet="0a9fg.-_ é١", max_size=30))
def test_numbers_inside_of_names_are_those_that_no_letter_of_a_hash_touches(text: str) -> None:
    """Also where the expression begins with the digit and looks back from there."""
    looking_back = re.compile(r"(?<![0-9a-fA-F])\d+(?:\.\d+)*(?![0-9a-fA-F])")
    assert [match.span() for match in INNER_NUMBER.finditer(text)] == [match.span() for match in looking_back.finditer(text)]


def test_marks_without_a_partner_are_asked_once() -> None:
    """Each mark was compared with all that wait for a partner."""
    assert find_quotations("he said “it is «not so» here” and „left") == ["it is «not so» here", "not so"]
    assert grows_with_text(find_quotations, '“a «b x" ', 200)
