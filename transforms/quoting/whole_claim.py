"""Completes a line that was made of one sentence of a message with what the sentences beside it say of the same matter.

People say a rule in parts: what it is about ("the bench probe is 0483:374e. always pass the serial"), the rule, and what goes
with it ("… and nothing goes out on a friday"). Code finds the parts by their places: the item of a list, a sentence that begins
with a conjunction, and the neighbours of a rule that hardly names anything. The words are the person's, in their order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from transforms.language.clauses import drop_frequency
from transforms.language.sentences import QUESTION_MARKS, find_content_words, split_sentences, split_words
from transforms.language.tokenizer import is_other_language
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.stops import drop_end_stops
from transforms.words.word_classes import MODALS, PERSONS, POINTERS, SECOND_PERSONS

MAX_WHOLE_CHARS = 280
"""Longest completed line."""
FEW_WORDS, FEWEST_WORDS = 4, 2
"""Content words of a rule up to which its neighbours say what it is about, and up to which it is none without them."""
MIN_SAID_SHARE = 0.6
"""Share of a line's content words that its sentence has."""
MIN_NAMED_WORDS = 2
"""Content words of a sentence before its first pronoun, which then means them."""
RUN_ON_WORDS, WORDS_PER_MARK, CLAUSE_MARKS = 25, 15, ",;:.!?–—()،؛؟۔।॥።፣၊။"
"""Words of a line, and words for each mark in it, from which on it is a run of sentences. Of 65 judged lines of fourteen people
one is that long, which its reader refused; the longest that anybody would sign has 14 words for each mark."""
MAX_SUBJECT_WORDS = 4
"""Words before a colon that name the subject of a rule ("rollout rule:")."""
_ITEM = compile_late(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+")
_JOINS = frozenset({"and", "also", "but", "only", "except", "unless", "because", "since", "otherwise", "so"})
"""First words of a sentence that goes on with the one before it."""
_LEANING = POINTERS | {"its", "he", "she", "then", "there", "so", "and", "but"}
"""First words of a sentence that means nothing without the one before it."""
_SPEAKERS = SECOND_PERSONS | {"i", "i'm", "i've", "i'd", "i'll", "im", "ive", "me", "my", "your", "ur", "you're"}
_POINTERS = (POINTERS - {"they"}) | PERSONS
"""Words that point at what was named before: in the sentence itself, else in the message or by the agent."""
_SUBJECTS = frozenset({"it", "they"})
_MODALS = (MODALS - {"could", "will", "would", "might"}) | {"mustn't", "shouldn't", "can't", "cannot"}
_HALF_MODALS = frozenset({("has", "to"), ("have", "to"), ("needs", "to"), ("need", "to")})
"""Verbs of what has to be so; behind a pronoun they set the condition of the sentence before it."""
_ALLOWING = frozenset({"may", "can", "must"})
"""Verbs behind "you" that say where something is allowed: "On the live database you may select"."""
_HERE = frozenset({"here", "now"})
"""Words that point at where and when somebody speaks ("kofi here, reading along"), which no sentence names."""
_PICKING = compile_late(
    r"\bthe (?:first|second|third|fourth|last|next|former|latter|other)\b(?: one)?(?! (?!is\b|are\b)\w)", re.I
)
"""An option of the agent by its place."""
_BAN = compile_late(r"(?:and )?(?:no|never|always|only|nothing|nobody)\b(?![,.;!])", re.I)
"""A sentence that begins with what it forbids or always wants."""
_OVER = frozenset({("no", "longer"), ("no", "more"), ("any", "more")})
"""Adverbs that say that what held is over, and "anymore"."""
_CLAUSE_MARKS = compile_late(r"[,.;:!?()–—]| - ")
_CALLING = frozenset({"rule", "rules", "hard", "ground", "new", "house", "golden", "note", "one", "more", "last", "important"})
"""Words that call what follows a rule and say nothing of its subject."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """A line of a message, or an item of its list, as sentences."""

    sentences: tuple[str, ...]
    is_item: bool


def names_little(line: str) -> bool:
    """Whether a line names so little that a reader does not know what it is about ("Always pass the serial")."""
    return len(find_content_words(drop_frequency(line))) <= FEWEST_WORDS


def is_run_on(line: str) -> bool:
    """Whether a line is several sentences without marks between them, as they are dictated: none tells which one is the rule."""
    words, marked = len(line.split()), line.rstrip(".۔।॥።။")
    return words >= RUN_ON_WORDS and words >= WORDS_PER_MARK * sum(marked.count(mark) for mark in CLAUSE_MARKS)


def complete_line(line: str, message: str, is_fit: Callable[[str], bool], is_standing: Callable[[str], bool]) -> str:
    """Return the line with the sentences of the message that belong to it; the line itself when none does.

    `is_fit` says of a sentence whether it may stand in memory at all, `is_standing` whether it is meant for good: beside a rule
    that names its matter its occasion stands as often. None is taken that asks, speaks of the speakers, or points.
    """
    units = [_split_unit(text) for text in message.splitlines() if text.strip()]
    place = _find_place(line, units)
    if place is None or is_other_language(split_words(message.casefold())):
        return line  # whom a sentence speaks of, and whether it points, is only read in English
    unit, number = units[place[0]], place[1]
    typed = unit.sentences[number]
    is_short = len(find_content_words(drop_frequency(line))) <= FEW_WORDS
    is_listed = unit.is_item and sum(other.is_item for other in units) > 1
    leads = (is_short or is_listed or _goes_on(typed)) and not _begins_to_hold(typed)
    needs_subject = is_listed or names_little(line) or says_how_often(typed)

    def belongs(sentence: str) -> bool:
        """Whether a sentence that is not joined to the rule may be told with it."""
        return is_fit(sentence) and (needs_subject or _allows(split_words(sentence.casefold())) or is_standing(sentence))

    before = _collect_before(unit.sentences[:number], belongs) if leads else []
    rest = unit.sentences[number + 1 :]
    behind = _collect_behind(rest, is_fit, belongs if is_short or is_listed else None) or _collect_new(typed, rest, is_fit)
    subject = _find_subject(typed, line)
    middle = f"{subject}: {line[:1].lower()}{line[1:]}" if subject else drop_echo(line)
    while before and len(_join([*before, middle, *behind])) > MAX_WHOLE_CHARS:
        before.pop(0)
    while behind and len(_join([*before, middle, *behind])) > MAX_WHOLE_CHARS:
        behind.pop()
    while before and split_words(before[0].casefold())[:1] and split_words(before[0].casefold())[0] in _LEANING:
        before.pop(0)
    whole = _join([*before, middle, *behind])
    return whole if len(whole) <= MAX_WHOLE_CHARS else line


def add_bans(line: str, message: str, is_fit: Callable[[str], bool]) -> str:
    """Return the line of a choice with what the message forbids or always wants beside it ("2. No dependency near money")."""
    sentences = [sentence for text in message.splitlines() for sentence in _split_unit(text).sentences]
    bans = [clean for sentence in sentences if _BAN.match(sentence) and (clean := _clean(sentence, is_fit))]
    for ban in bans:
        named = [word for word in split_words(ban.casefold()) if word in find_content_words(ban)]
        is_new = len(named) >= MIN_NAMED_WORDS and named[0] not in find_content_words(line)
        line = _join([line, ban]) if is_new and len(_join([line, ban])) <= MAX_WHOLE_CHARS else line
    return line


def restore_answer(text: str, source: str) -> str:
    """Return the text of a fact whose quotation was cut ("…"), with the whole answer as the source has it between its marks."""
    lead, mark, behind = text.partition('"')
    quote, asked, question = behind.partition('" (asked: ')
    start = quote.removesuffix("…").rstrip()
    whole = " ".join(source.split())
    place = whole.find(f'"{start}') if asked and quote != start else -1
    answer = whole[place + 1 :].partition('"')[0] if place >= 0 else ""
    return f"{lead}{mark}{answer}{asked}{question}" if answer.startswith(start) else text


def drop_echo(line: str) -> str:
    """Return the line without a last clause that only says a word of it once more ("always the nst device, always")."""
    head, comma, echo = line.rpartition(", ")
    words = split_words(echo.casefold())
    return head if comma and len(words) == 1 and words[0] in split_words(head.casefold()) else line


def _split_unit(text: str) -> _Unit:
    mark = _ITEM.match(text)
    return _Unit(tuple(split_sentences(text[mark.end() :] if mark else text)), mark is not None)


def _find_place(line: str, units: Sequence[_Unit]) -> tuple[int, int] | None:
    """Return the unit and the sentence with most words of a line; None when none has enough of them."""
    words = find_content_words(line)
    shares = {
        (place, number): len(words & find_content_words(sentence))
        for place, unit in enumerate(units)
        for number, sentence in enumerate(unit.sentences)
    }
    best = max(shares.values(), default=0)
    places = [place for place, share in shares.items() if share == best]
    return places[0] if len(places) == 1 and best >= MIN_SAID_SHARE * len(words) > 0 else None


def says_how_often(line: str) -> bool:
    """Whether the first clause of a line only says how often what stands before it holds ("Always, Joris picks only the sql")."""
    head, comma, _ = line.partition(", ")
    return bool(comma) and not drop_frequency(head)


def _goes_on(sentence: str) -> bool:
    return says_how_often(sentence) or not _JOINS.isdisjoint(split_words(sentence.casefold())[:1])


def _begins_to_hold(sentence: str) -> bool:
    """Whether a sentence says from when on it holds ("from now on: …"); what stands before it is its occasion."""
    words = split_words(sentence.casefold())[:3]
    return words[:1] == ["from"] and words[2:] == ["on"]


def _collect_before(sentences: Sequence[str], is_fit: Callable[[str], bool]) -> list[str]:
    """Return the sentences right before a place that may stand in memory, as far as there are any."""
    kept = list[str]()
    for sentence in reversed(sentences):
        clean = _clean(sentence, is_fit)
        if not clean:
            break
        kept.insert(0, clean)
    return kept


def _collect_behind(sentences: Sequence[str], is_fit: Callable[[str], bool], belongs: Callable[[str], bool] | None) -> list[str]:
    """Return the sentences right behind a place that go on with it or set its condition, and others that belong to it."""
    kept = list[str]()
    for sentence in sentences:
        is_condition = _sets_condition(sentence)
        fits = is_fit if is_condition or _goes_on(sentence) else belongs
        clean = _clean(sentence, fits, may_point=is_condition) if fits else ""
        if not clean:
            break
        kept.append(clean)
    return kept


def _sets_condition(sentence: str) -> bool:
    """Whether a sentence says of what the one before it names how it has to be ("it must be green")."""
    words = split_words(sentence.casefold())
    return (
        words[:1] != [] and words[0] in _SUBJECTS and ((words[1:2] and words[1] in _MODALS) or tuple(words[1:3]) in _HALF_MODALS)
    )


def _collect_new(typed: str, behind: Sequence[str], is_fit: Callable[[str], bool]) -> list[str]:
    """Return the sentence right behind one that says what is over: it says what holds instead."""
    clean = _clean(behind[0], is_fit) if behind and _says_over(typed) and not _says_over(behind[0]) else ""
    return [clean] if clean else []


def _says_over(sentence: str) -> bool:
    """Whether a sentence says that what held is over: not "no longer than 60", nor "any more packages"."""
    for clause in _CLAUSE_MARKS.split(sentence.casefold()):
        words = split_words(clause)
        pairs = [pair for pair, behind in zip(pairwise(words), [*words[2:], ""], strict=False) if behind != "than"]
        if "anymore" in words or ("no", "longer") in pairs or tuple(words[-2:]) in _OVER:
            return True
    return False


def _clean(sentence: str, is_fit: Callable[[str], bool], *, may_point: bool = False) -> str:
    """Return a sentence without last clauses about the speakers; empty when it may not stand in memory, or is one
    word, which answers what nobody sees. One that `may_point` begins with a pronoun for what stands before it."""
    if sentence.endswith((*QUESTION_MARKS, "…", ":")):
        return ""
    clauses = drop_end_stops(sentence).split(", ")
    if len(clauses) > 1 and not find_content_words(clauses[0]):
        return ""  # "Yes, …" answers somebody
    while len(clauses) > 1 and not _SPEAKERS.isdisjoint(split_words(clauses[-1].casefold())):
        clauses.pop()
    kept = ", ".join(clauses)
    words = split_words(kept.casefold())
    place = next((place for place, word in enumerate(words) if word in _POINTERS), None)
    is_named = place is None or (may_point and place == 0) or len(find_content_words(" ".join(words[:place]))) >= MIN_NAMED_WORDS
    spoken = (_SPEAKERS | _HERE).intersection(words)
    is_allowed = spoken == {"you"} and _allows(words)
    is_closed = len(words) > 1 and is_named and (not spoken or is_allowed) and not _PICKING.search(kept)
    return kept if is_closed and is_fit(kept) else ""


def _allows(words: Sequence[str]) -> bool:
    """Whether the words of a sentence say where something is allowed ("On the live database you may select")."""
    return any(pair[0] == "you" and pair[1] in _ALLOWING for pair in pairwise(words))


def _find_subject(typed: str, line: str) -> str:
    """Return the head before the colon of a typed sentence that the line left out, where it names the subject of the rule."""
    head, colon, _ = typed.partition(": ")
    words = find_content_words(head) - _CALLING
    is_head = (
        bool(colon) and len(head.split()) <= MAX_SUBJECT_WORDS and bool(words) and words.isdisjoint(find_content_words(line))
    )
    return head if is_head and _SPEAKERS.isdisjoint(split_words(head.casefold())) else ""


def _join(parts: Sequence[str]) -> str:
    stopped = [part if part.endswith("!") or place == len(parts) else f"{part}." for place, part in enumerate(parts, start=1)]
    return " ".join(f"{part[:1].upper()}{part[1:]}" for part in stopped)
