"""The block in which memory gives a session its opening; readers of sessions know memory's own words by its tags."""

from __future__ import annotations

import re
from collections.abc import Iterable

from transforms.pages.visible_text import make_visible
from transforms.patterns.late_pattern import compile_late

OPENING_TAG = "recollect-briefing"

_OUR_TAGS = compile_late(rf"<(\s*/?\s*{OPENING_TAG})", re.IGNORECASE)


def wrap_opening(parts: Iterable[str]) -> str:
    """Return the parts in the tags of memory's own output; nothing in them can end the tags or hide from a reader."""
    body = "\n\n".join(_OUR_TAGS.sub(r"‹\1", make_visible(part)).strip() for part in parts)
    return f"<{OPENING_TAG}>\n{body}\n</{OPENING_TAG}>\n"
