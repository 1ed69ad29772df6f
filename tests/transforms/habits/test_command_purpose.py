"""What a command is for is told by its own words, without what only starts it."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.habits.command_purpose import do_same_work, list_purpose_words


@each_case(
    ("command", "words"),
    [
        ("uv run pytest -q", ("pytest",)),
        ("make test", ("test",)),
        ("LOCK=1 npm run lint:fix", ("lint", "fix")),
        ("zola build", ("build",)),
        ("shellcheck", ("shellcheck",)),
        ("./scripts/runtest.sh -a", ("scripts", "runtest", "sh")),
        ("", ()),
    ],
)
def test_options_variables_and_the_starting_program_tell_nothing(command: str, words: tuple[str, ...]) -> None:
    assert list_purpose_words(command) == words


@each_case(
    ("older", "newer", "is_same"),
    [
        ("make check", "just check", True),
        ("conda run -n sea pytest -q", "pixi run test", True),
        ("composer test", "php artisan test", True),
        ("npm run build", "npm run check", False),
        ("cargo test", "cargo clippy --all-targets", False),
        ("make run", "pixi run test", False),
        ("", "make", False),
    ],
)
def test_two_commands_for_the_same_share_half_of_their_words(older: str, newer: str, is_same: bool) -> None:
    assert do_same_work(older, newer) == is_same
