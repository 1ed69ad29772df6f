"""Tables of memory over time: distillates, proposals and their events, lines of MEMORY.md, tombstones."""

from datetime import date, datetime
from typing import Annotated, TypedDict

from transforms.tables.definition import Column, Table
from transforms.tables.enums import (
    Actor,
    GroundStatus,
    Origin,
    ProposalEventName,
    ProposalKind,
    ProposalOperation,
    ProposalStatus,
    ReferenceKind,
    Relation,
)


class DistillateRow(TypedDict):
    """a condensed period of a project (tier 1 and above)"""

    distillate_id: Annotated[str, Column("hash of tier, project, period and children")]
    tier: Annotated[int, Column("1 day, 2 week, 3 month, 4 year", bits=8)]
    project: Annotated[str, Column("project")]
    period_start: Annotated[date, Column("first day")]
    period_end: Annotated[date, Column("last day")]
    text: Annotated[str, Column("narratives, then bullets")]
    child_ids: Annotated[list[str], Column("tier 1: of `observations` and `segments`; above: `distillates` of the tier below")]
    entry_refs: Annotated[list[str], Column("`session_id:entry_id`: union of the children's citations", references="entries")]
    input_tokens: Annotated[int, Column("length of the children's texts", unit="tokens", bits=32)]
    output_tokens: Annotated[int, Column("length of the text; always smaller", unit="tokens", bits=32)]
    level: Annotated[int, Column("strength of compression that was needed, 0 to 4", bits=8)]
    engine: Annotated[str, Column("engine that wrote it")]
    reason: Annotated[str | None, Column("why no model wrote it although one is set")]
    template_hash: Annotated[str | None, Column("hash of a model's prompt; null for the offline engine")]
    parts: Annotated[list[str] | None, Column("lines of a model's answer as JSON; null for the offline engine")]
    source_ids: Annotated[
        list[str] | None, Column("facts and narratives that a model's text was made from", references="observations")
    ]
    origin: Annotated[Origin | None, Column("least trusted origin of its inputs; null when one is unknown")]
    superseded_by: Annotated[str | None, Column("distillate of the next tier that covers it", references="distillates")]


class ProposalRow(TypedDict):
    """a proposed edit of MEMORY.md"""

    proposal_id: Annotated[str, Column("`p-YYYYMMDD-NNN` or `f-YYYYMMDD-NNN`, never used twice")]
    kind: Annotated[ProposalKind, Column("origin of the proposal")]
    op: Annotated[ProposalOperation, Column("edit that is proposed")]
    section: Annotated[str, Column("section of MEMORY.md")]
    text: Annotated[str, Column("line to promote, without its date")]
    old_text: Annotated[str | None, Column("exact line that it replaces or removes")]
    target: Annotated[str, Column("file that it changes")]
    evidence_ids: Annotated[list[str], Column("observations that support it, or `session:entry`", references="observations")]
    evidence_sources: Annotated[
        list[str] | None,
        Column("id of each of these observations, hashes of its words and of its citations: it may come back under another id"),
    ]
    severity: Annotated[float | None, Column("friction: sessions × minutes that each lost", bits=32)]
    pattern: Annotated[str | None, Column("friction: name of the pattern; else a note, with other lines by id")]
    origin: Annotated[Origin | None, Column("least trusted origin of its evidence; null when one is unknown")]
    project: Annotated[str | None, Column("project of the evidence; null when there are several")]
    is_everywhere: Annotated[
        bool | None, Column("whether a model says that it holds in all projects, wherever it was said; null when it does not")
    ]
    said_at: Annotated[datetime, Column("newest evidence; the date in front of the promoted line")]
    status: Annotated[ProposalStatus, Column("state of the proposal")]
    first_shown_at: Annotated[
        datetime | None, Column("logical time of the run that last began to show it, again after it had expired; null before")
    ]
    created_at: Annotated[datetime, Column("logical time of the run that proposed it")]
    decided_at: Annotated[datetime | None, Column("logical time of the decision; null before")]


class ProposalEventRow(TypedDict):
    """an event in the life of a proposal"""

    proposal_id: Annotated[
        str,
        Column(
            "its proposal; of a `reflected` event `r-YYYYMMDD`, the day of the reflection, which is neither a proposal nor a run",
            references="proposals",
        ),
    ]
    event: Annotated[ProposalEventName, Column("event")]
    at: Annotated[datetime, Column("logical time of the run")]
    actor: Annotated[Actor, Column("who acted")]
    text: Annotated[
        str, Column("text of the proposal at that moment, or the line that it replaced; of `stood` the line that it took out")
    ]


