"""Classifies questions: the question type, the noun that it asks for, and the expected answer type with its pattern.

The types follow the question classes of Li and Roth (2002, "Learning question classifiers"), with the values that people ask a
coding memory for: versions, colours, ports, shortcuts, issue numbers. General English, no vocabulary of a project.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import dropwhile, takewhile

from transforms.language.answer_types import (
    NUMBER,
    PRICE,
    UNIT_TYPES,
    VERSION,
    compile_count_pattern,
    list_answer_types,
    widen_version,
)
from transforms.language.lexicon import VAGUE_WORDS, parse_set, parse_stems
from transforms.language.tokenizer import STOP_WORDS, list_plain_words, tokenize
from transforms.patterns.late_pattern import compile_late
from transforms.words.word_classes import AUXILIARIES, COPULAS

VALUE, YES_NO, OPEN = "value", "yes_no", "open"
"""Question types: for one value ("which port", "who", "how many"), for yes or no, for an explanation ("why", "how")."""
HEAD_WORDS, FOCUS_WORDS = 4, 4
"""Words of a question's head that are read, and index words that its focus keeps."""

_AUXILIARY = r"(?:is|are|was|were|be|been|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would)"
_MEASURE = compile_late(r"\bhow (many|much|often|long|big|large|tall|high|old|fast|far|late|early|soon|slow|heavy|\w+er)\b", re.I)
_HOW_MANY = compile_late(r"how many ((?:[\w-]*[^\Ws]\s+)?[\w-]+s\b|\w+(?:\s+\w+)?)", re.I)
_PAST_VERB, _PRESENT_VERB = compile_late(r"(?<=\S)\s+\S*[a-z]ed\b(?!-)"), compile_late(r"(?<=\S)\s+\S*[a-z][^\Ws]s\b")
_WHOSE = compile_late(r"^\W*(?:\w+ )?whose\b", re.I)
_WHICH = compile_late(r"\b(?:which|what|whose)\s+((?:[\w./#'-]+\s*){1,6})", re.I)
_WHAT_IS = compile_late(
    r"\bwhat(?:'s|\s+(?:is|are|was|were))\s+(?:the|our|my|its|his|their|a|an)\s+((?:[\w./#'-]+\s*){1,6})", re.I
)
_VERSION_WORDS, _VERSION_PHRASE = frozenset({"version", "versions"}), 6
"""The noun of a version, and words behind "version of" that may name the thing."""
QUESTION_WORD = compile_late(r"\b(which|what|who|whom|whose|when|where|why|how)\b", re.I)
STARTS_WITH_AUXILIARY = compile_late(rf"^\W*(?:and\s+)?{_AUXILIARY}\b", re.I)
_PROPER_NOUN = compile_late(r"(?<![.?!]\s)(?<!^)(?<![\w./-])[A-Z][\w]*[A-Za-z0-9](?:[\w.-]*\w)?")
_IN = "in"
"""Behind a verb of prices it tells of what: bytes, time."""
_STOP_WORDS = STOP_WORDS | {"besides", "ago", "since"}
_DETERMINER = r"(?:the|an?|our|my|your|his|her|its|their|this|that|these|those|any|each|every|all|no)"

_HEAD_END = compile_late(
    rf"\b{_AUXILIARY}\b|(?<![\w-])(?:of|for|in|on|onto|that|when|while|to|by|at|from|with|after|before|during|about|concerning|inside"
    r"|within|between|through|under|over|into|per|and|or|became|caused|carried|made|took|got|went|turned|came|brought|belongs?)(?![\w-])"
    rf"|\b[\w'-]+\s+{_DETERMINER}\b",
    re.I,
)
"""The head ends at a verb, at a preposition, or at the word before an article, which is a verb as well."""


