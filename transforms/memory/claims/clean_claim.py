"""Cleans a sentence that becomes a line: what opens it goes, and who reports it, curses, and the first person."""

from __future__ import annotations

import re

from transforms.exchanges.choosing.answered_question import capitalise
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.stops import drop_end_stops
from transforms.words.word_classes import POSSESSIVES_OF_OTHERS

_OWNER_SAID = compile_late(
    r"^(?:the )?(?:user|owner|developer|maintainer)(?:'s)?\s+(?:has\s+|had\s+)?(?:also\s+|explicitly\s+|clearly\s+)?"
    r"(?:stated|said|says|explained|noted|confirmed|established|decided|clarified|pointed out|specified|ruled|insists?"
    r"|insisted|mentioned)"
    r"(?:\s*:|\s+that)?\s+",
    re.I,
)
_SUBJECT = compile_late(
    r"^(?:the )?(?:user|owner|developer)\s+(?:also |always |explicitly )?(?=(?:wants?|prefers?|likes?|dislikes?|hates?"
    r"|requires?|demands?|expects?|uses?|wanted|required|demanded)\b)",
    re.I,
)
_FINDING = compile_late(
    r"^(?:(?:so|ah|ok|okay|found it|aha)[,:!.]?\s+)*(?:the )?(?:root cause|(?:real |actual |main |underlying "
    r"|key )?(?:issue|problem|cause|reason|bug|pattern|key insight|culprit))"
    r"(?:\s+(?:here|of [^:,]{3,60}?))?\s*(?:is|was|:|lies in)\s*:?\s*(?:that\s+|because\s+)?",
    re.I,
)
_INVARIANT = compile_late(
    r"\b(?:invariant|rule|constraint|convention|requirement)\s*(?:is\s+|says\s+)?(?:that\s+|:\s*)(?P<claim>\S.{15,})", re.I
)
_CURSES = compile_late(
    r"\b(?:f+u+c+k+(?:in['g]?g?)?|goddamn(?:ed)?|god damn(?:ed)?|damn(?:ed)?|bloody|freaking"
    r"|frigging)\s+",
    re.I,
)
_CRUDE = compile_late(r"\b(?:shit\w*|f+u+c+k\w*|crap\w*|bullshit|idiot\w*|stupid)\b", re.I)
_OPENERS = compile_late(  # "no console logs" must not become "console logs": a few words open only in front of a comma
    r"^(?:(?:(?:no|nope|well|right|yes|yeah|great|cool|agreed|exactly|look|listen|again|alright|man|bro|hey|dude)(?=\s*[,:;!.-])"
    r"|ok(?:ay)?|so|my dude|btw|also|and|but|then|now|please"
    r"|pls|actually|i think|i guess|i feel like|imo|imho|remember(?: that)?|note that|from now on)[\s,:;!.-]+)+",
    re.I,
)
_PREAMBLE = compile_late(
    r"^(?:(?![^:—–]*\bfor\b)(?=[^:—–]*\b(?:rules?|conventions?|preferences?|wish|remember|note|reminder|deci(?:sion|ded)"
    r"|important)\b)"
    r"[^:—–]{3,90}?(?::|\s[-–—])\s+"
    r"|(?:(?:one|another|something)\b|(?:for|on|about)\s)[^:—–]{0,85}?(?::|\s[-–—])\s+"
    r"(?=i(?:'d| would)? (?:always |never )?(?:prefer|want|like|hate|rather)\b))",
    re.I,
)
"""A preface: a head that calls what follows a rule, or before a wish one of quantity or topic ("One more thing: I prefer …").

A head that is somebody's ("Tom's rule"), or any other, stays: it may be who said it ("Lena in the standup: I never want …").
"""
_CONTRACTIONS = frozenset({"it's", "that's", "let's", "here's", "what's"})
_SPEAKER = compile_late(r"(?P<condition>\b(?:without|before|unless|until)\b[^,;.]*\s)me\b", re.I)
"""The person who speaks, in a condition of what they say: in a line that stands alone it is the owner ("without asking me")."""
_FIRST_PERSON_REWRITES = (
    (compile_late(r"^i prefer that you ", re.I), "Prefers that agents "),
    (compile_late(r"^you (?:must|should|have to|need to|can|may|shall) (?=(?:never|always|only)\b)", re.I), ""),
    (compile_late(r"^you (?:must|should|can|may|shall)(?: ?not|n'?t) (?:ever )?", re.I), "Never "),
    (compile_late(r"^you (?:must|have to) ", re.I), "Always "),
    (compile_late(r"^i(?:'d| would) (?:really |much )?only (?:want|like|accept) ", re.I), "Only wants "),
    (compile_late(r"^i only want ", re.I), "Only wants "),
    (compile_late(r"^i(?:'d| would) (?:really |much )?rather ", re.I), "Would rather "),
    (compile_late(r"^i(?:'d| would) (?:really |much )?(?:prefer|like) ", re.I), "Prefers "),
    (compile_late(r"^i (?:do not|don'?t) (?:really )?(?=(?:like|want|need|use|care|trust)\b)", re.I), "Does not "),
    (
        compile_late(
            r"^i (?:really |much |generally |usually )?(prefer|want|like|love|hate|dislike|need|expect|use"
            r"|trust) (?!you\b|to\b)",
            re.I,
        ),
        r"\1s ",
    ),
    (
        compile_late(
            r"^i (always|never|usually) (use|want|prefer|need|write|run|keep|read|test|commit"
            r"|check) ",
            re.I,
        ),
        r"\1 \2s ",
    ),
    (compile_late(r"^my (?:preference|preferred \w+|favou?rite \w+) is ", re.I), "Prefers "),
)
_SUBJECT_FIRST = compile_late(r"^(?P<subject>[\w`][\w`./ -]{2,40}?)(?::\s+| [—–] )(?P<rest>\S.{12,})$")
_NO_SUBJECT = compile_late(
    r"^(?:(?:\S+\s+){3,}|(?:wants?|prefers?|only|always|never|use|keep|no|does|would|hates?|likes?|every"
    r"|release process|decided|updated|user)\b)",
    re.I,
)
_RIGHT_NOW = compile_late(r"^`[^`]+`,?\s+and\s+(?=(?:never|always|only)\b)", re.I)
_CHANGED = compile_late(r"^we (?:change|changed) (?:the )?(?P<what>[^,]{3,60}?) from (?P<old>[^,]{1,40}?) to (?P<new>.+)$", re.I)


