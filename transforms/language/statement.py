"""Parse a fact for comparison: words with their polarity, numbers, names, paths, and roles."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from transforms.language.lexicon import GENERIC, SYNONYMS, parse_set
from transforms.language.sentences import CLAUSE_BREAK, has_question_mark
from transforms.language.tokenizer import STOP_WORDS, stem, write_numbers
from transforms.patterns.late_pattern import compile_late
from transforms.words.number_words import SPELLED
from transforms.words.units import FORMS_OF_UNIT

_ATTRIBUTED_QUOTE = compile_late(r'^[^":]{1,60}: "(?P<quote>[^"]*)"(?P<rest>.*)$', re.DOTALL)
_REPORTING_LEAD = compile_late(
    r"^(?:the |our )?(?:user|owner|agent|assistant|team|we|[A-Z][a-z]+)\s+(?:has |have |had |also |explicitly |clearly |now )*"
    r"(?:stated|said|says|explained|noted|confirmed|established|decided|clarified|specified|mentioned|announced"
    r"|agreed|asked|requested|reported)"
    r"(?:\s*:|\s+that)\s+",
)
_WISHES = compile_late(
    r"(?:(?:also|always|really|strongly|explicitly) )*(?:prefer|want|like|dislike|hate|love|expect|need|require|ask"
    r"|allow)(?:s|ed)?\b"
)

_STATEMENT_TOKEN = compile_late(
    r"(?P<url>[a-z][a-z0-9+.-]*://[^\s)>\]\"'`]+)"
    r"|(?P<path>(?:[\w.@~+-]*/)+[\w.@+*-]*[\w*]|~/?[\w./-]*"
    r"|[\w+-]*[A-Za-z_][\w+-]*(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,4}\b(?!\())"
    r"|(?P<color>\#[0-9a-fA-F]{6}(?:[0-9a-fA-F]{2})?\b|(?<!\w)(?=[a-fA-F]*\d)(?=\d+[a-fA-F]|[a-fA-F])[0-9a-fA-F]{6}\b)"
    r"|(?P<number>(?<![\w])[#v$€~]?\d[\d,_]*(?:\.\d+)*(?:%|[a-zA-Z]{1,8}\b)?)"
    r"|(?P<flag>(?<!\w)--?[A-Za-z][\w-]+)"
    r"|(?P<word>[^\W\d_][\w'’]*(?:-[\w'’]+)*)"
    r"|(?P<arrow>->|→|=>)|(?P<stop>[.,;:!?()\[\]–—\"])"
)  # fmt: skip
_NAME_SHAPE = compile_late(r"[a-z][A-Z]|_|\d|^[A-Z]{2,}[a-z]*[A-Z]")
_NUMBER_TOKEN = compile_late(r"^([#v$€~]?)([\d,_]*\d(?:\.\d+)*)(%|[a-zA-Z]*)$")
_COLOR = compile_late(r"#?[0-9a-fA-F]{6}(?:[0-9a-fA-F]{2})?")
_TENS = {"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100"}
_NUMERALS = {word: str(number) for number, word in enumerate(SPELLED, 2)} | _TENS
_NUMERALS |= {"zero": "0", "single": "1", "once": "1", "twice": "2"}
_UNITS = {stem(word): unit for unit, forms in FORMS_OF_UNIT.items() for word in forms.split()}

_NEGATIVE_WORDS = parse_set(
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
_POSITIVE = parse_set(
    """
    always enable enables enabled use uses using used prefer prefers keep keeps add adds added allow allows
    allowed include includes show shows to with but only adopt adopts adopted accept accepts accepted then now
    switched moved is are do must should require requires required by install installed introduce introduced
    restore restored in on for
    """
)
_HARD_NEGATIONS = frozenset({"never", "not", "no", "avoid", "cannot", "stop", "without"})
"""Negations that a later "use" or "allow" does not end: "never use npm", "do not allow it"."""
_MOVE_WORDS = parse_set("moved move moving switched switch switching migrated migrate migrating changed away off")
_NEVER_WITHOUT = compile_late(
    r"\b(?:never|don['’]?t|do not|must not|mustn['’]t|cannot|can['’]t|should not|shouldn['’]t"
    r"|no)\s+(?P<act>[^.,;:!?]{2,60}?)\s+(?:without|unless)\b",
    re.I,
)
_CONTRACTED = ("nt", "n't", "n’t", "cannot", "can not")
"""Every contraction has one of these; most texts have none."""
_CONTRACTION = compile_late(
    r"\b(?:(?P<verb>do|does|did|is|are|was|were|should|would|could|must|has|have|had|need|ai)n['’]?t"
    r"|(?P<will>won['’]t)|can['’]?t|cannot|can not)\b",
    re.I,
)
_CODE_GROUP = compile_late(r"(`[^`\n]{1,200}`)")
_PHRASE = compile_late(r"[\w'’-]+(?:\s+[\w'’:.-]+){1,8}")
_Item = TypeVar("_Item")
_NOTHING: frozenset[Any] = frozenset()
_BETTER_GROWN = range(16, 19)
"""Sizes of sets that take less memory when they grow word by word than when they are copied."""
_PERMITS = parse_set("may can optional optionally allowed could might fine ok okay")
_OBLIGES = parse_set("must always never required require requires only mandatory forbidden shall")
_LIMITS = parse_set("only except unless apart otherwise besides")
_SCOPES = parse_set("in on for at when if during under within from per inside outside while where until via of")
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
    """The parts that a comparison needs. `signs` maps a word to "+", "-" or both; `scoped` holds words that narrow the claim."""

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
class ClaimParts:
    """The claim of an observation's text, and the context and outcome after it. `is_quote` when a person is quoted."""

    claim: str
    rest: str
    is_quote: bool