@dataclass(frozen=True, slots=True)
class QuestionType:
    """A classified question.

    `form` is VALUE, YES_NO or OPEN. `focus` has the stems of the noun that it asks for ("which border colour" → border, color),
    `names` the stems of words that it capitalises inside the sentence. `answer_type` names the expected type of value, and
    `answer_pattern` matches texts that contain one; None when any text may answer. `is_count` says that the pattern contains
    the counted noun. `verb` has the stem of the main verb ("which database holds the jobs", "which port does the API listen on").
    """

    form: str
    focus: tuple[str, ...]
    names: tuple[str, ...]
    answer_type: str | None
    answer_pattern: re.Pattern[str] | None
    is_count: bool = False
    verb: tuple[str, ...] = ()

    @property
    def needless_verbs(self) -> tuple[tuple[str, ...], ...]:
        """What need not be said beside a value: nothing, and the verb that asks for it, unless it asks for a price."""
        return ((),) if self.answer_type == PRICE or not self.verb else ((), self.verb)


@lru_cache(maxsize=64)  # one question is classified several times
def classify_question(text: str) -> QuestionType:
    """Classify a question by its wording."""
    form = _find_form(text)
    if price := _find_price(text):
        form, head = VALUE, price
    else:
        head = _find_head(text) if form == VALUE and not _WHOSE.search(text) else ""
    answer_type, answer_pattern, is_count = _find_answer_type(head, text)
    names = tuple(dict.fromkeys(terms[-1] for match in _PROPER_NOUN.finditer(text) if (terms := tokenize(match.group()))))
    return QuestionType(form, _find_focus(text), names, answer_type, answer_pattern, is_count, _find_verb(text, head, price))


def _find_answer_type(head: str, text: str) -> tuple[str | None, re.Pattern[str] | None, bool]:
    """Return the type of value that a question's head asks for, the pattern of texts that contain one, and whether it is a count.

    A count is answered by a number before its own noun, even when the noun also names a type of value.
    """
    if not head:
        return None, None, False
    searches = ((kind, kind.asks.search(head)) for kind in list_answer_types())
    matches = {kind.name: (kind.name == NUMBER, match.start(), kind) for kind, match in searches if match}
    if (many := _HOW_MANY.match(head)) and not matches.keys() & UNIT_TYPES and not many[1].lower().startswith("times"):
        return NUMBER, compile_count_pattern(many[1]), True
    if not matches:
        return None, None, False
    _, _, answer_type = min(matches.values(), key=lambda match: match[:2])
    if answer_type.name == VERSION:
        answer_type = widen_version(answer_type, _find_versioned(head, text))
    return answer_type.name, answer_type.compile_value_pattern(), False


def _find_versioned(head: str, text: str) -> str:
    """Return the word that names the thing whose version is asked for: right before "version", or the one behind "of".

    Empty for a thing of several words, of which none alone names it ("the redis server"), and where only a verb tells it.
    """
    before = _split_around_version(head)[0]
    before = before[:-1] if before and before[-1].casefold() == "release" else before
    if before:
        return before[-1] if not _is_stop_word(before[-1]) else ""
    behind = _split_around_version(text)[1]
    if not behind or behind[0].casefold() != "of":
        return ""
    stated = " ".join(behind[1 : _VERSION_PHRASE + 1])
    phrase = dropwhile(_is_stop_word, _HEAD_END.split(stated)[0].split())
    words = _cut_at_verb(" ".join(takewhile(lambda word: not _is_stop_word(word), phrase)), stated).split()
    return words[0] if len(words) == 1 else ""


def _split_around_version(text: str) -> tuple[list[str], list[str]]:
    """Return the words before and behind the first "version" of a text, without marks around them."""
    words = [word.strip("\"'().,;:!?") for word in text.split()]
    place = next((number for number, word in enumerate(words) if word.casefold() in _VERSION_WORDS), None)
    return ([], []) if place is None else (words[:place], words[place + 1 :])


def _is_stop_word(word: str) -> bool:
    return word.casefold() in _STOP_WORDS


