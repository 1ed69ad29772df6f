"""Tells lines that are about the page itself, instruct its editor, or are true only for a moment."""

from __future__ import annotations

import re
from datetime import date, timedelta, tzinfo
from itertools import pairwise

from transforms.calendars.day_names import DAY_OF, MONTH_OF
from transforms.language.cue_phrases import CODE_SPAN
from transforms.language.dialogue_acts import ASKING_VERBS, ASKING_WORDS
from transforms.language.entities import find_dates, find_file_names
from transforms.language.relative_dates import find_stated_end, resolve_date
from transforms.language.sentences import split_sentences, split_words
from transforms.patterns.late_pattern import compile_late
from transforms.tables.fact_notes import LEFT_MARK, read_told_choice
from transforms.tables.periods import find_local_day
from transforms.tables.rows import ObservationRow
from transforms.words.order_verbs import EDITING_VERBS
from transforms.words.word_classes import FIRST_PERSONS, PRESENT_COPULAS, SECOND_PERSONS

SOON_DAYS = 31
"""Days within which a stated end keeps a fact from becoming a line, which would still be true next month."""
_INSTRUCTION = compile_late(rf"^(?:{'|'.join(EDITING_VERBS)})\b", re.I)
"""Instructions to an editor of MEMORY.md. A line of this form in the page breeds more of its kind."""
_MOMENTS = (
    r"currently|right now|at the moment|so far|for now|temporar\w+|work in progress|wip|(?-i:TO[D]O)|todo(?=:)"
    r"|next steps?|(?:is|are|was|were) (?:still )?failing|not yet"
    r"|still (?:needs?|broken|failing|missing|fails)|tomorrow|tonight|yesterday"
    r"|this (?:week|morning|afternoon|session)|has been (?:deleted|created|updated|added|fixed)|user runs?"
    r"|commit [0-9a-f]{7,40}"
)
_WORK = (
    r"today|this time|committed|pushed|tagged|released v?\d|(?:all )?tests? (?:now )?pass(?:es|ed|ing)?|now pass(?:es)?|wp\d+"
    r"|line \d+|lines? \d+-\d+|successfully|pull request|pr #?\d+|git branch|is done|are done|compiles?"
)
_REPORT = r"^(?:we (?:had|did|got|tried|saw|found)\b|fixed|updated|created|changed|added|deleted|committed|completed|the fix\b)"
_EPHEMERAL = compile_late(rf"\b(?:{_MOMENTS}|{_WORK})\b|{_REPORT}", re.I)
_MOMENT = compile_late(rf"\b(?:{_MOMENTS})\b|{_REPORT}", re.I)
"""What a model that was asked for lasting lines says of a moment. Its "committed", "is done" or "compiles" are words of rules."""
_MONTH_LETTERS = 4
"""Letters of a name of a month inside of a sentence; short ones are mostly other words ("May")."""
_MONTHS, _PAST_MONTHS = 12, 6
_META = compile_late(
    r"\b(?:MEMORY\.md|REVIEW\.md|[pf]-\d{8}-\d{3}|memory proposals?|ignore (?:all |any )?(?:previous|prior|above)"
    r"|system prompt|you are now)\b|<!--|</?\w+>",
    re.I,
)
_PLACEHOLDER = compile_late(r"(?<=[\w/>:.-])<\w+>|<\w+>(?=[\w/<:.-])")
"""A name in angle brackets inside of a path or a word (`boia/<station>/<sensor>`) is no mark of a page."""
_BOUNDS, _BEGINNING = frozenset({"before", "by", "until", "till"}), frozenset({"from", "since", "after"})
_RECURRING = frozenset({"every", "each", "always"})
_QUOTED = compile_late(r"[\"“][^\"“”\n]*[\"”]")
_POLITE, STANDING = frozenset({"kindly", "please", "pls", "plz"}), frozenset({"never", "always", "don't", "do", "only"})
_WISHES = frozenset({"prefers", "wants"})
_APPROVING = frozenset({"ok", "okay", "fine", "good", "right"})
_AT_HAND = frozenset({"here", "there", "now"})
_TAGGED = FIRST_PERSONS | SECOND_PERSONS
_PAST_TENSE = compile_late(r"\b(?:was|were|had been)\b", re.I)
_RELATIVE = compile_late(r"\b(?:that|which|who)\b", re.I)


def ends_soon(observation: ObservationRow, zone: tzinfo) -> bool:
    """Whether an observation says until when it holds, or the option that it chose does, and that is soon: it makes no line, and
    takes the place of none."""
    said_on = find_local_day(observation["said_at"], zone)
    choice = read_told_choice(observation["text"])
    ends = [find_stated_end(text, said_on) for text in (observation["text"], choice.chosen if choice else "")]
    return any(end is not None and (end - said_on).days <= SOON_DAYS for end in ends)


