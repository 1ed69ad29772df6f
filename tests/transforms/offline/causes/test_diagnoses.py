"""Which words call something a cause."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.offline.causes.diagnoses import names_outright


@each_case(
    "text, is_cause",
    [
        ("The root cause is the time-based seed.", True),
        ("Both are slow, so the allocator is the cause.", True),
        ("488 double rows. **Cause:** the clocks differ.", True),
        ("It waits because the pool is small.", False),
        ("The allocator is not the cause.", False),
        ("Name the cause in the log.", False),
        ("Status: the clocks differ.", False),
    ],
)
def test_a_cause_is_named_by_a_cue_a_predicate_or_a_label(text: str, is_cause: bool) -> None:
    """A word of reason alone names none."""
    assert names_outright(text) == is_cause
