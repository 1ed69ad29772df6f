"""Finds the agent's menus that an owner chose from, and cuts them from texts: what was only offered is no fact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from transforms.exchanges.claims import choose_headline
from transforms.exchanges.exchange import Exchange
from transforms.exchanges.offers import MIN_OPTIONS, flatten, read_offer
from transforms.exchanges.pointing import resolve_answer
from transforms.language import cue_phrases
from transforms.language.sentences import split_sentences

HEAD_CHARS = 24
"""Beginning of a flattened option by which a text that repeats it is known."""

HEADLINE_CHARS = 400
_COMPARING = ("instead", "rather", "uses", "→", "->")
"""Words of change that also stand in what is only offered."""

Menus = Mapping[int, tuple[str, ...]]
"""Ordinal of the entry that offers options → the beginnings of the options."""


def find_menus(exchanges: Iterable[Exchange]) -> Menus:
    """Return the menus from which the next message picks some options and leaves others.

    Of a list from which nothing is left, all was agreed to; and one that nobody answers may be a list of what was done.
    """
    menus: dict[int, tuple[str, ...]] = {}
    for exchange in exchanges:
        reply = exchange.previous_reply
        if reply is None or not exchange.is_direct or not exchange.typed.strip():
            continue
        offer = read_offer(reply.text)
        choice = resolve_answer(exchange.typed, offer)
        if choice and choice.picked and choice.left:
            menus[reply.ordinal] = tuple(flatten(option.text)[:HEAD_CHARS] for option in offer.options)
    return menus


def cut_menu(text: str, ordinals: Iterable[int], menus: Menus) -> str:
    """Return a text that cites the entry of a menu without its options and their lead; as it is when it repeats less than two."""
    heads = {head for ordinal in ordinals for head in menus.get(ordinal, ())}
    plain = flatten(text) if heads else ""
    if sum(head in plain for head in heads) < MIN_OPTIONS:
        return text
    kept: list[str] = []
    for sentence in split_sentences(text):
        if any(head in flatten(sentence) for head in heads):
            break
        kept.append(sentence)
    return " ".join(kept if not (kept and kept[-1].endswith(":")) else kept[:-1])


def lists_options(text: str, exchange: Exchange) -> bool:
    """Whether a statement behind work that was asked for is the labelled list that the agent's last words offer next.

    A list of what was done says so: it has a word of change.
    """
    reply = exchange.final_reply
    if reply is None or exchange.asks or _reports(text):
        return False
    heads = _list_heads(reply.text)
    plain = flatten(text) if heads else ""
    return sum(head in plain for head in heads) >= MIN_OPTIONS


@lru_cache(maxsize=64)
def _list_heads(reply: str) -> tuple[str, ...]:
    """Return the beginnings of the labelled options of a reply: each of its statements is compared with them."""
    offer = read_offer(reply)
    return tuple(flatten(option.text)[:HEAD_CHARS] for option in offer.options) if offer.is_labelled else ()


def offers_next(exchange: Exchange) -> bool:
    """Whether the agent's last words behind its work only offer what to do next: the work is the outcome, and they hide it."""
    reply = exchange.final_reply
    return reply is not None and bool(exchange.files) and lists_options(choose_headline(reply.text, HEADLINE_CHARS), exchange)


def _reports(text: str) -> bool:
    """Whether a text says that something was done; "6 kB instead of 31" alone compares what may be."""
    if cue_phrases.COMPLETION.search(text) or cue_phrases.FIX.search(text):
        return True
    return any(not word.lower().startswith(_COMPARING) for word in cue_phrases.CHANGE.findall(text))
