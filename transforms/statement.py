"""A fact taken apart for comparison: its words with their polarity, its numbers, names and paths, and who does what to whom."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from transforms.lexicon import GENERIC, SYNONYMS, word_set
from transforms.words import STOP, stem

_QUOTED = re.compile(r'^[^":]{1,60}: "(?P<quote>[^"]*)"(?P<rest>.*)$', re.DOTALL)
_SAID = re.compile(
    r"^(?:the |our )?(?:user|owner|agent|assistant|team|we|[A-Z][a-z]+)\s+(?:has |have |had |also |explicitly |clearly |now )*"
    r"(?:stated|said|says|explained|noted|confirmed|established|decided|clarified|specified|mentioned|announced"
    r"|agreed|asked|requested|reported)"
    r"(?:\s*:|\s+that)\s+",
)
_WISHES = re.compile(
    r"(?:(?:also|always|really|strongly|explicitly) )*(?:prefer|want|like|dislike|hate|love|expect|need|require|ask"
    r"|allow)(?:s|ed)?\b"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|\s*;\s+|\n+")

_TOKEN = re.compile(
    r"`(?P<code>[^`\n]{1,200})`"
    r"|(?P<url>[a-z][a-z0-9+.-]*://[^\s)>\]\"'`]+)"
    r"|(?P<path>(?:[\w.@~+-]*/)+[\w.@+*-]*[\w*]|~/?[\w./-]*"
    r"|[\w+-]*[A-Za-z_][\w+-]*(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,4}\b(?!\())"
    r"|(?P<number>(?<![\w])[#v$€~]?\d[\d,_]*(?:\.\d+)*(?:%|[a-zA-Z]{1,8}\b)?)"
    r"|(?P<flag>(?<!\w)--?[A-Za-z][\w-]+)"
    r"|(?P<word>[^\W\d_][\w'’]*(?:-[\w'’]+)*)"
    r"|(?P<arrow>->|→|=>)|(?P<stop>[.,;:!?()\[\]–—\"])"
)  # fmt: skip
_NAME = re.compile(r"[a-z][A-Z]|_|\d|^[A-Z]{2,}[a-z]*[A-Z]")
_NUMBER = re.compile(r"^([#v$€~]?)([\d,_]*\d(?:\.\d+)*)(%|[a-zA-Z]*)$")
_COUNTED = ("zero", "single", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TENS = {"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100"}
_NUMERALS = {word: str(value) for value, word in enumerate(_COUNTED)} | _TENS | {"once": "1", "twice": "2"}
_UNITS = {
    stem(word): unit
    for unit, line in {
        "ms": "ms millisecond milliseconds msec", "s": "s sec secs second seconds", "min": "min mins minute minutes m",
        "h": "h hr hrs hour hours", "d": "d day days", "w": "week weeks", "mo": "month months", "y": "year years",
        "kb": "kb kib k", "mb": "mb mib", "gb": "gb gib g", "%": "% percent", "px": "px pixel pixels", "x": "x times time",
        "tok": "token tokens", "line": "lines", "char": "characters chars", "col": "columns", "space": "spaces",
    }.items()
    for word in line.split()
}  # fmt: skip

_NEGATIVE = word_set(
    """
    not never no without avoid avoids avoiding stop stops stopped quit disable disables disabled disabling remove
    removes removed removing drop drops dropped dropping exclude excludes excluded excluding reject rejects
    rejected forbid forbids forbidden hide hides hidden skip skips skipped skipping ban bans banned refuse refuses
    dislike dislikes disliked hate hates neither nor cannot revert reverts reverted reverting undo undone
    deprecate deprecated ditch ditched abandon abandoned retire retired uninstall uninstalled prohibit prohibited
    disallow disallowed against except instead replacing replaces replaced replace from rather than off scrap
    scrapped unlike over delete deletes deleted deny denies denied block blocks blocked turn-off opt-out unless
    ignore ignores
    """
)
_POSITIVE = word_set(
    """
    always enable enables enabled use uses using used prefer prefers keep keeps add adds added allow allows
    allowed include includes show shows to with but only adopt adopts adopted accept accepts accepted then now
    switched moved is are do must should require requires required by install installed introduce introduced
    restore restored in on for
    """
)
_HARD = frozenset({"never", "not", "no", "avoid", "cannot", "stop", "without"})
"""Negations that a later "use" or "allow" does not end: "never use npm", "do not allow it"."""
_MOVES = word_set("moved move moving switched switch switching migrated migrate migrating changed away off")
_JOINS = re.compile(
    r"\b(?:never|don['’]?t|do not|must not|mustn['’]t|cannot|can['’]t|should not|shouldn['’]t"
    r"|no)\s+(?P<act>[^.,;:!?]{2,60}?)\s+(?:without|unless)\b",
    re.I,
)
_CONTRACTION = re.compile(r"\b(do|does|did|is|are|was|were|should|would|could|must|has|have|had|need|ai)n['’]?t\b", re.I)
_CANT = re.compile(r"\b(?:can['’]?t|cannot|can not)\b", re.I)
_WONT = re.compile(r"\bwon['’]t\b", re.I)
_PERMITS = word_set("may can optional optionally allowed could might fine ok okay")
_OBLIGES = word_set("must always never required require requires only mandatory forbidden shall")
_LIMITS = word_set("only except unless apart otherwise besides")
_SCOPES = word_set("in on for at when if during under within from per inside outside while where until via of")
_ROLES = {
    "to": "to",
    "into": "to",
    "from": "from",
    "→": "to",
    "->": "to",
    "=>": "to",
    "before": "before",
    "after": "after",
    "than": "than",
    "by": "by",
}


@dataclass(frozen=True, slots=True)
class Statement:
    """What a comparison needs. `signs` maps a word to "+", "-" or both; `scoped` are words that narrow the claim."""

    text: str
    words: frozenset[str]
    signs: dict[str, str]
    names: frozenset[str]
    numbers: frozenset[tuple[str, str]]
    roles: frozenset[tuple[str, str]]
    scoped: frozenset[str]
    sequence: tuple[str, ...]
    stems: frozenset[str]
    has_permission: bool
    has_duty: bool
    limits: frozenset[str]
    is_question: bool


@dataclass(frozen=True, slots=True)
class Parts:
    """An observation's text: the claim, what it was about, and what came of it. `speaker` is set when a person is quoted."""

    claim: str
    rest: str
    is_quote: bool


