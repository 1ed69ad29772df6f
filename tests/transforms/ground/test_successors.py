"""What a removed name became is told where the commit shows one thing in its place, and nowhere else."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.ground.successors import find_renamed_path, find_renamed_target, find_renamed_word, read_targets


@each_case(
    ("file", "text", "targets"),
    [
        ("Makefile", ".PHONY: lint\nX := 1\nlint check: src\n\truff .\n\tmypy\nt-%:\n\tpytest\n",
         {"lint": "ruff .\nmypy", "check": "ruff .\nmypy", "t-%": "pytest"}),
        ("justfile", "set shell := ['sh']\nseed db='x:y':\n    python seed.py\n@quiet: seed\n",
         {"seed": "python seed.py", "quiet": ""}),
        ("web/package.json", '{"scripts":{"css":"x"},"dependencies":{"preact":"1"}}', {"css": "x"}),
        ("package.json", '{"scripts":{"css":"x",', {"scripts": "", "css": ""}),
        ("package.json", "[1]", {}),
    ],
)  # fmt: skip
def test_targets_are_read_with_what_they_run(file: str, text: str, targets: dict[str, str]) -> None:
    """Variables, settings and special targets are none."""
    assert read_targets(file, text) == targets


@each_case(
    ("before", "after", "new"),
    [
        ({"seed-db": "x", "lint": "y"}, {"db-seed": "x", "lint": "y"}, "db-seed"),
        ({"seed-db": "x", "lint": "y"}, {"docs": "z", "db-seed": "x"}, "db-seed"),
        ({"seed-db": "x"}, {"db": "z"}, "db"),
        ({"seed-db": "x", "lint": "y"}, {"docs": "z"}, ""),
        ({"seed-db": ""}, {"docs": "", "css": ""}, ""),
        ({"seed-db": "x"}, {}, ""),
    ],
)
def test_a_target_became_the_one_that_runs_the_same_or_the_only_new_one(
    before: dict[str, str], after: dict[str, str], new: str
) -> None:
    """Two that went or two that came show nothing, unless what they run tells."""
    assert find_renamed_target(before, after, "seed-db") == new


@each_case(
    ("rows", "old", "new"),
    [
        (["-case $1 in --dry-run) ;;", "+case $1 in --plan) ;;"], "--dry-run", "--plan"),
        (["--    '--dry-run',", "--    '--fast',", "+    '--plan',", "+    '--slow',"], "--dry-run", "--plan"),
        (["-run --dry-run", "+run --plan", "@@ -9 +9 @@", "-x --dry-run"], "--dry-run", "--plan"),
        (["-run --dry-run", "+run --plan", "@@ -9 +9 @@", "-x --dry-run", "+x --check"], "--dry-run", ""),
        (["-run --dry-run", "+run --plan --force"], "--dry-run", ""),
        (["-run --dry-run"], "--dry-run", ""),
        (["-def charge_card(a): pass", "+def charge(a): pass"], "charge_card", "charge"),
        (["-def charge_card(a): pass", "+def charge(b): pass"], "charge_card", ""),
        (["-a.b = 1", "+a.c = 1"], "a.b", ""),
    ],
)
def test_a_word_became_the_one_that_stands_wherever_it_was_taken_out(rows: list[str], old: str, new: str) -> None:
    """Places that only lose it do not count, places that disagree show nothing."""
    assert find_renamed_word("\n".join(["diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1 +1 @@", *rows]), old) == new


@each_case(
    ("renames", "old", "new"),
    [
        ([("src/a.py", "src/b.py")], "src/a.py", "src/b.py"),
        ([("api/src/a.py", "api/src/b.py")], "src/a.py", "api/src/b.py"),
        ([("src/print/a.py", "src/printer/a.py"), ("src/print/b.py", "src/printer/b.py")], "src/print", "src/printer"),
        ([("src/print/a.py", "src/printer/a.py"), ("src/print/b.py", "lib/b.py")], "src/print", ""),
        ([("src/print/a.py", "src/x.py")], "src/print", ""),
        ([], "src/print", ""),
    ],
)
def test_a_path_became_the_one_that_git_shows(renames: list[tuple[str, str]], old: str, new: str) -> None:
    """A folder became another one when all its files went there."""
    assert find_renamed_path(renames, old) == new
