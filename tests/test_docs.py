"""What the README says is what there is: commands, settings, tables."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from effects.config.configuration import explain, load_settings
from recollect.cli import COMMANDS, run
from transforms.tables.dictionary_page import tables_page
from transforms.tables.schema import TABLES

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def options(capsys: pytest.CaptureFixture[str], *command: str) -> set[str]:
    """The long options in the help of a command."""
    assert run([*command, "--help"]) == 0
    return set(re.findall(r"^  (?:-k, )?(--[a-z-]+)", capsys.readouterr().out, re.MULTILINE)) - {"--help", "--version"}


@pytest.mark.parametrize("name", [name for name, _, _ in COMMANDS])
def test_every_command_and_each_of_its_options_is_in_the_readme(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In the row of the command; --json, --as-of and --direct mean the same everywhere."""
    rows = [line for line in README.splitlines() if line.startswith(f"| `recollect {name}")]
    assert len(rows) == 1
    found = options(capsys, name) | (options(capsys, name, "apply") if name == "review" else set())
    assert {option for option in found - {"--json", "--as-of", "--direct"} if option not in rows[0]} == set()


def test_the_readme_lists_no_command_that_does_not_exist() -> None:
    """Only what works is listed."""
    assert set(re.findall(r"(?:`|bin/)recollect ([a-z]+)", README)) == {name for name, _, _ in COMMANDS}


def test_every_setting_is_in_the_readme() -> None:
    """And every setting in the README exists."""
    known = {item.variable for item in explain(load_settings())} | {"RECOLLECT_CONFIG"}
    assert known == set(re.findall(r"RECOLLECT_[A-Z_]*[A-Z]", README))


def test_the_table_of_tables_is_the_schema() -> None:
    """Generated from `transforms/tables/schema.py`; `UPDATE_GOLDEN=1` writes it again."""
    before, _, rest = README.partition("<!-- tables -->\n")
    shown, _, after = rest.partition("<!-- /tables -->")
    if os.environ.get("UPDATE_GOLDEN"):
        (ROOT / "README.md").write_text(f"{before}<!-- tables -->\n{tables_page()}<!-- /tables -->{after}", encoding="utf-8")
        shown = tables_page()
    assert shown == tables_page()
    assert all(f"`{name}`" in shown for name in TABLES)


def test_every_file_that_the_readme_points_to_exists() -> None:
    """Modules, folders and pages of this repository; what a run makes is left out."""
    made = ("data/workspace", "data/lake", "memory/", "briefing/", "LAKE/", "pages/", "llm/", "samples/")
    for name in re.findall(r"`((?:[\w-]+/)+[\w.-]*)`", README):
        assert name.startswith(made) or (ROOT / name).exists(), name
