"""Changes of this machine that can be undone: each is recorded, with the state before, and the record is written first.

The record lies beside the settings file. A second set-up keeps the findings of the first.
"""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypedDict

from effects.config.paths import find_config_file
from effects.system.errors import RecollectError, word_cause
from effects.system.files import replace_file

Group = Literal["settings", "extension", "schedule"]


class FileChange(TypedDict):
    """A file or link that the set-up wrote. `before` and `after` are contents in base64, or `link:TARGET`; null: no file."""

    group: Group
    path: str
    before: str | None
    before_mode: int
    after: str
    made_folders: list[str]


class SetupRecord(TypedDict):
    """Everything that the set-up did: files, the commands that end the schedule, and the crontab before and after."""

    files: list[FileChange]
    stop_commands: list[list[str]]
    crontab_before: str | None
    crontab_after: str | None


def record_path() -> Path:
    """Return the file of the record: `recollect.setup.json` beside the settings file."""
    return find_config_file().with_suffix(".setup.json")


def read_record() -> SetupRecord:
    """Return the changes of the set-up so far; none when there is no record.

    Raises:
        RecollectError: when the file is damaged.
    """
    try:
        record: SetupRecord = json.loads(record_path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"files": [], "stop_commands": [], "crontab_before": None, "crontab_after": None}
    except (OSError, ValueError) as error:
        raise RecollectError(
            f"{record_path()} cannot be read: {word_cause(error)}", "restore it, or delete it and undo by hand"
        ) from error
    return record


def save_record(record: SetupRecord) -> None:
    """Write the record, for its owner alone; an empty one is deleted."""
    if record["files"] or record["stop_commands"] or record["crontab_after"] is not None:
        replace_file(record_path(), json.dumps(record, indent=1).encode())
        record_path().chmod(0o600)
    else:
        record_path().unlink(missing_ok=True)


def write_recorded(record: SetupRecord, group: Group, path: Path, data: bytes, mode: int = 0o600) -> bool:
    """Write a file, and the state before into the record; return whether the file changed. A link keeps pointing to its file."""
    target = path.resolve()
    after = base64.b64encode(data).decode()
    _record(record, group, target, after)
    if target.is_file() and target.read_bytes() == data:
        return False
    replace_file(target, data)
    target.chmod(mode)
    return True


def link_recorded(record: SetupRecord, path: Path, target: Path) -> bool | None:
    """Link an extension, and write the state before into the record; return whether something changed.

    None instead of that: a folder of somebody else has this name, and stays.
    """
    if path.is_dir() and not path.is_symlink():
        return None
    after = f"link:{target}"
    _record(record, "extension", path, after)
    if _read_state(path) == after:
        return False
    path.unlink(missing_ok=True)
    path.symlink_to(target)
    return True


def undo(record: SetupRecord, groups: tuple[Group, ...]) -> Iterator[str]:
    """Restore the earlier files byte for byte, newest first; yield a line about each.

    A file that somebody changed since is left alone; a folder that the set-up made goes when nothing else is in it.
    """
    changes = [change for change in reversed(record["files"]) if change["group"] in groups]
    made_folders = sorted({folder for change in changes for folder in change["made_folders"]}, key=len, reverse=True)
    if "schedule" in groups:
        yield from _stop_schedule(record)
    for change in changes:
        yield _restore(change)
        record["files"].remove(change)
        save_record(record)
    if "schedule" in groups and record["crontab_after"] is not None:
        yield _restore_crontab(record)
        save_record(record)
    for folder in map(Path, made_folders):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def run_program(command: list[str], text: str | None = None) -> str:
    """Return the output of a program of the system.

    Raises:
        RecollectError: when it is not there or fails, with its own words.
    """
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except OSError as error:
        raise RecollectError(f"`{command[0]}` cannot be run: {error.strerror}", "recollect schedule --help") from error
    if done.returncode:
        output = (done.stderr or done.stdout).strip().splitlines()
        raise RecollectError(
            f"`{' '.join(command)}` failed: {output[-1] if output else f'exit code {done.returncode}'}",
            "recollect schedule --help",
        )
    return done.stdout


def read_crontab() -> str | None:
    """Return the user's crontab; None when there is none."""
    try:
        done = subprocess.run(["crontab", "-l"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def _record(record: SetupRecord, group: Group, path: Path, after: str) -> None:
    known = next((change for change in record["files"] if change["path"] == str(path)), None)
    made = [str(folder) for folder in [path.parent, *path.parent.parents] if not folder.exists()]
    if known is None:
        mode = path.stat().st_mode & 0o7777 if path.is_file() and not path.is_symlink() else 0
        record["files"].append(
            {
                "group": group,
                "path": str(path),
                "before": _read_state(path),
                "before_mode": mode,
                "after": after,
                "made_folders": made,
            }
        )
    else:
        if (state := _read_state(path)) != known["after"]:  # somebody changed it since: their bytes come back
            known["before"] = state
        known["after"] = after
        known["made_folders"] += made
    path.parent.mkdir(parents=True, exist_ok=True)
    save_record(record)


def _read_state(path: Path) -> str | None:
    if path.is_symlink():
        return f"link:{path.readlink()}"
    return base64.b64encode(path.read_bytes()).decode() if path.is_file() else None


def _restore(change: FileChange) -> str:
    path, before = Path(change["path"]), change["before"]
    state = _read_state(path)
    if state not in (change["after"], before):
        return f"{path} was changed since and stays as it is" if state is not None else f"{path} was removed before"
    if before == state:
        return f"{path} stays as it was"
    if before is None:
        path.unlink()
    elif before.startswith("link:"):
        path.unlink()
        path.symlink_to(before.removeprefix("link:"))
    else:
        path.unlink()
        replace_file(path, base64.b64decode(before))
        path.chmod(change["before_mode"])
    return f"{path} removed" if before is None else f"{path} as before"


def _stop_schedule(record: SetupRecord) -> Iterator[str]:
    for command in record["stop_commands"]:
        try:
            run_program(command)
            yield f"{' '.join(command)}: done"
        except RecollectError as error:
            yield error.message
    record["stop_commands"] = []
    save_record(record)


def _restore_crontab(record: SetupRecord) -> str:
    current, before, after = read_crontab() or "", record["crontab_before"], record["crontab_after"] or ""
    record["crontab_after"] = record["crontab_before"] = None
    if current == after:
        run_program(["crontab", "-r"]) if before is None else run_program(["crontab", "-"], before)
        return "crontab as before"
    from effects.setup.schedule_texts import strip_cron_block

    rest = strip_cron_block(current)
    if rest == current:
        return "the crontab holds nothing of recollect any more"
    run_program(["crontab", "-"], rest)
    return "crontab: the lines of recollect removed"
