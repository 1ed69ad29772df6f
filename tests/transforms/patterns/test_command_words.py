"""What begins like a command is one, and keeps its case; a verb with the name of a program is none."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.language.sentences import capitalise
from transforms.patterns.command_words import begins_with_command

COMMANDS = (
    "make test-e2e AGENT=kiro",
    "make test-e2e",
    "npm run check before every commit",
    "pytest -x",
    "just build ENV=dev",
    "make lint:fix",
)
PROSE = (
    "make sure that tests pass",
    "make it 90",
    "just use pnpm",
    "make test data smaller",
    "just re-run the tests",
    "just double-check the dates",
    "make high-level decisions first",
    "make sure timeout=5 holds",
    "use pnpm",
    "commits - all of them",
    "",
    "make",
)


@each_case("text", COMMANDS)
def test_a_command_keeps_its_case(text: str) -> None:
    assert begins_with_command(text)
    assert capitalise(text) == text


@each_case("text", PROSE)
def test_prose_is_no_command(text: str) -> None:
    assert not begins_with_command(text)
    assert capitalise(text) == text[:1].upper() + text[1:]
