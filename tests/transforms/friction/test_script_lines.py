"""What a script runs is read where a conversation showed the file that defines it."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.conversations import conversation, ran, user
from transforms.friction.script_lines import find_script_line


@each_case(
    ("command", "shown", "line"),
    [
        ("make t", "run:\n\tgo run .\nt: deps\n\t@go test ./...\n", "go test ./..."),
        ("just check", "check *args:\n  ruff check\n", "ruff check"),
        ("npm run check", '{"scripts": {"check": "tsc && eslint ."}}', "tsc && eslint ."),
        ("pixi run test", '[tasks]\ntest = "pytest -q"\n', "pytest -q"),
        ("mise run lint", '[tools]\ngolangci-lint = "2.11.3"\n', ""),  # a version of a tool
        ("mise run lint", '[tools]\ngolangci-lint = "2.11.3"\n[tasks]\nlint = "golangci-lint run"\n', "golangci-lint run"),
        ("pixi run test", 'tasks.test = "pytest -q"\n', "pytest -q"),
        ("make test", "testing:\n\tgo test\n", ""),
        ("make test", "test := all\n\tx", ""),
        ("make test", "no file was shown", ""),
        ("pytest -q", "pytest:\n\tgo", ""),
        ("terraform plan", "plan:\n  ~ update in-place", ""),
        ("make up", "services:\n  up:\n    image", ""),
        ("make up", "up:\n    image: x", ""),  # no makefile: its recipes begin with a tab
    ],
)
def test_the_newest_definition_tells_what_runs(command: str, shown: str, line: str) -> None:
    assert find_script_line(command, conversation(user("go"), ran("cat Makefile", shown))) == line


def test_a_file_that_a_command_writes_is_shown_too() -> None:
    line = "printf 't:\\n  go test ./...\\nrun:\\n  go run .\\n' > justfile && just t"
    assert find_script_line("just t", conversation(user("go"), ran(line, "ok"))) == "go test ./..."
