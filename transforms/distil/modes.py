"""Modes of an agent's work: the kind of work decides which facts of a session are observed, and how many.

The larger the threshold of a mode, the less is kept of the same length.
"""

from __future__ import annotations

from dataclasses import dataclass

from transforms.tables.enums import AgentMode, FactKind

DEFAULT_THRESHOLD = 30_000


@dataclass(frozen=True, slots=True)
class Mode:
    """A mode's tokens of conversation for the budget of one window, its subject in words, and its kinds of facts."""

    threshold: int
    focus: str
    kinds: frozenset[FactKind]

    @property
    def share(self) -> float:
        """Part of the usual budget."""
        return DEFAULT_THRESHOLD / self.threshold


MODES: dict[AgentMode, Mode] = {
    "default": Mode(30_000, "everything", frozenset()),
    "explore": Mode(
        60_000,
        "findings about the code, and gaps: what was looked for and not found",
        frozenset({"fact", "root_cause", "question"}),
    ),
    "plan": Mode(
        40_000,
        "decisions with their reasons, alternatives that were turned down, and open questions",
        frozenset({"decision", "rejected", "question"}),
    ),
    "bug_fixing": Mode(
        40_000, "errors, their root causes, and what cured them", frozenset({"error", "root_cause", "fix", "cure"})
    ),
    "refactoring": Mode(
        50_000,
        "interfaces that changed, what depends on them, and what breaks",
        frozenset({"file_change", "state_change", "convention"}),
    ),
    "testing": Mode(
        40_000,
        "tests that were added, their results, and what they do not cover",
        frozenset({"completion", "error", "status", "file_change"}),
    ),
    "debugging": Mode(
        40_000,
        "symptoms, values that were seen, and hypotheses that were ruled out",
        frozenset({"error", "root_cause", "rejected", "fact"}),
    ),
    "research": Mode(60_000, "findings, with their sources", frozenset({"fact", "decision", "rejected"})),
}
"""Each mode by its name."""
