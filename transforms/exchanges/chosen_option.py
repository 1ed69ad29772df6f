"""Words what a person chose of an agent's options as a line that stands alone.

Who points ("2", "the former") says which, and the agent's option says what: the line has the words of the option behind what
it is about, the question or what the menu is for. What led to a menu is mostly the state that the choice ends, so it is no
subject, but the file that it names is. An answer in the person's own words is worded by the alternative of the question that
it names last: who says "env. hmm no, a file, so TOML" has chosen TOML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from transforms.exchanges.choosing.answered_question import PRONOUNS, capitalise, find_subject_question
from transforms.exchanges.choosing.pointers import NUMERALS
from transforms.exchanges.offers import BRACKETED
from transforms.exchanges.pointing import ASKING, CLAUSE_END, DENYING
from transforms.language.assertion_patterns import ORDER
from transforms.language.cue_phrases import CODE_SPAN
from transforms.language.entities import find_file_names
from transforms.language.lexicon import ORDINALS
from transforms.language.sentences import QUESTION_MARKS, find_content_words, split_sentences, split_words
from transforms.language.tokenizer import is_english
from transforms.tables.fact_notes import (
    MIN_SHARED_CHARS,
    ToldChoice,
    drop_recommendation,
    find_other_values,
    list_numbers,
    read_confirmation,
    read_told_choice,
)
from transforms.words.word_classes import (
    DEMONSTRATIVES,
    FIRST_PERSONS,
    MODALS,
    PRESENT_COPULAS,
)

MIN_OPTION_WORDS, MIN_CONTRASTED_WORDS = 3, 2
"""Content words from which an option tells by itself what it is about, and from which it does beside one that was left."""
MIN_REASON_WORDS = 1
"""Content words of the person from which a pointer is not bare."""
MAX_TOPIC_WORDS = 14
"""Words of what a menu is for."""
CONFIRMED_SHARE = 0.5
"""Share of the content words of an option that the agent's confirmation has, which then tells the choice as a sentence."""
MAX_NAME_WORDS = 2
"""Words of a name at the beginning of an option, of which the rest only says what it is like: "Valkey 8.0, BSD-3"."""
_LINKS = frozenset(["to", "by", "in", "on", "at", "with", "for", "from", "of", "as", "per", "under", "only", "or", "and"])
"""First words of an option that goes on from the words before all of them: "raise (a) the limit to 3.4 V, (b) to 3.6 V"."""
_UNFINISHED = FIRST_PERSONS | PRESENT_COPULAS | (MODALS - {"will", "may", "might", "must"}) | {"either", "be", "to"}
"""Last words of a lead whose sentence each option finishes."""
_TOPIC_ENDS = FIRST_PERSONS | {"there"}
"""Words that begin the sentence behind what a menu is for: "For the lamps there are two ways"."""
_MENU = frozenset(
    {"option", "options", "way", "ways", "choices", "candidates", "possibilities", "variants", "alternatives", *NUMERALS}
)
"""What announces a menu and names nothing of it."""
_JOINS = (",", ";", ":", " ")
"""What stands behind a clause whose sentence goes on."""
_PRO_FORMS = frozenset({"one", "ones", "option"})
"""Nouns behind an ordinal that points."""
_LABELS = frozenset("123456789abcdefgh")
_AMENDING = (["but"], ["without"], ["except"])
_TRAILING = (["then"], ["too"])
_QUANTIFIERS = frozenset({"both", "all", "none", "neither"})
"""First words of an option that stands for the others."""
_TALKING = PRONOUNS | FIRST_PERSONS | {"me", "my", "you", "your"}
SPEAKERS = _TALKING | {"that"}
"""Words of somebody who speaks, or that point at what was said."""


def names_chosen(text: str) -> bool:
    """Whether an observation tells which option of an agent a person chose by pointing at it."""
    return read_told_choice(text) is not None