def _is_somebodys(head: str) -> bool:
    """Whether the head of a sentence says that a third person's rule or wish follows ("Tom's rule: …")."""
    words = head.casefold().replace("’", "'").split()
    return any(word in POSSESSIVES_OF_OTHERS or (word.rstrip(":").endswith("'s") and word not in _CONTRACTIONS) for word in words)


def drop_reporting(body: str) -> str:
    """Return an item without the words that only report it: who said it, and that it was found."""
    first, _, rest = body.partition(" ")
    if first.lower() in ("must", "should"):  # the items of a list of constraints leave their subject out
        body = f"Agents {first.lower()} {rest}"
    body = _OWNER_SAID.sub("", body)
    body = _SUBJECT.sub("", body)
    return _FINDING.sub("", body)


def clean_claim(part: str, *, is_quote: bool = False) -> str:
    """Return a sentence, or a part of one, without what opens it: "and", "yes", "no", a preface."""
    text = " ".join(part.split()).rstrip(" -–—,;")
    text = text if text.startswith("--") and text[2:3].isalpha() else text.lstrip(" -–—,;")  # the option of a command stays
    invariant = _INVARIANT.search(text)
    if invariant and not _is_somebodys(text[: invariant.start("claim")]):
        text = invariant["claim"]
    text = _OPENERS.sub("", text)
    preface = _PREAMBLE.match(text)
    if preface and not _is_somebodys(preface[0]):
        text = text[preface.end() :]
    text = _RIGHT_NOW.sub("", _OPENERS.sub("", text))
    text = _CHANGED.sub(r"The \g<what> is \g<new>, no longer \g<old>", drop_end_stops(text))
    text = re.sub(r",? whatever (?:it|that) is$", "", drop_end_stops(_CURSES.sub("", text)))
    if is_quote:
        for pattern, replacement in _FIRST_PERSON_REWRITES:
            text, count = pattern.subn(replacement, text, count=1)
            if count:
                break
    if is_quote:
        text = _SPEAKER.sub(r"\g<condition>the owner", text)
    text = drop_end_stops(re.sub(r"\s*!+$", "", _drop_crude_clauses(text)))
    text = re.sub(r"\b(NEVER|ALWAYS|MUST|NOT|ONLY)\b", lambda word: word[0].lower(), text)
    return _emphasise_subject(capitalise(text))


def split_at_commas(text: str) -> list[str]:
    """Return the parts of a text that end with a comma; a comma in quotation marks, code or brackets ends none."""
    parts = list[str]()
    for piece in re.split(r"(?<=,)\s+", text):
        if parts and _is_open(parts[-1]):
            parts[-1] += f" {piece}"
        else:
            parts.append(piece)
    return parts


def _is_open(text: str) -> bool:
    opened, closed = len(re.findall(r"(?<!\w)'(?=\S)", text)), len(re.findall(r"(?<=\S)'(?!\w)", text))
    is_bracketed = any(text.count(first) > text.count(last) for first, last in ("()", "[]", "{}", "“”"))
    return opened > closed or is_bracketed or text.count('"') % 2 == 1 or text.count("`") % 2 == 1


def _drop_crude_clauses(text: str) -> str:
    """Return the clauses before the first crude one; empty when the first one is crude."""
    clauses = split_at_commas(text)
    clean_clauses = clauses[: next((position for position, clause in enumerate(clauses) if _CRUDE.search(clause)), len(clauses))]
    return " ".join(clean_clauses).rstrip(",")


def _emphasise_subject(text: str) -> str:
    """`Redis: runs in Docker` → `**Redis** — runs in Docker`; a line without such a head stays as it is."""
    match = _SUBJECT_FIRST.match(text)
    if match is None or "**" in text or match["subject"].count("`") % 2 or _NO_SUBJECT.match(match["subject"]):
        return text
    return f"**{match['subject']}** — {match['rest']}"
