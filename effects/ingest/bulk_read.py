"""Whole new session files, many parsed at once: alone, a file of 180 KB takes longer to open and slice than to decode."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

from effects.ingest.plan import ReadTask, SourceRow, refused_later, source_row
from effects.ingest.read_file import NO_ENTRIES, NO_NARROW, Update, read_update
from effects.ingest.session_files import PIECE_BYTES, prefix_hash_of
from effects.store.lake import Lake
from transforms.reading.entry_batches import Place
from transforms.reading.fast_parse import Plain, parse_plain_files

Waiting = tuple[ReadTask, Update]


def read_together(tasks: list[ReadTask], lake: Lake, zone: ZoneInfo, failed: dict[str, SourceRow]) -> list[Waiting]:
    """What each file brings, as `read_update` of one that is read for the first time; what cannot be read is put into `failed`.

    Files whose lines are not all sound are read again, one by one.
    """
    found: list[Waiting] = []
    datas: list[bytes] = []
    simple: list[ReadTask] = []
    for task in tasks:
        if task.file.size <= PIECE_BYTES and not task.file.path.endswith(".html"):
            try:
                datas.append(_bytes_of(task))
                simple.append(task)
            except OSError as error:
                failed[task.file.path] = refused_later(task.file, None, error)
    plain_of = {
        task.file.path: update
        for task, data, plain in zip(simple, datas, _parsed(datas), strict=True)
        if plain is not None and (update := _of_plain(task, data, plain, zone))
    }
    for task in tasks:
        path = task.file.path
        if path in failed:
            continue
        try:
            update = plain_of.get(path) or read_update(task, None, False, lake, zone, [])
            found.append((task, update))
        except Exception as error:  # noqa: BLE001  # one bad file must not stop a night; it is named, quarantined and tried again
            failed[path] = refused_later(task.file, None, error)
    return found


def _parsed(datas: list[bytes]) -> list[Plain | None]:
    try:
        return parse_plain_files(datas)
    except Exception:  # noqa: BLE001  # which file it is, and why, is told when each is read again by itself
        return [None] * len(datas)


def _bytes_of(task: ReadTask) -> bytes:
    with Path(task.file.path).open("rb") as handle:
        return handle.read(task.file.size)


def _of_plain(task: ReadTask, data: bytes, plain: Plain, zone: ZoneInfo) -> Update | None:
    """What a sound file brings; None when a header stands elsewhere than in front."""
    headers = plain.headers
    if headers and (headers != [0] or task.header.line_no != 0):
        return None
    session_id, header = task.header.session_id, task.header
    entries = plain.without_first() if headers else plain
    update = Update(session_id, NO_NARROW, NO_ENTRIES, header, is_whole=True)
    if len(entries):
        update.pending, update.pending_bytes = (Place(header, task.file.path, zone), entries), len(data)
    update.source = source_row(
        task.file, "read", session_id=session_id, consumed_bytes=len(data), line_count=plain.line_count,
        prefix_hash=prefix_hash_of(len(data), data, data), header_version=header.version,
    )  # fmt: skip
    return update
