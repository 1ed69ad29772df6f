"""Answer types: the words of a question that ask for a type of value, and the pattern of a text that holds such a value.

These are the numeric and named types of Li and Roth (2002, "Learning question classifiers"), with those that people ask a
coding memory for: versions, colours, ports, shortcuts, issue numbers. A type whose values are names (editors, fonts,
browsers) is recognised by its best-known members. Quantities have patterns of their own: the count that a question asks for,
and the numbers that it presupposes. General English and common tools only, no vocabulary of a project.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from transforms.calendars.day_names import DAY_NAMES, UNAMBIGUOUS_MONTHS
from transforms.language.sentences import SENTENCE_BREAK
from transforms.language.tokenizer import write_numbers
from transforms.patterns.late_pattern import compile_late
from transforms.words.number_words import SPELLED

UNIT = r"(?:ms|msec|millisecond|s|sec|second|min|minute|h|hr|hour|day|week|month|year)s?"
MONTH_PATTERN = rf"(?:{'|'.join(UNAMBIGUOUS_MONTHS)})"
_DURATION = (
    rf"\d\s?{UNIT}\b|\b(?:daily|hourly|weekly|nightly|monthly|yearly|annually)\b"
    rf"|\b(?:an?|one|{'|'.join(SPELLED)}|few|several|couple of|many) {UNIT}\b|\d+\s?(?:times|attempts|retries)"
)
PRICE, VERSION = "price", "version"
"""The type that verbs ask for, and that of which a bare number may be a value, beside the name of what it is the version of."""
NUMBER, UNIT_TYPES = "number", frozenset({"duration", "length", "size", "bytes", "money", "percentage"})
"""The most general type, and the types for which "how many" may ask in their own units."""

UNIT_SIGNS = {
    form: sign
    for words, sign in (
        ("dollar dollars usd", "$"), ("euro euros eur", "€"), ("pound pounds gbp", "£"), ("yen jpy", "¥"),
        ("percent percentage", "%"), ("degree degrees", "°"),
    )
    for form in words.split()
}  # fmt: skip
"""The signs with which units are written that a question says in words."""
_SIGNS_BEFORE = "$€£¥"
"""Those that may stand before their number."""

_CURRENCIES = "$£¥\u20a0-\u20cf"
"""The signs of money of all countries; three capitals beside a number name one, too."""
_AMOUNT = r"(?<![\w.:/#-])\d[\d.,]*\s?(?:[^\W\d_]|%)|\bcosts?\b"
"""A number with anything behind it that may be its unit, or that something costs: a price may be told so, in time or in bytes."""
_FLAG = r"(?<!\w)--?[a-z][\w-]*"
_CHOICE = r"^[^\":]{1,60} decided: \"|[(;] ?(?:chosen|not): \S"
"""What rows say of a choice among options: it names the one that was taken, be it only as "the former" or "do 1"."""

_TYPES: tuple[tuple[str, str, str], ...] = (
    ("percentage", "percentage|percent|share|coverage|ratio|fill level|proportion", r"\d\s?%|\bpercent|\bhalf\b|\d\s?/\s?\d"),
    (VERSION, r"versions?|release (?:version|number)", r"\bv?\d+\.\d+|\bv\d+\b"),
    ("port", r"ports?", r"(?:\bport\b\D{0,20}|:)\d{2,5}\b|\b\d{4,5}\b"),
    (
        "colour",
        r"colou?rs?|hues?|shades?|gr[ae]ys?|accent",
        r"#[0-9a-f]{3,8}\b|\b(?:red|green|blue|yellow|gr[ae]y|black|white|cyan|magenta|teal|orange|purple|dim)\b",
    ),
    (
        "shortcut",
        r"shortcuts?|hot ?keys?|key ?bindings?|key combination",
        r"\b(?:ctrl|cmd|alt|shift|meta|esc(?:ape)?|tab|enter|f\d{1,2})\b|shortcut|key ?binding|hotkey",
    ),
    (
        "reference",
        r"pull requests?|merge requests?|prs?|issues?|tickets?",
        r"(?<!\w)#\d{1,5}\b|/(?:issues|pull|merge_requests)/\d+|\b(?:PR|MR|GH)[ -]?\d+|\b[A-Z]{2,6}-\d+"
        r"|(?:[Pp]ull|[Mm]erge) request",
    ),
    ("commit", r"commits?(?: hash| id)?|revisions?", r"\b[0-9a-f]{7,40}\b|\bcommit"),
    ("flag", r"command[- ]line options?|(?:command[- ]line )?(?:flags?|switch(?:es)?)", _FLAG),
    ("option", r"options?", rf"{_FLAG}|\boptions? (?:\d\d?|(?-i:[A-Z])|[b-hj-z])\b(?!['’])|{_CHOICE}"),
    ("address", r"urls?|links?|web ?sites?|address(?:es)?|e-?mails?", r"https?://|\bwww\.|\w@\w|\b\d{1,3}(?:\.\d{1,3}){3}\b"),
    ("money", r"prices?|costs?|rent|fees?", r"\d"),
    (
        PRICE,
        "to (?:cost|pay|paid|worth)",
        rf"[{_CURRENCIES}]\s?\d|\d\s?[{_CURRENCIES}]"
        r"|\b(?-i:[A-Z]{3})\s\d|(?<![:.,\d])\d[\d.,]*\s?(?-i:[A-Z]{3})\b"
        r"|\d\s?(?:usd|eur|gbp|chf|dollars?|euros?|pounds?|yen|francs?|pesos?|cents?)\b"
        r"|(?<![\d.,:])\d[\d,]*[.,]\d\d\b(?![.,:\d])|\bfree\b"
        r"|\b(?:costs?|prices?|charge[sd]?|pay|paid|fees?|worth)\b\D{0,30}\d",
    ),
    (
        "size",
        r"(?:file |font |payload |page )?sizes?",
        r"\d\s?(?:[kmgt]i?b|bytes?|px|pt|lines|tokens|characters)\b",
    ),
    ("bytes", r"memory|\w*bytes", r"\d\s?(?:[kmgt]i?b|bytes?)\b"),
    (
        "duration",
        r"intervals?|timeouts?|delays?|durations?|run ?times?|ttls?|how often|debounce|\w*seconds|minutes|hours|days|weeks"
        r"|months|years",
        _DURATION,
    ),
    ("length", r"how long", _DURATION + r"|\bsince\b|\bdecades?\b|\d\s?(?:lines|characters|chars|words|pages)\b"),
    ("year", r"years?", r"\b(?:19|20)\d\d\b"),
    ("variable", r"env(?:ironment)? var(?:iable)?s?", r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\$[A-Z]{3,}"),
    ("licence", r"licen[cs]es?", r"\b(?:MIT|BSD|ISC|GPL|LGPL|AGPL|MPL|Apache|[Pp]roprietary)\b|[Ll]icen[cs]e"),
    (
        "date",
        r"dates?|(?:week)?day|deadlines?|planned|scheduled|appointment",
        rf"\b\d{{4}}-\d\d-\d\d\b|\b(?:{'|'.join(DAY_NAMES)})\b|\b{MONTH_PATTERN}\b|tomorrow"
        r"|next (?:week|month|year)|deadline",
    ),
    (
        "code",
        r"(?:exit|status|error|http|return) codes?",
        r"\b[1-5]\d\d\b|\b(?:exits?|codes?|status|returns?)\b\W{0,3}(?:code |with |status )?\d|\bE[A-Z]{3,}\b",
    ),
    ("time zone", r"time ?zones?", r"\b(?:UTC|GMT|CES?T|[EPCM][SD]T|[A-Z][a-z]+/[A-Z]\w+|time ?zone|local time)\b"),
    ("resolution", r"resolutions?|dimensions?", r"\b\d+\s?[x×]\s?\d+\b"),
    ("encoding", r"encodings?|charsets?", r"\b(?:utf-?\d+|ascii|latin-?1|unicode|base64|iso-8859|cp-?125\d|windows-125\d)\b"),
    (
        "test file",
        r"(?:unit|regression|integration|end-to-end|e2e) tests?|tests? (?:files?|modules?|cases?|suites?)",
        r"\b[\w-]+[._-](?:test|spec)s?\.\w+|\btests?[/_-][\w./-]+|\b(?:it|test|describe)\(|\btest[A-Z_]\w+",
    ),
    (
        "difference",
        r"how much (?:\w+er|more|less)",
        r"\d\s?(?:%|x\b|×|percent|times|fold|ms|s\b|sec|min|lines|bytes|[kmg]b)"
        r"|\b(?:twice|half|double|from \d\S* (?:\w+ )?to \d)",
    ),
    (
        "limit",
        r"(?:max(?:imum)?|min(?:imum)?) (?:number|count|amount)|limits?|quotas?|caps?",
        r"\b(?:max\w*|min(?:imum)?|at (?:most|least)|up to|limit\w*|no more than|cap(?:ped)?)\b[^.\n]{0,30}\d"
        r"|\d[^.\n]{0,20}(?:(?<!the )|(?<=is the )|(?<=as the ))\b(?:max\w*|limit|at (?:most|least))\b",
    ),
    ("phone", r"(?:tele)?(?:phone|fax) numbers?", r"\+?\d[\d ()/-]{6,}\d"),
    ("pin", r"pins?", r"\b(?:pins?\b|gpio|io)\W{0,3}(?:(?:is|now|to|on)\W)?(?:gpio|[a-z]{0,2})\d{1,8}\b"),
    ("secret", r"passwords?|passphrases?|api keys?", r"\b(?:password|passphrase|key)\b\s?(?:is|=|:)\s?\S{4,}"),
    ("ip", r"ip(?: address(?:es)?)?", r"\b\d{1,3}(?:\.\d{1,3}){3}\b"),
    (
        "place",
        r"cit(?:y|ies)|countr(?:y|ies)|regions?|towns?|data ?cent(?:er|re)s?",
        r"(?:\b(?:in|at|near|from|to)|,) (?:the )?[A-Z][a-z]{2,}\b|\b[a-z]{2}-[a-z]+-\d\b",
    ),
    (
        NUMBER,
        r"numbers?|how (?:many|much)|maximum|minimum|counts?|at most|at least|how (?:tall|high|old|far|big|large|heavy)",
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twice|once|zero|none|no limit|unlimited)\b",
    ),
)
_CASE_SENSITIVE = ("licence", "reference", "variable", "place")

_NAMED_TYPES = r"""
algorithm|algorithms?|ciphers?|checksums?|hash functions?
    sha-?\d* md5 aes rsa hmac ed25519 ecdsa bcrypt scrypt argon2? crc32? xxh\w* blake\d? bm25 quicksort dijkstra lru
