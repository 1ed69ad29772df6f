"""Finds session files below the configured folders and reads them. Nothing here ever writes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, BinaryIO

from effects.config.client_folders import list_client_folders
from effects.system.disk_errors import advise_on_access
from effects.system.errors import SourceError
from transforms.reading.json_lines import parse_chunk
from transforms.reading.pi.html_export import DATA_ELEMENT, extract_session_lines
from transforms.reading.readers import recognise_session
from transforms.reading.session_header import SessionHeader
from transforms.tables.surrogates import replace_surrogates

if TYPE_CHECKING:  # a worker reads files without settings, which are slow to import
    from effects.config.settings import Settings

MISSING = "does not exist"
PIECE_BYTES = 8 * 1024 * 1024
"""A file is parsed in pieces of this size, so that memory follows the rows and not the parsed objects."""

HEAD_BYTES = 16 * 1024
FILE_TAIL_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A file as the file system shows it; a path that is not UTF-8 can only be named, not opened.

    `found_at` is where a scan found it when the lake knows it under another path of the same folder.
    """

    path: str
    size: int
    mtime_ns: int
    found_at: str = ""


@dataclass(frozen=True, slots=True)
class SessionScan:
    """The session files below the folders, sorted by path, and a sentence for each place that could not be looked at.

    `closed` are the folders below them that this user may not read.
    """

    files: list[SessionFile]
    problems: list[str]
    closed: list[str]


def check_session_folders(folders: tuple[Path, ...], is_first: bool = False) -> list[str]:
    """Return in words which folders of sessions are skipped because they are no folders.

    The folder of a known client that has no session yet is no fault: `recollect init` names all of them, for a later day.
    `is_first`: nothing was read before, so the first session may be to come.

    Raises:
        SourceError: when none of them is a folder: a night that finds no folder would mark every session as gone.
    """
    awaited = {client.sessions for client in list_client_folders()}
    faults = {folder: describe_folder_fault(folder) for folder in folders if not _is_folder(folder)}
    sentences = [f"{folder} {fault}" for folder, fault in faults.items()]
    is_awaited = bool(faults) and all(folder in awaited and fault == MISSING for folder, fault in faults.items())
    if faults.keys() >= {*folders} and not (is_first and is_awaited):
        several = f", several with `{os.pathsep}` between them" if any("," in str(folder) for folder in folders) else ""
        raise SourceError(
            f"no sessions folder: {', '.join(sentences) or 'RECOLLECT_SESSIONS is empty'}",
            f"set RECOLLECT_SESSIONS to the folder with your sessions{several}, then `recollect config`",
        )
    return [f"{folder} {fault}; it is skipped" for folder, fault in faults.items() if folder not in awaited or fault != MISSING]


def describe_folder_fault(folder: Path) -> str:
    """Return why this path is no folder of sessions."""
    try:
        folder.stat()
    except (FileNotFoundError, NotADirectoryError):
        return MISSING
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    return "is not a folder"


def scan_session_folders(settings: Settings, is_first: bool = False) -> SessionScan:
    """Return every `*.jsonl` file and HTML export below the session folders, nested sub-agent folders included.

    Raises:
        SourceError: when none of the folders exists, unless nothing was read before (`is_first`) and known clients make them.
    """
    problems, closed = check_session_folders(settings.sessions, is_first), dict[str, OSError]()
    files = {file.path: file for root in settings.sessions if _is_folder(root) for file in _list_files(root, closed)}
    problems += [f"{name} cannot be read ({error.strerror}); its sessions are skipped" for name, error in closed.items()]
    return SessionScan([files[path] for path in sorted(files)], problems, list(closed))


def advise_on_unread(scan: SessionScan) -> str:
    """Return the next command of a scan with problems: a closed folder is opened, a missing one is named anew."""
    if scan.closed and len(scan.closed) == len(scan.problems):
        return f"{advise_on_access(Path(scan.closed[0]))}, then recollect nightly"
    return "set RECOLLECT_SESSIONS, then `recollect config`"


def find_session_files(settings: Settings) -> SessionScan:
    """Return the scan of `scan_session_folders` when it found a file.

    Raises:
        SourceError: when none of the folders exists, or none of them holds a session file.
    """
    scan = scan_session_folders(settings)
    if not scan.files:
        raise SourceError(
            describe_empty_scan(settings, scan),
            "run pi once, or set RECOLLECT_SESSIONS to the folder with your pi sessions, then `recollect config`",
        )
    return scan


def describe_empty_scan(settings: Settings, scan: SessionScan) -> str:
    """Return the sentence about folders without a session file, with what kept them from being read."""
    unread = f" ({'; '.join(scan.problems)})" if scan.problems else ""
    return f"no session file (*.jsonl) below {os.pathsep.join(map(str, settings.sessions))}{unread}"


def _list_files(root: Path, closed: dict[str, OSError]) -> Iterator[SessionFile]:
    """Yield the session files below a folder; a folder that may not be read is added to `closed`, with the reason."""
    folders = [str(root)]
    while folders:
        folder = folders.pop()
        try:
            entries = [*os.scandir(folder)]
        except FileNotFoundError:  # it vanished: as if it were not listed
            continue
        except OSError as error:
            closed[replace_surrogates(folder)] = error
            continue
        for entry in entries:  # no Path for each: a history has thousands of files
            if _is_folder(entry):
                folders += () if entry.is_symlink() else (entry.path,)
            elif (entry.name.endswith(".jsonl") or _is_export(entry.path)) and (file := stat_file(entry.path)):
                yield file


