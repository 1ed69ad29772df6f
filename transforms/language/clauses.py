"""Parse a sentence by its grammar: subject, habit or behaviour, and whether it is hypothetical.

The word classes are those of English grammar and of software work in general. `assertions` combines them, so that a new
wording is recognised by its parts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from transforms.language.sentences import split_words
from transforms.language.speech.reported_speech import TALKING_PERSONS, reports_demand
from transforms.language.tokenizer import list_plain_words
from transforms.patterns.late_pattern import compile_late
from transforms.words import word_classes

Subject = Literal["i", "we", "you", "it", "nobody", "every", "noun", "none"]

CHANGE_VERBS = (
    r"(?:moved|switched|migrated|replaced|renamed|retired|upgraded|downgraded|merged|split|raised|lowered|increased|decreased"
    r"|reduced|doubled|halved|removed|deleted|dropped|ditched|killed|abandoned|deprecated|disabled|enabled|(?:turned"
    r"|switched) (?:off|on)"
    r"|shut down|rotated|revoked|archived|introduced|changed|converted|closed|decommissioned|transferred|handed over|phased out"
    r"|thrown out|rolled out|adopted|taken over|took over|left|became|bumped|got rid of|swapped)"
)
CHOICE_VERBS = (
    r"(?:use|take|keep|go(?:ing)? (?:with|for)|stick(?:ing)? (?:with|to)|stay(?:ing)? (?:with|on)|pick|choose|settle (?:on|for)"
    r"|drop(?:ping)?|skip(?:ping)?|postpone|defer|(?:live|do|get by) without|adopt|throw out|scrap|ditch)"
)
PAST_CHOICE_VERBS = (
    r"(?:decided|chose|chosen|picked|agreed|settled|opted|went (?:with|for)|gone (?:with|for)|resolved to|voted for"
    r"|made up (?:my|our) minds?)"
)
TIME_PHRASES = (
    r"(?:now(?:adays)?|these days|since|as of|yesterday|today|tonight|last (?:night|week|month|year|spring|summer|autumn"
    r"|fall|winter"
    r"|\w+day)|this (?:morning|week|month|year|spring|\w+noon)|over the weekend|recently|meanwhile|by now|on (?:mon|tues"
    r"|wednes|thurs|fri|satur|sun)day"
    r"|(?:a|an|two|three|\d+) (?:hours?|days?|weeks?|months?|years?) ago)"
)
WORK_NOUNS = (
    r"(?:commits?|branch(?:es)?|merges?|mer(?:ge|g)ing|pull requests?|prs?|mrs?|reviews?|deploy\w*|releas\w+|ship\w*"
    r"|prod(?:uction)?|staging"
    r"|main|master|trunk|ci|builds?|pipelines?|migrations?|schemas?|tables?|backups?|tests?|fixtures?|snapshots?|mocks?"
    r"|code|source|repos?"
    r"|repositor(?:y|ies)|functions?|methods?|class(?:es)?|modules?|packages?|librar(?:y|ies)|dependenc(?:y|ies)"
    r"|imports?|comments?|docs"
    r"|docstrings?|documentation|changelog|readme|tickets?|issues?|secrets?|tokens?|passwords?|credentials|keys|env(?:ironment)?"
    r"|logs?|logging|lint\w*|types?|typing|queries|sql|scripts?|config\w*|names?|naming|files?|folders?|director(?:y|ies)|todos?"
    r"|feature flags?|timestamps?|dates|times|errors?|exceptions?|warnings?|variables?|constants?|licen[cs]e|headers?"
    r"|versions?|generated"
    r"|customer data|force[- ]push\w*|push\w*|rebas\w+|amend\w*|squash\w*|hotfix\w*|endpoints?|apis?|interfaces?|public)"
)
"""Nouns of software work: a "must" about these is a rule of work, a "must" about anything else a product requirement."""
REPLY_NOUNS = (
    r"(?:answers?|replies|reply|responses?|explanations?|summar(?:y|ies)|compliments?|praise|flattery|apologies|emojis?"
    r"|smileys?|jokes?"
    r"|essays?|walls? of text|bullet(?:s| points?| lists?)|commit messages?|pleasantries|chit-?chat|small talk"
    r"|preambles?|recaps?)"
)
"""Nouns for an agent's products: a wish about these is a lasting preference."""