def parts_of(text: str, owner: str = "") -> Parts:
    """The person's words apart from the lead (`Joel decided:`), the context and the outcome; a plain statement is all claim."""
    flat = " ".join(text.split())
    if match := _QUOTED.match(flat):
        return Parts(match["quote"], match["rest"].strip(), True)
    claim = _SAID.sub("", flat, count=1)
    first, _, rest = claim.removeprefix("The ").removeprefix("the ").partition(" ")
    is_person = first.lower() in ("user", "owner", "developer") or (owner and first.lower() == owner.lower())
    return Parts(rest if is_person and _WISHES.match(rest) else claim, "", False)


def sentences_of(claim: str) -> list[str]:
    """The sentences of a claim."""
    return [part.strip() for part in _SENTENCE.split(claim) if part.strip()]


@lru_cache(maxsize=8_192)
def statement(text: str) -> Statement:
    """The text as words, names, numbers, polarity and roles."""
    tokens = _tokens(_plain_negations(text))
    signs: dict[str, str] = {}
    numbers: set[tuple[str, str]] = set()
    names: set[str] = set()
    roles: set[tuple[str, str]] = set()
    scoped: set[str] = set()
    lower = [raw.lower() for _, raw in tokens]
    sign, is_hard, role, is_scoped = "+", False, "", False
    for at, (kind, raw) in enumerate(tokens):
        word = lower[at]
        if kind == "stop":
            sign, is_hard, role, is_scoped = "+", False, "", False
            continue
        if kind == "number":
            numbers.add(_number(raw, lower[at + 1] if at + 1 < len(lower) else ""))
            continue
        if at and tokens[at - 1][0] == "number" and stem(word) in _UNITS:
            continue
        sign, is_hard = _turn(word, sign, is_hard, lower, at)
        if word in _ROLES:
            role = _ROLES[word]
        is_scoped = is_scoped or word in _SCOPES
        for key in _keys(kind, raw):
            if kind != "word" or _NAME.search(raw):
                names.add(key)
            if sign not in signs.get(key, ""):
                signs[key] = "".join(sorted(signs.get(key, "") + sign))
            if is_scoped:
                scoped.add(key)
            if role and key not in GENERIC:
                roles.add((role, key))
                role = ""
    return Statement(
        text=text,
        words=frozenset(signs),
        signs=signs,
        names=frozenset(names),
        numbers=frozenset(numbers),
        roles=frozenset(roles),
        scoped=frozenset(scoped),
        sequence=tuple(word for word, (kind, _) in zip(lower, tokens, strict=True) if kind != "stop"),
        stems=frozenset(map(stem, lower)),
        has_permission=not _PERMITS.isdisjoint(lower),
        has_duty=not _OBLIGES.isdisjoint(lower),
        limits=frozenset(_LIMITS.intersection(lower)),
        is_question="?" in text,
    )