def _find_form(text: str) -> str:
    """Return the form by the first question word; "when" and "where" inside a "how" question do not count."""
    if STARTS_WITH_AUXILIARY.search(text):
        return YES_NO
    match = QUESTION_WORD.search(text)
    if match is None or match[1].lower() == "why":
        return OPEN
    rest = text[match.start() :]
    if match[1].lower() == "how":
        return VALUE if _MEASURE.match(rest) else OPEN
    return OPEN if match[1].lower() == "what" and not _find_noun(rest) else VALUE


def _find_noun(rest: str) -> str:
    """Return the noun phrase that "which …" or "what …" asks for, up to the verb; empty for "what happened"."""
    what_is = _WHAT_IS.match(rest)
    match = what_is or _WHICH.match(rest)
    if match is None:
        return ""
    head = _HEAD_END.split(match[1])[0]
    continuation = match[1][len(head) :] + rest[match.end() :]
    is_bare_what = rest[:4].lower() == "what" and not re.match(rf"\s*{_AUXILIARY}\b", continuation, re.I)
    is_noun = bool(what_is) or not is_bare_what
    if not is_noun and not any(kind.asks.search(head) for kind in list_answer_types()):
        return ""
    return " ".join(_cut_at_verb(head, rest).split()[:HEAD_WORDS])


def _cut_at_verb(head: str, rest: str) -> str:
    """Return the noun before its verb in a question without an auxiliary: "which variable turns it on"."""
    if re.search(rf"\b{_AUXILIARY}\b", rest, re.I):
        return head
    verb = _PAST_VERB.search(head) or _PRESENT_VERB.search(head)
    return head[: verb.start()] if verb else head


def _find_head(text: str) -> str:
    """Return the words that name the wanted value: from the question word up to the first verb."""
    match = QUESTION_WORD.search(text)
    if match is None:
        return ""
    rest = text[match.start() :]
    if measure := _MEASURE.match(rest):
        return measure[0] + " " + " ".join(_HEAD_END.split(rest[measure.end() :])[0].split()[:2])
    if match[1].lower() in ("which", "what", "whose"):
        return _find_noun(rest)
    return rest if match[1].lower() == "when" and re.search(r"\b(planned|scheduled|due|appointment)\b", rest, re.I) else ""


def _find_price(text: str) -> str:
    """Return the verb by which a question asks for a price: "what does the server cost", "how much did we pay for it".

    A noun that goes on ("the cost report", "pay attention") is no such verb, "how much memory" asks for memory, and what
    something costs "in bytes" is no money.
    """
    words = list_plain_words(text)
    lead, forms = (["what"], AUXILIARIES - COPULAS) if words[:1] == ["what"] else (["how", "much"], AUXILIARIES)
    if words[: len(lead)] != lead or forms.isdisjoint(words[len(lead) : len(lead) + 1]):
        return ""
    asks = next(kind.asks for kind in list_answer_types() if kind.name == PRICE)
    pairs = zip(words, [*words[1:], ""], strict=True)
    verbs = (word for word, after in pairs if not after or (after in STOP_WORDS and after != _IN))
    return next((head for verb in verbs if asks.search(head := f"to {verb}")), "")


def _find_verb(text: str, head: str, price: str) -> tuple[str, ...]:
    """Return the stem of the verb behind the noun that is asked for, as in "which database holds …"; no auxiliary. Of a price
    that of its own verb."""
    if price:
        return tuple(term for term in tokenize(price) if term not in _STOP_WORDS)
    following = text.partition(head)[2].split() if head else []
    if following and following[0].casefold() in AUXILIARIES - COPULAS:
        return _find_main_verb(list_plain_words(" ".join(following[1:])))
    is_verb = len(following) > 1 and following[0].isalpha() and following[0].islower() and not _HEAD_END.match(following[0])
    return tuple(tokenize(following[0])) if is_verb else ()