def freeze_words(words: Set[_Item]) -> frozenset[_Item]:
    """Return a set in as little memory as a set of its size takes: one that grew word by word has room for more, and Python makes
    each empty one anew. A history has hundreds of thousands of them."""
    if not words:
        return _NOTHING
    # Python copies a set into twice its size, and doubles the room of one that grows by four
    return frozenset(tuple(words) if len(words) in _BETTER_GROWN else words if isinstance(words, set) else {*words})


def split_claim(text: str, owner: str = "") -> ClaimParts:
    """Split off the lead (`Joel decided:`), the context and the outcome; a plain statement is all claim."""
    flat = " ".join(text.split())
    if match := _ATTRIBUTED_QUOTE.match(flat):
        return ClaimParts(match["quote"], match["rest"].strip(), True)
    claim = _REPORTING_LEAD.sub("", flat, count=1)
    first, _, rest = claim.removeprefix("The ").removeprefix("the ").partition(" ")
    is_person = first.lower() in ("user", "owner", "developer") or (owner and first.lower() == owner.lower())
    return ClaimParts(rest if is_person and _WISHES.match(rest) else claim, "", False)


def split_clauses(claim: str) -> list[str]:
    """Return the sentences of a claim, cut at semicolons too."""
    return [part.strip() for part in CLAUSE_BREAK.split(claim) if part.strip()]


