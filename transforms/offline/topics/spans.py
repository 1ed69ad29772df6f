"""Joins the topics of a window: those in which nobody spoke, and of too many the shortest."""

from __future__ import annotations

from transforms.exchanges.exchange import Exchange, select_exchanges


def join_silent_topics(spans: list[tuple[int, int]], exchanges: list[Exchange]) -> list[tuple[int, int]]:
    """Return the topics; one in which nobody spoke belongs to the topic before it, at the beginning to the one behind it."""
    joined: list[tuple[int, int]] = []
    silent_first: int | None = None
    for first, last in spans:
        is_silent = not any(part.typed.strip() or part.agent_messages for part in select_exchanges(exchanges, first, last))
        if is_silent and joined:
            joined[-1] = (joined[-1][0], last)
        elif is_silent:
            silent_first = first if silent_first is None else silent_first
        else:
            joined.append((first if silent_first is None else silent_first, last))
            silent_first = None
    return joined or [(spans[0][0], spans[-1][1])] if spans else []


def join_short_topics(spans: list[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """Return the topics; of more than `most` those neighbours are told as one that are the shortest together."""
    joined = list(spans)
    while len(joined) > max(most, 1):
        index = min(range(len(joined) - 1), key=lambda index: (joined[index + 1][1] - joined[index][0], index))
        joined[index : index + 2] = [(joined[index][0], joined[index + 1][1])]
    return joined
