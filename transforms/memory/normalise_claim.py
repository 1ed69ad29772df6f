"""Normalises the claims of an observation: one claim per line, without its occasion, that can stand in MEMORY.md for years.

Observations quote people (`Joel wants: "use rgb values, no indices!"`) or state findings (`The issue is that …`). The lead, the
occasion and the curses go. A claim that cannot be understood alone is not a line.
"""

from __future__ import annotations

import re
from itertools import pairwise

from transforms.exchanges.choosing.answered_question import (
    asks_for_choice,
    capitalise,
    drop_asides,
    names_subject,
    word_answered,
    word_named,
)
from transforms.exchanges.chosen_option import names_chosen, word_chosen
from transforms.language.clauses import points_away
from transforms.language.lexicon import ALTERNATIVES
from transforms.language.sentences import (
    CLAUSE_BREAK,
    QUESTION_MARKS,
    count_words,
    find_content_words,
    split_sentences,
    split_words,
)
from transforms.language.statement import profile_words, split_claim
from transforms.memory.claims.clean_claim import clean_claim, drop_reporting, split_at_commas
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.stops import drop_end_stops
from transforms.tables.fact_notes import drop_recommendation
from transforms.words.word_classes import MODALS

LEAST_WORDS = 4
OPEN_ENDS = (*QUESTION_MARKS, "…", ":", ",", "：", "、")
"""Marks at the end of a line that asks or is not whole."""
MAX_CLAIM_CHARS = 280
MAX_WORDED_CHARS = 360
"""Longest line of a model, which is asked for 280: what takes the place of a line of several facts must have room for all."""
MIN_ANSWER_WORDS, MIN_QUESTION_WORDS = 2, 3
"""Content words of an answer and of its question from which both together are a line."""
MAX_FRAGMENT_WORDS = 8
"""Most words of a fragment; a longer one is a sentence."""
LAYOUT_PREFIX = "**Layout** — "

_ASKED = compile_late(r" \(asked: (?P<question>.+?)(?:; not: .+?)?(?:; meaning: (?P<meaning>.+))?\)$", re.DOTALL)
_MODALS = (MODALS - {"will", "might"}) | {"do"}
_NAME = compile_late(r"\w*[a-z][A-Z]\w*|[A-Z]{2}\w*|(?=\w*[^\W\d_])\w*\d\w*")
"""One word that is a name by its spelling: "SQLDelight", "TOML", "utf8"."""
_TAIL = compile_late(r"\s+(?:Outcome:.*|\[[^\]]*\]|\(about: .*)$", re.DOTALL)
_LEADING_MARKS = compile_late(r"^(?:[-*+•]\s+|[🔴🟡🟢✅❌⚠️]+\s*|\(?\d{4}-\d{2}-\d{2}\)?:?\s+|\(?\d{1,2}:\d{2}\)?\s+)+")
_KEEPS_MEANING = compile_late(
    r"^(?:unless|except|only|if|when|but|without|until|and|or|nor|not|never|always|because|as"
    r"|than)\b",
    re.I,
)
_THIS_PROJECT = compile_late(r"\b(?:for|in|on) (?:this|the (?:whole|entire)) (?:project|repo(?:sitory)?|code ?base)\b", re.I)
_CLAUSE_OR_ELLIPSIS = compile_late(rf"{CLAUSE_BREAK.pattern}|\.{{3,}}\s*|…\s*")
_LEANS = compile_late(
    r"^(?:it|its|it's|that|that's|this|these|those|they|them|he|she|there|here|then|which|who|because|since|so|and|but"
    r"|or|to|for that"
    r"|needs?|has|have|is|are|was|were|does|did|should|must|can|could|would|will|same|both|one|another|either|only if"
    r"|otherwise)\b",
    re.I,
)
_POINTS = compile_late(
    r"\b(?:(?:(?<!\w )that|(?:and|but|so|if|when|because) that|this|it)"
    r" (?:is|was|isn'?t|wasn'?t|does|did|should|must|can|could|will|would|needs?|has|had"
    r"|works?)\b|(?:do|undo|revert|use|fix|keep|like|want|see|of|with|for|about|in|to) (?:that|this|it|them|these"
    r"|those)\b(?! \w)"
    r"|(?:run|call|send|write|read|build|make|start|stop|leave|put|take|add|remove|test|check|ship|mark|say) (?:it"
    r"|them|this|that(?! (?:an?|the|no|each|every|all|any|some|there|nothing|nobody)\b))\b"  # "say that a thing is done"
    r"|this (?:session|plan|file|branch|task|time|one|way|approach|change|commit|pr|line|part|thing|shit|step)\b"
    r"|that (?:one|way|thing|shit|part)\b|the (?:above|former|latter)\b|(?:main|old|new) one\b)",
    re.I,
)
NAMING_WORDS = 4
"""A pronoun after so many words refers to something that the line itself has named."""
_OWN = compile_late(r"\b(?:i|i'm|i've|i'd|i'll|me|you|your|u)\b", re.I)
_WORDED_LEANS = compile_late(
    r"^(?:it|its|it's|that|that's|this|these|those|they|them|he|she|here|then|so|and|but|or|same|another|otherwise)\b", re.I
)
"""A model begins a line with "One boat …", "Who changed …" or "Since …" and names the subject there."""
_CITED_WORDS = compile_late(r"`[^`\n]*`|[\"“][^\"“”\n]*[\"”]|(?<!\w)\S*\w[./-]\w\S*")
"""Code, quotations, hosts and paths: words that a line shows and does not say."""
_INSISTS = compile_late(r"\b(?:always|never|only|not?)\b", re.I)
_SPOKEN = frozenset({"never", "not", "only", "second", "third", "time"})
_ARROWS = compile_late(r"(?:^|(?<=[.;]\s)|(?<=[;\n]))\s*[\w./*, -]{2,120}?\s*(?:->|→|=>)\s*[\w./*-]*/?[\w/*-]+")


