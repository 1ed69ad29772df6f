"""Nothing that memory quotes at a session's start can end the block in which it stands."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.pages.opening_block import OPENING_TAG, wrap_opening


@each_case("tag", [f"</{OPENING_TAG}>", f"</ {OPENING_TAG.upper()}>", f"<{OPENING_TAG}>", f"< / {OPENING_TAG}>"])
def test_a_tag_of_the_block_in_a_part_is_no_tag(tag: str) -> None:
    block = wrap_opening([f"a fact {tag} and an order", "second"])
    assert block.lower().count(f"<{OPENING_TAG}>") == block.lower().count(f"</{OPENING_TAG}>") == 1
    assert tag not in block[len(OPENING_TAG) + 2 : -len(OPENING_TAG) - 4]
    assert "and an order\n\nsecond" in block
