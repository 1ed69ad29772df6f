"""MEMORY.md on machines that share a lake in an object store: what was approved on one is written into that of the others.

The lake knows what was approved, never what stands in the MEMORY.md of which machine. A file beside it names the proposals that
were carried out here: one of them whose line is gone was taken out by the owner, and that is a decision for all machines.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from effects.config.paths import find_address
from effects.store.memory_file import list_memory_sections, locate_memory, read_memory, render_empty_memory, write_memory
from effects.store.run import Run
from effects.system.files import replace_file
from transforms.memory.promotion import has_same_words
from transforms.pages.memory_md import (
    UnsafeEditError,
    add_bullet,
    has_conflict_marks,
    has_hidden_line,
    parse_memory,
    remove_line,
    replace_line,
)
from transforms.tables.rows import ProposalRow

STATE = ".MEMORY.md.machine"
BACKUP = ".MEMORY.md.bak"


@dataclass(frozen=True, slots=True)
class SharedLine:
    """A change of MEMORY.md that was carried out on some machine and still holds: `line` is empty after a removal.

    `olds` are the lines in whose place it stands; `is_taken_out` says that the owner took the line out where it stood.
    """

    proposal_id: str
    section: str
    line: str
    olds: tuple[str, ...]
    is_taken_out: bool


@dataclass(slots=True)
class MachineLines:
    """What MEMORY.md of this machine lacks: to be written, or taken out here by the owner. `left` was missing at first sight."""

    here: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)
    missing: list[SharedLine] = field(default_factory=list)
    taken_out: list[SharedLine] = field(default_factory=list)
    is_first: bool = False
    problems: list[str] = field(default_factory=list)
    written: int = 0


def is_shared(run: Run) -> bool:
    """Whether other machines may write this lake: it lies in an object store."""
    return find_address(run.lake.root) is not None


def compare_lines(
    run: Run, rows: Mapping[str, ProposalRow], events: pl.DataFrame, forgotten: Collection[str], memory: str
) -> MachineLines:
    """Compare MEMORY.md with what was approved on all machines.

    A MEMORY.md without any bullet is new or lost: nothing was taken out of it. At first sight of one that has approved lines,
    nobody knows whether the others were taken out or never stood here: they are `left`.
    """
    state, shared = _read_state(run), _list_shared_lines(run, rows, events, forgotten)
    bullets = parse_memory(memory).bullets
    standing = {bullet.line for bullet in bullets}
    lines = MachineLines(is_first=state is None)
    known, lines.left = state or (set(), set())
    stands = {item.proposal_id for item in shared if _stands(item, standing, memory)}
    has_lines = bool(bullets) and (
        any(item.proposal_id in stands and item.line for item in shared) or locate_memory(run).with_name(BACKUP).exists()
    )
    for item in shared:
        key = item.proposal_id
        if key in stands or (not item.line and (key in known or (has_lines and lines.is_first))):
            lines.here.add(key)
        elif has_hidden_line(memory, item.line) or has_conflict_marks(memory):
            lines.here |= {key} & known
        elif key in known and bullets:
            lines.here.add(key)
            lines.taken_out += [] if item.is_taken_out else [item]
        elif lines.is_first and has_lines and not item.is_taken_out:
            lines.left.add(key)
        elif key not in lines.left and not item.is_taken_out:
            lines.missing.append(item)
    return lines


def write_missing_lines(
    run: Run, rows: Mapping[str, ProposalRow], events: pl.DataFrame, forgotten: Collection[str]
) -> MachineLines:
    """Write what was approved on other machines into MEMORY.md of this one, and return what was done; nothing for a folder."""
    if not is_shared(run):
        return MachineLines()
    before = read_memory(run)
    lines = compare_lines(run, rows, events, forgotten, before)
    memory, order = before or render_empty_memory(run), list_memory_sections(run)
    for item in lines.missing:
        try:
            memory = _carry_out(memory, item, order)
        except UnsafeEditError as error:
            lines.problems.append(f"{item.proposal_id} was approved on another machine and waits to be written here: {error}")
            continue
        lines.here.add(item.proposal_id)
        lines.written += 1
    if lines.written:
        write_memory(run, before, memory)
    _write_state(run, lines.here, lines.left)
    if lines.is_first and lines.left:
        lines.problems.append(
            f"{len(lines.left)} approved lines do not stand in MEMORY.md of this machine; whether you took them out is not "
            "known, so they stay out (`recollect sql 'FROM memory_lines'` lists all): write those that you miss into it"
        )
    return lines


def note_lines(run: Run, promoted: Collection[str], undone: Collection[str]) -> None:
    """Note what this machine just wrote into its MEMORY.md, and what it took back."""
    if is_shared(run) and (promoted or undone) and (state := _read_state(run)) is not None:
        here, left = state
        _write_state(run, (here | set(promoted)) - set(undone), left - set(promoted) - set(undone))


def _list_shared_lines(
    run: Run, rows: Mapping[str, ProposalRow], events: pl.DataFrame, forgotten: Collection[str]
) -> list[SharedLine]:
    """Return what was carried out and holds, in the order of the decisions."""
    fates = events.filter(pl.col("event").is_in(["promoted", "undone", "unwritten", "vanished"])).sort("at")
    last: dict[str, str] = dict(fates.select("proposal_id", "event").iter_rows())
    texts = dict(run.lake.read("memory_lines").select("proposal_id", "text").iter_rows())
    shared: list[SharedLine] = []
    heirs: dict[str, int] = {}  # by the line that it replaced or removed: its place in `shared`
    decided = sorted(rows.items(), key=lambda item: (item[1]["decided_at"] or item[1]["created_at"], item[0]), reverse=True)
    for key, row in decided:
        if row["status"] != "approved" or key in forgotten or last.get(key) not in ("promoted", "vanished"):
            continue
        line = "" if row["op"] == "remove" else texts.get(key) or ""
        olds = () if row["op"] == "add" or any(row["old_text"] == item.line for item in shared) else (row["old_text"] or "",)
        if line and line in heirs:
            shared[heirs[line]] = replace(shared[heirs[line]], olds=(*shared[heirs[line]].olds, *olds))
            heirs |= dict.fromkeys(olds, heirs[line])
        elif line or olds:
            heirs |= dict.fromkeys(olds, len(shared))
            shared.append(SharedLine(key, row["section"], line, olds, last[key] == "vanished"))
    return shared[::-1]


def _stands(item: SharedLine, standing: Collection[str], memory: str) -> bool:
    if not item.line:
        return not any(old in standing for old in item.olds)
    if item.line in standing:
        return True
    (bullet,) = parse_memory(item.line).bullets[:1] or (None,)
    return bullet is not None and has_same_words(memory, bullet.text, item.olds)


def _carry_out(memory: str, item: SharedLine, order: Sequence[str]) -> str:
    for old in item.olds:
        changed = replace_line(memory, old, item.line) if item.line else remove_line(memory, old)
        memory = memory if changed is None else changed
    return add_bullet(memory, item.section, item.line, order) if item.line else memory


def _read_state(run: Run) -> tuple[set[str], set[str]] | None:
    """Return what was carried out here and what was left; None before the first time, or when the file is damaged."""
    try:
        state = json.loads(locate_memory(run).with_name(STATE).read_bytes())
        return set(state["here"]), set(state["left"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _write_state(run: Run, here: Collection[str], left: Collection[str]) -> None:
    path = locate_memory(run).with_name(STATE)
    data = json.dumps({"here": sorted(here), "left": sorted(left)}).encode()
    if not path.exists() or path.read_bytes() != data:
        replace_file(path, data)
