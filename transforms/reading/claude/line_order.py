"""Orders the lines of a session by its tree, and names the line that each of them follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

from transforms.reading.json_lines import ParsedObject
from transforms.tables.json_object import JsonObject


def order_lines(objects: Sequence[ParsedObject]) -> list[ParsedObject]:
    """Return the lines with every parent before its children, ties by line: the client writes some lines late.

    A line whose parent is missing, or comes to itself again, stands where it is.
    """
    place: dict[str, int] = {}
    for index, parsed in enumerate(objects):
        if uuid := read_uuid(parsed.value):
            place.setdefault(uuid, index)
    waiting_for = [_find_later_parent(parsed.value, index, place) for index, parsed in enumerate(objects)]
    if not any(parent is not None for parent in waiting_for):
        return list(objects)
    followers: dict[int, list[int]] = {}
    ready: list[int] = []
    for index, parent in enumerate(waiting_for):
        if parent is None:
            heappush(ready, index)
        else:
            followers.setdefault(parent, []).append(index)
    order: list[int] = []
    while ready:
        index = heappop(ready)
        order.append(index)
        for follower in followers.pop(index, []):
            heappush(ready, follower)
    order += sorted(index for rest in followers.values() for index in rest)  # a ring of parents
    return [objects[at] for at in order]


def move_lines(count: int, places: Mapping[int, int]) -> list[int]:
    """Return the numbers of lines in their order when some stand right before others, given as line and place."""
    return sorted(range(count), key=lambda index: (places.get(index, index), index not in places, index))


MAIN = ""
"""Name of the chain of lines in which the owner talks to the agent."""


def find_parents(lines: Sequence[JsonObject], ids: Sequence[str], is_prompt: Sequence[bool]) -> list[str | None]:
    """Return the id of the line that each line follows, given the ids and whether the owner prompts in it.

    A line follows the line before it, because calls that ran at the same time, progress and titles hang beside the chain of
    `parentUuid`. Only a prompt whose parent lies before an earlier prompt left that one behind: it follows the line before it.
    The lines of a sub-agent follow each other.
    """
    parents: list[str | None] = []
    place: dict[str, int] = {}
    last_of_chain: dict[str, int] = {}
    prompts: list[int] = []
    for index, line in enumerate(lines):
        chain = _name_chain(line)
        before = last_of_chain.get(chain, last_of_chain.get(MAIN))
        parent = place.get(str(line.get("parentUuid")))
        if is_prompt[index] and chain == MAIN:
            abandoned = next((prompt for prompt in prompts if parent is not None and prompt > parent), None)
            before = abandoned - 1 if abandoned is not None and abandoned > 0 else before
            prompts = [prompt for prompt in prompts if abandoned is None or prompt < abandoned] + [index]
        parents.append(ids[before] if before is not None else None)
        last_of_chain[chain] = index
        if uuid := read_uuid(line):
            place.setdefault(uuid, index)
    return parents


def read_uuid(line: JsonObject) -> str | None:
    """Return the id that the client gave a line; None for titles, snapshots and the like."""
    uuid = line.get("uuid")
    return uuid if isinstance(uuid, str) and uuid else None


def _name_chain(line: JsonObject) -> str:
    """Return the name of the chain of a line: that of the sub-agent which it belongs to, else MAIN."""
    return f"sidechain {line.get('agentId')}" if line.get("isSidechain") is True else MAIN


def _find_later_parent(line: JsonObject, index: int, place: dict[str, int]) -> int | None:
    parent = place.get(str(line.get("parentUuid")))
    return parent if parent is not None and parent > index and place.get(str(line.get("uuid"))) == index else None
