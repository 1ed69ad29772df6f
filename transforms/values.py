"""Kinds of values that people ask for, by the words that ask and by how a text looks that tells one.

The numeric and named kinds of Li and Roth (2002, "Learning question classifiers"), with what people ask a coding memory for:
versions, colours, ports, shortcuts, numbers of issues. General English; no vocabulary of a project.
"""

from __future__ import annotations

import re

_UNIT = r"(?:ms|msec|millisecond|s|sec|second|min|minute|h|hr|hour|day|week|month|year)s?"
_MONTH = r"(?:january|february|march|april|june|july|august|september|october|november|december)"

_KINDS: tuple[tuple[str, str, str], ...] = (
    ("percentage", "percentage|percent|share|coverage|ratio|fill level|proportion", r"\d\s?%|\bpercent|\bhalf\b|\d\s?/\s?\d"),
    ("version", r"versions?|release (?:version|number)", r"\bv?\d+\.\d+|\bv\d+\b"),
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
        r"(?<!\w)#\d+|/(?:issues|pull|merge_requests)/\d+|\b(?:PR|MR|GH)[ -]?\d+|\b[A-Z]{2,6}-\d+|(?:[Pp]ull|[Mm]erge) request",
    ),
    ("commit", r"commits?(?: hash| id)?|revisions?", r"\b[0-9a-f]{7,40}\b|\bcommit"),
    ("option", r"(?:command[- ]line )?(?:options?|flags?|switch(?:es)?)", r"(?<!\w)--?[a-z][\w-]*"),
    ("address", r"urls?|links?|web ?sites?|address(?:es)?|e-?mails?", r"https?://|\bwww\.|\w@\w"),
    ("money", r"prices?|costs?|rent|fees?", r"[$€£]\s?\d|\d\s?(?:[$€£]|eur|usd|euros?|dollars?|cents?)\b"),
    (
        "size",
        r"(?:file |font |payload |page )?sizes?|memory|how (?:big|large|heavy)|\w*bytes",
        r"\d\s?(?:[kmgt]i?b|bytes?|px|pt|lines|tokens|characters)\b",
    ),
    (
        "duration",
        r"intervals?|timeouts?|delays?|durations?|run ?times?|ttls?|how (?:long|often)|debounce|\w*seconds|minutes|hours",
        rf"\d\s?{_UNIT}\b|\b(?:daily|hourly|weekly|nightly|monthly)\b|\b(?:a|an|one|two|three|six) {_UNIT}\b"
        r"|\d+\s?(?:times|attempts|retries)",
    ),
    ("licence", r"licen[cs]es?", r"\b(?:MIT|BSD|ISC|GPL|LGPL|AGPL|MPL|Apache|[Pp]roprietary)\b|[Ll]icen[cs]e"),
    (
        "date",
        r"by what date|deadlines?|due date|planned|scheduled|appointment",
        rf"\b\d{{4}}-\d\d-\d\d\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b{_MONTH}\b|tomorrow"
        r"|next (?:week|month|year)|deadline",
    ),
    (
        "number",
        r"numbers?|how (?:many|much)|maximum|minimum|limits?|counts?|at most|at least|how (?:tall|high|old|far)",
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twice|once|zero|none|no limit|unlimited)\b",
    ),
)
_AS_WRITTEN = ("licence", "reference")

VALUES = tuple(
    (name, re.compile(rf"\b(?:{asked})\b", re.I), re.compile(told, 0 if name in _AS_WRITTEN else re.I))
    for name, asked, told in _KINDS
)
"""Each kind of value: its name, a pattern of what asks for it, a pattern of what tells it."""
