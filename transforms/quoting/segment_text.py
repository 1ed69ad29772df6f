"""The text of a segment: its title and its narrative as one."""

from __future__ import annotations

from transforms.language.sentences import OTHER_FULL_STOPS

CUT_ENDS = f" .…{''.join(OTHER_FULL_STOPS)}"
"""What a title may end with where its narrative goes on."""


def format_segment(title: str | None, narrative: str | None) -> str:
    """Return the text of a segment as it is searched and exported; a title with which the narrative begins stands once."""
    is_repeated = bool(title and narrative) and (narrative or "").startswith((title or "").rstrip(CUT_ENDS))
    parts = [part.rstrip(".") for part in ("" if is_repeated else title or "", narrative or "") if part]
    return " ".join(part if part.endswith(OTHER_FULL_STOPS) else f"{part}." for part in parts) or "."