class MemoryLineRow(TypedDict):
    """a bullet of MEMORY.md that came from a proposal"""

    line_hash: Annotated[str, Column("hash of the bullet as promoted")]
    proposal_id: Annotated[str, Column("its proposal", references="proposals")]
    section: Annotated[str, Column("section of MEMORY.md")]
    text: Annotated[str, Column("the bullet")]
    at: Annotated[datetime, Column("logical time of the promotion")]


class ConfirmationRow(TypedDict):
    """something that a line of MEMORY.md or a fact names, or its branch, as the repositories on this machine have it"""

    target: Annotated[str, Column("`m-…`, the line, or `o-…`, the fact")]
    name: Annotated[str, Column("path, command, flag, symbol, commit or branch")]
    kind: Annotated[ReferenceKind, Column("kind of the name")]
    status: Annotated[GroundStatus, Column("state of what it names, `unmerged` being not on the default branch")]
    repository: Annotated[str, Column("top folder of the repository that told it")]
    commit: Annotated[str | None, Column("commit that removed or renamed it; of a branch its last one")]
    new_name: Annotated[str | None, Column("its path now; of what is gone, what came with that commit instead")]
    confirmed_on: Annotated[date | None, Column("day of the last run that found it present after a change of a repository")]
    state: Annotated[str, Column("hash of the repositories and their commits when it was looked up")]


class RelationRow(TypedDict):
    """a pair of facts that a model was asked about, or that a rule relates"""

    older_id: Annotated[
        str, Column("the earlier fact, or `m-…`, a line of MEMORY.md; empty when none was near", references="observations")
    ]
    newer_id: Annotated[str, Column("the later fact", references="observations")]
    relation: Annotated[
        Relation,
        Column(
            "what the model told; `replaces`, `restates`, `outdates` and `finishes` are acted on, `replaces_part`, the rules'"
            " `named_again` and `changed_number` and, of a person's words that a command shows to be over, `perhaps_over` are"
            " said beside the fact"
        ),
    ]
    engine: Annotated[str, Column("engine that told it; empty when nobody was asked")]
    template_hash: Annotated[str, Column("hash of its prompt")]
    asked_on: Annotated[date, Column("day of the run")]
    reports_asked_on: Annotated[
        date | None, Column("of a replacement: day on which the reports of work near the earlier fact were asked about")
    ]
    keeps: Annotated[
        list[int],
        Column(
            "where, in the text of a replaced fact, words begin and end that go on to hold; of `changed_number` where the later"
            " fact has the new value, and the earlier one the former; empty when none do",
            bits=32,
        ),
    ]
    older_source: Annotated[
        str | None, Column("hashes of the words and of the citations of the earlier fact; null for a line, and until known")
    ]
    newer_source: Annotated[
        str | None,
        Column("the same of the later fact, as it was judged: a fact that comes back takes them over"),
    ]


class TombstoneRow(TypedDict):
    """something that was forgotten"""

    target: Annotated[str, Column("id of a record, session or entry, or hash of a text (`transforms/forgetting/row_filter.py`)")]
    reason: Annotated[
        str, Column("how it was named: `id …`, `session …`, `match` with the hash of the words, `prune` with a day")
    ]
    text: Annotated[str | None, Column("line of MEMORY.md that was taken out, for undoing; null after a purge")]
    is_purged: Annotated[bool, Column("the text was removed for good")]
    actor: Annotated[Actor, Column("who acted")]
    at: Annotated[datetime, Column("logical time of the run")]
    is_undone: Annotated[bool, Column("the owner took it back")]


DISTILLATES = Table(
    "distillates", DistillateRow, ("distillate_id",), ("effects.memory.consolidate_step",), "state", is_daily=False
)
PROPOSALS = Table("proposals", ProposalRow, ("proposal_id",), ("effects.memory.proposal_store",), "state", is_daily=False)
PROPOSAL_EVENTS = Table(
    "proposal_events", ProposalEventRow, ("proposal_id", "event", "at"), ("effects.memory.proposal_store",), "append",
    is_daily=False,
)  # fmt: skip
MEMORY_LINES = Table("memory_lines", MemoryLineRow, ("line_hash",), ("effects.memory.proposal_store",), "state", is_daily=False)
CONFIRMATIONS = Table(
    "confirmations", ConfirmationRow, ("target", "name"), ("effects.ground.ground_step",), "state", is_daily=False
)
RELATIONS = Table("relations", RelationRow, ("older_id", "newer_id"), ("effects.memory.relate_step",), "state", is_daily=False)
TOMBSTONES = Table(
    "tombstones", TombstoneRow, ("target", "reason"), ("effects.memory.forget", "effects.memory.prune"), "state", is_daily=False
)