font|(?:type)?faces?|fonts?
    fira jetbrains_mono menlo monaco consolas courier helvetica arial inter roboto sf_mono hack cascadia iosevka source_code_pro
    ubuntu_mono dejavu noto times_new_roman verdana georgia
editor|(?:code )?editors?|ides?
    vs_code visual_studio n?vim neovim emacs intellij pycharm webstorm sublime zed cursor xcode notepad nano helix eclipse
language|(?:programming |scripting )?languages?
    python javascript typescript java rust golang go c\+\+ c# ruby php kotlin swift scala perl lua haskell elixir bash sql r
    english german french spanish chinese japanese italian
system|operating systems?|os|distributions?|distros?
    linux ubuntu debian fedora arch alpine centos rhel red_hat suse nixos macos os_x windows android ios freebsd
browser|browsers?(?: engines?)?
    chrome chromium firefox safari edge opera webkit gecko blink brave
database|databases?|dbs?|data ?stores?
    postgres\w* sqlite\d? mysql mariadb mongo\w* redis postgis timescale\w* duckdb oracle cassandra dynamodb
    elasticsearch lancedb couchdb clickhouse snowflake bigquery supabase firebase neo4j
package manager|(?:package|dependency) managers?
    p?npm yarn bun pip\w* uv poetry conda cargo brew homebrew apt dnf maven gradle composer bundler nuget pdm