@lru_cache(maxsize=32_768)
def parse_statement(text: str) -> Statement:
    """Return a text as words, names, numbers, polarity and roles."""
    tokens = _tokenize_statement(_expand_negations(write_numbers(text)))
    lower = [token.lower for token in tokens]
    signs: dict[str, str] = {}
    numbers: set[tuple[str, str]] = set()
    names: set[str] = set()
    roles: set[tuple[str, str]] = set()
    scoped: set[str] = set()
    sign, is_hard, role, is_scoped = "+", False, "", False
    for index, token in enumerate(tokens):
        if token.kind == "stop":
            sign, is_hard, role, is_scoped = "+", False, "", False
            continue
        if token.kind == "number":
            numbers.add(parse_number(token.raw, lower[index + 1] if index + 1 < len(lower) else ""))
            continue
        if index and token.is_unit and tokens[index - 1].kind == "number":
            continue
        if token.turns:
            sign, is_hard = _update_polarity(token.lower, sign, is_hard, lower, index)
        role = token.role or role
        is_scoped = is_scoped or token.is_scope
        for key in token.keys:
            known_signs = signs.get(key, "")
            if sign not in known_signs:
                signs[key] = known_signs + sign if known_signs < sign else sign + known_signs
        if token.is_name:
            names.update(token.keys)
        if is_scoped:
            scoped.update(token.keys)
        if role and (acting := next((key for key in token.keys if key not in GENERIC), "")):
            roles.add((role, acting))
            role = ""
    return Statement(
        text=text,
        words=freeze_words(signs.keys()),
        signs=signs,
        names=freeze_words(names),
        numbers=freeze_words(numbers),
        roles=freeze_words(roles),
        scoped=freeze_words(scoped),
        sequence=tuple([token.lower for token in tokens if token.kind != "stop"]),
        stems=freeze_words({token.stem for token in tokens}),
        has_permission=not _PERMITS.isdisjoint(lower),
        has_duty=not _OBLIGES.isdisjoint(lower),
        limits=freeze_words(_LIMITS.intersection(lower)),
        is_question=has_question_mark(text),
    )


@dataclass(frozen=True, slots=True)
class _Token:
    """A token out of context; `parse_statement` decides on its meaning in context."""

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


def _expand_negations(text: str) -> str:
    """Return "don't" as "do not", and "never X without Y" as "always X with Y", which demands the same."""
    lower = text.lower()
    plain = text
    if any(sign in lower for sign in _CONTRACTED):
        plain = _CONTRACTION.sub(_expand_contraction, text)
        lower = plain.lower()
    return _NEVER_WITHOUT.sub(r"always \g<act> with", plain) if "without" in lower or "unless" in lower else plain


def _expand_contraction(match: re.Match[str]) -> str:
    if match["verb"]:
        return f"{match['verb']} not"
    return "will not" if match["will"] else "can not"


def _tokenize_statement(text: str) -> list[_Token]:
    """Return the tokens; chunks without spaces are cached, since most recur."""
    tokens: list[_Token] = []
    for part in _CODE_GROUP.split(text) if "`" in text else (text,):
        if part.startswith("`") and len(part) > 2 and part.endswith("`"):
            inner = part[1:-1]
            tokens.extend(_tokenize_statement(inner) if _PHRASE.fullmatch(inner) else (_make_token("code", inner),))
        else:
            for chunk in part.split():
                tokens.extend(_tokenize_chunk(chunk))
    return tokens


@lru_cache(maxsize=65_536)
def _tokenize_chunk(chunk: str) -> tuple[_Token, ...]:
    """Return the tokens of a chunk without spaces."""
    matches = ((match.lastgroup or "word", match[0]) for match in _STATEMENT_TOKEN.finditer(chunk))
    return tuple(
        _make_token("number", _NUMERALS.get(raw.lower(), raw))
        if kind == "color" or (kind == "word" and raw.lower() in _NUMERALS)
        else _make_token(kind, raw)
        for kind, raw in matches
    )


@lru_cache(maxsize=65_536)
def _make_token(kind: str, raw: str) -> _Token:
    lower = raw.lower()
    root = stem(lower)
    return _Token(
        kind, raw, lower, root, tuple(_find_keys(kind, raw)), _ROLES.get(lower, ""),
        is_name=kind != "word" or bool(_NAME_SHAPE.search(raw)), is_scope=lower in _SCOPES, is_unit=root in _UNITS,
        turns=lower in _NEGATIVE_WORDS or lower in _POSITIVE,
    )  # fmt: skip


