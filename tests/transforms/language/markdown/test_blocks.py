"""Blocks of Markdown: commands and tables stand with the words around them, and say nothing that nobody wrote."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.language.markdown.blocks import list_table_rows, parse_blocks


def read(markdown: str) -> list[str]:
    """Kinds and texts of the blocks of a text."""
    return [f"{block.kind}: {block.text}" for block in parse_blocks(markdown)]


@each_case(
    ("markdown", "blocks"),
    [
        (
            "Not here. I ran:\n\n```bash\ngo vet ./...\n```\n\nin a temporary folder.\n\nThe doctor passes.",
            ["paragraph: Not here. I ran: `go vet ./...` in a temporary folder.", "paragraph: The doctor passes."],
        ),
        (
            "- Override it with:\n\n```go\nKind: sts.JWT\n```\n\n- The import has it.",
            ["item: Override it with: `Kind: sts.JWT`", "item: The import has it."],
        ),
        (
            "Checked:\n```sh\n# all of it\nmake lint\nmake test\n```\nThe tree is clean.",
            ["paragraph: Checked: `make lint`, `make test`", "paragraph: The tree is clean."],
        ),
        ("It printed:\n```\n" + "line\n" * 9 + "```\nThen it ended.", ["paragraph: It printed…", "paragraph: Then it ended."]),
        ("Set:\n```json\n{\n}\n```\nin the settings.", ["paragraph: Set … in the settings."]),
        ("It failed.\n```\nboom\n```\nThen it ended.", ["paragraph: It failed.", "paragraph: Then it ended."]),
        ("## Run:\n```\nmake\n```\nIt builds.", ["heading: Run", "paragraph: It builds."]),
    ],
)
def test_what_announces_code_has_it_and_introduces_nothing_else(markdown: str, blocks: list[str]) -> None:
    """ "I ran: In a temporary folder" was told, and the command was not."""
    assert read(markdown) == blocks


def test_a_comment_of_commands_is_no_heading() -> None:
    """What stood behind it had it as its lead: "or create the path: The clone is removed"."""
    commands = "- Clone it:\n  git clone https://a.b/c\n  # or create the path:\n  mkdir -p agents\n\n- The clone is removed."
    assert read(commands) == ["item: Clone it: git clone https://a.b/c mkdir -p agents", "item: The clone is removed."]
    assert read("Done.\n# Next\n- Push it.") == ["paragraph: Done.", "heading: Next", "item: Push it."]


def test_a_number_in_a_table_is_told_unless_it_counts_the_rows() -> None:
    """The corrected value of a row is often a number alone."""
    table = "| # | Item | Was | Is |\n|---|---|---|---|\n| 1 | agents | 28+ | 34 |\n| 2 | tickets | 8 | 12 |"
    assert list_table_rows(table).split("\n") == [
        "", "- Item: agents, Was: 28+, Is: 34", "- Item: tickets, Was: 8, Is: 12", "",
    ]  # fmt: skip
    ports = "| Port | Service |\n|---|---|\n| 8080 | api |\n| 8090 | web |"
    assert "- 8080, Service: api" in list_table_rows(ports)
