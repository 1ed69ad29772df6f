"""A key of the content of tables, from the checksums that their files carry: equal keys, equal rows. It reads no rows."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from effects.store.layout import list_files
from transforms.tables.ids import hash_text

CHECKSUM, BLANK = "recollect_checksum", b"0" * 32
"""Key of a file's checksum in its own metadata, and the placeholder while it is computed."""
TAIL_BYTES = 8
"""At the end of a Parquet file: the length of the footer in four bytes, and `PAR1`."""


def compute_content_key(root: Path, tables: Iterable[str]) -> str:
    """Return the key of some tables below a lake's root; empty when a file cannot be read."""
    parts = []
    for table in tables:
        for path in list_files(root, table):
            try:
                checksum = _read_checksum(path)
            except OSError:
                return ""
            parts.append(f"{path.relative_to(root)} {checksum}")
    return hash_text("\n".join(parts))


def find_checksum(data: bytes) -> int:
    """Return the position of the checksum in a file or in its footer; -1 when there is none."""
    position = data.rfind(CHECKSUM.encode())
    return position if position < 0 else position + len(CHECKSUM) + 2  # Thrift puts a type and a length, a byte each, before it


def _read_checksum(path: Path) -> str:
    """Return the checksum that a file carries; that of all its bytes when an older version wrote it."""
    with path.open("rb") as handle:
        size = handle.seek(0, 2)
        handle.seek(max(0, size - TAIL_BYTES))
        length = int.from_bytes(handle.read(4), "little")
        handle.seek(max(0, size - TAIL_BYTES - length))
        footer = handle.read(length)
    start = find_checksum(footer)
    if start < 0:
        return blake2b(path.read_bytes(), digest_size=len(BLANK) // 2).hexdigest()
    return footer[start : start + len(BLANK)].decode("ascii", "replace")
