"""The part of a fact that holds, when a second reading found another part, or only its kind, false, or checks refuse an aside."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.distil.engine_result import Fact
from transforms.distil.fact_grounding import check_fact, find_missing_specific
from transforms.distil.window_evidence import WindowEvidence
from transforms.language.entities import find_dates
from transforms.patterns.folding import fold_writing
from transforms.patterns.late_pattern import compile_late
from transforms.rereading.excerpts import list_stems
from transforms.rereading.verdicts import is_let_through
from transforms.tables.enums import OPEN_KINDS, PRIORITY_ORDER, FactKind, Priority
from transforms.tables.fact_notes import cut_notes

PLAIN_KINDS: Mapping[FactKind, Priority] = {
    "request": "high", "file_change": "medium", "rejected": "medium", "fact": "medium", "error": "medium", "progress": "low",
    "question": "low", "task": "low",
}  # fmt: skip
"""Kinds that claim little, with their usual priority: a reading may give a fact one of them, and none that binds or is done."""
_PARENTHESIS = compile_late(r"\s*\([^()]*\)")
_BETWEEN_COMMAS = compile_late(r",[^,;:()]*(?=[,;])")


def keep_part(fact: Fact, holds: str, window: WindowEvidence) -> Fact | None:
    """Return the fact with only the words that hold, None when they may not stand for it.

    They are shorter than the fact, pass the checks that a supported fact has to pass, and have no name, value or content word
    that neither the fact nor an entry that it cites has. A date or a file that only the false part named is gone.
    """
    text = " ".join(holds.split())
    if not text or len(text) >= len(fact.text):
        return None
    cited = window.find_entries(fact.ordinals)
    sources = WindowEvidence(tuple(cited), window.zone, earlier=(fact.text,))
    known = list_stems(fact.text).union(*(list_stems(entry.text) for entry in cited))
    if find_missing_specific(text, sources) or not list_stems(text) <= known:
        return None
    is_dated = find_dates(text) == find_dates(fact.text)
    part = fact.model_copy(
        update={
            "text": text,
            "refers_to": fact.refers_to if is_dated else None,
            "files": tuple(file for file in fact.files if file in text or file not in fact.text),
        }
    )
    return part if is_let_through(check_fact(part, window)) else None


def keep_as_kind(fact: Fact, kind: str, window: WindowEvidence) -> Fact | None:
    """Return the fact under a kind that claims less, with no more than its usual priority.

    None when the kind is none of these, or the fact does not pass the checks of that kind.
    """
    plain = next((known for known in PLAIN_KINDS if known == kind), None)
    if plain is None or plain == fact.kind or fact.kind in OPEN_KINDS:
        return None
    priority = max(fact.priority, PLAIN_KINDS[plain], key=PRIORITY_ORDER.__getitem__)
    lowered = fact.model_copy(update={"kind": plain, "priority": priority})
    return lowered if is_let_through(check_fact(lowered, window)) else None


def keep_without_aside(fact: Fact, refused: str, window: WindowEvidence) -> Fact | None:
    """Return the fact without the parenthesis, or the stretch between two commas, in which a check `refused` something.

    None when the rest does not pass. A note stays: what it says would be missing.
    """
    claim, wanted = cut_notes(fact.text), fold_writing(refused).lower()
    for aside in (*_PARENTHESIS.finditer(claim), *_BETWEEN_COMMAS.finditer(claim)):
        if not wanted or wanted not in fold_writing(aside[0]).lower() or aside[0].count("`") % 2:
            continue
        part = keep_part(fact, fact.text[: aside.start()] + fact.text[aside.end() :], window)
        if part and check_fact(part, window)[0] == "allow":
            return part
    return None