def word_chosen(text: str) -> str:
    """Return the line of an option that a person chose by pointing; empty when it cannot stand alone.

    It cannot when the options are parts of one sentence (then the row repeats them in what was asked: mostly a step of the work),
    go on from words that they share, name with a pronoun what no question names, or only name a thing and nothing says for what;
    nor when the person bounds or amends the option, picks several of a list of work, or asks something. An option of which the
    person changes a value is told by the agent's confirmation, or not at all. Without a question or a head the choice needs words
    of the person, its reason: a bare "2" is mostly about the work at hand.
    """
    choice = read_told_choice(text)
    option = _cut_option(drop_recommendation(choice.chosen)) if choice else ""
    if choice is None or not option or "|" in option or _shares_words(choice, option) or _is_amended(choice):
        return ""
    confirmation = _find_confirmation(choice, option)
    if _find_changed_values(choice):
        return confirmation
    if _is_bounded(choice.quote):
        return ""
    if question := find_subject_question(choice.asked):
        return f"{question} {capitalise(option)}"
    words = split_words(option.casefold())
    head, colon, _ = option.partition(": ")
    is_bare_value = bool(colon) and not any(map(str.isalpha, head))  # "04:15: some air": of what, no question says
    if words[:1] == ["that"] or not _QUANTIFIERS.isdisjoint(words[:1]) or not PRONOUNS.isdisjoint(words) or is_bare_value:
        return confirmation
    if choice.asked and not choice.left and not choice.asked.endswith(("…", *QUESTION_MARKS)):
        return capitalise(f"{choice.asked.rstrip(' :.')}: {option}")  # one of several items that were answered: it has a head
    if len(find_content_words(choice.quote) - ORDINALS.keys()) < MIN_REASON_WORDS:
        return ""
    named = len(find_content_words(option))
    if named >= MIN_CONTRASTED_WORDS and (topic := _find_topic(choice.asked)):
        return _join_topic(topic, option)
    if confirmation:
        return confirmation
    name = _find_file(choice, option)
    if _needs_subject(choice, option) or name:
        return f"`{name}`: {option}" if name else ""
    if named >= MIN_OPTION_WORDS:
        return capitalise(option)
    whole = [other for other in choice.left if not other.endswith("…")]
    return capitalise(f"{option}, not {whole[0]}") if named >= MIN_CONTRASTED_WORDS and whole else ""


def points_behind(line: str) -> bool:
    """Whether a clause of a line ends with a word that points at what was said before: "every script gets that then, …"."""
    clauses = [split_words(clause.casefold()) for clause in CLAUSE_END.split(line)]
    ends = [words[:-1] if words[-1:] in _TRAILING else words for words in clauses]
    return any(len(words) > 1 and words[-1] in DEMONSTRATIVES for words in ends)


def word_confirmed(line: str, text: str) -> str:
    """Return the clause with which the agent's answer (`Reply:` of the row's text) tells a person's line that points at what was
    said before, in words of its own; empty when none does, or the line does not point."""
    if not points_behind(line):
        return ""
    quote, _, behind = text.partition('"')[2].rpartition('"')
    return _find_confirmation(ToldChoice("", quote, "", "", line, (), behind), line)


def _is_amended(choice: ToldChoice) -> bool:
    """Whether the person amends the option behind the pointer, points at several, or asks something."""
    clauses = [_split_labels(clause) for clause in CLAUSE_END.split(choice.quote)]
    pointing = [place for place, words in enumerate(clauses) if _points(words)]
    behind = clauses[pointing[-1] + 1 :] if pointing else []
    words = [word for clause in clauses for word in clause]
    labels = [word for word in words if word in _LABELS]
    triples = zip(words, words[1:], words[2:], strict=False)
    is_joined = any(middle == "and" and {first, last} <= _LABELS for first, middle, last in triples)
    is_several = is_joined or (len(labels) > 1 and "; " in choice.chosen)
    return is_several or "?" in choice.quote or any(words[:1] in _AMENDING for words in behind)


def _split_labels(clause: str) -> list[str]:
    """Return the words of a clause; one with a digit is only a label ("4.12" is none)."""
    tokens = [token.strip("()#.,").casefold() for token in clause.split()]
    return [word for token in tokens if token in _LABELS or not any(map(str.isdigit, token)) for word in split_words(token)]


def _points(words: Sequence[str]) -> bool:
    """Whether a label or an ordinal stands among the words of a clause, or a numeral first."""
    return words[:1] != [] and (words[0] in NUMERALS or any(word in _LABELS or word in ORDINALS for word in words))