def _is_folder(place: os.DirEntry[str] | Path) -> bool:
    try:
        return place.is_dir()
    except OSError:  # a symbolic link in a loop leads to no folder and to no file; or the system refuses to look
        return False


def _is_export(path: str) -> bool:
    """Return whether pi exported this page; other pages are ignored."""
    if not path.endswith(".html"):
        return False
    try:
        return DATA_ELEMENT in Path(path).read_bytes()
    except OSError:  # it vanished or may not be read: as if it were not listed
        return False


def open_session(path: Path) -> BinaryIO:
    """Return the lines of a session; those of an export are taken out of its page, which has none when it is damaged.

    Raises:
        OSError: when it cannot be read.
    """
    if "\ufffd" in str(path) and not path.exists():
        raise OSError(errno.EILSEQ, "its path is not UTF-8: rename it")
    if path.suffix != ".html":
        return path.open("rb")
    return BytesIO(extract_session_lines(path.read_bytes()) or b"")


def stat_file(path: Path | str) -> SessionFile | None:
    """Return the file as it is now; None when it is not (any more) a regular file, or no path that a file can have."""
    try:
        status = os.stat(path)  # noqa: PTH116 - also of a plain string
    except (OSError, ValueError):  # it vanished, is a dangling link, or its name has a NUL byte: as if it were not listed
        return None
    return SessionFile(replace_surrogates(str(path)), status.st_size, status.st_mtime_ns) if S_ISREG(status.st_mode) else None


def find_matching_glob(text: str, globs: tuple[str, ...]) -> str | None:
    """Return the first glob that a path or cwd, or a folder above it, matches."""
    for pattern in globs:
        expanded = str(Path(pattern).expanduser()) if pattern.startswith("~") else pattern
        bare = expanded.rstrip("/")
        if text and (fnmatchcase(text, expanded) or fnmatchcase(text, bare) or fnmatchcase(text, f"{bare}/*")):
            return pattern
    return None


def is_session(path: Path) -> bool:
    """Return whether the first lines of a file are those of a session; what cannot be read is none."""
    try:
        return isinstance(read_first_header(path), SessionHeader)
    except OSError:
        return False


def read_first_header(path: Path) -> SessionHeader | str | None:
    """Return the header, the reason why the file is not a session, or None as long as it holds no complete object.

    The content of a file tells which agent wrote it. pi's first line is the header; the other agents need some more.

    Raises:
        OSError: when it cannot be read.
    """
    with open_session(path) as handle:
        data = b""
        while True:
            block = handle.read(HEAD_BYTES if len(data) < HEAD_BYTES else len(data))
            data += block
            is_complete = not block
            if not data.startswith(b"\xef") and (line := data[: data.find(b"\n") + 1]):
                chunk = parse_chunk(line)
                if chunk.objects and (header := recognise_session(chunk.objects, path.stem, False)) is not None:
                    return header
            chunk = parse_chunk(data if is_complete else data[: data.rfind(b"\n") + 1])
            if (header := recognise_session(chunk.objects, path.stem, is_complete)) is not None:
                return header
            if is_complete and not data and path.suffix == ".html":
                return "it is an export whose session cannot be decoded"
            if is_complete:
                return "it contains no JSON object" if chunk.damage else None


def hash_prefix(handle: BinaryIO, consumed: int) -> str:
    """Return a hash of the consumed part of a file: its length, first 16 KB and last 16 KB.

    Session files only grow at their end; a rewrite (migration, a restored copy) changes the header line or the end, so 32 KB
    stand for the full content.
    """
    handle.seek(0)
    head = handle.read(min(HEAD_BYTES, consumed))
    handle.seek(max(0, consumed - FILE_TAIL_BYTES))
    tail = handle.read(min(FILE_TAIL_BYTES, consumed))
    return blake2b(str(consumed).encode() + head + tail, digest_size=16).hexdigest()


def read_pieces(handle: BinaryIO, offset: int, size: int, is_whole: bool) -> Iterator[tuple[bytes, bool]]:
    """Yield (bytes, whether they begin at the start of a line) from `offset` to `size`; all but the last end with a line.

    With `is_whole` everything is one piece, as old files need it whose entries refer to each other by position.
    """
    at_line_start = offset == 0 or _read_byte_before(handle, offset) == b"\n"
    handle.seek(offset)
    unread_bytes, rest = size - offset, bytearray()
    while unread_bytes > 0:
        block = handle.read(unread_bytes if is_whole else min(PIECE_BYTES, unread_bytes))
        if not block:
            break
        unread_bytes -= len(block)
        if unread_bytes == 0 and not rest:
            yield block, at_line_start  # most files are one piece: not copied
            return
        cut = block.rfind(b"\n") + 1
        if unread_bytes > 0 and not is_whole:
            if cut == 0:
                rest += block
                continue
            yield bytes(rest + block[:cut]), at_line_start
            rest, at_line_start = bytearray(block[cut:]), True
        else:
            rest += block
    if rest:
        yield bytes(rest), at_line_start


def _read_byte_before(handle: BinaryIO, offset: int) -> bytes:
    handle.seek(offset - 1)
    return handle.read(1)
