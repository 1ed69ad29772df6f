"""The places of the project and its config file, and absolute paths of settings."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

from effects.system.errors import ConfigError
from transforms.patterns.late_pattern import compile_late

PROJECT_ROOT = Path(__file__).resolve().parents[2]
"""The checkout, or the folder of packages that recollect is installed in."""

SET_HOME = "set HOME to the absolute path of a folder that you may write, then run the same command again"


def describe_removal() -> str:
    """Return how the program itself is removed, for the way in which this one was installed."""
    if is_checkout():
        return f"by deleting its checkout, {PROJECT_ROOT}"
    tools = {"uv": "uv tool uninstall recollect", "pipx": "pipx uninstall recollect"}  # uv/tools/NAME, pipx/venvs/NAME
    return f"with `{next((tools[part] for part in Path(sys.prefix).parts if part in tools), 'pip uninstall recollect')}`"


def is_checkout() -> bool:
    """Return whether the code runs from a checkout of the repository; otherwise it is an installed package."""
    return (PROJECT_ROOT / "pyproject.toml").is_file() and (PROJECT_ROOT / "Makefile").is_file()


def advise_on_libraries() -> str:
    """Return the command that installs this program with its libraries again; only a checkout has a Makefile."""
    return "make setup" if is_checkout() else "install recollect again, as docs/install.md has it"


def locate_pages(text: str) -> str:
    """Return a message with the full paths of the pages of documentation that it names (`docs/engines.md`) where recollect is
    installed: its reader has no checkout, and the wheel brings the pages."""
    if "docs/" not in text or is_checkout():
        return text
    folder = PROJECT_ROOT / "recollect" / "docs"
    return _PAGE.sub(lambda match: str(folder / match[1]) if (folder / match[1]).is_file() else match[0], text)


_PAGE = compile_late(r"(?<![\w/.-])docs/([a-z-]+\.md)")


def check_home() -> None:
    """Refuse to go on without a home: settings, caches and the folders of the clients lie in it.

    Raises:
        ConfigError: when `HOME` is empty or relative, or unset for a user whom the system does not know.
    """
    home = os.environ.get("HOME")
    if home is None:
        try:
            Path.home()
        except RuntimeError as error:  # as in a container whose user has a number and no name
            raise ConfigError(f"HOME is not set, and the system knows no home of user {os.getuid()}", SET_HOME) from error
    elif not Path(home).is_absolute():
        raise ConfigError(f"HOME is `{home}`, which is no absolute path" if home else "HOME is empty", SET_HOME)


def find_data_home() -> Path:
    """Return the folder of lake and workspace: `data` of a checkout, else the platform's folder for data of this user.

    An upgrade replaces the folder of an installed package, and removing it deletes everything inside.
    """
    if is_checkout():
        return PROJECT_ROOT / "data"
    from platformdirs import user_data_path

    return user_data_path("recollect", appauthor=False)


def find_base_folder() -> Path:
    """Return the folder at which relative paths of settings begin: a checkout itself, else the platform's data folder."""
    return PROJECT_ROOT if is_checkout() else find_data_home()


def find_default_lake() -> Path:
    """Return the folder of the tables when no setting names one."""
    return find_data_home() / "lake"


def find_default_workspace() -> Path:
    """Return the folder of the pages when no setting names one."""
    return find_data_home() / "workspace"


STORE_ADDRESS = compile_late(r"(s3|gs|az)://([\w.-]+(?:/[\w.=-]+)*)/?")
"""Addresses of object stores that may be a lake: a bucket, and a prefix of plain names."""


def locate_copy(address: str) -> Path:
    """Return the folder of this machine's copy of a lake in an object store.

    Raises:
        ValueError: when the address cannot be used.
    """
    match = STORE_ADDRESS.fullmatch(address)
    if match is None or ".." in match[2].split("/"):
        raise ValueError("write an object store as s3://bucket/prefix, gs://… or az://…, with plain names")
    return _copies_home() / match[1] / match[2]


def find_address(lake: Path) -> str | None:
    """Return the address of which a folder is the copy; None when the folder is a lake of its own."""
    home = _copies_home()
    if not lake.is_relative_to(home):
        return None
    scheme, *names = lake.relative_to(home).parts
    return f"{scheme}://{'/'.join(names)}"


def _copies_home() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("recollect", appauthor=False) / "lakes"


def find_config_file() -> Path:
    """Return the file named by `RECOLLECT_CONFIG`, else `~/.config/recollect/recollect.toml`.

    Raises:
        ConfigError: when the variable names the home of a user that does not exist.
    """
    path = os.environ.get("RECOLLECT_CONFIG")
    if not path:
        return Path.home() / ".config" / "recollect" / "recollect.toml"
    try:
        return make_absolute(Path(path))
    except ValueError as error:
        raise ConfigError(f"RECOLLECT_CONFIG: {error}", "unset it or write the file, then `recollect config`") from error


def is_default_config() -> bool:
    """Return whether the settings file is the one that every process of this user reads without being told."""
    return not os.environ.get("RECOLLECT_CONFIG")


def suggest_first_command() -> str:
    """Return the command that makes a lake: `init`, which finds the sessions of all agents, unless somebody wrote settings."""
    is_set_up = find_config_file().exists() or any(name.startswith("RECOLLECT_") for name in os.environ)
    return "recollect nightly" if is_set_up else "recollect init"


def make_absolute(path: Path) -> Path:
    """Return an absolute path without `..`: `~` is the home, a relative path begins at `base_folder`, not at the working folder.

    Other links stay as they are named: `..` behind a link leads out of the folder that it names.

    Raises:
        ValueError: when `~name` names no user of this system.
    """
    expanded = expand_home(path)
    absolute = expanded if expanded.is_absolute() else find_base_folder() / expanded
    if ".." not in absolute.parts:
        return absolute
    end = len(absolute.parts) - absolute.parts[::-1].index("..")
    return Path(os.path.realpath(Path(*absolute.parts[:end])), *absolute.parts[end:])


def expand_home(path: Path) -> Path:
    """Return the path with `~` and `~name` replaced by the home of the user.

    Raises:
        ValueError: when `~name` names no user of this system.
    """
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise ValueError(f"`{path}` begins with the home of an unknown user") from error


def find_system_timezone() -> str:
    """Return the IANA name of the system's zone, `UTC` when it has none.

    TZ may name a zone, also by the path of its file; one that it describes (`CET-1CEST`) has no name: the system's holds.
    """
    link = Path("/etc/localtime")
    candidates = (_name_zone(Path(_read_tz())), _name_zone(link.resolve()) if link.is_symlink() else "")
    return next((name for name in candidates if name and is_timezone(name)), "UTC")


def word_unnamed_timezone(timezone: str) -> str:
    """Return in words that TZ names no zone of the database, where that of the system is in use instead; else nothing."""
    value = _read_tz()
    if not value or is_timezone(_name_zone(Path(value))) or timezone != find_system_timezone():
        return ""
    return f"TZ={value} names no zone of the time zone database: your days are those of {timezone}"


def is_timezone(name: str) -> bool:
    """Whether the time zone database has a zone of this name."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def _read_tz() -> str:
    return os.environ.get("TZ", "").lstrip(":").strip()


def _name_zone(path: Path) -> str:
    """Return the name of the zone whose file this is: what follows the folder of the database."""
    parts = path.parts
    return "/".join(parts[parts.index("zoneinfo") + 1 :] if "zoneinfo" in parts else parts)