def _find_main_verb(words: list[str]) -> tuple[str, ...]:
    """Return the stem of the verb behind "does" and a subject: the word before the first function word, as in "the exporter
    listen on", but "of", else the last."""
    ends = (place for place in range(1, len(words)) if words[place] in STOP_WORDS and words[place - 1] not in STOP_WORDS)
    end = next((place for place in ends if words[place] != "of"), len(words))
    return tuple(term for term in tokenize(" ".join(words[:end][-1:])) if term not in _STOP_WORDS)


def _find_focus(text: str) -> tuple[str, ...]:
    """Return the stems of the noun that is asked for, its head last: "called" behind it is none of its words."""
    head = _find_head(text)
    measure = _MEASURE.match(head)
    words = (head[measure.end() :] if measure else head).split()
    terms = tokenize(" ".join(words[:-1] if len(words) > 1 and words[-1].endswith("ed") else words))
    return tuple(dict.fromkeys(term for term in terms if term not in _STOP_WORDS))[:FOCUS_WORDS]


OPEN_WORDS = parse_stems("left open remaining outstanding pending unfinished undone unresolved todo next")
"""Words for the state of work that is not done."""
AMBIGUOUS_WORDS = parse_stems("left open next")
"""Those that are verbs, directions or times, too: "who left", "how do I open it", "what did he say next"."""
NAMED_WORK = parse_stems("work task todo item step issue thing question point pr prs request mr mrs ticket bug")
WORK_WORDS = NAMED_WORK | parse_stems("pull merge anything something nothing") | VAGUE_WORDS
"""Words for work of any kind."""
_STATE_LEADS = parse_set("is are was were be what's that's there anything something nothing have has comes come")
"""Words before "left", "open" and "next" where these tell a state."""
_ADVERBS = parse_set("still yet also now currently to")
_DUTIES = parse_set("have has need needs got is are what's still")
"""Words before "to do"."""
_HALTS = parse_stems("stop stopped leave left off pause paused")
_BEHIND = frozenset({"after", "from", "since", "before"})
"""Prepositions behind which stands what the work came from: "still open after the review"."""


def asks_for_open_work(text: str) -> bool:
    """Whether a question asks what is left to do, and for nothing beside: "which port is open" asks for a port."""
    words = [word.replace("’", "'") for word in list_plain_words(text)]
    end = next((place for place, word in enumerate(words) if word in _BEHIND), len(words))
    words = words[:end]
    asked = {*tokenize(" ".join(words))} - STOP_WORDS
    if "who" in words:
        return False
    if words[:1] == ["where"]:  # "where did we stop?"
        return bool(asked & _HALTS and {"we", "i"} & {*words}) and asked <= _HALTS | VAGUE_WORDS
    is_open = any(_is_state(words, place) for place, word in enumerate(words) if asked & {*tokenize(word)} & OPEN_WORDS)
    return (is_open or _is_duty(words)) and asked <= OPEN_WORDS | WORK_WORDS


def _is_state(words: Sequence[str], place: int) -> bool:
    """Whether a word of open work tells a state of work there: any but an ambiguous one does."""
    before = [word for word in words[:place] if word not in _ADVERBS][-1:]
    behind = words[place + 1 : place + 2]
    if not {*tokenize(words[place])} & AMBIGUOUS_WORDS:
        return True
    is_done_next = words[place] == "next" and before == ["do"] and "did" not in words
    is_beside_work = any({*tokenize(word)} & NAMED_WORK for word in (*before, *behind))
    return is_done_next or is_beside_work or not {*before}.isdisjoint(_STATE_LEADS) or len(words) == 1


def _is_duty(words: Sequence[str]) -> bool:
    """Whether a question asks what somebody has to do: "what do I still have to do?"."""
    places = (place for place in range(1, len(words) - 1) if words[place : place + 2] == ["to", "do"])
    return "did" not in words and any(words[place - 1] in _DUTIES for place in places)