def _update_polarity(word: str, sign: str, is_hard: bool, lower: list[str], index: int) -> tuple[str, bool]:
    """Return the polarity from this word on."""
    if word in _NEGATIVE_WORDS:
        if word == "from" and not ({"to", "→", "->", "=>"} & set(lower[index:]) or _MOVE_WORDS & set(lower[:index])):
            return sign, is_hard
        if word == "over" and not {"prefer", "prefers", "choose", "chose", "favour", "favor"} & set(lower[:index]):
            return sign, is_hard
        if word == "no" and lower[index + 1 : index + 2] == ["matter"]:
            return sign, is_hard
        if sign == "-" and is_hard and word not in _HARD_NEGATIONS:  # "do not remove", "never disable": the object stays
            return "+", False
        return "-", word in _HARD_NEGATIONS
    if word in _POSITIVE and sign == "-" and not (is_hard and _stays_negated(word, lower, index)):
        return "+", False
    return sign, is_hard


def _stays_negated(word: str, lower: list[str], index: int) -> bool:
    """Whether a positive word belongs to the negation before it ("never use", "not to be"); "but", "then", "only" never do."""
    return word not in ("but", "then", "now", "only", "always") and not (
        word == "use" and index > 2 and lower[index - 1] == "and"
    )


def _find_keys(kind: str, raw: str) -> list[str]:
    """Return the comparable forms of a token: stems of words, whole names, the last part of a path."""
    if kind == "word":
        bare = raw.replace("’", "'").removesuffix("'s").removesuffix("'")
        if _NAME_SHAPE.search(bare):
            root = stem(bare.lower().replace("_", "").replace("-", ""))
            return [SYNONYMS.get(root, root)]
        roots = [stem(part) for part in bare.lower().split("-") if part and part not in STOP_WORDS]
        return [SYNONYMS.get(root, root) for root in roots]
    if kind in ("arrow", "stop"):
        return []
    name = raw.strip("`'\"").rstrip("/.").lower()
    return [name] if name else []


def parse_number(raw: str, following: str) -> tuple[str, str]:
    """Return (value, unit): "300s" equals "300 seconds", thousands separators go, `#12` and `v2` keep their mark as unit."""
    if _COLOR.fullmatch(raw):
        return raw.lower().removeprefix("#"), ""
    match = _NUMBER_TOKEN.match(raw)
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


def select_content_words(statement: Statement) -> frozenset[str]:
    """Return the words that distinguish a statement."""
    return statement.words - GENERIC


@lru_cache(maxsize=65_536)
def find_content_words(text: str) -> frozenset[str]:
    """Return what `select_content_words` returns of a text's statement: without polarity, roles and names a third of the work."""
    words: set[str] = set()
    is_after_number = False
    for token in _tokenize_statement(_expand_negations(write_numbers(text))):
        if token.kind != "number" and not (token.is_unit and is_after_number):
            words.update(token.keys)
        is_after_number = token.kind == "number"
    return frozenset(words) - GENERIC


@dataclass(frozen=True, slots=True)
class WordProfile:
    """The words of a statement without polarity and roles, which are far cheaper to compute."""

    content: frozenset[str]
    stems: frozenset[str]
    has_numbers: bool
    may_deny: bool
    values: frozenset[str]


@lru_cache(maxsize=16_384)
def profile_words(text: str) -> WordProfile:
    """Return the profile of a text; its `content` equals `select_content_words` of the statement."""
    tokens = _tokenize_statement(_expand_negations(write_numbers(text)))
    words: set[str] = set()
    values: set[str] = set()
    previous_kind = ""
    for index, token in enumerate(tokens):
        if token.kind == "number":
            values.add(parse_number(token.raw, tokens[index + 1].lower if index + 1 < len(tokens) else "")[0])
        elif not (token.is_unit and previous_kind == "number"):
            words.update(token.keys)
        previous_kind = token.kind
    return WordProfile(
        freeze_words(words - GENERIC), freeze_words({token.stem for token in tokens}), bool(values),
        any(token.lower in _NEGATIVE_WORDS for token in tokens), freeze_words(values),
    )  # fmt: skip