_QUOTATION = compile_late(r"\"[^\"\n]{3,}\"|“[^”\n]{3,}”|«[^»\n]{3,}»|(?<!\w)'[^'\n]{12,}'(?!\w)")
_REPORTED_SPEECH = compile_late(
    r"^(?:(?:and|but|so|btw)\s+)?(?!(?:i|we|you)\b)(?:[\w'/.-]+\s+){1,5}?(?:always\s+|also\s+|just\s+)?"
    r"(?:says?|said|claims?|claimed|writes?|wrote|reads|prints?|printed|states?|stated|tells?|told|shows?|complains?"
    r"|logs|recommends?|insists?)\b"
    r"[^\"“«:]{0,24}(?:[:\"“«]|that\b)",
    re.I,
)
_HYPOTHETICAL = compile_late(
    r"^(?:but |and |so |ok(?:ay)?,? )*(?:if (?:i|we|you|it|that|they|he|she|the \w+) (?:were|was|had|did|could|would)\b"
    r"|what if\b|suppos(?:e|ing)\b|imagine\b|assum(?:e|ing) (?:that |we |the )"
    r"|let's (?:say|assume|pretend|imagine)\b|say (?:the|we|i|a|you)\b|theoretically\b|hypothetically\b|in theory\b"
    r"|in another (?:life|world|universe)\b"
    r"|one (?:could|might)\b|i (?:suppose|guess|assume|imagine|take it)\b.*\bwould\b|(?:maybe|perhaps"
    r"|possibly)\b.*\b(?:one day|some ?day|later|at some point|in (?:the|some) future))"
    r"|\b(?:just kidding|only joking|who knows|(?:would|could|might) have (?:been|had|\w+ed|\w+en)\b|one (?:day"
    r"|could always)\b.*\bmaybe)",
    re.I,
)
_LEAD_IN = compile_late(
    r"^(?:(?:and|but|so|also|then|now|well|hm+|um+|uh+|ehm+|er|oh|ah|ok(?:ay)?|fyi|btw|heads up|for your information"
    r"|by the way|please note|note"
    r"|remember|one more thing|just so you know|you know me|to be clear|in general|as (?:always|usual)|of course"
    r"|actually|honestly|frankly|basically"
    r"|sadly|luckily|(?:since|after|before|in|on|at|for|from|during|between|when|whenever|once|with"
    r"|under) [^,.;]{2,44},)[\s,:;.!–—-]+)*",
    re.I,
)
_SUBJECTS: tuple[tuple[Subject, re.Pattern[str]], ...] = (
    ("nobody", compile_late(r"(?:nobody|no[- ]one|nothing(?! else)|none of)\b", re.I)),
    ("every", compile_late(
        r"(?:every(?:thing|one|body)?|each|all|any(?:thing|one|body)?|whatever|whoever|no (?!need\b|idea\b|clue\b"
        r"|problem\b|worries\b|way\b|longer\b|more\b)\w|only (?:the|a|an) )", re.I)),
    ("i", compile_late(r"i(?:'m|'ve|'d|'ll)?\b(?!\.)", re.I)),
    ("we", compile_late(r"(?:we|our team|the team|\w+ and i)\b", re.I)),
    ("you", compile_late(r"you\b(?!r)", re.I)),
    ("it", compile_late(
        r"(?:it|this|that|they|these|those|there|he|she|here)\b(?! (?:\w+ )?(?:repo|project|package|codebase|team)\b)", re.I)),
)  # fmt: skip
_NOUN_WITH_VERB = compile_late(
    r"^(?:[\w@#./`'()&+-]+\s+){0,7}?[\w@#./`'()&+-]+(?:'s\s|\s+(?:is|are|was|were|isn't|aren't|wasn't|has|have|had|do"
    r"|does|did|don't|doesn't|can|can't|could"
    r"|will|won't|would|shall|should|must|may|might|needs?|gets?|got|goes?|went|belongs?|stays?|lives?|runs?|ran|moved"
    r"|took|[a-z]{3,}(?:es|[^s\W]s|ed)))\b",
    re.I,
)

_POINTING = word_classes.DEMONSTRATIVES | {"that's", "following", "ours", "mine", "yours", "theirs"}


_ASKING = frozenset({"how", "why", "when"})
_MODALS = word_classes.MODALS - {"will", "shall", "may", "must"}
MAX_DEGREE_WORDS = 3
"""Words of an indirect question among which its subject stands: "how many times I"."""
_FREQUENCY = frozenset({"always", "never"})
_DOING = frozenset({"has", "had", "does", "did", "said", "got", "came", "went", "took", "kept"})
_BEING = word_classes.COPULAS | _DOING
_PRONOUNS = word_classes.FIRST_PERSONS | word_classes.SECOND_PERSONS | {"nobody", "everybody", "everyone", "one"}
_DETERMINERS = word_classes.ARTICLES | word_classes.POSSESSIVES | word_classes.OBJECTS | {"no", "all", "every"}
_SAYING = frozenset({"said", "says"})
_CHOOSING = frozenset(
    {"uses", "takes", "keeps", "goes", "stays", "lives", "runs", "moves", "sits", "becomes", "gets", "replaces"}
)
"""Verbs of choice in the third person: "CI runs on Forgejo instead of GitHub" tells what was chosen."""
_OPENING_WORDS = 12
"""A report begins with what the thing does; further behind, a long sentence only mentions it."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence without quotations and with restored spelling; `main` has no subordinate clauses."""

    text: str
    main: str
    subject: Subject
    is_reported: bool
    is_hypothetical: bool
    is_habit: bool = False
    """Whether its "always" or "never" tells how often something happens, and orders nothing: "it always reads 1 too low"."""
    is_behaviour: bool = False
    """Whether it tells what a thing still does, or does in the place of what was expected: "it still returns 3 rows"."""


