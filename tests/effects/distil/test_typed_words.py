"""The language of what an owner types, read from the lake: terse English is English, whoever answers in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.distil.typed_words import read_typed_language
from tests.effects.session_home import Home, answer, header, user, write
from transforms.attribution.typed_language import describe_language, describe_model_language

TERSE = (
    "fix failing importer test, commit, push", "rename gateway config key, update docs, rerun tests",
    "add retry logic, bump timeout, log failures", "drop legacy parser code, delete unused fixtures",
)  # fmt: skip
GERMAN = (
    "schau dir bitte mal den importer an, der ist langsam",
    "benenne den schlüssel der gateway config um und lass alle tests laufen",
    "mach da noch retry logic rein und setz den timeout hoch", "der alte parser code kann weg, die fixtures auch",
)  # fmt: skip
ENGLISH_ANSWERS = (
    "I fixed the failing test of the importer and made a commit; I did not push it, as you have a rule for that.",
    "The key of the gateway is renamed in the config, and I have to update the docs before I rerun the tests of it.",
    "I will add the retry logic and bump the timeout, and it logs the failures that are left in the log.",
    "The legacy code of the parser is gone, and I had to delete the fixtures that were unused.",
)
GERMAN_ANSWERS = ("Der Importer liest jetzt alle Zeilen auf einmal.", "Der Schlüssel heißt jetzt anders, und alle Tests laufen.")


def talk(home: Home, messages: tuple[str, ...], answers: tuple[str, ...]) -> None:
    """Write and read a session in which each message is answered, three times over with another number behind it."""
    lines, before = [header("s")], None
    for at in range(3 * len(messages)):
        lines += [user(f"u{at}", before, 2 * at, f"{messages[at % len(messages)]} {at}")]
        lines += [answer(f"a{at}", f"u{at}", 2 * at + 1, answers[at % len(answers)])]
        before = f"a{at}"
    write(home.sessions / "s.jsonl", *lines)
    home.night()


@pytest.mark.parametrize(
    ("messages", "answers", "is_told"),
    [
        (TERSE, ENGLISH_ANSWERS, False),
        (GERMAN, ENGLISH_ANSWERS, True),
        (GERMAN, GERMAN_ANSWERS, True),
        (TERSE, GERMAN_ANSWERS, True),
    ],
)
def test_terse_english_is_no_other_language_where_english_answers_have_its_words(
    messages: tuple[str, ...], answers: tuple[str, ...], is_told: bool, tmp_path: Path
) -> None:
    """ "fix failing test, commit, push" has no function word: its owner heard that 100 % of it was another language."""
    home = Home(tmp_path)
    talk(home, messages, answers)
    typed = read_typed_language(home.run)
    assert typed.is_other
    assert bool(describe_language(typed)) == bool(describe_model_language(typed)) == is_told


def test_a_lake_without_entries_has_no_language(tmp_path: Path) -> None:
    assert read_typed_language(Home(tmp_path).run).words == 0


def test_three_rules_that_are_said_again_in_each_clone_say_nothing_about_the_language(tmp_path: Path) -> None:
    """Of nine times three short English rules the doctor said that 62 % of their words were in another language."""
    home = Home(tmp_path)
    rules = (
        "always run scripts/build.sh before a release, never by hand", "lint with npm run lint always",
        "convention: config loading stays in src/config.py, nowhere else",
    )  # fmt: skip
    lines, before = [header("s")], None
    for at in range(9):
        lines += [user(f"u{at}", before, 2 * at, rules[at % 3]), answer(f"a{at}", f"u{at}", 2 * at + 1, "Noted.")]
        before = f"a{at}"
    write(home.sessions / "s.jsonl", *lines)
    home.night()
    assert describe_language(read_typed_language(home.run)) == ""
