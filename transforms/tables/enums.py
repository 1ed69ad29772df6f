"""The closed sets of values in the lake's columns, as `Literal` types, and as tuples where code lists them."""

from typing import Literal, get_args

OFFLINE = "offline"
"""Name of the engine that needs no model, as columns `engine` and the settings have it."""

SourceStatus = Literal["read", "refused", "gone", "excluded"]
"""State of a session file."""

Agent = Literal["pi", "claude", "codex"]
"""The client that wrote a session: pi, Claude Code or Codex."""

ProjectSign = Literal["folder", "git_dir", "remote", "first_commit", "commit", "owner"]
"""Why a folder belongs to its project: it stands alone, a sign of one repository, or the owner joined it."""

TurnKind = Literal["typed", "pasted", "skill", "file", "command", "machine", "memory"]
"""Content of a user entry: words that the owner typed, or the kind that fills most of the text."""

Speaker = Literal["owner", "parent_agent", "extension", "skill", "command", "paste", "system", "agent", "tool"]
"""Who wrote words: the owner; the agent of a parent session; an extension of the client; a skill; a command or its expansion;
the author of words that the owner pasted or attached; the client itself; the agent; a tool."""

EntryFlag = Literal[
    "copied", "cycle", "duplicate_id", "forgotten", "glued", "image", "no_id", "no_time", "orphan", "pruned", "recovered",
    "redacted", "replayed", "sidechain", "string_content",
]  # fmt: skip
"""A peculiarity of an entry: its line, its form, its place in the tree, or something that was taken out of it."""

SketchKind = Literal["message", "call"]
"""Text of a sketch: a user entry, or the arguments of a tool."""

WindowKind = Literal["compaction", "closing", "cap"]
"""Reason why a window ends: a compaction of pi, a long gap or the end of the session, the token limit."""

WindowStatus = Literal["pending", "distilled", "skipped", "failed"]

FactKind = Literal[
    "preference", "rule", "decision", "root_cause", "fix", "correction", "state_change", "convention",
    "file_change", "status", "fact", "progress", "rejected", "completion", "error", "request", "question", "task", "cure",
    "command",
]  # fmt: skip
"""Kind of a fact or observation."""
STANDING_KINDS: frozenset[FactKind] = frozenset({"preference", "rule"})
"""Kinds about the person: they hold in every project."""

ItemType = Literal["knowledge", "behavior", "event", "skill"]
"""Type of a kept fact as an item of memory: knowledge about the work, behaviour that the owner wants, an event, a skill."""

AgentMode = Literal["default", "explore", "plan", "bug_fixing", "refactoring", "testing", "debugging", "research"]
"""Kind of work that an agent does: it decides which facts of a window are observed, and how many."""

Priority = Literal["high", "medium", "low"]

Category = Literal["preferences", "rules", "architecture", "operations", "projects", "people", "memory"]
"""Subject of a fact or observation."""

Origin = Literal["owner", "agent", "summary", "tool", "other"]
"""Where a statement comes from, most trusted first: the owner said it, an agent found it, a model condensed it, a tool showed it,
or it stands in somebody else's text."""

Verdict = Literal["allow", "hold", "discard"]
"""Result of the grounding check. Only `allow` goes further."""

ReferenceKind = Literal["path", "command", "flag", "symbol", "commit", "branch", "package"]
"""Kind of a thing that a line of MEMORY.md or a fact names."""

GroundStatus = Literal["present", "gone", "renamed", "unmerged", "unknown"]
"""State of such a thing in the repositories on this machine; `unmerged` is not on the default branch."""

ToldRelation = Literal[
    "replaces", "restates", "outdates", "finishes", "replaces_part", "exception", "other_scope", "unrelated"
]  # fmt: skip
"""Relation of a newer fact to an earlier one, as a model tells it. Only the first four change anything. What is outdated is a
report of work that went by a replaced value; what is finished is a request or a task."""

Relation = Literal[ToldRelation, "named_again", "changed_number", "perhaps_over"]
"""Relation of a newer fact to an earlier one. Two are rules': `named_again`, both options of an earlier choice are named again,
and `changed_number`, work replaced a number of the earlier one by one that the newer one gives. `perhaps_over` is what becomes of
a replacement of a person's words by the output of a command: it is said beside them."""

ProposalKind = Literal["memory", "friction"]