def _is_bounded(quote: str) -> bool:
    """Whether each clause that points goes on in words of its own ("first one for now", "1 por ahora"), which say how far the
    option holds, or its sentence does in a language that no rule reads, where a reason looks like a condition."""
    is_read = is_english(split_words(quote.casefold()))
    bounds, place = list[bool](), 0
    for clause in CLAUSE_END.split(quote):
        place = quote.find(clause, place) + len(clause)
        if _points(words := _split_labels(clause)):
            is_joined = not is_read and quote[place : place + 1] in _JOINS and bool(quote[place + 1 :].strip())
            bounds.append(is_joined or len(_cut_pointer(words)) > is_read)
    return bool(bounds) and all(bounds)


def _cut_pointer(words: Sequence[str]) -> Sequence[str]:
    """Return the words of a clause behind its last pointer."""
    places = [place for place, word in enumerate(words) if word in _LABELS or word in ORDINALS or word in NUMERALS]
    behind = words[places[-1] + 1 :]
    return behind[1:] if not _PRO_FORMS.isdisjoint(behind[:1]) else behind


def _find_changed_values(choice: ToldChoice) -> set[str]:
    """Return the values that the person names beside one of the option ("300 instead of 120"), but those that they deny."""
    others = find_other_values(choice)
    return {value for value, before in others.items() if not DENYING.fullmatch(before)}


def _find_confirmation(choice: ToldChoice, option: str) -> str:
    """Return the clause with which the agent confirmed the choice, where it tells the option with the person's values and with
    no others; empty when none does. It is a sentence with a subject, where an option is mostly none."""
    first, *rest = _cut_reply(choice).partition("; ")[0].rstrip(" .").split(", ")
    said = find_content_words(f"{option} {choice.quote}")
    while rest and said.isdisjoint(find_content_words(rest[-1])):
        rest.pop()  # what else was done: "…, with a test"
    clause = ", ".join([first, *rest])
    words, numbers = find_content_words(clause), list_numbers(clause)
    is_whole = "…" not in clause and _is_closed(clause) and not clause.endswith(QUESTION_MARKS)
    is_known = _find_changed_values(choice) <= numbers <= list_numbers(f"{choice.chosen} {choice.quote}")
    is_spoken = not SPEAKERS.isdisjoint(split_words(clause.casefold()))
    own, name = find_content_words(option), _find_first_name(option)
    is_same = (bool(name) and clause.startswith(name)) or len(own & words) >= CONFIRMED_SHARE * len(own)
    is_line = is_whole and is_known and is_same and not is_spoken and len(words) >= MIN_OPTION_WORDS
    return capitalise(clause) if is_line else ""


def _cut_reply(choice: ToldChoice) -> str:
    """Return the first sentence of what the agent answered to the choice."""
    return next(iter(split_sentences(read_confirmation(choice))), "")


def _find_topic(asked: str) -> str:
    """Return what a menu is for ("Options for updates over the air", "Readers for .xlsx"), or an open point in the words of a
    question ("… what to record when a poll fails"); empty when nothing is named so."""
    sentences = split_sentences(asked)
    tokens = sentences[-1].rstrip(" :.").split() if sentences else []
    places = [place for place, token in enumerate(tokens) if token.casefold() == "for"][:1]
    # "Readers for .xlsx" names what is chosen, "Options for updates" and "For updates there are two" only what for.
    places = [0 if place == 1 and _MENU.isdisjoint(split_words(tokens[0].casefold())) else place for place in places]
    topics = [_cut_topic(tokens[place:]) for place in places]
    for words in (sentence.split() for sentence in sentences):
        pairs = enumerate(pairwise(words))
        topics += [_cut_topic(words[place:]) for place, (first, second) in pairs if second == "to" and ASKING.fullmatch(first)]
    for topic in topics:
        is_named = len(find_content_words(topic)) >= MIN_CONTRASTED_WORDS and len(topic.split()) <= MAX_TOPIC_WORDS
        if is_named and _is_closed(topic) and _TALKING.isdisjoint(split_words(topic.casefold())):
            return capitalise(topic)
    return ""


