"""Words a question with its answer as a line: which questions ask for a choice, and the alternative that an answer names."""

from __future__ import annotations

from transforms.exchanges.offers import BRACKETED, MIN_OPTIONS, read_offer
from transforms.exchanges.pointing import ASKING, CLAUSE_END, DENYING
from transforms.language.sentences import QUESTION_MARKS, find_content_words, split_sentences, split_words
from transforms.patterns.command_words import begins_with_command
from transforms.words.word_classes import AUXILIARIES, PERSONS, POINTERS, POSSESSIVES_OF_OTHERS

MAX_SUBJECT_WORDS = 4
"""Words of a subject before the alternatives of a question ("Configuration: a file or variables"); a longer one is a sentence."""
_INDICATIVE = AUXILIARIES
"""First words of a question that asks whether something is so; one about a choice begins with another word, or with "should"."""
_WISHING = frozenset(["want", "need", "prefer", "like"])
PRONOUNS = (POINTERS - {"that"}) | PERSONS | POSSESSIVES_OF_OTHERS | {"its"}
"""Words that stand for what was named before."""


def capitalise(text: str) -> str:
    """Capitalise the first letter, unless it has none of its own (`ß`), or a name (`dimGray`, main.ts) or command begins."""
    head = text.split(" ", 1)[0][:-1]
    is_name = begins_with_command(text) or head != head.lower() or any(mark.isdigit() or mark in "._/`@" for mark in head)
    first = text[:1].upper()
    return text if is_name or len(first) > 1 else first + text[1:]


def drop_asides(question: str) -> str:
    """Return a question without what stands in brackets, which mostly tells the state before ("(90 days so far)")."""
    for aside in BRACKETED.findall(question):
        question = question.replace(f" {aside}", "")
    return question


def find_subject_question(asked: str) -> str:
    """Return the question of which an answer stands alone, without what leads to it and without asides; empty when it asks yes or
    no, is cut, or names nothing but with a pronoun."""
    question = drop_asides(asked.rpartition(": ")[2])
    is_open = asked.endswith(QUESTION_MARKS) and "…" not in asked and ASKING.match(question)
    return capitalise(question) if is_open and names_subject(question) else ""


def names_subject(question: str) -> bool:
    """Whether a question names something before any pronoun: "How should it print?" does not."""
    words = split_words(question.casefold())
    place = next((place for place, word in enumerate(words) if word in PRONOUNS), None)
    return place is None or bool(find_content_words(" ".join(words[:place])))


def asks_for_choice(question: str) -> bool:
    """Whether a question can be told before its answer as what was chosen for good.

    It is one question that is whole, behind whatever leads to it, or a few words as a head. "Does a binary exist?" asks how the
    world is now (a verb in the indicative first), not how it shall be.
    """
    marks = sum(question.count(mark) for mark in QUESTION_MARKS)
    if "…" in question or marks > 1 or not (question.endswith(QUESTION_MARKS) or len(question.split()) <= MAX_SUBJECT_WORDS):
        return False
    words = split_words(next(reversed(split_sentences(question)), "").casefold())
    is_wish = words[:1] == ["do"] and not _WISHING.isdisjoint(words[2:3])
    return words[:1] == [] or words[0] not in _INDICATIVE or is_wish


def word_answered(question: str, chosen: str, described: str) -> list[str]:
    """Return wordings of a question with what was chosen, the fullest first; a command is told as code."""
    subject = _word_wish(question)
    option = f"`{chosen}`" if begins_with_command(chosen) and "`" not in chosen else capitalise(chosen)
    full = f"{subject} {option} ({described})" if subject.endswith(":") else f"{subject} {option}: {described}"
    return [full, f"{subject} {option}"] if described else [f"{subject} {option}"]


def _word_wish(question: str) -> str:
    """Return a question for what somebody wants as the head of its answer, since a line of memory speaks to nobody: "What syntax
    do you want for the target?" asks for the "Syntax for the target:"."""
    words = question.rstrip("".join(QUESTION_MARKS)).split()
    folded = [word.casefold() for word in words]
    place = next((place for place in range(2, len(words) - 2) if folded[place : place + 2] == ["do", "you"]), None)
    if folded[:1] not in (["what"], ["which"]) or place is None or folded[place + 2] not in _WISHING:
        return question
    if folded[1] == "of" or not {"us", "to"}.isdisjoint(folded[place + 3 : place + 5]):
        return question  # "which of the two …", "… want us to use": no thing is named, or what is asked for is done with it
    return capitalise(f"{' '.join([*words[1:place], *words[place + 3 :]])}:")


def word_named(answer: str, question: str) -> str | None:
    """Return the subject of a question with the alternative that an answer names last, and those that it leaves; None when the
    question joins no alternatives by "or" behind a subject, and empty when the answer names none of them."""
    subject, colon, _ = question.partition(": ")
    if not colon or len(subject.split()) > MAX_SUBJECT_WORDS or len(split_sentences(question)) > 1:
        return None
    offer = read_offer(question)
    alternatives = [option.text for option in offer.options]
    if len(alternatives) < MIN_OPTIONS or offer.is_listed or not PRONOUNS.isdisjoint(split_words(subject.casefold())):
        return None
    words = [find_content_words(alternative) for alternative in alternatives]
    for clause in reversed(CLAUSE_END.split(answer)):
        named = [place for place, own in enumerate(words) if own & find_content_words(clause)]
        if len(named) == 1 and not DENYING.search(clause):
            left = [text for place, text in enumerate(alternatives) if place != named[0]]
            return capitalise(f"{subject}: {alternatives[named[0]]}, not {' or '.join(left)}")
    return ""
