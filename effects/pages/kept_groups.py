"""Keeps what of each briefing rests on the facts of its project: a decision about one proposal changes few of them.

`_logs/parts_briefing_groups.log` in the lake has, for each page, keys of the facts and of the signs beside them, and what was
found: ids and numbers, no word. The file is no truth: without it, or with another key, a page's facts are grouped anew.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import orjson
import polars as pl

from effects.store.content_key import compute_content_key, read_part_keys, write_part_keys
from effects.store.run import Run
from transforms.briefing.brief import FactGroup, FactSigns
from transforms.briefing.kept_groups import pack_groups, unpack_groups
from transforms.tables.ids import hash_fields
from transforms.tables.json_object import JsonObject
from transforms.tables.schema import hash_groups

BRIEFING_GROUPS = "briefing_groups"
Grouped = tuple[tuple[FactGroup, ...], int]
"""The groups of a briefing without a budget, and the number of facts that they have without limits."""


@dataclass(slots=True)
class KeptGroups:
    """What the last rendering found out about the facts of each page, and what this one does."""

    run: Run
    names: Mapping[str, str]
    facts: Mapping[str, str]
    """A key of the facts of each project."""
    entries: str
    """The key of the messages, in whose order facts stand."""
    known: Mapping[str, str]
    noted: dict[str, JsonObject] = field(default_factory=dict)

    def find_ids(self, project: str, name: str, beside: str, find: Callable[[], list[str]]) -> list[str]:
        """Return the ids that `find` finds in the facts of a project, and in what `beside` is the key of; kept by `name`."""
        key = hash_fields(self.facts.get(project, ""), beside, size=16)
        former = self._read_former(project).get(name)
        ids: list[str] = former["ids"] if former and former["key"] == key else find()
        self.noted.setdefault(project, {})[name] = {"key": key, "ids": ids}
        return ids

    def group(
        self, project: str, observations: pl.DataFrame, signs: FactSigns, has_task: bool, make: Callable[[], Grouped]
    ) -> Grouped:
        """Return the groups of a project, made by `make` if its facts or the `signs` of these changed since they were kept."""
        key = self._compute_key(project, observations, signs, has_task)
        former = self._read_former(project)
        if former.get("key") == key:
            groups = unpack_groups(former["groups"], observations, signs.marks, self.run.zone)
            if groups is not None:
                kept = {name: former[name] for name in ("key", "groups", "all_facts")}
                self.noted[project] = self.noted.get(project, {}) | kept
                return groups, former["all_facts"]
        groups, all_facts = make()
        packed = pack_groups(groups, observations, signs.marks, self.run.zone)
        if packed is not None:
            made = {"key": key, "groups": packed, "all_facts": all_facts}
            self.noted[project] = self.noted.get(project, {}) | made
        return groups, all_facts

    def save(self) -> None:
        """Keep what this rendering found, and nothing of pages that it did not make."""
        noted = {name: self.noted[project] for project, name in self.names.items() if project in self.noted}
        write_part_keys(self.run, BRIEFING_GROUPS, {name: _write_note(note) for name, note in noted.items()})

    def _read_former(self, project: str) -> JsonObject:
        return _read_note(self.known.get(self.names.get(project, ""), ""))

    def _compute_key(self, project: str, observations: pl.DataFrame, signs: FactSigns, has_task: bool) -> str:
        own = set(observations["observation_id"])
        of_facts = [sorted((key, sign) for key, sign in part.items() if key in own) for part in (signs.ranks, signs.marks)]
        newer = sorted(pair for pair in signs.newer.items() if not own.isdisjoint(pair))
        shown = (of_facts, newer, signs.is_unread, signs.limits, has_task, sorted(own))
        return hash_fields(self.facts.get(project, ""), self.entries, repr(shown), size=16)


def _write_note(note: JsonObject) -> str:
    text = orjson.dumps(note).decode()
    return f"{hash_fields(text, size=16)} {text}"


def _read_note(written: object) -> JsonObject:
    """Return the note of a page; an empty one where a byte of it is not as it was written."""
    sign, _, text = written.partition(" ") if isinstance(written, str) else ("", "", "")
    note: JsonObject = orjson.loads(text) if text and sign == hash_fields(text, size=16) else {}
    return note


def open_kept_groups(run: Run, names: Mapping[str, str], observations: pl.DataFrame, ended: Collection[str]) -> KeptGroups | None:
    """Return what is kept for the pages of projects (`names`); None where the lake cannot tell whether it is current.

    `ended` are the ids of `list_ended_facts`: which facts are over depends on the last day that memory knows.
    """
    entries = compute_content_key(run.lake.root, ["entries"])
    if not entries:
        return None
    over = pl.col("observation_id").is_in(list(ended))
    hashes = hash_groups(observations.with_columns(is_over=over), ["project"])
    facts = {project: value for (project,), value in hashes.items() if project is not None}
    return KeptGroups(run, names, facts, entries, read_part_keys(run, BRIEFING_GROUPS))
