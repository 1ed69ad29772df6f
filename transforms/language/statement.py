"""A fact taken apart for comparison: its words with their polarity, its numbers, names and paths, and who does what to whom."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from transforms.language.lexicon import GENERIC, SYNONYMS, word_set
from transforms.language.tokenizer import STOP, stem

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
    r"(?P<url>[a-z][a-z0-9+.-]*://[^\s)>\]\"'`]+)"
    r"|(?P<path>(?:[\w.@~+-]*/)+[\w.@+*-]*[\w*]|~/?[\w./-]*"
    r"|[\w+-]*[A-Za-z_][\w+-]*(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,4}\b(?!\())"
    r"|(?P<color>\#[0-9a-fA-F]{6}(?:[0-9a-fA-F]{2})?\b|(?<!\w)(?=[a-fA-F]*\d)(?=\d+[a-fA-F]|[a-fA-F])[0-9a-fA-F]{6}\b)"
    r"|(?P<number>(?<![\w])[#v$€~]?\d[\d,_]*(?:\.\d+)*(?:%|[a-zA-Z]{1,8}\b)?)"
    r"|(?P<flag>(?<!\w)--?[A-Za-z][\w-]+)"
    r"|(?P<word>[^\W\d_][\w'’]*(?:-[\w'’]+)*)"
    r"|(?P<arrow>->|→|=>)|(?P<stop>[.,;:!?()\[\]–—\"])"
)  # fmt: skip
_NAME = re.compile(r"[a-z][A-Z]|_|\d|^[A-Z]{2,}[a-z]*[A-Z]")
_NUMBER = re.compile(r"^([#v$€~]?)([\d,_]*\d(?:\.\d+)*)(%|[a-zA-Z]*)$")
_COLOR = re.compile(r"#?[0-9a-fA-F]{6}(?:[0-9a-fA-F]{2})?")
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
_CONTRACTION = re.compile(
    r"\b(?:(?P<verb>do|does|did|is|are|was|were|should|would|could|must|has|have|had|need|ai)n['’]?t"
    r"|(?P<will>won['’]t)|can['’]?t|cannot|can not)\b",
    re.I,
)
_CODE = re.compile(r"(`[^`\n]{1,200}`)")
_PHRASE = re.compile(r"[\w'’-]+(?:\s+[\w'’:.-]+){1,8}")
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


@lru_cache(maxsize=16_384)
def statement(text: str) -> Statement:
    """The text as words, names, numbers, polarity and roles."""
    tokens = _tokens(_plain_negations(text))
    lower = [token.lower for token in tokens]
    signs: dict[str, str] = {}
    numbers: set[tuple[str, str]] = set()
    names: set[str] = set()
    roles: set[tuple[str, str]] = set()
    scoped: set[str] = set()
    sign, is_hard, role, is_scoped = "+", False, "", False
    for at, token in enumerate(tokens):
        if token.kind == "stop":
            sign, is_hard, role, is_scoped = "+", False, "", False
            continue
        if token.kind == "number":
            numbers.add(number_of(token.raw, lower[at + 1] if at + 1 < len(lower) else ""))
            continue
        if at and token.is_unit and tokens[at - 1].kind == "number":
            continue
        if token.turns:
            sign, is_hard = _turn(token.lower, sign, is_hard, lower, at)
        role = token.role or role
        is_scoped = is_scoped or token.is_scope
        for key in token.keys:
            known = signs.get(key, "")
            if sign not in known:
                signs[key] = known + sign if known < sign else sign + known
        if token.is_name:
            names.update(token.keys)
        if is_scoped:
            scoped.update(token.keys)
        if role and (acting := next((key for key in token.keys if key not in GENERIC), "")):
            roles.add((role, acting))
            role = ""
    return Statement(
        text=text,
        words=frozenset(signs),
        signs=signs,
        names=frozenset(names),
        numbers=frozenset(numbers),
        roles=frozenset(roles),
        scoped=frozenset(scoped),
        sequence=tuple(token.lower for token in tokens if token.kind != "stop"),
        stems=frozenset(token.stem for token in tokens),
        has_permission=not _PERMITS.isdisjoint(lower),
        has_duty=not _OBLIGES.isdisjoint(lower),
        limits=frozenset(_LIMITS.intersection(lower)),
        is_question="?" in text,
    )


@dataclass(frozen=True, slots=True)
class _Token:
    """What a token is by itself; what it means in its place is decided in `statement`."""

    kind: str
    raw: str
    lower: str
    stem: str
    keys: tuple[str, ...]
    role: str
    is_name: bool
    is_scope: bool
    is_unit: bool
    turns: bool


def _plain_negations(text: str) -> str:
    """ "don't" → "do not"; "never X without Y" → "always X with Y", because that is what it asks for."""
    plain = _CONTRACTION.sub(_spelled_out, text)
    lower = plain.lower()
    return _JOINS.sub(r"always \g<act> with", plain) if "without" in lower or "unless" in lower else plain


def _spelled_out(match: re.Match[str]) -> str:
    if match["verb"]:
        return f"{match['verb']} not"
    return "will not" if match["will"] else "can not"


def _tokens(text: str) -> list[_Token]:
    """Tokens word by word: only code spans reach over spaces, and words come again, so most are looked up."""
    found: list[_Token] = []
    for part in _CODE.split(text) if "`" in text else (text,):
        if part.startswith("`") and len(part) > 2 and part.endswith("`"):
            inner = part[1:-1]
            found.extend(_tokens(inner) if _PHRASE.fullmatch(inner) else (_token("code", inner),))
        else:
            for chunk in part.split():
                found.extend(_chunk(chunk))
    return found


@lru_cache(maxsize=65_536)
def _chunk(chunk: str) -> tuple[_Token, ...]:
    """The tokens of a piece without spaces."""
    matches = ((match.lastgroup or "word", match[0]) for match in _TOKEN.finditer(chunk))
    return tuple(
        _token("number", _NUMERALS.get(raw.lower(), raw))
        if kind == "color" or (kind == "word" and raw.lower() in _NUMERALS)
        else _token(kind, raw)
        for kind, raw in matches
    )


@lru_cache(maxsize=65_536)
def _token(kind: str, raw: str) -> _Token:
    lower = raw.lower()
    root = stem(lower)
    return _Token(
        kind, raw, lower, root, tuple(_keys(kind, raw)), _ROLES.get(lower, ""),
        is_name=kind != "word" or bool(_NAME.search(raw)), is_scope=lower in _SCOPES, is_unit=root in _UNITS,
        turns=lower in _NEGATIVE or lower in _POSITIVE,
    )  # fmt: skip


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
    whole = raw.strip("`'\"").rstrip("/.").lower()
    return [whole] if whole else []


def number_of(raw: str, following: str) -> tuple[str, str]:
    """(value, unit): "300s" and "300 seconds" are equal; thousands separators go; `#12` and `v2` keep their mark as unit."""
    if _COLOR.fullmatch(raw):
        return raw.lower().removeprefix("#"), ""
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


@dataclass(frozen=True, slots=True)
class Gist:
    """What of a statement its words alone tell, at a fifth of the cost: `content` of it, its tokens, whether it counts."""

    content: frozenset[str]
    stems: frozenset[str]
    has_numbers: bool
    may_deny: bool
    values: frozenset[str]


def gist(text: str) -> Gist:
    """The words of a text, without their polarity and place; `content` is that of the statement."""
    tokens = _tokens(_plain_negations(text))
    words: set[str] = set()
    values: set[str] = set()
    before = ""
    for at, token in enumerate(tokens):
        if token.kind == "number":
            values.add(number_of(token.raw, tokens[at + 1].lower if at + 1 < len(tokens) else "")[0])
        elif not (token.is_unit and before == "number"):
            words.update(token.keys)
        before = token.kind
    return Gist(
        frozenset(words) - GENERIC, frozenset(token.stem for token in tokens), bool(values),
        any(token.lower in _NEGATIVE for token in tokens), frozenset(values),
    )  # fmt: skip
