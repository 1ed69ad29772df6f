"""The settings: types, bounds and defaults (docs/contract.md). `effects/config/configuration.py` reads them.

A field's metadata may hold a `separator`, at which the text of a list is split, and a `check`, a function that raises a
ValueError for a value that has the right type and still cannot be used.
"""

from __future__ import annotations

import getpass
import os
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from msgspec import Meta

from effects.config.engine_chain import check_engine, check_second_reading
from effects.config.paths import (
    expand_home,
    find_default_lake,
    find_default_workspace,
    find_system_timezone,
    is_timezone,
    make_absolute,
)
from transforms.tables.enums import AgentMode

AtLeastZero = Annotated[float, Meta(ge=0)]
AtLeastOne = Annotated[int, Meta(ge=1)]
Temperature = Annotated[float, Meta(ge=0, le=2)]

PATHS = {"separator": os.pathsep}
COMMAS = {"separator": ","}
ENGINE_CHECK = {"check": check_engine}


def check_timezone(name: str) -> None:
    """Raise a ValueError unless the time zone database knows the name."""
    if not is_timezone(name):
        raise ValueError(f"`{name}` is not a time zone")


def check_homes(value: str | tuple[str, ...]) -> None:
    """Raise a ValueError when a text that may be a path begins with the home of an unknown user."""
    for text in (value,) if isinstance(value, str) else value:
        expand_home(Path(text))


def check_folder(path: Path) -> None:
    """Raise a ValueError when the path, or a folder that it lies in, is a file, or when the system refuses to look."""
    try:
        existing = next((folder for folder in (path, *path.parents) if folder.exists()), path)
        is_file = existing.exists() and not existing.is_dir()
    except OSError as error:
        raise ValueError(f"{path} cannot be reached: {error.strerror}") from error
    if is_file:
        raise ValueError(f"{existing} is a file, not a folder")


def check_ages(days: tuple[int, int, int, int]) -> None:
    """Raise a ValueError unless each age is greater than the one before: a week is made of condensed days."""
    if days[0] < 1 or any(later <= earlier for earlier, later in pairwise(days)):
        raise ValueError("expected four ages in days, each greater than the one before, for example 3,14,60,365")


def check_address(address: str | None) -> None:
    """Raise a ValueError for an address of a model's server that is none of the web: requests would fail every night."""
    parts = urlsplit(address or "http://localhost")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"`{address}` must begin with http:// or https:// and a host, for example http://localhost:11434/v1")


def check_minutes(minutes: float | Literal["all"]) -> None:
    """Raise a ValueError for minutes below nothing."""
    if minutes != "all" and minutes < 0:
        raise ValueError(f"`{minutes}` minutes are fewer than none; 0 embeds no raw turn")


def check_token_address(address: str) -> None:
    """Raise a ValueError for an address to which a token must not go: anything but HTTPS, except on this machine."""
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost", "::1")):
        raise ValueError(f"`{address}` must begin with https://, because recollect sends a token there")


def find_user_name() -> str:
    """Return the name of the user who runs this process, `owner` when the system knows none.

    `root` is nobody's name (in containers everybody has it), and a word: "Root cause of the crash: …" is not about a person.
    """
    try:
        name = getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "owner"
    return "owner" if name == "root" else name


def find_default_sessions() -> tuple[Path, ...]:
    """Return the folder in which pi keeps its sessions."""
    return (make_absolute(Path("~/.pi/agent/sessions")),)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """The engine that distils, and the most that it may cost."""

    observer: str = field(default="offline", metadata=ENGINE_CHECK)
    reflector: str = field(default="offline", metadata=ENGINE_CHECK)
    base_url: str | None = field(default=None, metadata={"check": check_address})
    concurrency: AtLeastOne = 4
    observer_temperature: Temperature = 0.3
    reflector_temperature: Temperature = 0.0
    max_output_tokens: AtLeastOne = 8000
    timeout_s: Annotated[float, Meta(gt=0)] = 600.0
    budget_run_usd: AtLeastZero = 2.00
    budget_day_usd: AtLeastZero = 0.50
    budget_run_tokens: Annotated[int, Meta(ge=0)] | None = None
    batch: Literal["off", "backfill"] = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class DistilSettings:
    """The share of a session that the offline engine keeps, the mode of work, and the models that read a model's facts again."""

    budget: Annotated[float, Meta(gt=0, le=1)] = 0.05
    second_reading: str = field(default="auto", metadata={"check": check_second_reading})
    mode: AgentMode | Literal["auto"] = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSettings:
    """The limits at which windows end."""

    cap_tokens: Annotated[int, Meta(ge=1000)] = 30_000
    quiet_minutes: AtLeastOne = 120
    min_user_messages: AtLeastOne = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSettings:
    """Ages in days after which a day, week, month and year are condensed."""

    after_days: tuple[int, int, int, int] = field(default=(3, 14, 60, 365), metadata=COMMAS | {"check": check_ages})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSettings:
    """The days that a proposal waits, and the most proposals of a week."""

    expire_days: AtLeastOne = 7
    per_week: AtLeastOne = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionSettings:
    """Whether the secrets in files made for them (`.env`, `.netrc`, …) are known when sessions are read."""

    secret_files: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSettings:
    """The age in days from which daily logs lie in `memory/archive/`; without it they stay where they are."""

    archive_days: AtLeastOne | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSettings:
    """Whether the folders of one repository are one project, or each folder is one."""

    join: Literal["repository", "folder"] = "repository"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrictionSettings:
    """The history from which friction is looked for, and the days that it looks at."""

    min_days: Annotated[int, Meta(ge=0)] = 14
    min_observations: Annotated[int, Meta(ge=0)] = 100
    days: AtLeastOne = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSettings:
    """The model that embeds, and the minutes that a night may spend on raw turns."""

    model: str = field(default="bundled", metadata={"check": check_homes})
    turn_minutes: float | Literal["all"] = field(default=10.0, metadata={"check": check_minutes})


@dataclass(frozen=True, slots=True, kw_only=True)
class TodoistSettings:
    """Whether proposals go to Todoist as tasks, and where. The token is not a setting: it is in the environment or in a file."""

    enabled: bool = False
    project: str | None = None
    label: str = "memory-review"
    rejected_label: str = "rejected"
    token_file: Path | None = None
    base_url: str = field(default="https://api.todoist.com/api/v1", metadata={"check": check_token_address})
    pause_s: AtLeastZero = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting. `load_settings` makes paths absolute; a caller that builds one gives absolute paths."""

    sessions: tuple[Path, ...] = field(default_factory=find_default_sessions, metadata=PATHS)
    exclude: tuple[str, ...] = field(default=(), metadata=COMMAS | {"check": check_homes})
    lake: Path = field(default_factory=find_default_lake, metadata={"check": check_folder})
    workspace: Path = field(default_factory=find_default_workspace, metadata={"check": check_folder})
    timezone: str = field(default_factory=find_system_timezone, metadata={"check": check_timezone})
    owner: str = field(default_factory=find_user_name)
    identity: tuple[Path, ...] = field(default=(), metadata=PATHS)
    engine: EngineSettings = EngineSettings()
    distil: DistilSettings = DistilSettings()
    redaction: RedactionSettings = RedactionSettings()
    window: WindowSettings = WindowSettings()
    tiers: TierSettings = TierSettings()
    review: ReviewSettings = ReviewSettings()
    pages: PageSettings = PageSettings()
    projects: ProjectSettings = ProjectSettings()
    friction: FrictionSettings = FrictionSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    todoist: TodoistSettings = TodoistSettings()
