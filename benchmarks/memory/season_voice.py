"""A person's season: dated facts as they were said in dialogues, traps and distractions, read from a file of `season/`."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

LENGTH = 150
"""Days that the files are written for."""
ALL = "all"
"""Project of a fact that holds in both."""

Keys = list[list[str]]
"""Groups of beginnings of words: a text states something when each group has one that it contains."""


class Turn(TypedDict, total=False):
    """One turn of a dialogue; a tool's has the command and perhaps an error, its text is the output."""

    who: str
    text: str
    command: str
    is_error: bool


class Said(TypedDict):
    """A dialogue and its day."""

    day: int
    dialogue: list[Turn]


class State(TypedDict):
    """What a fact is from the first day that it was said until its next state: the line that the person would sign."""

    line: str
    keys: Keys
    said: list[Said]


class SeasonFact(TypedDict):
    """Something that holds for a while. `ends`: the last day of a temporary one."""

    id: str
    project: str
    kind: str
    lasting: bool
    states: list[State]
    ends: int | None


class Trap(TypedDict):
    """Words that look like a lasting fact and are none; `keys` recognise the false line."""

    day: int
    project: str
    what: str
    dialogue: list[Turn]
    keys: Keys


@dataclass(frozen=True)
class Voice:
    """One person's season."""

    name: str
    projects: list[str]
    facts: list[SeasonFact]
    traps: list[Trap]
    distractions: list[dict[str, Any]]

    def plan(self, days: int, rng: random.Random) -> dict[tuple[int, str], list[list[Turn]]]:
        """Return the dialogues of each day and project, for a season of `days`; what belongs to both is said in either."""
        planned: dict[tuple[int, str], list[list[Turn]]] = {}
        for fact in self.facts:
            for state in fact["states"]:
                for words in state["said"]:
                    project = rng.choice(self.projects) if fact["project"] == ALL else fact["project"]
                    planned.setdefault((scale_day(words["day"], days), project), []).append(words["dialogue"])
        for trap in self.traps:
            planned.setdefault((scale_day(trap["day"], days), trap["project"]), []).append(trap["dialogue"])
        return planned

    def find_state(self, fact: SeasonFact, day: int, days: int) -> State | None:
        """Return the state of a fact that holds on a day; None before it was first said and after its end."""
        if fact["ends"] is not None and day > scale_day(fact["ends"], days):
            return None
        begun = [state for state in fact["states"] if scale_day(state["said"][0]["day"], days) <= day]
        return begun[-1] if begun else None

    def list_past_states(self, fact: SeasonFact, day: int, days: int) -> list[State]:
        """Return the states that held before and hold no more."""
        holds = self.find_state(fact, day, days)
        begun = [state for state in fact["states"] if scale_day(state["said"][0]["day"], days) <= day]
        return [state for state in begun if state is not holds]


def read_voices(folder: Path) -> list[Voice]:
    """Return the voices of a folder in the order of their names, or the one of a file."""
    if folder.is_file():
        return [read_voice(folder)]
    return [read_voice(path) for path in sorted(folder.glob("*.json"))]


def read_voice(path: Path) -> Voice:
    """Return the voice of a file."""
    bank = json.loads(path.read_text(encoding="utf-8"))
    facts: list[SeasonFact] = [fact | {"ends": fact.get("ends")} for fact in bank["facts"]]
    return Voice(bank["voice"], list(bank["projects"]), facts, list(bank["traps"]), list(bank["distractions"]))


def scale_day(day: int, days: int) -> int:
    """Return the day of a season of `days` that stands for a day of the file; the last days leave time for a review."""
    return min(days - 2, max(1, round(day * days / LENGTH)))


def mentions(text: str, keys: Keys) -> bool:
    """Whether a text states what the keys recognise."""
    return all(any(re.search(rf"(?i)(?<!\w){re.escape(word)}", text) for word in group) for group in keys)
