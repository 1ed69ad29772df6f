"""Judges whether a document of recall was forgotten, from its columns alone: a question has no time for frames."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from transforms.tables.ids import hash_text

TURN = "turn:"
"""Prefix of a target that hides an entry and nothing that cites it."""


def is_forgotten_document(row: Mapping[str, Any], forgotten: Set[str]) -> bool:
    """Whether one of the ids names the document by its id, session, text, or an entry that it cites.

    Facts and condensed periods that are named otherwise must be among the ids (`effects.store.forgotten.list_forgotten_ids`).
    """
    session = row["session_id"]
    names = {row["id"], row["key"], session, f"{TURN}{row['id']}", hash_text(row["text"] or ""), *(row["also"] or ())}
    names.update(f"{session}:{entry}" for entry in row["entry_ids"] or ())
    return not forgotten.isdisjoint(names)
