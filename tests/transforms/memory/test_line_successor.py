"""What stands beside a line of the owner may go into MEMORY.md with it, or holds for the moment."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.memory.line_successor import may_stand_beside


@each_case(
    ("sentence", "is_kept"),
    [
        ("version 0.4.0, tag, commit", False),
        ("tag and push", False),
        ("commit it now", False),
        ("maybe the insurance wants it", False),
        ("the bench probe is 0483:374e", True),
        ("Insurance wants it", True),
        ("Telemetry can go, oldest first", True),
        ("never rewrite what others may have fetched", True),
        ("and nothing goes out after 4pm or on a friday", True),
    ],
)
def test_an_order_of_the_moment_does_not_stand_beside_a_rule(sentence: str, is_kept: bool) -> None:
    assert may_stand_beside(sentence) == is_kept
