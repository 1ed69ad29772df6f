"""Words what a person chose of an agent's options as a line that stands alone.

Who points ("2", "the former") says which, and the agent's option says what: the line has the words of the option, with the
question as its subject. An answer in the person's own words is worded by the alternative of the question that it names last: who
says "env. hmm no, a file, so TOML" has chosen TOML.
"""

from __future__ import annotations

from transforms.exchanges.offers import MIN_OPTIONS, read_offer
from transforms.exchanges.pointing import ASKING, CLAUSE_END, DENYING, ORDINALS
from transforms.language.sentences import QUESTION_MARKS, find_content_words, split_sentences, split_words
from transforms.tables.fact_notes import MIN_SHARED_CHARS, ToldChoice, read_told_choice

MIN_OPTION_WORDS, MIN_CONTRASTED_WORDS = 3, 2
"""Content words from which an option tells by itself what it is about, and from which it does beside one that was left."""
MIN_REASON_WORDS = 1
"""Content words of the person from which a pointer is not bare."""
MAX_LEAD_CHARS = 100
"""Characters of the statement that led to the options and tells what they are about."""
MAX_SUBJECT_WORDS = 4
"""Words of a subject before the alternatives of a question ("Configuration: a file or variables"); a longer one is a sentence."""
_LINKS = frozenset(["to", "by", "in", "on", "at", "with", "for", "from", "of", "as", "per", "under", "only", "or", "and"])
"""First words of an option that goes on from the words before all of them: "raise (a) the limit to 3.4 V, (b) to 3.6 V"."""
_UNFINISHED = frozenset(["either", "be", "to", "is", "are", "can", "could", "should", "would", "shall", "we", "i"])
"""Last words of a lead whose sentence each option finishes."""
_LABELS = frozenset("123456789abcdefgh")
_AMENDING = (["but"], ["without"], ["except"])
PRONOUNS = frozenset({"it", "its", "this", "these", "those", "them", "they", "their", "he", "him", "she", "her"})
"""Words that stand for what was named before."""
_QUANTIFIERS = frozenset({"both", "all", "none", "neither"})
"""First words of an option that stands for the others."""
SPEAKERS = PRONOUNS | {"i", "me", "my", "we", "you", "your", "that"}
"""Words of somebody who speaks, or that point at what was said."""


def capitalise(text: str) -> str:
    """Capitalise the first letter, unless the text starts with a name (`dimGray`, main.ts)."""
    head = text.split(" ", 1)[0][:-1]
    is_name = head != head.lower() or any(mark.isdigit() or mark in "._/`@" for mark in head)
    return text if is_name else text[:1].upper() + text[1:]


def names_chosen(text: str) -> bool:
    """Whether an observation tells which option of an agent a person chose by pointing at it."""
    return read_told_choice(text) is not None


def word_chosen(text: str) -> str:
    """Return the line of an option that a person chose by pointing; empty when it cannot stand alone.

    It cannot when the options are parts of one sentence (then the row repeats them in what was asked: mostly a step of the work),
    go on from words that they share, or name with a pronoun what no question names; nor when the person amends the option, picks
    several of a list of work, or asks something. Without a question or a head the choice needs words of the person, its reason: a
    bare "2" is mostly about the work at hand.
    """
    choice = read_told_choice(text)
    option = _cut_option(choice.chosen) if choice else ""
    if choice is None or not option or "|" in option or _shares_words(choice, option) or _is_amended(choice):
        return ""
    if question := _find_question(choice.asked):
        return f"{capitalise(option)} (asked: {question})"
    words = split_words(option.casefold())
    head, colon, _ = option.partition(": ")
    is_bare_value = bool(colon) and not any(map(str.isalpha, head))  # "04:15: some air": of what, no question says
    if words[:1] == ["that"] or not _QUANTIFIERS.isdisjoint(words[:1]) or not PRONOUNS.isdisjoint(words) or is_bare_value:
        return ""
    if choice.asked and not choice.left and not choice.asked.endswith(("…", *QUESTION_MARKS)):
        return capitalise(f"{choice.asked.rstrip(' :.')}: {option}")  # one of several items that were answered: it has a head
    if len(find_content_words(choice.quote) - ORDINALS.keys()) < MIN_REASON_WORDS:
        return ""
    named = len(find_content_words(option))
    if named >= MIN_CONTRASTED_WORDS and (lead := _find_lead(choice.asked)):
        return f"{capitalise(option)} (about: {lead})"
    if named >= MIN_OPTION_WORDS:
        return capitalise(option)
    whole = [other for other in choice.left if not other.endswith("…")]
    return capitalise(f"{option}, not {whole[0]}") if named >= MIN_CONTRASTED_WORDS and whole else ""


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


def _is_amended(choice: ToldChoice) -> bool:
    """Whether the person changes the option behind the pointer, points at several, or asks something."""
    clauses = [split_words(clause.casefold()) for clause in CLAUSE_END.split(choice.quote)]
    pointing = [place for place, words in enumerate(clauses) if any(word in _LABELS or word in ORDINALS for word in words)]
    behind = clauses[pointing[-1] + 1 :] if pointing else []
    words = split_words(choice.quote.casefold())
    labels = [word for word in words if word in _LABELS]
    triples = zip(words, words[1:], words[2:], strict=False)
    is_joined = any(middle == "and" and {first, last} <= _LABELS for first, middle, last in triples)
    is_several = is_joined or (len(labels) > 1 and "; " in choice.chosen)
    return is_several or "?" in choice.quote or any(words[:1] in _AMENDING for words in behind)


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


def _find_question(asked: str) -> str:
    """Return the question of which the options are answers, without what leads to it; empty when it asks yes or no, or is cut."""
    question = asked.rpartition(": ")[2]
    is_open = asked.endswith(QUESTION_MARKS) and "…" not in asked and ASKING.match(question)
    return capitalise(question) if is_open else ""


def _find_lead(asked: str) -> str:
    """Return the first clause of the statement that led to options, or the rest of its first sentence when that clause is bare
    ("Nothing: main.zig swallows the error"); empty when neither names anything or both speak for the agent."""
    sentence = next(iter(split_sentences(asked)), "")
    is_cut = sentence.endswith("…")
    clauses = CLAUSE_END.split(sentence.rstrip("…"))
    first = clauses[0] if not is_cut or len(clauses) > 1 else ""
    rest = sentence[len(clauses[0]) :] if not is_cut and len(clauses) > 1 else ""
    if sentence.endswith(QUESTION_MARKS):
        return ""
    return next((capitalise(lead) for part in (first, rest) if _is_lead(lead := part.strip(" .:,;–—-"))), "")


def _is_lead(lead: str) -> bool:
    """Whether a clause names what options are about."""
    words = {word.partition("'")[0] for word in split_words(lead.casefold().replace("’", "'"))}
    is_bare = len(find_content_words(lead)) < MIN_OPTION_WORDS or len(lead) > MAX_LEAD_CHARS or not _is_closed(lead)
    return not (is_bare or "|" in lead or words & SPEAKERS or ASKING.match(lead))
