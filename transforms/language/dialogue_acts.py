"""Classify typed text by dialogue act: request, question, correction, preference, rule, decision, report, agreement, chatter.

Assertions, questions and requests are distinct: a sentence that asks never becomes a decision, a rule or a preference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

from transforms.language import assertions, cue_phrases, entities
from transforms.language.assertion_rules import AssertionKind
from transforms.language.clauses import drop_frequency, parse_clause
from transforms.language.sentences import (
    QUESTION_MARKS,
    find_content_words,
    has_other_alphabet,
    is_unspaced,
    join_sentences,
    split_sentences,
    split_words,
)
from transforms.language.speech.reported_speech import cut_report, endorses
from transforms.language.speech.spelling import restore_spelling
from transforms.language.tokenizer import shares_telling_word, stem
from transforms.patterns.late_pattern import compile_late
from transforms.words.word_classes import AUXILIARIES, MODALS, QUESTION_WORDS

Act = Literal[
    "rule", "preference", "decision", "correction", "request", "question", "report", "agreement", "statement", "chatter"
]
_ACT_OF_ASSERTION: dict[AssertionKind, Act] = {
    "rule": "rule", "convention": "rule", "preference": "preference", "decision": "decision", "state_change": "decision",
    "open_question": "statement", "correction": "correction", "problem": "report", "completion": "statement",
    "root_cause": "statement", "fix": "statement", "failed_attempt": "report",
}  # fmt: skip
_NEVER_CHATTER: tuple[AssertionKind | None, ...] = ("rule", "preference", "decision", "state_change", "correction")
"""Assertions that count in few words: "Kafka's out."."""
LEAST_SAYING = 5
"""Words of a sentence in an unread language from which it is no greeting."""
_ACTS_BY_STRENGTH: tuple[Act, ...] = (
    "chatter", "agreement", "statement", "question", "report", "request", "decision", "preference", "correction", "rule",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ClassifiedSentence:
    """One typed sentence with its dialogue act and assertion; `is_question` holds even when it also suggests something."""

    text: str
    act: Act
    is_question: bool
    assertion: AssertionKind | None = None
    is_guess: bool = False
    """Whether the assertion is only the most likely one, without an explicit wording."""
    is_reported: bool = False
    """Whether it tells what somebody else says."""


@dataclass(frozen=True)
class Message:
    """A typed message: its sentences, and the dialogue act of the whole."""

    sentences: tuple[ClassifiedSentence, ...]
    act: Act

    @cached_property
    def places(self) -> dict[int, int]:
        """The places of the sentences by the identity of each: an equal one may stand elsewhere."""
        return {id(sentence): place for place, sentence in enumerate(self.sentences)}

    @cached_property
    def informative(self) -> tuple[ClassifiedSentence, ...]:
        """The sentences that are not chatter."""
        return tuple(sentence for sentence in self.sentences if sentence.act != "chatter")


@lru_cache(maxsize=512)
def analyse_message(typed: str, reply: str, echo: str | None = None) -> Message:
    """Return the analysis of a message. `reply` is the agent's previous text, empty at the start of a session.

    `echo` is None where the rules read the language. Else it is what the agent said about the message, and short words that come
    back in it say something, though no rule can read them. Of a message of more than `JUDGED_FIRST` and `JUDGED_LAST` sentences,
    which nobody typed, those between are statements: a question mark is all that is looked for in them.
    """
    texts = _join_list_items(_join_outcries(split_sentences(typed)))
    endorsing = next((place for place in reversed(range(len(texts))) if endorses(texts[place])), -1)
    parts = tuple(
        classify_sentence(text, reply, is_endorsed=place <= endorsing)
        if place < JUDGED_FIRST or place >= len(texts) - JUDGED_LAST
        else ClassifiedSentence(_LEADING_BULLET.sub("", text.strip()), "statement", text.endswith(QUESTION_MARKS))
        for place, text in enumerate(texts)
    )
    parts = parts if echo is None else tuple(_keep_unread(sentence, echo) for sentence in parts)
    if not parts:
        return Message((), "chatter")
    if any(sentence.act not in ("chatter", "statement") and not sentence.is_guess for sentence in parts):
        parts = tuple(
            replace(sentence, act="statement", assertion=None, is_guess=False) if sentence.is_guess else sentence
            for sentence in parts
        )
    act = max((sentence.act for sentence in parts), key=_ACTS_BY_STRENGTH.index)
    if reply and not any(sentence.is_question for sentence in parts) and _is_answer_to_agent(parts, act, typed, reply):
        act = "decision"  # an answer to the agent's question decides
    return Message(parts, act)


def _keep_unread(sentence: ClassifiedSentence, echo: str) -> ClassifiedSentence:
    """Return a sentence in a language that no rule reads, as a statement where it is too short or too broken to be read so."""
    if sentence.act != "chatter" or sentence.text.endswith(":"):
        return sentence
    is_long = len(split_words(sentence.text)) >= LEAST_SAYING and not is_unspaced(sentence.text)
    is_kept = is_long or (len(split_words(_cut_signals(sentence.text))) > 1 and _is_taken_up(sentence.text, echo))
    return replace(sentence, act="statement") if is_kept else sentence


def _is_taken_up(text: str, echo: str) -> bool:
    """Whether words come back in `echo`, or one of them is a Latin name. Thanks do neither."""
    return names_in_latin(text) or shares_telling_word(text, echo)


def names_in_latin(text: str) -> bool:
    """Whether a Latin word stands among letters of another alphabet: it names something, except "ok" and the like."""
    latin = (word.lower() for word in split_words(text) if word.isascii() and word.isalpha())
    return has_other_alphabet(text) and any(not cue_phrases.CHATTER.match(word) for word in latin)


def _is_answer_to_agent(parts: tuple[ClassifiedSentence, ...], act: Act, typed: str, reply: str) -> bool:
    """Whether a message takes up a question or alternatives of the agent."""
    if act in ("agreement", "statement") and _ends_with_offer(reply) and len(split_words(typed)) > 1:
        return True
    if act != "request" or len(split_words(typed)) > 14 or not (_ends_with_offer(reply) or _ALTERNATIVES.search(reply)):
        return False
    first = cue_phrases.FILLER.sub("", restore_spelling(parts[0].text))
    picks = not cue_phrases.IMPERATIVE.match(first) or _PICKING_VERB.match(first)
    return bool(picks and {*map(stem, find_content_words(typed))} & {*map(stem, find_content_words(reply))})


_OUTCRY = compile_late(
    r"^(?:(?:[\w', ]{2,24}[-–:,]\s*|and |oh,? |btw |hey,? |ok\.? )?(?:the )?(?:second|third|fourth|fifth|last"
    r"|\d+(?:nd|rd|th)) time\b.*"
    r"|(?:nope|no|wrong(?: one)?|not (?:[\w.`/-]+ ?){1,3}|that(?:'s| is) (?:wrong|incorrect)"
    r"|you (?:mixed (?:that|this|it) up|misread (?:me|that|it))|sorry,? but no|(?:left|right|up|down))\s*)[!.]+$",
    re.I,
)


_ALTERNATIVES = compile_late(
    r"\b(?:could|either|options?|alternativ\w+|two (?:ways|options)|three (?:ways|options))\b|\bor\b[^.]*\?", re.I
)
_PICKING_VERB = compile_late(r"(?:take|use|go (?:with|for)|pick|choose|keep|prefer|leave)\b", re.I)
_BINDING_TAG = compile_late(
    r"^(?:(?:and |so |that'?s |it'?s |this is )?(?:settled|decided|agreed|final|ever|always|never|everywhere|period"
    r"|full stop|end of (?:discussion|story)"
    r"|no exceptions?|without exceptions?|non[- ]?negotiable|no excuses|mandatory|i mean it|not even (?:once|\w+ \w+)"
    r"|no (?:discussion|debate)))(?:,[^,]{1,60}){0,3}\W*$",
    re.I,
)
"""A short ending that makes the previous sentence binding, or with a reason: "always, no exceptions, the partners parse them"."""


def _join_outcries(parts: list[str]) -> list[str]:
    """Join "Third time!!", "Wrong." or a label before a question to the sentence that follows: they say nothing alone."""
    joined: list[str] = []
    for part in parts:
        if joined and (
            _OUTCRY.match(joined[-1]) or _BINDING_TAG.match(part) or (part.endswith(QUESTION_MARKS) and _is_label(joined[-1]))
        ):
            joined[-1] = f"{joined[-1]} {part}"
        else:
            joined.append(part)
    return joined


def _is_label(text: str) -> bool:
    return (
        len(split_words(text)) <= 3
        and text.endswith(".")
        and not cue_phrases.CHATTER.match(text.lower())
        and not cue_phrases.FILLER.match(text)
    )


def _join_list_items(parts: list[str]) -> list[str]:
    """Join short consecutive lines without a full stop: they are the items of one list."""
    joined: list[list[str]] = []
    is_open = False
    for part in parts:
        is_item = len(split_words(part)) <= 12 and not part.endswith((".", "!", "。", "！", *QUESTION_MARKS))
        if is_item and is_open:
            joined[-1].append(part)
        else:
            joined.append([part])
        is_open = is_item
    return [join_sentences(items) for items in joined]


JUDGED_FIRST, JUDGED_LAST = 2_000, 200
"""Sentences of a message that are judged: each takes half a millisecond, and a pasted log of 100 kB has ten thousand."""
JUDGED_START, JUDGED_END = 3_000, 1_000
"""Characters of a sentence that are judged: an expression that looks for a second word behind each first one takes time by the
square of a sentence."""


def classify_sentence(text: str, reply: str, *, is_endorsed: bool = False) -> ClassifiedSentence:
    """Return one sentence with its dialogue act. `reply` is the agent's previous text; `is_endorsed`: what it reports of somebody
    else, its owner takes over. Of one that never ends (a list, a log) only beginning and end are judged; it stays whole."""
    judged = text if len(text) <= JUDGED_START + JUDGED_END else f"{text[:JUDGED_START]} {text[-JUDGED_END:]}"
    spelling = restore_spelling(_LEADING_BULLET.sub("", judged.strip()))
    bare = cue_phrases.FILLER.sub("", spelling).strip() or spelling.strip()
    asks = is_question(spelling)
    clause = parse_clause(bare, cue_phrases.SUBCLAUSE.sub("", bare))
    if is_endorsed and clause.is_reported:
        bare = cut_report(bare)
        clause = replace(parse_clause(bare, cue_phrases.SUBCLAUSE.sub("", bare)), is_reported=False)
    assertion = None
    if not spelling.rstrip(" .!)\"'").endswith(QUESTION_MARKS) or _SCOLDING_QUESTION.match(bare):
        assertion = assertions.classify_assertion(clause, reply)
        if assertion == "decision" and cue_phrases.IMPERATIVE.match(bare) and re.match(r"[\w.-]+(?: [\w-]+){0,2} then\b", bare):
            assertion = None  # "deploy it then" asks, "Valkey then" decides
        if assertion == "problem" and clause.is_behaviour and is_request(bare):
            assertion = None  # "remind me that it is still open"
        asks = asks and (_is_inverted(bare) or assertion not in ("rule", "preference", "convention", "decision"))
    assertion = None if asks else assertion
    if is_chatter(spelling) and assertion not in _NEVER_CHATTER:
        act: Act = "chatter"
    elif assertion:
        act = _ACT_OF_ASSERTION[assertion]
    elif (clause.is_hypothetical or clause.is_reported) and not asks:
        act = "statement"  # hypotheses and reported speech assert nothing
    else:
        bare_text = drop_frequency(clause.text) if clause.is_habit else clause.text
        act = _choose_act(spelling.strip(), bare_text, asks, bool(reply))
        act = "statement" if clause.is_habit and act in ("rule", "decision") else act
    is_plain = act == "statement" and assertion is None and not (clause.is_hypothetical or clause.is_reported)
    if is_plain and (leaning := assertions.guess_assertion(clause, reply)):
        return ClassifiedSentence(_LEADING_BULLET.sub("", text.strip()), _ACT_OF_ASSERTION[leaning], asks, leaning, is_guess=True)
    return ClassifiedSentence(_LEADING_BULLET.sub("", text.strip()), act, asks, assertion, is_reported=clause.is_reported)


_LEADING_BULLET = compile_late(r"^(?:[-*•+]|\d{1,2}[.)])\s+(?=\S)")
_SCOLDING_QUESTION = compile_late(
    r"how (?:often|many times) (?:do|did|must) i (?:have to |need to )?(?:say|tell|repeat|ask)\b", re.I
)
"""A rule in the form of a question."""


ASKING_WORDS = QUESTION_WORDS - {"when"}
ASKING_VERBS = AUXILIARIES | (MODALS - {"shall", "may", "might", "must"}) | {"am"}


def _is_inverted(bare: str) -> bool:
    """Whether the word order asks, even where the words assert: "why is the first message always slow"."""
    words = [word.lower() for word in split_words(bare)]
    return len(words) > 2 and words[0] in ASKING_WORDS and words[1] in ASKING_VERBS


def is_question(text: str) -> bool:
    """Whether a sentence asks: by its question mark or its word order. Polite requests do not ask."""
    bare = cue_phrases.FILLER.sub("", text).strip()
    if is_request(bare):
        return False
    return text.rstrip(" .!)\"'").endswith(QUESTION_MARKS) or bool(
        cue_phrases.OPENING_QUESTION_WORD.match(bare) and not re.search(r"[.!]$", bare) and len(split_words(bare)) > 2
    )


def is_request(bare: str) -> bool:
    """Whether a sentence without fillers asks for something to be done."""
    if cue_phrases.IMPERATIVE.match(bare) or _INDIRECT_REQUEST.match(bare):
        return True
    polite = cue_phrases.POLITE.match(bare)
    if polite and _ASSIGNMENT_OPENING.match(polite[0]):
        return True
    if re.search(r", ?(?:please|pls)\W*$", bare, re.I) and not assertions.is_lasting_preference(bare):
        return True
    return bool(polite and cue_phrases.IMPERATIVE.match(bare[polite.end() :]))


_INDIRECT_REQUEST = compile_late(
    r"(?:would|is|might) it be possible\b|(?:is there )?any (?:chance|way) (?:that |of |for )?(?:we|you|the|it|this|to"
    r"|\w+ could|\w+ can)\b"
    r"|(?:could|can)(?:n't| not)? (?:we|you|the \w+|it|this|that) (?:just |maybe |not |simply )*(?:be \w+(?:ed|en|wn)"
    r"|get rid of|drop|have|make|add|remove|use)\b"
    r"|what i(?:'d| would)? (?:really )?(?:love|like|want|need|miss)\b|we could (?:really )?(?:do with|use)\b"
    r"|why (?:don't|not) (?:we|you) (?:just|simply)\b",
    re.I,
)
"""Questions and remarks that ask for something to be done."""
_ASSIGNMENT_OPENING = compile_late(
    r"i(?:'d| would)? (?:\w+ )?(?:like|want|need)(?: for)? you to|(?:i )?want you to|(?:it )?would be \w+ if"
    r"|(?:it'?s )?time to|today we"
    r"|let us",
    re.I,
)
"""Openings after which any verb is a request, whether listed or not."""


def _choose_act(text: str, bare: str, asks: bool, has_before: bool) -> Act:
    if asks:
        return "correction" if has_before and _RHETORICAL_QUESTION.match(bare) else "question"
    main = cue_phrases.SUBCLAUSE.sub("", bare)
    if cue_phrases.DECISION_CUE.search(main) and not is_request(main):
        return "decision"
    if cue_phrases.RULE_WORDING.search(main) and not cue_phrases.POLITE.match(bare):
        return "rule"
    if _INDIRECT_REQUEST.match(bare):
        return "request"
    if has_before and (cue_phrases.PUSHBACK.search(bare) or cue_phrases.PUSHBACK.match(text)):
        return "correction"
    if cue_phrases.PREFERENCE_CUE.search(bare) or cue_phrases.NEGATED_WISH.search(bare):
        return "preference"
    if is_request(bare) or any(is_request(clause.strip()) for clause in re.split(r",|;| and | then ", bare)[1:]):
        return "request"
    if cue_phrases.AGREEMENT.match(text) and len(split_words(bare)) <= 3:
        return "agreement"
    return _classify_plain_statement(bare, main)


_RHETORICAL_QUESTION = compile_late(
    r"why (?:on earth|the \w+|for \w+'s sake|in the world)\b|(?:who told|did i (?:ask|tell|say)|what made) (?:you|me)\b"
    r"|(?:is|are|was|were)n't (?:it|that|this|an?|the) .*\b(?:ugly|silly|overkill|redundant|pointless|dangerous|wrong"
    r"|odd|a bit|instead)\b|an? [\w ]{2,24}\?",
    re.I,
)
"""Questions that need no answer: they say that something is wrong."""


def _classify_plain_statement(bare: str, main: str) -> Act:
    """Return the act of a plain assertion: a report, a decision, a request or only a statement."""
    if cue_phrases.FAILURE.search(bare):
        return "report"
    if is_unspaced(bare):
        return "request"  # no cue phrase knows the language: most messages to an agent are requests
    if (label := cue_phrases.LABEL.match(bare)) and entities.count_specifics(bare[label.end() :]):
        return "decision"
    if assertions.is_wish(main):
        return "request"
    return "decision" if cue_phrases.CHOICE_CUE.search(bare) else "statement"


_WAITING = compile_late(
    r"never ?mind\b|let me (?:think|see|check|read|look|sleep|try|test|get back)\b|(?:i'll|i will|i'm going to|i have to"
    r"|i need to|i must) (?:\w+ )?(?:check|look|think|leave|go\b(?! with| for)|be back|come back"
    r"|get back|read|sleep|run|head|have a look)\b|(?:just )?(?:wait|hold on|give me a (?:sec\w*|min\w*|moment))\b"
    r"|(?:[\w' ]{0,30}\b(?:is|are) (?:still )?running\b,? )?let's (?:wait|see)\W*$|(?:be right back|brb|back in"
    r"|gotta go)\b"
    r"|(?:i )?(?:always |keep )?forget(?:ting)?\b",
    re.I,
)
"""The person's own activity meanwhile; nothing of it lasts."""


