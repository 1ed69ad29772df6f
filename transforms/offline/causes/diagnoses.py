"""Reads a diagnosis: whether a text calls something a cause, and the sentences of a reply that tell it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from transforms.conversation.entries import Entry
from transforms.exchanges import claims
from transforms.exchanges.current_values import ValueHistory
from transforms.exchanges.denials import COPULA_FORMS, is_refuted
from transforms.exchanges.exchange import Exchange
from transforms.exchanges.offers import read_offer
from transforms.language import cue_phrases, entities
from transforms.language.markdown.blocks import parse_blocks
from transforms.language.sentences import find_content_words, shorten, split_sentences, split_words
from transforms.offline.agent_facts import find_denied_later
from transforms.offline.candidates import CAUSE_NOUNS, is_unfit, names_cause
from transforms.offline.replies.statement_kinds import is_explanation

CAUSE_CHARS = 320
"""Most characters of a diagnosis."""
LABEL_WORDS = 2
"""Words of a label in front of a diagnosis: "Cause:", "Root cause:"."""
PREDICATE_WORDS = 3
"""Words before the name of a cause with its verb and its article."""
HEDGED_CHARS = 12
"""Characters behind the name of a cause that say how sure it is: "the root cause could be"."""
LEADING_CLAIMS = 2
"""First statements of a reply that may explain in any words."""
LEAST_WORDS, PLAIN_WORDS, FEW_WORDS = 6, 10, 2
"""Content words of a diagnosis, of one that names nothing by its spelling, and of a sentence before it that only announces it."""


@lru_cache(maxsize=256)  # the replies of a search are looked at again with each exchange of it
def names_outright(text: str) -> bool:
    """Whether a text calls something a cause."""
    return cue_phrases.EXPLICIT_CAUSE.search(cue_phrases.REASON_WORD.sub("", text)) is not None or _calls_cause(text)


def _calls_cause(text: str) -> bool:
    """Whether a text calls something the cause behind its verb, or by the label of a sentence."""
    for sentence in split_sentences(text):
        label, colon, _ = sentence.strip("*_# ").partition(":")
        named, words = split_words(label.lower()), split_words(sentence.lower())
        if colon and 0 < len(named) <= LABEL_WORDS and named[-1] in CAUSE_NOUNS:
            return True
        if any(
            word in CAUSE_NOUNS and _is_predicate(words[max(place - PREDICATE_WORDS, 0) : place])
            for place, word in enumerate(words)
        ):
            return True
    return False


def _is_predicate(before: Sequence[str]) -> bool:
    """Whether these words make what follows them the predicate of a sentence: "the allocator is the (cause)"."""
    return "the" in before and not COPULA_FORMS.isdisjoint(before[: before.index("the")]) and "not" not in before


def cut_diagnosis(exchange: Exchange, reply: Entry, history: ValueHistory, *, is_leading: bool) -> str:
    """Return the sentences of a reply that tell the cause; empty when it tells none. With `is_leading` its first ones do."""
    denied = find_denied_later(exchange, reply.ordinal)
    sentences: list[str] = []
    for place, stated in enumerate(_list_statements(reply.text, is_leading=is_leading)):
        text = history.remove_stale_clauses(stated, exchange.index)
        is_outright = names_outright(text)
        is_plan = cue_phrases.PROPOSAL.search(text) or claims.is_intended(text) or read_offer(text).is_labelled
        if sentences and is_plan:
            break
        if not text or is_plan or is_unfit(text) or _is_hedged(text) or is_refuted(text, denied):
            continue
        is_cause = is_outright or (place < LEADING_CLAIMS and is_explanation(text, exchange))
        if sentences or is_cause or is_leading:
            sentences += [sentence for sentence in split_sentences(text) if not sentence.endswith(":")]
    while (
        len(sentences) > 1 and len(find_content_words(sentences[0])) <= FEW_WORDS and not entities.count_specifics(sentences[0])
    ):
        sentences.pop(0)  # "Confirmed."
    while len(" ".join(sentences)) > CAUSE_CHARS and len(sentences) > 1:
        sentences.pop()
    text = shorten(" ".join(sentences), CAUSE_CHARS)
    words = len(find_content_words(text))
    is_said = words >= LEAST_WORDS and (entities.count_specifics(text) > 0 or words >= PLAIN_WORDS)
    is_cause = is_leading or _calls_cause(text) or names_cause(text, exchange.typed) or is_explanation(text, exchange)
    return text if is_said and is_cause and not is_refuted(" ".join(sentences), denied) else ""


def _list_statements(text: str, *, is_leading: bool) -> list[str]:
    """Return the statements of a reply: its claims, or with `is_leading` all sentences before the first list, also those
    that point back at what was asked ("That's it: the product is taken in bf16")."""
    if is_leading:
        paragraphs = takewhile(lambda block: block.kind == "paragraph", parse_blocks(text))
        sentences = [sentence for block in paragraphs for sentence in split_sentences(block.text)]
        said = [claims.make_declarative(sentence) for sentence in sentences if not claims.is_talk(sentence)]
        if any(len(find_content_words(sentence)) >= LEAST_WORDS for sentence in said):
            return said
    stated = [claim for claim in claims.split_claims(text) if not cue_phrases.PLAN_HEADING.search(claim.heading)]
    last = max((place for place, claim in enumerate(stated) if names_outright(claim.text)), default=-1)
    return [claim.text for place, claim in enumerate(stated) if place <= last or not claim.is_item]  # evidence in points


def _is_hedged(text: str) -> bool:
    """Whether a text is unsure of what it states; behind the name of a cause "may" tells what it does."""
    cue = cue_phrases.EXPLICIT_CAUSE.search(cue_phrases.REASON_WORD.sub(lambda word: "x" * len(word[0]), text))
    return cue_phrases.HEDGE.search(text[: cue.end() + HEDGED_CHARS] if cue else text) is not None
