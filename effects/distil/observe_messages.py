"""Observes a piece of a conversation without a lake: lines of a session file become dated observations, offline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from effects.distil.stored_weights import load_turn_classifier
from effects.system.errors import SourceError
from transforms.attribution.judge_session import LakeSigns, SpokenEntry, judge_session
from transforms.conversation.entries import Entry, build_entries
from transforms.distil.dated_observations import (
    NEXT_STATE,
    TASK_STATE,
    DatedLine,
    join_moments,
    make_line,
    parse_observations,
    write_observations,
)
from transforms.distil.fact_tails import check_with_tails
from transforms.distil.window_budget import count_serialized_tokens
from transforms.distil.window_evidence import WindowEvidence
from transforms.exchanges.exchange import split_exchanges
from transforms.exchanges.find_mode import find_mode
from transforms.offline.engine import OfflineEngine
from transforms.reading.entry_rows import add_tree_columns, make_entry_rows
from transforms.reading.json_lines import parse_chunk
from transforms.reading.pi.session_header import is_header
from transforms.reading.placed_entry import EntryGroup, FilePosition
from transforms.reading.readers import recognise_session
from transforms.tables.enums import KEPT_KINDS, PERSON_KINDS, AgentMode
from transforms.tables.tokens import count_tokens
from transforms.tables.window_tables import NOTHING_TO_DO

STDIN_NAME = "stdin"
NEXT = "recollect observe FILE, with a session file of pi, Claude Code or Codex"
SUMMARY_TYPE = "compaction"
SMALLEST_BUDGET, LARGEST_BUDGET = 500, 4000
"""Tokens that one compaction keeps at least and at most, unless others are asked for; pi's own summaries have 900 to 2600."""
OBSERVED_LINE_CHARS = 400
"""Longest line of several facts of one minute."""
_HIGH_KINDS = PERSON_KINDS - {"convention"}
"""Rules and decisions of the owner are always important here: nobody repeats them after a compaction."""


@dataclass(frozen=True, slots=True)
class Observed:
    """Dated observations of a conversation, and the tokens that were read."""

    text: str
    read_tokens: int


def read_conversation(data: bytes, zone: ZoneInfo) -> list[Entry]:
    """Return the entries of a session of pi, Claude Code or Codex, secrets redacted. Unreadable lines are left out.

    Raises:
        SourceError: when the first lines are those of no session, or no entry follows them.
    """
    objects = parse_chunk(data if data.endswith(b"\n") else data + b"\n").objects
    header = recognise_session(objects, STDIN_NAME, is_complete=True) or "it is empty"
    if isinstance(header, str):
        raise SourceError(f"this is not a session: {header}", NEXT)
    members = [parsed for parsed in objects if not is_header(parsed)]
    if not members:
        raise SourceError("the session has no entries", NEXT)
    frame, _, _ = make_entry_rows([EntryGroup(FilePosition(header, STDIN_NAME, zone), members)])
    return _judge_entries(build_entries(add_tree_columns(frame)))


def _judge_entries(entries: list[Entry]) -> list[Entry]:
    """Return the entries with the judgement of who spoke, as far as one session tells it: a pasted review is not the owner's."""
    spoken = [
        SpokenEntry(
            ordinal=entry.ordinal,
            is_user=entry.entry_type == "message" and entry.role == "user",
            is_answer=entry.role == "assistant" and not entry.is_error and bool(entry.text.strip()),
            is_copied="copied" in entry.flags,
            text=entry.text,
            said_at=entry.said_at,
            attribution=entry.attribution,
        )
        for entry in entries
    ]
    judged = judge_session(spoken, load_turn_classifier(), LakeSigns())
    return [
        replace(entry, speaker=now.speaker, speaker_reason=now.reason, speaker_parts=now.parts)
        if (now := judged.get(entry.ordinal)) and now != entry.attribution
        else entry
        for entry in entries
    ]


def select_range(entries: list[Entry], first: str | None, end: str | None) -> list[Entry]:
    """Return the entries from the one with the id `first` up to and without the one with the id `end`.

    Raises:
        SourceError: when no entry has such an id.
    """
    places = {entry.entry_id: index for index, entry in enumerate(entries)}
    for name in (first, end):
        if name is not None and name not in places:
            raise SourceError(f"no entry has the id `{name}`", "recollect observe FILE, without --from and --to")
    return entries[places[first] if first else 0 : places[end] if end else len(entries)]


def observe_entries(
    entries: Sequence[Entry],
    owner: str,
    zone: ZoneInfo,
    share: float,
    max_tokens: int | None = None,
    known: Sequence[str] = (),
    mode: AgentMode | None = None,
) -> Observed:
    """Return dated observations of a conversation.

    Summaries among the entries and the `known` lines count as known: they are neither observed again nor repeated.
    Without `max_tokens` the result holds `share` of the tokens that were read, within SMALLEST_BUDGET and LARGEST_BUDGET.
    Without a `mode` the actions of the messages decide it.
    """
    messages = [entry for entry in entries if entry.entry_type != SUMMARY_TYPE]
    summaries = [*known, *(entry.text for entry in entries if entry.entry_type == SUMMARY_TYPE)]
    earlier = [line.text for summary in summaries for line in parse_observations(summary) if line.text]
    size = count_serialized_tokens(messages)
    budget = max_tokens if max_tokens is not None else round(min(max(size * share, SMALLEST_BUDGET), LARGEST_BUDGET))
    if not messages or not size:
        return Observed("", size)
    engine = OfflineEngine(owner=owner, zone=zone, classifier=load_turn_classifier(), preferred=KEPT_KINDS)
    engine.exchanges = tuple(split_exchanges(messages, engine.classifier))
    engine.mode = mode or find_mode(engine.exchanges)
    result = engine.distil(messages, [], earlier, budget)
    evidence = WindowEvidence(tuple(messages), zone)
    by_ordinal = {entry.ordinal: entry for entry in messages}
    state = _describe_state(result.current_task, result.suggested_response, messages, zone)
    facts = [
        make_line(fact.text, "high" if fact.kind in _HIGH_KINDS else fact.priority, by_ordinal[fact.ordinals[0]].said_at, zone)
        for segment in result.segments
        for fact, verdict in (check_with_tails(fact, evidence) for fact in segment.facts)
        if verdict[0] == "allow"
    ]
    room = budget - sum(count_tokens(line.write()) for line in state)
    return Observed(write_observations([*join_moments(_fit(facts, room), OBSERVED_LINE_CHARS), *state]), size)


def _describe_state(task: str, response: str, messages: Sequence[Entry], zone: ZoneInfo) -> list[DatedLine]:
    """Return where the work stands at the end: its lines come last, so that the next turn finds them."""
    last = messages[-1].said_at
    is_open = task and not response.startswith(NOTHING_TO_DO)
    lines = [make_line(f"{TASK_STATE}{task}", "high", last, zone)] if is_open else []
    return [*lines, make_line(f"{NEXT_STATE}{response}", "high", last, zone)] if response else lines


def _fit(lines: list[DatedLine], room: int) -> list[DatedLine]:
    """Return the lines in the order of their time, within the room: low priorities are left out first."""
    order = {"!": 0, "?": 1, "i": 2}
    fitting: set[int] = set()
    for index in sorted(range(len(lines)), key=lambda index: (order[lines[index].mark], index)):
        cost = count_tokens(lines[index].write())
        if cost <= room:
            fitting.add(index)
            room -= cost
    return sorted((lines[index] for index in sorted(fitting)), key=lambda line: (line.day, line.time))