def is_chatter(text: str) -> bool:
    """Whether a text only greets, thanks, praises, curses or signals."""
    rest = _cut_signals(text)
    return not split_words(rest) or (
        len(split_words(text)) <= 2
        and not entities.count_specifics(text)
        and not cue_phrases.IMPERATIVE.match(rest)
        and len(text) < 16
    )


def _cut_signals(text: str) -> str:
    """Return lower-case text without greetings, thanks and the like; empty for a label or the person's own activity."""
    rest = text.strip().lower()
    if all(
        len(split_words(part)) <= 3 and not entities.count_specifics(part) and not is_request(part.strip())
        for part in rest.split(";")
    ) and (";" in rest or rest.endswith(":")):
        return ""  # labels before pasted text
    if _WAITING.match(cue_phrases.FILLER.sub("", rest)) and not entities.count_specifics(rest) and len(split_words(rest)) <= 16:
        return ""
    if rest.endswith(":") and len(split_words(rest)) <= 6 and not entities.count_specifics(rest):
        return ""
    while rest and (match := cue_phrases.CHATTER.match(rest)):
        rest = rest[match.end() :]
    return rest


def _ends_with_offer(reply: str) -> bool:
    return any(cue_phrases.OFFER.match(sentence) or sentence.endswith(QUESTION_MARKS) for sentence in split_sentences(reply)[-3:])
