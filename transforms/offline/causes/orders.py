"""Tells an order, or a condition, and the report of its work from a trouble and its cause."""

from __future__ import annotations

from transforms.exchanges.exchange import Exchange
from transforms.language import assertions, cue_phrases
from transforms.language.clauses import parse_clause
from transforms.language.sentences import find_content_words, join_lines, split_sentences, split_words
from transforms.language.tokenizer import stem
from transforms.offline.causes.diagnoses import names_outright
from transforms.offline.causes.reported_trouble import asks_why
from transforms.offline.topics.ordered_task import find_imperative
from transforms.words.word_classes import CONDITIONS


def is_carried_out(exchange: Exchange, text: str) -> bool:
    """Whether a message only says what is to be done, perhaps in case that something fails, and the agent tells what it did: in a
    condition nothing has failed, and the work that an order asks for has no cause unless one is named."""
    if asks_why(exchange):
        return False
    if _orders_in_case(exchange.typed):
        return True
    is_report = any(part.assertion == "problem" for part in exchange.message.informative)
    is_order = exchange.message.act == "request" and not (is_report or cue_phrases.BREAKAGE.search(exchange.typed))
    return is_order and bool(exchange.files) and not names_outright(text)


def _orders_in_case(typed: str) -> bool:
    """Whether a message is a condition with what is wished for then: "if this fails: it should say so"; behind "when I save, it
    crashes" something failed."""
    head, mark, wished = (split_sentences(join_lines(typed)) or [""])[0].replace(":", ",").partition(",")
    is_condition = not CONDITIONS.isdisjoint(split_words(head.lower())[:1])
    return bool(mark) and is_condition and (assertions.is_wish(wished) or bool(find_imperative(wished)))


def drop_report(text: str, typed: str) -> str:
    """Return a diagnosis without the first sentence that reports an order of the message with its own verb, if more is told:
    "Pulled latest `main`. The wording is too narrow" behind "pull the latest changes and look at this"."""
    first, *rest = split_sentences(text) or [""]
    verb = next(iter(split_words(first.lower())), "")
    is_report = verb.endswith("ed") and stem(verb) in map(stem, split_words(typed.lower()))
    if not (rest and is_report and parse_clause(first, first).subject == "none"):
        return text
    return " ".join(rest) if find_content_words(" ".join(rest)) else text
