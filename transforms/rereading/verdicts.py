"""Joins the word checks with a second reading: the reading decides the cases that words alone leave in doubt."""

from __future__ import annotations

from transforms.rereading.reading_answer import Reading
from transforms.tables.enums import Verdict

DOUBTFUL = (
    "not in the window:",
    "time not in the cited entries:",
    "date not in the window:",
    "a question is not a decision",
    "the owner did not say:",
)
"""Beginnings of the reasons about which a reading knows more than words: a sum, a rounded or spelt-out value, a synonym, an
"every" that the owner meant or agreed to. The others guard the owner's voice and memory itself, and no reader of the same text
may lift them: a fact that nobody typed stays held."""
READ_AS = "second reading"
KEPT_PART = f"{READ_AS}, in part"
"""Beginning of the reason of a fact whose text is what a reading left of it."""


def is_let_through(checked: tuple[Verdict, str]) -> bool:
    """Whether a fact that a reading supports goes further: nothing or only its words were in doubt."""
    verdict, reason = checked
    return verdict == "allow" or (verdict == "hold" and reason.startswith(DOUBTFUL))


def join_verdicts(
    checked: tuple[Verdict, str], reading: Reading | None, *, is_whole: bool, noted: str = "", noted_kind: str = ""
) -> tuple[Verdict, str]:
    """Return the verdict on a fact with its reason.

    A wrong fact is held in any words, and so is one that is absent from its citations although the reader saw them
    whole (`is_whole`). A supported one is let through when only its words were in doubt. With `noted`, which is what the
    fact said before, a part of it stands for it and is let through; with `noted_kind`, the kind it had, it goes further under the
    kind that the reading gives it. Without a reading, and where an excerpt may lack the fact's evidence, the word checks decide.
    """
    verdict, reason = checked
    if reading is None or verdict == "discard":
        return checked
    if noted:
        return "allow", f"{KEPT_PART}: {reading.reason or reason}; noted: {noted}"
    if noted_kind:
        return "allow", f"{READ_AS}: {reading.kind}, noted as {noted_kind}"
    if reading.verdict in ("partly", "wrong") and verdict == "allow":
        return "hold", f"{READ_AS}: {reading.reason}"
    if reading.verdict == "absent" and verdict == "allow" and is_whole:
        return "hold", f"{READ_AS}: absent from what it cites"
    if reading.verdict == "supported" and is_let_through(checked):
        return "allow", ""
    return checked