def find_quote(text: str) -> str | None:
    """Return the person's words, when the observation quotes them; None for a plain statement."""
    parts = split_claim(text)
    return parts.claim if parts.is_quote else None


def identify_wording(text: str) -> str:
    """Return the words of an observation's quotation, or of a plain statement: equal for words that were only sent again."""
    return " ".join(split_words((find_quote(text) or text).casefold()))


def names_answer(text: str) -> bool:
    """Whether an observation tells what a person chose of the options or the alternatives that were offered."""
    quote, asked = find_quote(text), _ASKED.search(text)
    return names_chosen(text) or (quote is not None and asked is not None and word_named(quote, asked["question"]) is not None)


def extract_claims(text: str, project: str = "") -> list[str]:
    """Return the claims of an observation, each as a clean line that stands alone.

    `project` is the short name that takes the place of "this project".
    """
    quote = find_quote(text)
    if quote is not None and names_chosen(text):
        line = word_chosen(text)
        return [whole for whole in (line, _drop_address(line)) if whole and _is_whole_answer(whole)][:1]
    if quote is not None and (asked := _ASKED.search(text)):
        alternative = word_named(quote, " ".join(asked["question"].split()))
        if alternative is not None:
            return [alternative] if alternative and _is_whole_answer(alternative) else []
        return _word_answer(
            " ".join(quote.split()), " ".join(asked["question"].split()), " ".join((asked["meaning"] or "").split())
        )
    if quote is not None and len(_ARROWS.findall(quote)) >= 2 and "/" in quote:
        is_suggested = quote.rstrip().endswith(QUESTION_MARKS)  # the owner asks for the agent's opinion
        return [] if is_suggested else [_format_layout(quote)]
    body = _LEADING_MARKS.sub("", _TAIL.sub("", quote if quote is not None else text).strip())
    parts = _CLAUSE_OR_ELLIPSIS.split(body) if quote is not None else _split_rules(drop_reporting(body))
    named = [_THIS_PROJECT.sub(f"in {project}", part) for part in parts] if project else parts
    lines = [clean_claim(part, is_quote=quote is not None) for part in named]
    if quote is not None:
        lines = [_drop_trailing_talk(line) for line in lines]
    return [line for line in lines if line and is_standalone(line)]


def _split_rules(body: str) -> list[str]:
    """Return the sentences of an item that states several rules, where each of them stands alone; else the item."""
    sentences = split_sentences(body)
    are_whole = all(is_standalone(drop_end_stops(sentence)) and not sentence[:1].islower() for sentence in sentences)
    return sentences if are_whole else [body]


