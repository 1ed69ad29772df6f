"""A list of an agent becomes a sentence that keeps what belongs to what."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.exchanges.claims import CLAIM_CHARS, find_open_list, is_list_of_names, is_talk, split_claims
from transforms.exchanges.current_values import ValueHistory


def test_the_points_of_an_item_stand_in_brackets_behind_it() -> None:
    """Without them nobody sees where the points of one item end and the next item begins."""
    (claim,) = split_claims("Added:\n- limits for pages:\n  - helper: 60\n  - guide: 80, 90\n- a check\n    - run by CI")
    assert claim.text == "Added: limits for pages (helper: 60; guide: 80, 90); a check (run by CI)"


@each_case(
    "sentence, is_announced",
    [
        ("I’m committing the toolchain fix first, then I’ll compare it with `../cli`.", True),
        ("So now I'm quickly adding a fallback to `run.sh`: the runner drops back to Go.", True),
        ("I am moving the pool into `db.ts` because two of them wait for each other.", True),
        ("I’ll compare both pools of `db.ts` next.", True),
        ("I'm seeing 404 for every page of `/docs`.", False),
        ("I'm keeping `/v1/orders` until version 3, and it answers with a deprecation header now.", False),
        ("I'm leaving `max_retries` at 5.", False),
        ("We're using PostgreSQL 16 for the queue, in the schema `jobs` on port 5433.", False),
        ("We're leaking a connection per request in `pool.py`: `acquire` is called twice.", False),
        ("We are currently storing dates as UTC strings.", False),
        ("I moved the pool into `db.ts`.", False),
        ("The build is running `make quick` on every push.", False),
    ],
)
def test_what_an_agent_is_doing_or_will_do_is_no_claim(sentence: str, is_announced: bool) -> None:
    """Whatever its apostrophe. What it sees is a finding, what it holds on to is decided, and what "we" or others do is none of
    its plans."""
    assert is_talk(sentence) == is_announced
    assert bool(split_claims(sentence)) != is_announced


@each_case(
    "sentence, listed",
    [
        ("Open: DMA UART, the push", "DMA UART, the push"),
        ("Left open for next week: the mail to County; the deploy", "the mail to County; the deploy"),
        ("The tree is clean; open for Monday: branch z42", "branch z42"),
        ("Open in your browser: http://localhost:3000", ""),
        ("Open this file: the one of the importer", ""),
        ("It is open: the shop", ""),
    ],
)
def test_a_label_that_names_what_is_open_begins_a_list_and_an_order_to_open_something_does_not(
    sentence: str, listed: str
) -> None:
    assert find_open_list(sentence) == listed
    assert not listed or split_claims(sentence)[0].text == sentence


def test_points_that_go_on_in_another_claim_stand_behind_their_item_there_too() -> None:
    points = "\n".join(f"  - the tide table of harbour {number} is read before the map is drawn" for number in range(9))
    first, *others = (claim.text for claim in split_claims(f"Changed:\n- the loader\n{points}"))
    assert len(others) >= 1
    assert all(text.startswith("Changed: the loader (the tide table of harbour") for text in (first, *others))


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["boats", "tides: 3", "maps (old)", "a; b", "x" * 90]))))
def test_no_item_of_any_list_is_lost_and_no_claim_is_too_long(items: list[tuple[int, str]]) -> None:
    """Items of a length of their own aside, which stand with the item above them at most."""
    texts = [claim.text for claim in split_claims("\n".join(f"{' ' * depth}- {text}" for depth, text in items))]
    assert all(any(text in claim for claim in texts) for _, text in items)
    assert all(len(text) <= CLAIM_CHARS for text in texts)


@each_case(
    ("text", "left"),
    [
        ("Set: loader (cache: 5; retries: 3); tests", "Set: loader (cache: 5); tests"),
        ("Set: loader (retries: 3; workers: 3); tests; docs; pages", "Set: tests; docs; pages"),
        ("Set: loader (cache: 5; pool: 3); tests", "Set: loader (cache: 5; pool: 3); tests"),
    ],
)
def test_only_the_stale_points_of_an_item_go(text: str, left: str) -> None:
    history = ValueHistory({"retries": {"": (4, "9")}, "workers": {"": (4, "9")}})
    assert history.remove_stale_clauses(text, 1) == left


def test_names_are_found_in_the_time_that_a_statement_is_long() -> None:
    """From each of ten thousand dots a path was looked for again."""
    for sign in ".!":
        assert grows_with_text(lambda text: is_list_of_names.__wrapped__(f"see {text} there"), sign, 400), (
            sign
        )  # without its memory
    assert is_list_of_names("Places: a/b.py, `x y`/z, ...c.md and https://a.example/x")
    assert not is_list_of_names("Places: a/b.py is slow")