@lru_cache(maxsize=4096)
def parse_clause(bare: str, main: str) -> Clause:
    """Return the clause of a sentence. `bare` has no fillers, `main` no subordinate clauses either."""
    head = bare[_LEAD_IN.match(bare).end() :] or bare  # type: ignore[union-attr]  # the pattern matches everything
    subject: Subject = next((name for name, pattern in _SUBJECTS if pattern.match(head)), "none")
    if subject == "none" and _NOUN_WITH_VERB.match(head):
        subject = "noun"
    text, main = (_QUOTATION.sub(" … ", part) for part in (bare, main))
    reported = _REPORTED_SPEECH.match(head)
    is_own = reported is not None and not TALKING_PERSONS.isdisjoint(list_plain_words(reported[0])[:-1])  # "as i said: …"
    is_reported = (reported is not None and not is_own) or reports_demand(head)
    words = text.lower().split()
    is_thing = subject not in ("i", "we", "you", "nobody", "every") and words[:1] not in (["that"], ["this"], ["that's"])
    is_behaviour = is_thing and (_goes_on(words[:_OPENING_WORDS]) or _does_instead(words))
    return Clause(text, main, subject, is_reported, bool(_HYPOTHETICAL.search(bare)), _is_habit(words), is_behaviour)


def points_away(sentence: str, *, is_before: bool = False) -> bool:
    """Whether a sentence points at another one, or says whose it is. A question does so by its mark, which is not looked at.

    `is_before`: whether it stands before the other one; its first word then points at what was said still earlier.
    """
    words = split_words(sentence.lower())
    return bool(_POINTING & {*words[: 0 if is_before else 1], *words[-1:]})  # inside, it stands with a noun ("this morning")


def presupposes_end(sentence: str) -> bool:
    """Whether a sentence ends in an indirect question that takes what its speaker does for granted: of "I don't know how often I
    have to repeat that" the first clause denies nothing of what the last word points at."""
    words = split_words(sentence.lower())
    place = next((place for place, word in enumerate(words) if place and word in _ASKING), len(words))
    clause = words[place + 1 :]
    return word_classes.FIRST_PERSONS.intersection(clause[:MAX_DEGREE_WORDS]) != set() and _MODALS.isdisjoint(clause)


def drop_frequency(text: str) -> str:
    """Return a text without "always" and "never"."""
    return " ".join(word for word in text.split() if word.lower().strip(",.;:!?") not in _FREQUENCY)


def _is_habit(words: Sequence[str]) -> bool:
    """Whether every "always" and "never" stands before a verb of a subject: third person, past or -ing form."""
    end = next((place for place, word in enumerate(words) if word in _SAYING), len(words))  # what somebody says is not judged
    places = [place for place, word in enumerate(words[:end]) if word in _FREQUENCY]
    is_for_days = any(first == "on" and second.rstrip(".,;!").endswith("days") for first, second in pairwise(words))
    return bool(places) and not is_for_days and all(_tells_habit(words, place) for place in places)


def _tells_habit(words: Sequence[str], place: int) -> bool:
    verb, behind = (*words[place + 1 : place + 3], "", "")[:2]
    has_subject = place > 0 and words[place - 1][-1].isalnum() and words[place - 1] not in _PRONOUNS
    if verb.endswith("ing") or verb in _DOING or (verb.endswith("ed") and words[place - 1] not in _BEING):
        return place > 0
    return _is_third_person(verb) and (has_subject or _begins_object(behind))


def _goes_on(words: Sequence[str]) -> bool:
    """Whether a thing still does or is something."""
    return any(
        _is_third_person(words[place + 1]) or words[place + 1] in _BEING or words[place - 1] in _BEING
        for place in range(1, len(words) - 1)
        if words[place] == "still"
    )


def _does_instead(words: Sequence[str]) -> bool:
    """Whether a thing does something instead of another thing, and the verb is none of choice."""
    end = next((place for place, pair in enumerate(pairwise(words)) if pair == ("instead", "of")), 0)
    if words[end + 2 : end + 3] and words[end + 2].rstrip(",.;:!?").endswith("ing"):
        return False  # "hides the fault instead of telling it" argues
    verbs = [
        place
        for place in range(1, min(end - 1, _OPENING_WORDS))
        if (_is_third_person(words[place]) or words[place] in _BEING) and _begins_object(words[place + 1])
    ]
    return bool(verbs) and words[verbs[-1]] not in _CHOOSING


def _is_third_person(word: str) -> bool:
    bare = word.rstrip(",.;:!?")
    return len(bare) > 3 and bare.endswith("s") and bare[-2] not in "sui" and bare.isalpha()


def _begins_object(word: str) -> bool:
    return word in _DETERMINERS or word[:1].isdigit() or word.startswith(('"', "“", "…"))
