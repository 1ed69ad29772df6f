"""An agent's words as claims: statements about the work that stand alone, without announcements, offers and interjections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from transforms.language import cues, entities
from transforms.language.sentences import Block, blocks, sentences, shorten, words

_POINTS_BACK = re.compile(
    r"^(?:it|this|that|these|those|they|which|so|then|also|but|however|both|either|neither|all (?:three|of (?:them|these"
    r"|those)))\b",
    re.I,
)
_TO_READER = re.compile(
    r"^(?:(?:now |then |you can |please |to )?(?:run|try|test|check|compare|open|restart|send|look|use|see|note|click"
    r"|search|set|press|type|verify)\b"
    r"|(?:for example|e\.g|here'?s|here is|here are|this will|you(?:'ll|'d| will| can| could| should| need| may| typed"
    r"| said| asked| want(?:ed)?| are| were| have| see)|can you"
    r"|could you|let me know|feel free))",
    re.I,
)
_ASKS = re.compile(
    r"(?:did|do|does|is|are|was|were|have|has|can|could|should|would|will) (?:we|i|you|it|they|this|that|the|there)\b", re.I
)
_TALLY = re.compile(
    r"(?:,(?: and| also)?| and) (?:updat|adjust|correct|bump)\w+ (?:the )?"
    r"(?:total|count|tally|number of [\w -]{2,30}?)(?: count)? from \d+ to \d+(?: [a-z]+){0,2}$",
    re.I,
)
"""A count mended in passing: it follows from the change that it stands behind, and the next change makes it wrong."""
CLAIM_CHARS = 330


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement; `heading` is the heading it stood under, `is_item` when it was made of list items, `is_continued` of
    the later items of a long list."""

    text: str
    heading: str
    is_item: bool
    position: int
    is_continued: bool = False


def claims_of(text: str) -> list[Claim]:
    """What a message claims, in order; items of one list that belong together are one claim of at most CLAIM_CHARS."""
    found: list[Claim] = []
    heading, lead, group, continued = "", "", list[str](), False

    def flush(*, is_full: bool = False) -> None:
        nonlocal continued
        if group:
            found.append(Claim(_joined(lead or heading, group), heading, True, len(found), continued))
            group.clear()
        continued = is_full

    for block in blocks(text):
        if block.kind == "item":
            item = _TALLY.sub("", block.text if block.text.endswith(("?", "!")) else block.text.rstrip(".:"))
            if group and len(_joined(lead or heading, [*group, item])) > CLAIM_CHARS:
                flush(is_full=True)
            group.append(item)
            continue
        flush()
        if block.kind == "heading":
            heading, lead = block.text, ""
        else:
            lead = _add_paragraph(block, heading, found)
    flush()
    return [claim for claim in found if not cues.INJECTION.search(claim.text)]


def _add_paragraph(block: Block, heading: str, found: list[Claim]) -> str:
    """Adds the paragraph's statements; its last words when they introduce a list."""
    lead = ""
    pending = ""
    for sentence in map(declarative, sentences(declarative(block.text))):
        if sentence.endswith(":"):
            lead = sentence.rstrip(":")
        elif not is_talk(sentence):
            if (
                pending
                and not cues.UNDONE.match(sentence)
                and (len(pending) + len(sentence) < CLAIM_CHARS and (_POINTS_BACK.match(sentence) or len(pending) < 60))
            ):
                pending = f"{pending} {sentence}"
                continue
            if pending:
                found.append(Claim(pending, heading, False, len(found)))
            pending = "" if _dangles(sentence) and not found and not pending else sentence
    if pending:
        found.append(Claim(pending, heading, False, len(found)))
    return "" if is_talk(lead) and not cues.CHANGED.search(lead) else declarative(lead)


def _dangles(sentence: str) -> bool:
    """Whether it points back to something that is not there; a cause with a name stands ("This is because `x` …")."""
    if not _POINTS_BACK.match(sentence):
        return False
    _, colon, rest = sentence.partition(": ")
    if colon and len(words(rest)) >= 4 and cues.FAILED_ATTEMPT.search(sentence):
        return False  # "That did not work: a longer timeout …" names it
    return not (cues.STRONG_CAUSE.search(sentence) and entities.count(sentence))


def _joined(lead: str, items: list[str]) -> str:
    body = "; ".join(items)
    return f"{lead}: {body}" if lead else body


def declarative(text: str) -> str:
    """The text without interjections in front ("Done!") and without the agent's "I've": "Ported a.ts …"."""
    bare = cues.INTERJECTION.sub("", text).strip()
    bare = cues.FIRST_PERSON.sub("", bare)
    return bare[:1].upper() + bare[1:] if bare[:1].islower() and bare.split(" ", 1)[0].isalpha() else bare


def is_talk(sentence: str) -> bool:
    """Announcements, offers, questions and instructions to the reader: nothing that was found or done."""
    return bool(
        not sentence
        or _ASKS.match(sentence)
        or re.match(r"you\b|if (?:the|you|it|both|all|that|they|this)\b", sentence, re.I)
        or cues.INTENT.match(sentence)
        or cues.OFFER.match(sentence)
        or sentence.endswith("?")
        or _TO_READER.match(sentence)
    )


def findings_of(text: str) -> Iterator[str]:
    """Statements inside a working message that say why something is as it is; with the sentence they point back to."""
    for claim in claims_of(text):
        if not cues.HEDGE.search(claim.text) and not cues.PLAN_HEADING.search(claim.heading) and _is_finding(claim.text):
            yield claim.text.rstrip(":")


def _is_finding(sentence: str) -> bool:
    if (
        cues.CAUSE.search(sentence)
        or cues.STRONG_CAUSE.search(sentence)
        or cues.FAILED_ATTEMPT.search(cues.CODE.sub("", sentence))
    ):
        return True
    return bool((cues.DONE.search(sentence) or cues.CHANGED.search(sentence)) and entities.count(sentence))


def headline(text: str, limit: int = 200) -> str:
    """The one claim that says what came of it: the first statement of the message, with its items when it introduces some."""
    told = ""
    found = claims_of(text)
    substantial = next((at for at, claim in enumerate(found[:5]) if entities.count(claim.text)), 0)
    for claim in found[substantial:]:
        if cues.PLAN_HEADING.search(claim.heading) or cues.HEDGE.search(claim.text):
            continue
        if len(told) > 70 or (told and len(told) + len(claim.text) >= limit):
            break
        told = f"{told} {claim.text}".strip()
        if not told.endswith((".", "!", "…")):
            break
    return shorten(told, limit)
