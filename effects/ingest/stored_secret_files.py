"""Reads the files on this machine that are made for secrets: those of the projects that sessions were held in, and the owner's.

Their values are kept in memory while sessions are read, and stored nowhere. A secret that stands in such a file needs no name or
form in a session to be taken out.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from effects.config.settings import Settings
from transforms.redaction.formats.stored_secrets import join_secrets, list_stored_secrets
from transforms.tables.ids import hash_fields

PROJECT_FILES = (".env", ".env.*", ".envrc", ".netrc", ".npmrc", ".pgpass", ".pypirc")
EXAMPLES = (".example", ".sample", ".template", ".dist", ".defaults")
"""Ends of names of files with placeholders."""

HOME_FILES = (
    ".aws/credentials", ".boto", ".cargo/credentials.toml", ".claude/.credentials.json", ".codex/auth.json",
    ".config/gh/hosts.yml", ".config/hub", ".config/rclone/rclone.conf", ".docker/config.json", ".env", ".git-credentials",
    ".kube/config", ".my.cnf", ".netrc", ".npmrc", ".pgpass", ".pi/agent/auth.json", ".pypirc", ".s3cfg",
    ".terraform.d/credentials.tfrc.json", ".vault-token",
)  # fmt: skip
"""Where programs keep the credentials of a user, below the home folder."""

MOST_BYTES, MOST_SECRETS, MOST_FILES, MOST_LEVELS = 65_536, 500, 20, 8
"""Larger files are no files of secrets; secrets taken from one file; files of a pattern in a folder, so that a hostile repository
cannot hold a night with thousands; folders from a session's folder up to its repository's."""


def load_stored_secrets(settings: Settings, folders: Iterable[str], home: Path | None = None) -> dict[str, str]:
    """Return the secrets in files of the folders (those of sessions, as written) and of the owner, each with its placeholder.

    Folders that are not on this machine and files that cannot be read have none. Empty when the setting says so.
    """
    if not settings.redaction.secret_files:
        return {}
    texts = map(_read, _list_secret_files(folders, home))
    return join_secrets(dict(list(list_stored_secrets(text).items())[:MOST_SECRETS]) for text in texts if text)


def fingerprint_secret_files(settings: Settings, folders: Iterable[str], home: Path | None = None) -> str:
    """Return a key that changes when one of these files does, from their sizes and times: not even a hash of a secret is kept."""
    signs: list[str] = []
    for path in _list_secret_files(folders, home) if settings.redaction.secret_files else ():
        with suppress(OSError):
            info = path.stat()
            signs.append(f"{path} {info.st_size} {info.st_mtime_ns} {info.st_ino}")
    return hash_fields(*signs)


def _list_secret_files(folders: Iterable[str], home: Path | None) -> Iterator[Path]:
    folders_here = sorted({place for folder in set(folders) for place in _list_project_folders(folder)})
    own = home or _find_home()
    return chain((own / name for name in HOME_FILES if own), (path for folder in folders_here for path in _list_files(folder)))


def _find_home() -> Path | None:
    """Return the home folder; None for a user without one, as in a container under a number that no table of users has."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def _list_project_folders(folder: str) -> list[Path]:
    """Return a session's folder and those above it up to that of its repository; nothing for a folder of another machine."""
    path = Path(folder)
    try:
        if not (path.is_absolute() and path.is_dir()):
            return []
        levels = [path, *path.parents][:MOST_LEVELS]
        root = next((number for number, level in enumerate(levels) if (level / ".git").exists()), 0)
    except (OSError, ValueError):  # no right to look, or a name that no system takes
        return []
    return levels[: root + 1]


def _list_files(folder: Path) -> Iterator[Path]:
    for pattern in PROJECT_FILES:
        try:
            yield from sorted(path for path in folder.glob(pattern) if not path.name.endswith(EXAMPLES))[:MOST_FILES]
        except OSError:  # it may not be listed, or vanished meanwhile
            continue


def _read(path: Path) -> str:
    """Return the text of a file; empty for what is no small regular file (a pipe would wait for ever) or cannot be read."""
    try:
        info = path.stat()
        if not stat.S_ISREG(info.st_mode) or info.st_size > MOST_BYTES:
            return ""
        return path.read_bytes()[:MOST_BYTES].decode("utf-8", "replace")
    except OSError:
        return ""
