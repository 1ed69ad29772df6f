"""Finds the rule in a spoken sentence: said in the first person, to somebody, with a beginning and a reason around it.

"and um could you please ask me one thing at a time, I'm dictating and …" is a rule in one part of its sentence. It is told in
the owner's words, with "me" and "I" in them: MEMORY.md is the owner's page.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from transforms.classify.clause_kinds import JOINING_WORDS, list_parts
from transforms.exchanges.choosing.answered_question import capitalise
from transforms.language.clauses import drop_frequency, parse_clause
from transforms.language.cue_phrases import FILLER
from transforms.language.sentences import QUESTION_MARKS, find_content_words, split_sentences, split_words
from transforms.memory.claims.clean_claim import clean_claim
from transforms.memory.normalise_claim import is_standalone
from transforms.quoting.whole_claim import FEWEST_WORDS, is_run_on
from transforms.words.word_classes import CONDITIONS, FIRST_PERSONS

_ASKING = frozenset({"could", "can", "would", "will"})
"""Verbs that ask for what an order demands: "could you please ask me one thing at a time"."""
MAX_ANSWER_WORDS = 2
"""Words of an answer in which a person speaks of themselves: "I won't, …"."""


def list_spoken_rules(quote: str, is_rule: Callable[[str], bool], is_sure: Callable[[str], bool]) -> list[str]:
    """Return the sentences of typed words, or the parts of them, that are rules for good by what `is_rule` says, and of a
    part `is_sure`, each with its condition. A sentence that is short enough is told whole."""
    sentences = [sentence for sentence in split_sentences(quote) if not sentence.endswith(QUESTION_MARKS)]
    rules = [rule for sentence in sentences for rule in [_find_rule(sentence, is_rule, is_sure)] if rule]
    return list(dict.fromkeys(rules))


def _find_rule(sentence: str, is_rule: Callable[[str], bool], is_sure: Callable[[str], bool]) -> str:
    """Return a sentence that is a rule; of a long one the part that is, with the condition before it and what goes on behind."""
    parts = list_parts(sentence)
    is_cut = sentence.endswith("…")
    whole = _clean(parts)
    parts = parts[:-1] if is_cut else parts
    if not is_cut and not is_run_on(whole) and is_rule(whole) and _stands(whole):
        return whole
    for place, part in enumerate(parts):
        if not is_sure(_clean([part])):
            continue
        start, end = place - (place > 0 and _goes_on(part)), place + 1
        while start and _begins_with(parts[start - 1], CONDITIONS):
            start -= 1
        while end < len(parts) and not _is_talk(parts[end]) and not is_run_on(_clean(parts[start : end + 1])):
            end += 1
        line = _clean(parts[start:end])
        if _stands(line) and _binds(line):
            return line
    return ""


def _goes_on(part: str) -> bool:
    """Whether a part says what becomes of the rest of what the part before it speaks of: "… and everything longer stays"."""
    joined = part.split()[:1] == ["and"]
    return joined and parse_clause(part[len("and ") :], part[len("and ") :]).subject in ("every", "nobody", "noun", "it")


def _binds(line: str) -> bool:
    """Whether a part of a sentence is an order, a wish or a habit by its subject; what else a sentence says is mostly its reason
    or its purpose ("so when he reads me a number I know …")."""
    words = split_words(line.casefold())
    main = line.partition(", ")[2] if _begins_with(line, CONDITIONS) else line
    return words[:1] == ["i"] or ("i" not in words and parse_clause(main, main).subject not in ("noun", "it"))


def is_of_speaker(line: str) -> bool:
    """Whether the subject of a line is who speaks: a report of the moment more often than a habit."""
    return parse_clause(line, line).subject == "i"


def _is_talk(part: str) -> bool:
    """Whether a part of a sentence is a clause about who speaks, or about what was said: its reason, or other talk."""
    words = " ".join(word for word in part.split() if word.lower() not in JOINING_WORDS)
    return parse_clause(words, words).subject in ("i", "it") and not _begins_with(part, CONDITIONS)


def _begins_with(part: str, names: frozenset[str]) -> bool:
    words = [word for word in split_words(part.casefold()) if word not in JOINING_WORDS]
    return not names.isdisjoint(words[:1])


def _clean(parts: list[str]) -> str:
    line = clean_claim(FILLER.sub("", " ".join(_drop_answer(parts))))
    words = line.split()
    pairs = pairwise(word.casefold().strip(",") for word in words)
    place = next((place for place, pair in enumerate(pairs) if pair[0] in _ASKING and pair[1] == "you"), None)
    if place is None or (place > MAX_ANSWER_WORDS and not _begins_with(line, CONDITIONS)):
        return line
    head, rest = " ".join(words[:place]).rstrip(","), words[place + 2 :]
    order = " ".join(rest[1:] if rest[:1] == ["please"] else rest)
    return f"{head}, {order}" if _begins_with(head, CONDITIONS) else capitalise(order)


def _drop_answer(parts: list[str]) -> list[str]:
    """Return the parts of a sentence without a first one that answers somebody: "No no, …", "I won't, …"."""
    words = split_words(parts[0].casefold()) if len(parts) > 1 else []
    is_answer = bool(words) and not find_content_words(" ".join(words)) and not _begins_with(parts[0], CONDITIONS)
    is_answer |= len(words) == MAX_ANSWER_WORDS and words[0] in FIRST_PERSONS
    return parts[1:] if is_answer else parts


def _stands(line: str) -> bool:
    """Whether a line names what it is about and refers to no former words; it may speak of its owner and of those who read it."""
    return len(find_content_words(drop_frequency(line))) > FEWEST_WORDS and is_standalone(line, is_spoken=True)
