"""Reads the file that describes a fleet, finds the owners, and refuses those whose folders touch another's."""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from effects.config.settings import Settings
from effects.ingest.session_files import SessionFile, find_session_files
from effects.system.errors import ConfigError, SourceError, word_cause

SESSIONS, LAKE, WORKSPACE, SETTINGS_FILE = "sessions", "lake", "workspace", "recollect.toml"
"""Names inside the home of an owner."""
DEFAULT_USD = 2.0
"""The budget of a run when an owner's settings name none (docs/contract.md)."""
MOST_USD = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetSettings:
    """The file as written. Relative paths begin at the folder of the file."""

    owners: tuple[str, ...]
    """Patterns of folders; each folder is the home of an owner, named like it."""
    team: Path | None = None
    """A git repository for the page of shared rules."""
    report: Path = Path("fleet.md")
    parallel: Annotated[int, Meta(ge=1)] = 2
    minutes: Annotated[float, Meta(gt=0)] = 120.0
    """Longest run of one owner; the next one goes on where it stopped."""
    budget_day_usd: Annotated[float, Meta(ge=0)] | None = None
    environment: tuple[str, ...] = ()
    """Variables that every owner's run may see, for example keys of providers."""
    runner: Literal["threads", "dask", "ray"] = "threads"
    address: str | None = None
    """Where the scheduler of Dask or the head of Ray answers; left out, a local one is started for the run."""


@dataclass(frozen=True, slots=True)
class FleetOwner:
    """An owner: the name, the home, and why nothing may be run for him (empty when it may)."""

    name: str
    home: Path
    problem: str = ""
    run_usd: float = DEFAULT_USD
    """The budget of one run by the owner's own settings."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """A fleet with its owners, by name."""

    file: Path
    settings: FleetSettings
    owners: tuple[FleetOwner, ...]

    @property
    def team(self) -> Path | None:
        """Folder of the repository that holds the team page, relative to the fleet's file; None without one."""
        return self.file.parent / self.settings.team.expanduser() if self.settings.team else None

    @property
    def report(self) -> Path:
        """The page with the figures of the last run."""
        return self.file.parent / self.settings.report.expanduser()


def load_fleet(file: Path) -> Fleet:
    """Return the fleet that a TOML file describes.

    Raises:
        ConfigError: when the file cannot be used, or its patterns find no owner.
    """
    file = file.absolute()
    settings = _read_settings(file)
    homes = sorted({path for pattern in settings.owners for path in _find_homes(file.parent, pattern)})
    if not homes:
        if not settings.owners:
            raise ConfigError(f"{file}: `owners` is empty", 'name the home folders of the owners: owners = ["homes/*"]')
        raise ConfigError(f"{file}: no folder matches `owners`: {', '.join(settings.owners)}", "correct the patterns of `owners`")
    return Fleet(file, settings, tuple(_check_owners(homes)))


def find_foreign_link(owner: FleetOwner) -> Path | None:
    """Return the first link below the owner's sessions that leads out of his home: through it another's words would come in."""
    own = find_place(owner.home)
    for folder, folders, names in os.walk(owner.home / SESSIONS):
        for name in sorted([*folders, *names]):
            path = Path(folder) / name
            if path.is_symlink() and not find_place(path).is_relative_to(own):
                return path
    return None


def find_place(path: Path) -> Path:
    """Return where a path leads; a link that leads to itself leads nowhere else, and is no error."""
    return Path(os.path.realpath(path))


def read_plain_file(path: Path) -> bytes:
    """Return the bytes of a file in a home. Whoever lives there may put a pipe in its place, which nobody would ever fill.

    Raises:
        OSError: when it cannot be read, or is no file.
    """
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123 - a descriptor has no path
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no file", str(path))
        return file.read()


def list_owner_files(owner: FleetOwner) -> list[SessionFile]:
    """Return the session files of an owner; none while there is no folder, or nothing in it."""
    settings = Settings(sessions=(owner.home / SESSIONS,), lake=owner.home / LAKE, workspace=owner.home / WORKSPACE)
    try:
        return find_session_files(settings).files
    except SourceError:
        return []


def _read_settings(file: Path) -> FleetSettings:
    hint = "correct the file; docs/scale.md has an example"
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {word_cause(error)}", hint) from error
    unknown = sorted(set(values) - {field.name for field in fields(FleetSettings)})
    if unknown:
        raise ConfigError(f"{file}: unknown setting: {', '.join(unknown)}", hint)
    try:
        return msgspec.convert(values, FleetSettings, dec_hook=lambda kind, value: kind(value))
    except (msgspec.ValidationError, TypeError) as error:
        raise ConfigError(f"{file}: {error}", hint) from error


def _find_homes(base: Path, pattern: str) -> Iterator[Path]:
    """Yield the folders that a pattern names; those whose names begin with a dot are not owners."""
    path = Path(pattern).expanduser()
    root, parts = (Path(path.anchor), path.parts[1:]) if path.is_absolute() else (base, path.parts)
    try:
        homes = list(root.glob(str(Path(*parts))))
    except (ValueError, IndexError, NotImplementedError) as error:
        raise ConfigError(
            f"`owners`: {pattern!r} is no pattern of folders: {error}", "correct the patterns of `owners`"
        ) from error
    for home in homes:
        if home.is_dir() and not home.name.startswith("."):
            yield home


def _check_owners(homes: Sequence[Path]) -> Iterator[FleetOwner]:
    """Yield every owner with the reasons against a run. The problem of one owner stops no other."""
    names = [home.name for home in homes]
    claims = {home: {find_place(home / name) for name in ("", SESSIONS, LAKE, WORKSPACE)} for home in homes}
    claimed: dict[Path, set[Path]] = {}
    for home, paths in claims.items():
        for path in paths:
            claimed.setdefault(path, set()).add(home)
    touching: dict[Path, Path] = {}
    for home, paths in claims.items():
        for path in paths:
            for above in (path, *path.parents):
                for other in claimed.get(above, set()) - {home}:
                    touching.setdefault(home, other)
                    touching.setdefault(other, home)
    for home in homes:
        run_usd, problem = _read_owner(home)
        if names.count(home.name) > 1:
            problem = f"two homes have the name {home.name}; rename one"
        if home in touching:
            problem = f"a folder of {home.name} lies in a folder of {touching[home].name}, or is the same; part them"
        yield FleetOwner(home.name, home, problem, run_usd)


def _read_owner(home: Path) -> tuple[float, str]:
    """Return the budget of a run by the owner's settings, and the complaint about them."""
    file = home / SETTINGS_FILE
    try:
        values = tomllib.loads(read_plain_file(file).decode())
    except FileNotFoundError:
        return DEFAULT_USD, ""
    except OSError as error:
        return DEFAULT_USD, f"{file} cannot be read: {error.strerror}"
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return DEFAULT_USD, f"{file} cannot be read: {error}"
    placed = [name for name in (SESSIONS, LAKE, WORKSPACE) if name in values]
    if placed:
        return DEFAULT_USD, f"{file} sets {', '.join(placed)}; in a fleet they lie in the home of the owner"
    engine = values.get("engine")
    run_usd = engine.get("budget_run_usd", DEFAULT_USD) if isinstance(engine, dict) else DEFAULT_USD
    is_budget = isinstance(run_usd, int | float) and not isinstance(run_usd, bool) and 0 <= run_usd <= MOST_USD
    return (
        (float(run_usd), "")
        if is_budget
        else (DEFAULT_USD, f"{file}: `engine.budget_run_usd` is no number from 0 to {MOST_USD:g}")
    )