def is_choice_of_the_day(observation: ObservationRow, zone: tzinfo) -> bool:
    """Whether a choice is about work at hand: the question, or the option, names a day or a month that is past ("the rows of 25
    October"), or the words that choose, or lead to it, speak of a moment ("the first one for now")."""
    said_on = find_local_day(observation["said_at"], zone)
    choice = read_told_choice(observation["text"])
    asked = choice.asked if choice else observation["text"].partition('" (asked: ')[2].partition(LEFT_MARK)[0]
    about = f"{asked} {choice.chosen}" if choice else asked
    pointing = split_sentences(choice.quote)[:1] if choice else []
    return names_past_day(about, said_on) or any(_MOMENT.search(text) for text in (asked, *pointing))


def names_past_day(text: str, said_on: date) -> bool:
    """Whether a text names a day or a month of the half year before it was said, today left out; a month by its capital."""
    day = resolve_date(text, said_on)
    days = [(month, number) for _, (month, number) in find_dates(text)]
    names = (word.partition("'")[0].partition("’")[0].strip(".,;:?!()") for word in text.split()[1:])
    months = [
        (MONTH_OF[name.lower()], 1)
        for name in names
        if len(name) >= _MONTH_LETTERS and name.istitle() and name.lower() in MONTH_OF
    ]
    past = {(said_on.month - back - 1) % _MONTHS + 1 for back in range(_PAST_MONTHS + 1)}

    def is_past(month: int, number: int) -> bool:
        return month in past and (month != said_on.month or number < said_on.day)

    return (day is not None and day < said_on) or any(is_past(*day_of_month) for day_of_month in days or months)


def holds_for_days(line: str, said_on: date) -> bool:
    """Whether a line speaks of a day to come within a month, which then is over: "nothing goes in before Wednesday", "11 November
    is a holiday", "until then it stays". From or after a day it begins to hold, and what comes back every week ends nothing."""
    words = split_words(line.casefold())
    if not _RECURRING.isdisjoint(words):
        return False
    is_bound = any(first in _BOUNDS and (second in DAY_OF or second == "then") for first, second in pairwise(words))
    days = [day for written, day in find_dates(line) if _BEGINNING.isdisjoint(line[: line.find(written)].casefold().split()[-2:])]
    near = {(said_on + timedelta(days=ahead)) for ahead in range(SOON_DAYS + 1)}
    years = {written[:4] for written, _ in find_dates(line) if written[:4].isdigit()}  # "pin the API 2024-12-18"
    is_other_year = bool(years) and years.isdisjoint({str(day.year) for day in near})
    return is_bound or (not is_other_year and not {(day.month, day.day) for day in near}.isdisjoint(days))


def tells_past(line: str) -> bool:
    """Whether a sentence tells what was; a clause about a noun does not count: "files that were not asked for"."""
    return bool(_PAST_TENSE.search(_RELATIVE.split(line)[0]))


def orders_work(line: str) -> bool:
    """Whether a line asks for work at hand: a polite order in one of its clauses ("…, kindly delete the old script"), a wish
    that a file be changed ("Prefers every config to refuse … in train.py"), or an approval of what is there ("is OK here")."""
    words = split_words(line.casefold())
    clauses = [split_words(clause.casefold()) for clause in line.replace(";", ",").split(", ")]
    is_order = any(len(clause) > 1 and clause[0] in _POLITE and clause[1] not in STANDING for clause in clauses)
    is_change = (
        not _WISHES.isdisjoint(words[:1]) and "to" in words[2:] and "that" not in words[1:2] and bool(find_file_names(line))
    )
    triples = zip(words, words[1:], words[2:], strict=False)
    return is_order or is_change or any(a in PRESENT_COPULAS and b in _APPROVING and c in _AT_HAND for a, b, c in triples)


def asks_by_order(line: str) -> bool:
    """Whether a line asks by its order of words, as people type without marks ("whats still open", "we dont use that do we")."""
    words = [word.replace("'", "").replace("’", "") for word in split_words(line.casefold())]
    if not words[2:]:
        return False
    is_tagged = words[-1] in _TAGGED and words[-1] in words[:-2] and words[-2].removesuffix("nt") in ASKING_VERBS
    is_inverted = words[0].removesuffix("s") in ASKING_WORDS and (words[0].endswith("s") or words[1] in ASKING_VERBS)
    return is_tagged or is_inverted


def is_passing(line: str, *, is_worded: bool = False) -> bool:
    """Whether a line is about the page itself, instructs an editor, or is true only today.

    A line that a model worded (`is_worded`) says what it says outside of its quotations and code.
    """
    if not is_worded:
        return bool(_META.search(line) or _EPHEMERAL.search(line) or _INSTRUCTION.match(line))
    plain = _QUOTED.sub("“x”", CODE_SPAN.sub("`x`", line))
    return bool(_META.search(_PLACEHOLDER.sub("x", line)) or _MOMENT.search(plain) or _INSTRUCTION.match(plain))
