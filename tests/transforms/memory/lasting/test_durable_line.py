"""Whether a line would still be worth knowing next month, by its words and its kind."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.memory.lasting.durable_line import is_durable, is_vouched_for


@each_case(
    ("line", "kind", "expected"),
    [
        ("Never dry the nets on the pier", "rule", True),
        ("Nets dry on the pier", "rule", False),
        ("Nets are dried in the shed because the pier is wet", "decision", True),
        ("Nets dry in the shed", "convention", True),
        ("Never dry the nets today", "rule", False),
        ("We dont like the nets on the pier do we", "rule", False),
        ("Whats dried on the pier is never dried in the shed", "rule", True),
    ],
)
def test_typed_words_last_by_what_they_forbid_reason_or_agree(line: str, kind: str, expected: bool) -> None:
    assert is_durable(line, kind, is_quote=True, is_lasting=False) is expected


def test_a_summary_vouches_for_its_constraints_and_not_for_its_tasks() -> None:
    assert is_vouched_for("Nets are only dried in the shed", "summary", "convention")
    assert not is_vouched_for("Add a hook for the nets", "summary", "convention")
