import random
import time

from tests.each_case import each_case
from transforms.patterns.endless_runs import LONGEST_RUN, LONGEST_WORD, blank_endless_runs

SIGNS = {"base64": "ABCxyz012+/", "Cyrillic": "абвгд", "Arabic": "ابتثج", "Chinese": "的一是在不", "Korean": "가나다라"}


def make_run(script: str, length: int) -> str:
    return "".join(random.Random(script).choices(SIGNS[script], k=length))


@each_case("length", [LONGEST_WORD, LONGEST_WORD + 1, 4_321, 25_000], script=SIGNS)
def test_a_run_is_cut_into_short_words_and_everything_else_keeps_its_place(script: str, length: int) -> None:
    text = f"Fix this: {make_run(script, length)} and then the tests."
    cut = blank_endless_runs(text)
    assert len(cut) == len(text)
    assert cut.startswith(text[:100])
    assert cut.endswith(" and then the tests.")
    assert max(map(len, cut.split())) <= 200


@each_case("script", ["Chinese", "Korean"])
def test_of_a_script_without_spaces_nearly_every_sign_stays(script: str) -> None:
    text = make_run(script, 5_000)
    cut = blank_endless_runs(text)
    assert sum(before != after for before, after in zip(text, cut, strict=True)) == 5_000 / 200
    assert set(cut) - set(text) == {"\n"}


@each_case(
    "text",
    [
        "",
        "short",
        "word " * 5_000,
        "这是一个很长的段落，但是有标点。" * 400,
        '{"name":"value","list":[1,2,3]},' * 200,
        "x" * (LONGEST_WORD - 1),
    ],
)
def test_words_and_paragraphs_of_any_language_stay(text: str) -> None:
    assert blank_endless_runs(text) == text


def test_a_file_in_one_line_ends_after_its_beginning() -> None:
    text = '{"name":"value"},' * 2_000
    cut = blank_endless_runs(text)
    assert len(cut) == len(text)
    assert cut[: LONGEST_RUN - 1] == text[: LONGEST_RUN - 1]
    assert set(cut[LONGEST_RUN:]) == {"^", "\n"}


def test_cutting_twice_changes_nothing_more() -> None:
    for script in SIGNS:
        cut = blank_endless_runs(make_run(script, 30_000))
        assert blank_endless_runs(cut) == cut


def test_a_megabyte_costs_little() -> None:
    text = "".join(make_run(script, 200_000) + " " for script in SIGNS)
    started = time.process_time()
    blank_endless_runs(text)
    assert time.process_time() - started < 2


def test_a_run_is_found_wherever_it_begins() -> None:
    """A few characters of a text are looked at first, so that most texts are not cut into words."""
    for start in range(0, 2 * LONGEST_WORD, 47):
        before = ("ab " * LONGEST_WORD)[:start]
        assert blank_endless_runs(f"{before} {'x' * LONGEST_WORD}") != f"{before} {'x' * LONGEST_WORD}"
        assert blank_endless_runs(f"{before} {'x' * (LONGEST_WORD - 1)} a") == f"{before} {'x' * (LONGEST_WORD - 1)} a"
