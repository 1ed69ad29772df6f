"""What a line of memory names is found, and prose is not taken for code."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.ground.code_references import list_code_references, replace_name


@each_case(
    ("line", "names"),
    [
        ("Migrations live in db/migrations, never in src/app.py", {"db/migrations", "src/app.py"}),
        ("Run `make lint` before every commit", {"make lint"}),
        ("Tests run with pnpm run test:unit and the flag --no-cache", {"pnpm run test:unit", "--no-cache"}),
        ("The fix is in a1b2c3d4, see `renderInvoice()`", {"a1b2c3d4", "renderInvoice"}),
        ("Docs are at https://example.org/docs/setup.md", set()),
        ("Prefers short answers, and/or bullet points e.g. three", {"and/or"}),
        ("The config is in pyproject.toml; version 3.11.2 stays", {"pyproject.toml"}),
        ("Deadlines: 2026-05-17 at 10:30, port 9477", set()),
        ("`uv` over pip", set()),
    ],
)
def test_paths_commands_flags_symbols_and_commits(line: str, names: set[str]) -> None:
    """A word of prose that looks like a path harms nothing: it was never in a repository."""
    assert {thing.name for thing in list_code_references(line)} == names


def test_a_name_is_replaced_where_it_stands_alone() -> None:
    """Not inside a longer path."""
    assert replace_name("see src/a.py and src/a.pyi, lib/src/a.py", "src/a.py", "src/b.py") == (
        "see src/b.py and src/a.pyi, lib/src/a.py"
    )  # fmt: skip