test runner|test(?:ing)? (?:runners?|frameworks?|librar(?:y|ies)|tools?)
    pytest unittest vitest jest mocha jasmine ava node:test node_--test junit testng rspec playwright cypress selenium go_test
    cargo_test hypothesis bats
model|(?:language |ai )?models?|llms?
    gpt[\w.-]* o\d(?:-\w+)? claude[\w.-]* opus sonnet haiku gemini[\w.-]* llama[\w.-]* mistral\w* qwen[\w.-]* deepseek[\w.-]*
    grok[\w.-]* minilm\w* bert
"""
"""Types whose values are names: `type|pattern of the question`, then the names."""


def _parse_named_types() -> tuple[tuple[str, str, str], ...]:
    blocks = re.findall(r"^(\S[^|\n]*)\|(.+)\n((?: +.+\n)+)", _NAMED_TYPES, re.M)
    return tuple(
        (name, question, rf"(?<!\w)(?:{'|'.join(names.split()).replace('_', ' ?')})(?!\w)") for name, question, names in blocks
    )


_LAST_NOUN = r"\b(?=\W*$|\s+(?:numbers?|names?|values?|ids?|called|renamed|\w+ed)\b)"
"""The last noun of a question names the type: "which database migration" does not ask for a database."""


@dataclass(frozen=True, slots=True)
class AnswerType:
    """A type of value: the pattern of a question that asks for it, and the pattern of a text that holds one, as text."""

    name: str
    asks: re.Pattern[str]
    value: str

    def compile_value_pattern(self) -> re.Pattern[str]:
        """Return the pattern of a text that holds a value of this type; one question needs that of one type."""
        return re.compile(self.value, 0 if self.name in _CASE_SENSITIVE else re.I)


@cache
def list_answer_types() -> tuple[AnswerType, ...]:
    """Return all types; their patterns are compiled for the first question that asks for a value."""
    types = (*_TYPES[:-1], *_parse_named_types(), _TYPES[-1])
    return tuple(AnswerType(name, compile_late(rf"\b(?:{asks}){_LAST_NOUN}", re.I), value) for name, asks, value in types)


_NUMERAL = rf"(?:\d[\d.,]*|{'|'.join(SPELLED)}|twenty|thirty|hundred|thousand|dozen|both|single|only (?:one|a)|no|zero)"
_QUANTITY = compile_late(
    rf"(?<!\bthe )(?<!which )(?<!what )(?<!many )(?<![\w.:/-])(?!(?:19|20)\d\d\b)(\d{{1,5}}|{'|'.join(SPELLED)})(?:-|"
    rf" (?={UNIT}\b|[a-z]+[^\Ws]s\b))(?!{MONTH_PATTERN})([a-z]{{3,}})\b(?! (?:ago|before|after|later|earlier|from)\b)",
    re.I,
)
"""A number with its noun in the plural, neither a date nor a distance in time: in "is 1883 still open" it is a name."""


_GROUP, _SEPARATOR = 3, "[ \u00a0\u202f.,'\u2019]"
"""Digits of a group of a long number, and what stands between groups."""


def compile_count_pattern(noun: str) -> re.Pattern[str]:
    """Return a pattern of texts that count a noun: a number followed by the noun within three words, or `things: 5`."""
    begin = _find_noun_prefix(noun.lower().rsplit(maxsplit=1)[-1])
    return re.compile(rf"\b{_NUMERAL}[\s*`-]+(?:[\w`'/-]+\s+){{0,3}}{begin}|\b{begin}\w*\W{{1,4}}{_NUMERAL}\b", re.I)


def widen_version(answer_type: AnswerType, thing: str) -> AnswerType:
    """Return the type of versions with those that have no dot: a number right behind the thing whose version it is ("Postgres
    17"), and no count, time or share. The same type when it is not known whose version is meant."""
    if not thing:
        return answer_type
    bare = rf"|\b{re.escape(thing)}\w*[^\w.,;!?()]{{1,2}}v?\d{{1,4}}\b(?!\s?(?:{UNIT}|times|attempts|retries)\b|\s?%|:\d)"
    return replace(answer_type, value=answer_type.value + bare)


def is_written_in(word: str, texts: Sequence[str]) -> bool:
    """Whether texts have a word in another form: a number, the sign of a unit beside a digit ("$5", and neither "$HOME" nor
    "a%20b"), or a part of a name behind a dot ("terminal.fontSize", and no folder of a path)."""
    if is_number_in(word, texts):
        return True
    if sign := UNIT_SIGNS.get(word):
        measure = _compile_measure(re.escape(sign), is_before=sign in _SIGNS_BEFORE)
        return any(sign in text and measure.search(text) for text in texts)
    if not word[:1].isalpha():  # "1.2.0" does not say 2.0
        return False
    pattern = re.compile(rf"(?<=\w\.){re.escape(word)}(?!\w)")
    return any(word in text and pattern.search(text) for text in map(str.casefold, texts))


def _compile_measure(sign: str, *, is_before: bool) -> re.Pattern[str]:
    """Return the pattern of a number with the sign of its unit; "20°C" goes on in a letter, a share and a price do not."""
    behind = rf"\d\s?{sign}" if sign == "°" else rf"\d\s?{sign}(?!\w)"
    return re.compile(rf"{behind}|{sign}\s?\.?\d" if is_before else behind)


def find_measured(texts: Sequence[str]) -> list[str]:
    """Return the sentences of texts that tell an amount of anything, or that something costs."""
    return [part for text in texts for part in SENTENCE_BREAK.split(text) if re.search(_AMOUNT, part, re.I)]


def is_number_in(word: str, texts: Sequence[str]) -> bool:
    """Whether a word is a number that a text has, also with its thousands apart: "1 000", "1,000", "1.000"."""
    if not (word.isascii() and word.isdigit()):
        return False
    pattern = rf"(?<![\d.,]){_write_number(word)}(?!\d|{_SEPARATOR}\d{{{_GROUP}}}(?!\d))"
    return any(re.search(pattern, text) for text in texts)


def _write_number(digits: str) -> str:
    """Return the expression of a number as people write it, its thousands apart or not."""
    first = len(digits) % _GROUP or _GROUP
    return f"{_SEPARATOR}?".join(
        [digits[:first], *(digits[start : start + _GROUP] for start in range(first, len(digits), _GROUP))]
    )


def compile_quantity_patterns(text: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns of texts that hold the quantities of a question: "48 hours" in "why was it raised to 48 hours?". The texts
    have their numbers in words as digits (`write_numbers`).

    "The two hosts" is left out: the asker may have counted them, so no text needs to hold that number.
    """
    return tuple(
        _compile_quantity_pattern(match[1].lower(), match[2].lower()) for match in _QUANTITY.finditer(write_numbers(text))
    )


def _compile_quantity_pattern(number: str, noun: str) -> re.Pattern[str]:
    digits = str(SPELLED.index(number) + 2) if number in SPELLED else number
    value = rf"(?<![\w.])(?:{_write_number(digits)}{f'|{SPELLED[int(digits) - 2]}' if 2 <= int(digits) <= 12 else ''})(?![\d.])"
    noun_pattern = rf"(?:{_find_noun_prefix(noun)}|{noun[0]}\b)" if re.fullmatch(UNIT, noun) else _find_noun_prefix(noun)
    sign = re.escape(UNIT_SIGNS[noun]) if noun in UNIT_SIGNS else ""
    return re.compile(
        rf"{value}[\s*`_-]*(?:[\w'-]+\W+){{0,2}}{noun_pattern}|{noun_pattern}\w*\W+(?:[\w'-]+\W+){{0,2}}{value}\b"
        + (rf"|{sign}\s?{value}|{value}\s?{sign}" if sign else ""),
        re.I,
    )


def _find_noun_prefix(noun: str) -> str:
    """Return the common prefix of the forms of a noun."""
    if noun.endswith("ies") and len(noun) > 4:
        return re.escape(noun[:-3])
    return re.escape(noun.rstrip("s")[: max(4, len(noun) - 2)] if len(noun) > 3 else noun)
