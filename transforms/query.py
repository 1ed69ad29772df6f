"""What a question asks for: its words, the days it speaks of, and whose words it wants."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from transforms.words import question_words, words

_MONTHS = re.findall(r"\w+", "january february march april may june july august september october november december")
_DAYS = re.findall(r"\w+", "monday tuesday wednesday thursday friday saturday sunday")
_MONTH = {name: number for number, full in enumerate(_MONTHS, 1) for name in (full, full[:3])} | {"sept": 9}
_WEEKDAY = {name: number for number, name in enumerate(_DAYS)}
_NAMES = "|".join(sorted(_MONTH, key=len, reverse=True))
_ISO = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_NAMES})\b\.?,?(?: (\d{{4}}))?", re.I)
_MONTH_DAY = re.compile(rf"\b({_NAMES})\b\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (\d{{4}}))?", re.I)
_MONTH_YEAR = re.compile(rf"\b(?:in|during|of|since|last|this) ({_NAMES})\b\.?(?:,? (\d{{4}}))?", re.I)
_ORDINAL = re.compile(r"\bon the (\d{1,2})(?:st|nd|rd|th)\b", re.I)
_AGO = re.compile(r"\b(\d+|a|an|one|two|three|four|five|six) (day|week|month)s? ago\b", re.I)
_LAST = re.compile(r"\b(last|this|past) (week|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b", re.I)
_COUNT = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_USER = re.compile(r"\b(i|me|my|mine|we|our|us|user|owner)\b", re.I)
_AGENT = re.compile(r"\b(you|your|agent|assistant|pi)\b", re.I)
_SPECIFIC = re.compile(r"\w*\d\w*(?:\.\w+)*|\w+(?:_\w+)+|\w*[a-z][A-Z]\w*|[A-Z]{2,}|[\w-]+(?:\.[\w-]+)*\.[a-z]{1,4}")
_NAME = re.compile(r"\b([A-Z][a-z][\w-]*)(?:'s)?\b")


_DECIDED, _RULED = frozenset({"decision", "state_change"}), frozenset({"rule", "convention", "preference", "correction"})
_CAUSED = frozenset({"root_cause", "fix"})
_WANTED = (
    (
        re.compile(r"\b(decid\w*|decision|chose\w*|choose|picked|agreed?|settled?|instead of|which|replaced?|switch\w*)\b", re.I),
        _DECIDED,
    ),
    (re.compile(r"\b(caus\w*|root cause|broke\w*|fail\w*|wrong|bug|crash\w*|fix\w*|solved?|resolved?)\b", re.I), _CAUSED),
    (re.compile(r"\bwhy\b|\breasons?\b|\bhow come\b", re.I), _DECIDED | _CAUSED | {"rule"}),
    (
        re.compile(
            r"\b(rules?|conventions?|prefer\w*|allowed|may|must|should|always|never|want\w*|accept\w*|dislike\w*|like[sd]?)\b",
            re.I,
        ),
        _RULED,
    ),
    (re.compile(r"\bhow (do|should|does|must) (we|i|you|one)\b", re.I), _RULED | _DECIDED),
)


TIME_WORDS = frozenset(
    words(
        "yesterday today tonight tomorrow last next ago recently week weekend month year morning afternoon evening night"
        " spring summer autumn winter"
    )
) | frozenset(words(" ".join([*_MONTHS, *_DAYS])))
"""Index words of which one tells when something was; a year does, too."""
NUMBER_WORDS = frozenset(
    words("two three four five six seven eight nine ten dozen hundred thousand once twice couple several few")
)
"""Index words of which one tells how many; digits do, too."""

_EXPECTS = (
    ("time", re.compile(r"^\W*(?:since )?(?:when|what (?:year|month|day|date|time)|how long)\b", re.I)),
    ("number", re.compile(r"^\W*how (?:many|much|often|old|long|large|big|high)\b", re.I)),
)
_LIST = re.compile(
    r"^\W*(?:in |on |at |for |with |of )?(?:what|which|who|where)(?: [\w'’-]+){0,3}?"
    r" (?!does\b|was\b|has\b)[a-z]+[^\W\d_siu]s\b(?!['’])"
    r"|\b(?:both|in common|how many times|all (?:the|of|our|my))\b",
    re.I,
)
"""A plural near the question word, as in "which databases did we try?": the evidence is not in one place."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    `days` is the period it speaks of (both included) or None; `speakers` are lower-cased; `specifics` are the index
    words of each version, identifier, file or abbreviation that it names: what an answer must know of. `kinds` are the kinds
    of facts that usually answer such a question; empty when its form does not tell. `expects` has `time` and `number` when it
    asks for these; `is_list` when it asks for several things at once.
    """

    text: str
    words: tuple[str, ...]
    days: tuple[date, date] | None
    speakers: frozenset[str]
    specifics: tuple[tuple[str, ...], ...] = ()
    kinds: frozenset[str] = frozenset()
    expects: frozenset[str] = frozenset()
    is_list: bool = False


def question_of(text: str, today: date) -> Question:
    """The question taken apart; relative days count from `today`."""
    days, speakers = days_of(text, today), speakers_of(text)
    expects = frozenset(name for name, pattern in _EXPECTS if pattern.search(text))
    asked = tuple(question_words(text))
    return Question(text, asked, days, speakers, specifics_of(text), kinds_of(text), expects, bool(_LIST.search(text)))


def kinds_of(text: str) -> frozenset[str]:
    """Kinds of facts that answer a question of this form: a decision for "which … did we choose", a cause for "what broke"."""
    return frozenset().union(*(kinds for pattern, kinds in _WANTED if pattern.search(text)))


def speakers_of(text: str) -> frozenset[str]:
    """Whose turns the question wants: names in it, and `user` or `assistant` when it speaks of one of them only."""
    names = {name.lower() for name in _NAME.findall(text)}
    is_user, is_agent = bool(_USER.search(text)), bool(_AGENT.search(text))
    role = {"user"} if is_user and not is_agent else {"assistant"} if is_agent and not is_user else set()
    return frozenset(names | role)


def specifics_of(text: str) -> tuple[tuple[str, ...], ...]:
    """The versions, identifiers, files and abbreviations that the question names, each as its index words."""
    bare = (token.strip("?,.!;:'\"()`’“”") for token in text.split())
    return tuple(found for token in bare if _SPECIFIC.fullmatch(token) and (found := tuple(words(token))))


def days_of(text: str, today: date) -> tuple[date, date] | None:
    """The first period that a question names, as days; None when it names none or an impossible one."""
    for find in (_written_day, _written_month, _relative):
        try:
            if found := find(text, today):
                return found
        except ValueError:  # "on the 31st" of a month with 30 days: no period, and the words still count
            continue
    return None


def _written_day(text: str, today: date) -> tuple[date, date] | None:
    if match := _ISO.search(text):
        year, month, day = match.groups()
        return _one(date(int(year), int(month), int(day))) if day else _month(int(year), int(month))
    if match := _DAY_MONTH.search(text):
        return _one(_past(today, match[3], _MONTH[match[2].lower()], int(match[1])))
    if match := _MONTH_DAY.search(text):
        return _one(_past(today, match[3], _MONTH[match[1].lower()], int(match[2])))
    if match := _ORDINAL.search(text):
        first = today.replace(day=1)
        month = first if int(match[1]) <= today.day else (first - timedelta(days=1)).replace(day=1)
        return _one(month.replace(day=int(match[1])))
    return None


def _written_month(text: str, today: date) -> tuple[date, date] | None:
    match = _MONTH_YEAR.search(text)
    if not match:
        return None
    found = _past(today, match[2], _MONTH[match[1].lower()], 1)
    return _month(found.year, found.month)


def _relative(text: str, today: date) -> tuple[date, date] | None:
    low = text.lower()
    if "yesterday" in low:
        return _one(today - timedelta(days=1))
    if re.search(r"\btoday\b|\bthis morning\b", low):
        return _one(today)
    if match := _AGO.search(low):
        count = _COUNT.get(match[1]) or int(match[1])
        size = {"day": 1, "week": 7, "month": 30}[match[2]]
        middle, slack = today - timedelta(days=count * size), timedelta(days=size // 2)
        return middle - slack, middle + slack
    if match := _LAST.search(low):
        return _last(match[1], match[2], today)
    return None


def _last(which: str, what: str, today: date) -> tuple[date, date]:
    if what in _WEEKDAY:
        back = (today.weekday() - _WEEKDAY[what]) % 7 or 7
        return _one(today - timedelta(days=back))
    monday, first = today - timedelta(days=today.weekday()), today.replace(day=1)
    start = {"week": monday, "month": first, "year": first.replace(month=1)}[what]
    if which != "last":
        return start if which == "this" else today - timedelta(days={"week": 7, "month": 31, "year": 366}[what]), today
    end = start - timedelta(days=1)
    return {"week": end - timedelta(days=6), "month": end.replace(day=1), "year": end.replace(month=1, day=1)}[what], end


def _past(today: date, year: str | None, month: int, day: int) -> date:
    """The day in the year that was named, else its last occurrence."""
    if year:
        return date(int(year), month, day)
    this_year = date(today.year, month, day)
    return this_year if this_year <= today else date(today.year - 1, month, day)


def _one(day: date) -> tuple[date, date]:
    return day, day


def _month(year: int, month: int) -> tuple[date, date]:
    first = date(year, month, 1)
    return first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
