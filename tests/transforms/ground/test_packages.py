"""Packages in rows of manifests, their removal, and the lines that rely on them."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.ground.code_references import CodeReference
from transforms.ground.packages import (
    Packages,
    Removal,
    list_package_references,
    read_package,
    read_possible_packages,
    read_removals,
)

PACKAGES = Packages(
    frozenset({"dayjs", "pytest"}), {"moment": Removal("abc", frozenset({"dayjs"})), "alembic": Removal("def", frozenset())}
)


@each_case(
    ("file", "row", "names"),
    [
        ("requirements-dev.txt", "sqlalchemy[asyncio]>=2.0  # database", ["sqlalchemy"]),
        ("pyproject.toml", 'dependencies = ["polars>=1.2", "uvicorn[standard]", "sources"]', ["polars", "uvicorn"]),
        ("pyproject.toml", 'alembic = "^1.13"', ["alembic"]),
        ("pyproject.toml", 'requires-python = ">=3.11"', []),
        ("pyproject.toml", 'version = "1.2.0"', []),
        ("pyproject.toml", "line-length = 130", []),
        ("web/package.json", '    "@tanstack/query": "^5.0.1",', ["@tanstack/query"]),
        ("web/package.json", '    "build": "vite build",', []),
        ("core/Cargo.toml", 'serde = { version = "1", features = ["derive"] }', ["serde"]),
        ("core/Cargo.toml", 'edition = "2021"', []),
        ("go.mod", "\tgithub.com/jackc/pgx/v5 v5.5.0", ["github.com/jackc/pgx/v5"]),
        ("Gemfile", "gem 'sidekiq', '~> 7'", ["sidekiq"]),
        ("mix.exs", '      {:oban, "~> 2.17"},', ["oban"]),
        ("src/main.py", "alembic==1.2", []),
    ],
)
def test_a_row_of_a_manifest_names_its_packages(file: str, row: str, names: list[str]) -> None:
    """Each format has its own rows; versions of the project, scripts and options are no packages."""
    assert read_package(file, row) == names


def test_a_new_version_removes_nothing() -> None:
    """The newest removal counts, with what its commit added."""
    log = [
        "commit bbb", "--- a/package.json", "+++ b/package.json", '-    "moment": "^2.1",', '+    "dayjs": "^1.0",',
        "commit aaa", "--- a/package.json", "+++ b/package.json", '-    "vite": "^4.0",', '+    "vite": "^5.0",',
    ]  # fmt: skip
    assert read_removals(log) == {"moment": Removal("bbb", frozenset({"dayjs"}), "package.json")}


@each_case(
    ("line", "names"),
    [
        ("Migrations are written with alembic", ["alembic"]),
        ("Numbered SQL files in migrations/, no alembic", []),
        ("Never use alembic", []),
        ("Dates are formatted with `moment`", ["moment"]),
        ("dayjs replaces moment for dates", ["dayjs"]),
        ("Run pytest before each commit", ["pytest"]),
        ("See tools/alembic/readme and alembic-utils", []),
    ],
)
def test_a_line_relies_on_the_packages_that_it_does_not_deny(line: str, names: list[str]) -> None:
    """A line that says that a package is absent, or what replaced it, is not stale."""
    assert list_package_references(line, PACKAGES) == [CodeReference("package", name) for name in names]


@each_case(
    ("file", "row", "names"),
    [
        ("pyproject.toml", 'dependencies=["asyncpg","httpx"]', ["asyncpg", "httpx", "dependencies"]),
        ("web/package.json", '{"dependencies":{"preact":"1"}}', ["dependencies", "preact", "1"]),
        ("Cargo.toml", "[dependencies.serde]", ["serde"]),
        ("Cargo.toml", "tokio.workspace = true", ["tokio"]),
        ("go.mod", "\tgorm.io/gorm/v2 v2.5.0", ["gorm.io/gorm/v2", "gorm"]),
        ("requirements.txt", "# asyncpg", []),
    ],
)
def test_a_row_shows_what_may_be_a_package(file: str, row: str, names: list[str]) -> None:
    """Where a table tells what its words are, each of them may be one; a module of Go has the name that people say, too."""
    assert sorted(read_possible_packages(file, row)) == sorted(names)