ProposalOperation = Literal["add", "replace", "remove"]

ProposalStatus = Literal["pending", "approved", "rejected", "expired", "merged"]

ProposalEventName = Literal[
    "proposed", "edited", "approved", "rejected", "expired", "merged", "promoted", "expiring", "vanished", "reflected", "undone",
    "unwritten", "stood", "doubted",
]  # fmt: skip
"""`unwritten`: approved, and MEMORY.md could not take it yet. `stood`: MEMORY.md had what was approved before the promotion.
`doubted`: a model takes the line for wrong or outdated, or would word it otherwise."""

LineVerdict = Literal["wrong", "outdated", "reworded"]
"""What a model says of a line that waits: it never was so, it is so no longer, or it should be put in other words."""

Actor = Literal["owner", "agent", "recollect"]

ModelBackend = Literal["instructor", "pi", "claude", "codex"]
"""How a model is reached: by its provider's interface, or through a program of the owner: pi, Claude Code, Codex."""

PipelineName = Literal[
    "nightly", "backfill", "session", "review", "remember", "friction", "timeline", "forget", "prune", "context", "tasks",
    "projects", "rebuild",
]  # fmt: skip

CallOutcome = Literal["ok", "invalid", "refused", "error"]

TaskStatus = Literal["open", "in_progress", "closed"]
"""State of a task. Blocked is computed from its dependencies, never stored."""

TaskType = Literal["bug", "feature", "task", "epic", "chore"]

DependencyType = Literal["blocks", "parent-child", "related"]

CloseReason = Literal["completed", "wontfix", "duplicate"]

TaskEventName = Literal["created", "claimed", "released", "closed", "depends", "freed", "linked"]

KINDS: tuple[FactKind, ...] = get_args(FactKind)
PRIORITIES: tuple[Priority, ...] = get_args(Priority)
PRIORITY_ORDER = {"high": 0, "medium": 1, "low": 2}
"""Rank of a priority, the highest first."""
PRIORITY_MARKS = {"high": "🔴", "medium": "🟡", "low": "🟢"}
"""How pages, prompts and the terminal show a priority."""
WISH_KINDS: frozenset[FactKind] = STANDING_KINDS | {"convention"}
"""Kinds of what is meant to last, as somebody wants work to be done."""
PERSONAL_KINDS: frozenset[FactKind] = STANDING_KINDS | {"correction"}
"""Kinds that only a person can state."""
GUIDING_KINDS: frozenset[FactKind] = WISH_KINDS | PERSONAL_KINDS
"""Kinds that say how to work from now on, in advance or because something went otherwise."""
PERSON_KINDS: frozenset[FactKind] = GUIDING_KINDS | {"decision"}
"""Kinds that hold because a person said so; every other one is about work."""
SETTLING_KINDS: frozenset[FactKind] = PERSON_KINDS | {"state_change"}
"""Kinds that say what holds; a request or a question only names it, a finding settles nothing."""
CAUSE_KINDS: frozenset[FactKind] = frozenset({"root_cause", "fix", "cure"})
"""Kinds that say why something failed, or what mended it."""
LASTING_KINDS: frozenset[FactKind] = SETTLING_KINDS | CAUSE_KINDS
"""Kinds that matter after the session: what holds, and why something failed."""
KEPT_KINDS: frozenset[FactKind] = LASTING_KINDS - {"cure"}
"""Those that are worth reading a week later by themselves: a cure is told with its error."""
EVENT_KINDS: frozenset[FactKind] = frozenset({"status", "fact", "progress", "file_change", "completion", "fix"})
"""Kinds that tell what was so or was done at some moment."""
REPORTING_KINDS: frozenset[FactKind] = frozenset({"error", "root_cause"})
"""Kinds that tell what went wrong: a number of theirs was met, and nobody set it."""
APART_KINDS: frozenset[FactKind] = frozenset({"command"})
"""Kinds that pages tell in a part of their own and nowhere else: how something is run is no event. No model names them, and they
have no vectors: words find them, and with any other word a command is another one."""
TOLD_KINDS: tuple[FactKind, ...] = tuple(kind for kind in KINDS if kind not in APART_KINDS)
"""Kinds that a model may name."""
OPEN_KINDS: frozenset[FactKind] = frozenset({"request", "question", "task"})
"""Kinds that are open until something finishes or answers them."""