def _word_answer(answer: str, question: str, meaning: str) -> list[str]:
    """Return the line of an answer: the choice, its description where the option has one, and the question as its subject.

    A bare yes to a step of the work says nothing; who breaks off thinks aloud, and the sentence behind may say the opposite
    ("A and B… no, only A").
    """
    sentences = split_sentences(answer)
    if any(sentence.endswith(("…", "...")) for sentence in sentences[:-1]):
        return []
    whole = sentences[:-1] if len(sentences) > 1 and answer.endswith("…") else sentences  # the row cut off the last one
    said = [sentence for sentence in whole[1:] if not _OWN.search(sentence)]  # talk about the choice ("I don't want …")
    chosen = " ".join([*whole[:1], *said]).rstrip(" .")
    is_said = len(find_content_words(answer)) >= MIN_ANSWER_WORDS or _NAME.fullmatch(chosen)
    if not is_said or len(find_content_words(question)) < MIN_QUESTION_WORDS:
        return []
    described = next(iter(split_sentences(drop_recommendation(meaning))), "").rstrip(" .")  # prices and states stand behind it
    subject = drop_asides(question)
    asks_for_step = any(second == "I" and first.casefold() in _MODALS for first, second in pairwise(subject.split()))
    if not names_subject(subject) or asks_for_step or not asks_for_choice(subject):  # "How should I …?" is the agent's work
        return []
    wordings = word_answered(subject, drop_recommendation(chosen), "" if described.endswith("…") else described)
    return [capitalise(wording) for wording in wordings if len(wording) <= MAX_CLAIM_CHARS][:1]


def answers_question(line: str) -> bool:
    """Whether a line is a question with its answer behind it."""
    return any(f"{mark} " in line for mark in QUESTION_MARKS)


def extract_fragments(text: str) -> list[str]:
    """Return the points that a person insisted on in a few words ("Third time!! NEVER pip."). They are not lines, but support
    a line with that claim.

    A single word that carries the meaning must name an alternative of which a project has one, or it fits too many lines.
    """
    quote = find_quote(text)
    if quote is None:
        return []
    parts = [part for sentence in _CLAUSE_OR_ELLIPSIS.split(quote) for part in (sentence, *re.split(r",\s+", sentence))]
    fragments = [" ".join(_THIS_PROJECT.sub("", part).split()).strip(" ,.!") for part in parts if _INSISTS.search(part)]
    return [part for part in dict.fromkeys(fragments) if len(part.split()) <= MAX_FRAGMENT_WORDS and _is_specific(part)]


def _is_specific(part: str) -> bool:
    words = profile_words(part).content - _SPOKEN
    return len(words) > 1 or any(word in ALTERNATIVES for word in words)


def is_standalone(line: str, *, is_worded: bool = False, is_spoken: bool = False) -> bool:
    """Whether a reader understands the line years later: it has a subject, refers to no former words, and asks nothing.

    The pronouns of a line that a model worded (`is_worded`) mean what it has named before them; those of typed words may mean
    what was said before. What it quotes may say "I": somebody else said it. A rule that was spoken may say it, too (`is_spoken`).
    """
    plain = line.replace("**", "")
    longest = MAX_WORDED_CHARS if is_worded else MAX_CLAIM_CHARS
    if count_words(plain) < LEAST_WORDS or len(plain) > longest or plain.rstrip().endswith(OPEN_ENDS):
        return False
    if plain[:1].isdigit():
        return False
    if "[redacted" in plain.casefold():
        return False
    if not is_worded:
        is_own = not is_spoken and _OWN.search(plain)
        return not (_LEANS.match(plain) or _POINTS.search(plain) or is_own or points_away(plain))
    said = _CITED_WORDS.sub("x", plain)
    words = said.split()
    said, naming_end = " ".join(words), len(" ".join(words[:NAMING_WORDS]))
    points = any(match.end() <= naming_end for match in _POINTS.finditer(said))
    return not (_WORDED_LEANS.match(said) or points or _OWN.search(said))


def _is_whole_answer(line: str) -> bool:
    """Whether the line of an answer stands alone; what its question names, its pronouns may point at."""
    return len(line) <= MAX_CLAIM_CHARS and is_standalone(f"Of {line}" if answers_question(line) else line, is_worded=True)


def _drop_address(line: str) -> str:
    """Return the line of an option without its last clauses that speak to the owner ("…, you host the files")."""
    clauses = split_at_commas(line)
    while len(clauses) > 1 and _OWN.search(clauses[-1]) and not answers_question(clauses[-1]):
        clauses.pop()
    return " ".join(clauses).rstrip(",")


def _drop_trailing_talk(line: str) -> str:
    """Drop later clauses that refer to the conversation (", just tell me the command"), unless they limit the claim."""
    clauses = split_at_commas(line)
    while len(clauses) > 1 and not is_standalone(" ".join(clauses).rstrip(",")) and not _KEEPS_MEANING.match(clauses[-1]):
        clauses.pop()
    return " ".join(clauses).rstrip(",")


def _format_layout(quote: str) -> str:
    pairs = [" ".join(re.sub(r"\s*(?:->|=>|→)\s*", " → ", pair).split()).strip(" ,-") for pair in _ARROWS.findall(quote)]
    line = LAYOUT_PREFIX + "; ".join(pairs)
    return line if len(line) <= MAX_CLAIM_CHARS else line[:MAX_CLAIM_CHARS].rsplit(";", 1)[0]
