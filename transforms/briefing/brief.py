"""The values of a briefing: its facts with their ranks, recent sessions, and what the template shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from datetime import date, datetime

from transforms.calendars.day_names import MONTH_NAMES

STATED, LOW, MEDIUM, DECLINED, UNJUDGED, OFFERED = range(6)
"""Ranks of facts, the lower goes first: a line of MEMORY.md says it (never shown); low and medium priority; of high priority
those whose line the owner turned down, those that nobody judged, those that a reflection offers."""

ROW_TOKENS = 7
"""Tokens of the day and the id behind a fact."""
PLAIN_DAYS = 300
"""Days around that of a page whose dates need no year."""
DATE_CHARS = len("2026-11-09")


@dataclass(frozen=True, slots=True)
class BriefFact:
    """A fact with its day, its id, the warning of the ground check, and its rank: the lower goes first, of one rank what weighs
    less. Where the offline engine observed it and its owner did not label it, it is judged by the `features` of its row; else it
    has none. It stands for `alike` facts of one form, the oldest of `since`, and was said or noted at `said_at`."""

    text: str
    day: date
    observation_id: str
    mark: str = ""
    rank: int = UNJUDGED
    weight: float = 0.0
    features: tuple[float, ...] = ()
    said_at: datetime | None = None
    alike: int = 1
    since: date | None = None


@dataclass(frozen=True, slots=True)
class BriefCommand:
    """A line about a command that is run in a project, and its newest fact."""

    text: str
    observation_id: str


FactGroup = tuple[str, tuple[BriefFact, ...]]
"""A heading with its facts, the most important first."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many facts are considered for a page: of a kind, of sayings and of findings, and of what was left open; how many lines
    of other projects and how many tasks. So many fill the default budget, and the time of a page grows with them."""

    of_kind: int = 40
    filling: int = 200
    left_open: int = 5
    elsewhere: int = 6
    tasks: int = 8

    def widen(self, factor: int) -> Limits:
        """Return the limits of a page with more room by this factor."""
        return Limits(*(factor * limit for limit in astuple(self)))


LIMITS = Limits()
NO_LIMITS = LIMITS.widen(1_000_000)
"""For a page with everything."""


@dataclass(frozen=True, slots=True)
class FactSigns:
    """What is known beside the rows: warnings of the ground check and ranks of facts, by id; whether no rule reads the owner's
    language; and the project of lines of MEMORY.md whose facts all belong to one, the marks of lines whose change waits for
    the owner, by text; the texts of what the owner refused as a line; and how many facts are considered. `newer` names for a fact
    that is over in part the one that holds there."""

    marks: Mapping[str, str] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)
    is_unread: bool = False
    line_projects: Mapping[str, str] = field(default_factory=dict)
    line_marks: Mapping[str, str] = field(default_factory=dict)
    refused: tuple[str, ...] = ()
    limits: Limits = LIMITS
    newer: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BriefSession:
    """A recent session: day, title and narrative."""

    day: date
    title: str
    narrative: str


@dataclass(frozen=True, slots=True)
class Briefing:
    """The values of the template. `memory` are lines of MEMORY.md about this project or about none; `elsewhere` those that name
    no project and whose facts belong to another one, which then stands before them. `all_facts`, `all_lines` and `all_tasks`
    count what a page of any length has: what is left out is the difference, whoever left it out. `commands` are lines about the
    commands that are run in this project, the most frequent first."""

    project: str
    as_of: str
    current_task: str
    suggested_response: str
    groups: tuple[FactGroup, ...]
    memory: tuple[str, ...]
    elsewhere: tuple[str, ...]
    recent: tuple[BriefSession, ...]
    tasks: tuple[str, ...]
    pending: int
    expires_on: date | None
    all_facts: int
    all_lines: int = 0
    all_tasks: int = 0
    commands: tuple[BriefCommand, ...] = ()

    def tell_day(self, day: date) -> str:
        """Return a day as the page tells it: "Nov 9" of the ten months around the page's own day, else the whole date."""
        own = date.fromisoformat(self.as_of[:DATE_CHARS]) if self.as_of else None
        is_plain = own is not None and abs((own - day).days) <= PLAIN_DAYS
        return f"{MONTH_NAMES[day.month - 1][:3].capitalize()} {day.day}" if is_plain else day.isoformat()

    @property
    def omitted(self) -> int:
        """The number of facts that are not on this page."""
        return self.all_facts - sum(len(facts) for _, facts in self.groups)

    @property
    def omitted_lines(self) -> int:
        """The number of lines of MEMORY.md that are not on this page."""
        return self.all_lines - len(self.memory) - len(self.elsewhere)

    @property
    def omitted_tasks(self) -> int:
        """The number of open tasks that are not on this page."""
        return self.all_tasks - len(self.tasks)
