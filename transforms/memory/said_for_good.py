"""Tells by grammar whether words that a person typed once may be meant for good: a wish, an order or a choice, not a report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from transforms.calendars.day_names import DAY_OF
from transforms.exchanges.chosen_option import SPEAKERS
from transforms.language.assertion_patterns import ORDER_FOR_GOOD
from transforms.language.assertions import names_work
from transforms.language.clauses import Subject, parse_clause, points_away, presupposes_end
from transforms.language.lexicon import ALTERNATIVES
from transforms.language.relative_dates import RHYTHMS
from transforms.language.sentences import CLAUSE_BREAK, QUESTION_MARKS, find_content_words, split_sentences, split_words
from transforms.memory.normalise_claim import LAYOUT_PREFIX, NAMING_WORDS
from transforms.pages.memory_md import HARD_RULES, PATTERNS, SYSTEM_ARCHITECTURE
from transforms.patterns.late_pattern import compile_late
from transforms.words.lasting_words import FREQUENCIES, OBLIGATIONS, SPANS
from transforms.words.number_words import SPELLED
from transforms.words.word_classes import PERSONS, POINTERS

MIN_NAMED_WORDS = 2
"""Content words, but those that say how often or how many, without which a line names nothing ("Always, in two repos")."""
MIN_RULE_WORDS = 4
"""Content words from which a sentence says what is to hold; a shorter one says something about it."""
_OF_WISHES: frozenset[Subject] = frozenset({"i", "we", "you", "nobody", "every"})
"""Subjects of wishes, habits and obligations. What a third thing always does is a report, however absolute; an order without
its frequency is one of the moment."""
MAX_ORDER_WORDS = 3
"""Words of an order that names nothing but what was said before it: "find it", "just fix that"."""
_OPENINGS = frozenset(
    {"because", "what", "if", "when", "which", "why", "so", "then", "since", "how", "and", "but", "or", "as", "while"}
)
_COMMA = compile_late(r"[,;:–—]\s+")
_REASON = compile_late(r"\b(?:because|so that)\b", re.I)
_PAST = compile_late(r"\b(?:was|were|had|did)\b", re.I)
_LASTING_CUE = compile_late(
    rf"\b(?:{SPANS}|that'?s how we|as a rule|ground rules?|hard rules?|conventions?|for all (?:my|our) \w+)\b",
    re.I,
)
ABSOLUTE = compile_late(
    rf"\b(?:{FREQUENCIES}|{OBLIGATIONS}|never|always|must(?:n'?t)?)\b"
    r"|^no \w+ (?:on|in|after|before|without|during|at)\b|^no(?:thing|body)? .*\bever\b",
    re.I,
)
GENERAL = compile_late(
    r"\b(?:without (?:asking|permission|approval)|prefers?|rather (?:than)?|only wants?|wants? (?:only|no)|favou?rite|hates?"
    r"|dislikes?|does not (?:like|want|need|use|trust|care)|don'?t (?:like|want|ever|use)|likes?(?! \d)|loves?|instead of"
    rf"|rather than|usually|whenever|each time|every\b|by default|in general|generally|{SPANS}|avoid"
    r"|no more|stop \w+ing|keep (?:it|them|things|answers|commits|\w+s) \w+|before (?:each|every|committing|pushing"
    r"|releasing)|use [^,;]+,? (?:not|no|never|over)\b)",
    re.I,
)
_DESIRE = compile_late(r"(?:(?:Only )?[Ww]ants|Would rather|Prefers?|Likes?|Hates?|Does not (?:like|want))\b")
_WORKERS = frozenset({"owner", "agent", "agents"})
_OF_EVENTS = frozenset({"why", "who"})
"""First words of questions about what happened."""
_FORBIDDING = frozenset({"no", "never", "nothing", "nobody"})
_FREQUENCIES = frozenset({"always", "never", "ever", "usually", "often"})
_OBJECTS = frozenset({"it", "this", "that", "them"})
_KEEPING = frozenset({"remember", "note", "keep", "mind", "save"})
"""Verbs of orders to keep what was said, which is no work on it."""
_PRONOUNS = POINTERS | PERSONS | {"one"}


def is_about_work(line: str) -> bool:
    """Whether a rule is about how to work with anybody's code ("Never git add -A, name the files"), and not about the things of
    one project: it has a noun of software work, names its owner, or chooses a tool, and has no weekday, no rhythm of the calendar
    and no other name by its spelling.

    Of typed words it decides where they hold only where learned weights know nothing: in other languages, and without the
    bundled model.
    """
    words = split_words(line.casefold())
    if not DAY_OF.keys().isdisjoint(word.removesuffix("s") for word in words) or not RHYTHMS.isdisjoint(words):
        return False  # who may not do it on a Friday, or has it done daily, runs something
    is_work = names_work(line) or any(word in ALTERNATIVES or word in _WORKERS for word in words)
    tokens = (token.strip("`'\"().,:;!?") for token in line.split()[1:])
    return is_work and not any(_is_name(token) and (":" in token or not names_work(token)) for token in tokens)


def _is_name(token: str) -> bool:
    """Whether a word is a name by its spelling: two capitals, one inside, a digit or a colon; no flag of a command."""
    is_capital = sum(map(str.isupper, token)) > 1 or any(map(str.isupper, token[1:]))
    return not token.startswith("-") and (is_capital or ":" in token or any(map(str.isdigit, token)))


def is_said_for_good(quote: str, line: str) -> bool:
    """Whether a line, made of a person's words, is a wish, an order or a reasoned choice that names its subject.

    It names it before any pronoun; a layout of folders names everything. A choice of a third thing needs its reason
    and is one clause in the present, or a list behind its subject: "the cache lives in Redis because …", "**Retries** — six, with
    jitter so that …". What another clause says is its occasion.
    """
    if line.startswith(LAYOUT_PREFIX):
        return True
    words = split_words(line.casefold())
    if words[1:2] == ["that"] and words[0] not in split_words(quote.casefold()):
        words = words[2:]  # "Prefers that …": the verb is the pipeline's, and its conjunction points at nothing
    named = find_content_words(line) - _FREQUENCIES - frozenset(SPELLED)
    if not _PRONOUNS.isdisjoint(words[: NAMING_WORDS + 1]) or len(named) < MIN_NAMED_WORDS:
        return False
    typed = _find_sentences(quote, set(words))
    if _is_worked_on(quote, typed):
        return False
    if any(ORDER_FOR_GOOD.match(clause) for part in typed for clause in _COMMA.split(part)):
        return True
    if any(split_words(part.casefold())[:1] == ["but"] for part in typed):
        return False  # it argues with what the agent says: "but every point is double"
    choice, *reason = _REASON.split(line, maxsplit=1)
    if reason:
        is_one_clause = line.startswith("**") or not _COMMA.search(choice.strip(" ,"))
        return is_one_clause and not _PAST.search(choice)
    return all(parse_clause(part, part).subject in _OF_WISHES for part in _select_claim(typed, line))


def is_meant_to_last(quote: str, line: str) -> bool:
    """Whether a quotation says of a line, made of its words, that it is meant for good ("from now on").

    It says so of the sentence with these words and of those behind it; what stands before them is their occasion. Behind a
    single value stands its reason.
    """
    sentences = split_sentences(quote)
    first = next((place for place, sentence in enumerate(sentences) if _LASTING_CUE.search(sentence)), None)
    if first is None:
        return False
    own = find_content_words(_LASTING_CUE.sub("", sentences[first]))
    is_alone = 0 < len(own) < MIN_NAMED_WORDS  # "72 from now on. The leak showed only at 60h": the value lasts, not its reason
    words = set(split_words(line.casefold()))
    shared = [len(set(split_words(sentence.casefold())) & words) for sentence in sentences]
    return max(shared[first : first + 1] if is_alone else shared[first:]) >= max(shared)


def is_disowned(quote: str) -> bool:
    """Whether a sentence of a quotation may deny another one, or give it to somebody else."""
    return not all(_LASTING_CUE.search(sentence) for sentence in find_pointing(quote))


def list_owned_sentences(quote: str) -> list[str]:
    """Return the sentences of a quotation beside which none points: one further off speaks of something else."""
    sentences, pointing = split_sentences(quote), find_pointing(quote)
    return [
        sentence
        for place, sentence in enumerate(sentences)
        if not set(pointing).intersection(sentences[max(place - 1, 0) : place + 2])
    ]


def find_pointing(quote: str) -> list[str]:
    """Return the sentences of a quotation that point at what the others say, and may deny it or give it to somebody else.

    A line is one sentence and would lose that: "<the rule>. That's nonsense", "What do you think? <the rule>". A question about
    the subject of the rule is its occasion ("Why pip? Always use uv, never pip"), and so is one that asks who did it or why.
    """
    sentences = split_sentences(quote)
    words = [find_content_words(sentence) for sentence in sentences]
    rules = [
        place
        for place, sentence in enumerate(sentences)
        if len(words[place]) >= MIN_RULE_WORDS and not sentence.endswith(QUESTION_MARKS) and not points_away(sentence)
    ]
    subjects = {word for place in rules for word in words[place]}
    return [
        sentence
        for place, sentence in enumerate(sentences)
        if rules and place not in rules
        if (
            subjects.isdisjoint(words[place]) and _OF_EVENTS.isdisjoint(split_words(sentence.casefold())[:1])
            if sentence.endswith(QUESTION_MARKS)
            else points_away(sentence, is_before=place < rules[0]) and not presupposes_end(sentence)
        )
    ]


def forbids_twice(line: str) -> bool:
    """Whether a line is a row of bans ("No pandas, no virtual environment"); a doubled "no" objects to what was said."""
    first, *others = [clause.split()[:2] for clause in line.casefold().split(", ")]
    return first[:1] == ["no"] != first[1:] and any(other[:1] in (["no"], ["nor"]) for other in others)


def is_hard(line: str, kind: str) -> bool:
    """Whether a typed line forbids something, or is a rule for all of a kind: "No secrets in files", "Every script has"."""
    first = line.partition(" ")[0].casefold()
    if kind == "decision":
        return first in _FORBIDDING
    return kind in ("rule", "correction") and first in ("no", "every")


def _find_sentences(quote: str, words: set[str]) -> list[str]:
    """Return the sentences of a quotation that have most of the words of a line; those that share any when none has."""
    sentences = [part.strip() for part in CLAUSE_BREAK.split(quote)]
    shared = [len(set(split_words(part.casefold())) & words) for part in sentences]
    bar = max(shared, default=0) if 2 * max(shared, default=0) > len(words) else 1
    return [part for part, count in zip(sentences, shared, strict=True) if count >= bar]


def _is_worked_on(quote: str, typed: Sequence[str]) -> bool:
    """Whether the next sentence is a short order whose object is what these say: "always the third lamp dark. find it"."""
    sentences = [part.strip() for part in CLAUSE_BREAK.split(quote)]
    pairs = pairwise(sentences)
    following = [split_words(after.casefold()) for before, after in pairs if before in typed and not after.endswith("?")]
    return any(
        2 <= len(words) <= MAX_ORDER_WORDS and words[-1] in _OBJECTS and words[0] not in SPEAKERS | _OPENINGS | _KEEPING
        for words in following
    )


def _select_claim(typed: list[str], line: str) -> list[str]:
    """Return the clauses of typed words that the line begins with, without a preface or an afterthought of the same sentence."""
    claim = find_content_words(_COMMA.split(line)[0])
    clauses = [clause for part in typed for clause in _COMMA.split(part) if not claim.isdisjoint(find_content_words(clause))]
    return clauses or typed


def choose_section(
    kind: str, category: str | None, line: str, owner_section: str, reflected: str, *, is_owners: bool = True
) -> str:
    """Return the section of a line. Only the owner's always or never becomes a hard rule: no preference, and no
    convention in the words of somebody else (`is_owners`)."""
    if kind == "preference":
        return owner_section
    if line.startswith(LAYOUT_PREFIX):
        return SYSTEM_ARCHITECTURE
    if _DESIRE.match(line):
        return owner_section
    if (kind in ("rule", "correction") or (kind == "convention" and is_owners)) and ABSOLUTE.search(line):
        return HARD_RULES
    if kind == "rule":
        return owner_section if GENERAL.search(line) else PATTERNS
    if kind == "correction":
        by_category = {
            "preferences": owner_section,
            "architecture": SYSTEM_ARCHITECTURE,
            "rules": PATTERNS,
            "operations": PATTERNS,
        }
        return by_category.get(category or "", reflected)
    if category == "people":
        return reflected
    if kind in ("decision", "state_change"):
        return SYSTEM_ARCHITECTURE
    return PATTERNS