def _plain_negations(text: str) -> str:
    """ "don't" → "do not"; "never X without Y" → "always X with Y", because that is what it asks for."""
    plain = _CONTRACTION.sub(r"\1 not", _CANT.sub("can not", _WONT.sub("will not", text)))
    return _JOINS.sub(r"always \g<act> with", plain)


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "word"
        raw = match[kind]
        if kind == "code" and re.fullmatch(r"[\w'’-]+(?:\s+[\w'’:.-]+){1,8}", raw):
            found.extend(_tokens(raw.replace("`", "")))
        elif kind == "word" and raw.lower() in _NUMERALS:
            found.append(("number", _NUMERALS[raw.lower()]))
        else:
            found.append((kind, raw))
    return found


def _turn(word: str, sign: str, is_hard: bool, lower: list[str], at: int) -> tuple[str, bool]:
    """The polarity from this word on."""
    if word in _NEGATIVE:
        if word == "from" and not ({"to", "→", "->", "=>"} & set(lower[at:]) or _MOVES & set(lower[:at])):
            return sign, is_hard
        if word == "over" and not {"prefer", "prefers", "choose", "chose", "favour", "favor"} & set(lower[:at]):
            return sign, is_hard
        if word == "no" and lower[at + 1 : at + 2] == ["matter"]:
            return sign, is_hard
        if sign == "-" and is_hard and word not in _HARD:  # "do not remove", "never disable": the thing stays
            return "+", False
        return "-", word in _HARD
    if word in _POSITIVE and sign == "-" and not (is_hard and _binds(word, lower, at)):
        return "+", False
    return sign, is_hard


def _binds(word: str, lower: list[str], at: int) -> bool:
    """Whether a positive word belongs to the negation before it: "never use", "not to be"; "but", "then", "only" never do."""
    return word not in ("but", "then", "now", "only", "always") and not (word == "use" and at > 2 and lower[at - 1] == "and")


def _keys(kind: str, raw: str) -> list[str]:
    """The comparable forms of a token: stems of words, whole names, the last part of a path."""
    if kind == "word":
        bare = raw.replace("’", "'").removesuffix("'s").removesuffix("'")
        if _NAME.search(bare):
            root = stem(bare.lower().replace("_", "").replace("-", ""))
            return [SYNONYMS.get(root, root)]
        roots = [stem(part) for part in bare.lower().split("-") if part and part not in STOP]
        return [SYNONYMS.get(root, root) for root in roots]
    if kind in ("arrow", "stop"):
        return []
    return [raw.strip("`'\"").rstrip("/.").lower()]


def _number(raw: str, following: str) -> tuple[str, str]:
    """(value, unit): "300s" and "300 seconds" are equal; thousands separators go; `#12` and `v2` keep their mark as unit."""
    match = _NUMBER.match(raw)
    if match is None:
        return raw.lower(), ""
    mark, value, unit = match.groups()
    value = value.replace(",", "").replace("_", "")
    if "." in value and value.count(".") == 1:
        value = value.rstrip("0").rstrip(".")
    if mark in "#" and mark:
        return value + unit.lower(), "#"
    unit = unit or following
    return value, _UNITS.get(stem(unit.lower()), "") if mark != "v" else ""


def content(one: Statement) -> frozenset[str]:
    """The words that tell facts apart."""
    return one.words - GENERIC