def _join_topic(topic: str, option: str) -> str:
    """Return an option behind what it is chosen for. What describes the option stands in brackets, so that one colon is left
    ("Readers: Sylvan (MIT, no dependencies)"), without last clauses that speak to the owner."""
    name, colon, described = option.partition(": ")
    clauses = described.rstrip(".").split(", ")
    while len(clauses) > 1 and not SPEAKERS.isdisjoint(split_words(clauses[-1].casefold())):
        clauses.pop()
    kept = ", ".join(clauses)
    is_plain = SPEAKERS.isdisjoint(split_words(kept.casefold())) and not BRACKETED.search(option)
    return f"{topic}{',' if colon and not is_plain else ':'} {f'{name} ({kept})' if colon and is_plain else option}"


def _cut_topic(tokens: Sequence[str]) -> str:
    """Return words up to the end of their clause."""
    ends = (place + token.endswith((",", ":", ";")) for place, token in enumerate(tokens)
            if token.endswith((",", ":", ";")) or token.casefold() in _TOPIC_ENDS)  # fmt: skip
    return " ".join(tokens[: next(ends, len(tokens))]).rstrip(" ,:;.")


def _find_file(choice: ToldChoice, option: str) -> str:
    """Return the first file that what led to the options names, else the agent's answer; empty when the option is an order or
    names code itself."""
    if ORDER.match(option):
        return ""
    texts = (choice.asked, _cut_reply(choice) if _needs_subject(choice, option) else "")
    return next((name for text in texts for name in find_file_names(text)), "")


def _needs_subject(choice: ToldChoice, option: str) -> bool:
    """Whether an option only names a thing or a value and says what it is like, or its question is not answered without it."""
    is_asked = choice.asked.endswith(QUESTION_MARKS) and bool(ASKING.match(choice.asked.rpartition(": ")[2]))
    return is_asked or bool(_find_first_name(option)) or option[:1].isdigit()


def _find_first_name(option: str) -> str:
    """Return the name that is all of an option's first part: code, or one or two words of which one is a name by its spelling."""
    masked = CODE_SPAN.sub(lambda match: "x" * len(match[0]), option)
    first = option[: len(re.split(r"[,:;]\s|\s[(–—-]", masked, maxsplit=1)[0])].strip()
    if first == option.strip() or (len(first.split()) > MAX_NAME_WORDS and not _is_code(first)):
        return ""
    return first if _is_code(first) or any(_is_name(word) for word in first.split()) else ""


def _is_code(text: str) -> bool:
    return text.startswith("`") and text.endswith("`") and text.count("`") == len("``")


def _is_name(word: str) -> bool:
    """Whether a word is a name by its spelling: capitals, digits or marks inside of it."""
    return word[1:] != word[1:].lower() or any(mark.isdigit() or mark in "._/@" for mark in word.rstrip("."))


def _cut_option(chosen: str) -> str:
    """Return the first sentence of an option without the clause that the row cut off; empty when that leaves an open bracket."""
    sentence = next(iter(split_sentences(chosen)), "").strip()
    if sentence.endswith("…"):
        start = max(sentence.rfind("; "), sentence.rfind(" – "), sentence.rfind(" — "))
        colon, comma = sentence.find(": ", start + 1), sentence.rfind(", ")
        ends = [colon if colon > 0 else comma, start]  # what a colon introduces is whole or not said
        sentence = next((sentence[:end] for end in ends if end > 0 and _is_closed(sentence[:end])), "")
    return sentence.strip(" ,;:.–—-*") if _is_closed(sentence) else ""


def _is_closed(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count("`") % 2 == 0 and text.count('"') % 2 == 0


def _shares_words(choice: ToldChoice, option: str) -> bool:
    """Whether options are parts of the sentence that was asked, or go on from words that they share."""
    starts = [other.rstrip("…").strip().casefold()[:MIN_SHARED_CHARS] for other in (choice.chosen, *choice.left)]
    if any(start and start in choice.asked.casefold() for start in starts):
        return True
    first = {word for other in (option, *choice.left) for word in split_words(other.casefold())[:1]}
    return not _LINKS.isdisjoint(first) or not _UNFINISHED.isdisjoint(split_words(choice.asked.casefold())[-1:])
