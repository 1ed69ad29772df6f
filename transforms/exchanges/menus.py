"""Finds the agent's menus that an owner chose from, and cuts them from texts: what was only offered is no fact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from transforms.exchanges.exchange import Exchange
from transforms.exchanges.offers import MIN_OPTIONS, flatten, read_offer
from transforms.exchanges.pointing import resolve_answer
from transforms.language.sentences import split_sentences

HEAD_CHARS = 24
"""Beginning of a flattened option by which a text that repeats it is known."""

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
