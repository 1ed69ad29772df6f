"""A record with its context, as `recollect show` prints it: an object, its JSON, and text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from datetime import date, datetime

from transforms.answers.cited_stretch import cut_cited
from transforms.language.tokenizer import tokenize
from transforms.quoting.closed_cut import cut_closed
from transforms.quoting.speaker_labels import label_stretch, name_speaker, split_entry_text
from transforms.recall.types import format_timestamp
from transforms.tables.rows import SpeakerPart
from transforms.tables.tokens import count_tokens

TEXT_CHARS = 1_200
"""Characters of an entry on a terminal; `--json` has them all."""
UNSHOWN_COLUMNS = frozenset(
    {
        "schema_version",
        "raw_json",
        "text",
        "narrative",
        "child_ids",
        "entry_refs",
        "evidence_ids",
        "also",
        "ordinals",
        "entry_ids",
    }
    | {"lines", "line_numbers", "first_ordinal", "last_ordinal", "first_line", "last_line"}
    | {"template_hash", "content_hash", "attribution_hash", "session_hash", "compared_with", "compared_keys", "rests_on", "parts"}
    | {"source_ids", "tokens", "attempts", "level", "speaker_parts"}
)
"""Columns that the text form leaves out: it prints what they name elsewhere, or only recollect itself needs them."""
USUAL_VALUES: Mapping[str, object] = {"verdict": "allow", "merged_count": 1}
"""Values that say nothing: only another one is shown."""
SUPPORTED = frozenset({"observation", "proposal", "memory"})
"""Records of one statement, which a stretch of an entry supports."""
_TIMES = frozenset({"said_at", "started_at", "period_start"})
"""Columns that tell the day, too."""


@dataclass(frozen=True, slots=True)
class RecordLink:
    """A record that this one belongs to or was made of; `relation` says which."""

    id: str
    relation: str
    text: str


@dataclass(frozen=True, slots=True)
class CitedEntry:
    """An original entry; `line` is the 0-based line in `source_path`, `parts` are the stretches of a text that several wrote."""

    session_id: str
    entry_id: str
    line: int
    role: str
    said_at: datetime | None
    source_path: str | None
    text: str
    speaker: str | None = None
    parts: tuple[SpeakerPart, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """A row of the lake with its context: the records above and below it, and the original entries."""

    id: str
    record_type: str
    row: Mapping[str, object]
    parents: tuple[RecordLink, ...] = ()
    children: tuple[RecordLink, ...] = ()
    entries: tuple[CitedEntry, ...] = ()

    def drop_forgotten(self, forgotten: Set[str]) -> ShownRecord:
        """Return the record without forgotten links and entries."""
        if not forgotten:
            return self
        entries = (entry for entry in self.entries if forgotten.isdisjoint(_list_names(entry)))
        return replace(
            self,
            parents=tuple(link for link in self.parents if link.id not in forgotten),
            children=tuple(link for link in self.children if link.id not in forgotten),
            entries=tuple(entries),
        )

    def as_json(self) -> dict[str, object]:
        """Return the JSON object of `docs/contract.md`: times as ISO 8601 in UTC, days as ISO dates."""
        return {
            "id": self.id,
            "what": self.record_type,
            "row": {name: _encode_value(value) for name, value in self.row.items() if name != "schema_version"},
            "parents": [{"id": link.id, "what": link.relation, "text": link.text} for link in self.parents],
            "children": [{"id": link.id, "what": link.relation, "text": link.text} for link in self.children],
            "entries": [
                {
                    "session_id": entry.session_id,
                    "entry_id": entry.entry_id,
                    "line": entry.line,
                    "role": entry.role,
                    "said_at": format_timestamp(entry.said_at),
                    "source_path": entry.source_path,
                    "text": entry.text,
                    "speaker": entry.speaker,
                    "parts": [{"start": part["start"], "end": part["end"], "speaker": part["speaker"]} for part in entry.parts],
                }
                for entry in self.entries
            ],
        }


def _list_names(entry: CitedEntry) -> tuple[str, ...]:
    """Return the targets of tombstones that name an entry (`transforms.forgetting.row_filter`)."""
    name = f"{entry.session_id}:{entry.entry_id}"
    return entry.session_id, name, f"turn:{name}"


def render_record(record: ShownRecord, max_tokens: int | None = None) -> str:
    """Return a record as text: its columns, the records above and below it, and the entries, their lines counted from 1 as an
    editor counts them.

    Within `max_tokens` everything gets shorter before anything is left out, the entries first, and a last line says so.
    """
    text = "\n".join(_list_lines(record, _PAGE_SIZES[0])) + "\n"
    if max_tokens is None or count_tokens(text) <= max_tokens:
        return text
    remaining_tokens = max_tokens - count_tokens(SHORTENED)
    for size in _PAGE_SIZES[1:]:
        text = "\n".join(_list_lines(record, size)) + "\n"
        if count_tokens(text) <= remaining_tokens:
            return text + SHORTENED
    return text[: max(remaining_tokens, 0) * 4].rpartition("\n")[0] + "\n" + SHORTENED


@dataclass(frozen=True, slots=True)
class _Size:
    entry_chars: int
    entries: int
    links: int


_PAGE_SIZES = (
    _Size(TEXT_CHARS, 1_000_000, 1_000_000),
    _Size(600, 40, 20),
    _Size(300, 20, 12),
    _Size(200, 12, 8),
    _Size(120, 6, 4),
    _Size(80, 3, 2),
)
"""Sizes of the text form, from everything to the least."""
SHORTENED = "(shortened to the token budget; ask for a larger one, or for one of the ids above)\n"


def _list_lines(record: ShownRecord, size: _Size) -> Iterator[str]:
    yield f"{record.record_type} {record.id}"
    if text := record.row.get("text") or record.row.get("narrative"):
        yield f"  {text}"
    yield from _list_columns(record)
    for title, links in (("belongs to", record.parents), ("made of", record.children)):
        if links:
            yield f"\n{title}"
            yield from (f"  {link.relation} {link.id}  {_shorten(link.text)}" for link in links[: size.links])
            yield from _count_rest(len(links) - size.links)
    if record.entries:
        yield "\nentries"
    yield from _list_entry_lines(record.entries[: size.entries], size.entry_chars, _list_words(record))
    yield from _count_rest(len(record.entries) - size.entries)


def _list_columns(record: ShownRecord) -> Iterator[str]:
    """Yield the columns that a reader needs: none that stands elsewhere, is usual, or that only recollect needs."""
    named = {record.id, *(link.id for link in (*record.parents, *record.children))}
    has_time = any(record.row.get(name) for name in _TIMES)
    for name, value in record.row.items():
        is_elsewhere = name in UNSHOWN_COLUMNS or (isinstance(value, str) and value in named) or (name == "day" and has_time)
        if not is_elsewhere and value not in (None, "", []) and USUAL_VALUES.get(name) != value:
            yield f"  {name}: {_shorten(_encode_value(value))}"


def _list_words(record: ShownRecord) -> frozenset[str]:
    """Return the words that a reader looks for in the cited entries: those of a fact; an entry is shown from its beginning."""
    return frozenset(tokenize(str(record.row.get("text") or ""))) if record.record_type in SUPPORTED else frozenset()


def _list_entry_lines(entries: tuple[CitedEntry, ...], chars: int, words: Set[str]) -> Iterator[str]:
    file = None
    for entry in entries:
        if entry.source_path != file:
            file = entry.source_path
            yield f"  {file}"
        name = f"{entry.session_id}:{entry.entry_id}"
        yield f"  line {entry.line + 1}  {format_timestamp(entry.said_at) or ''}  {_name_writer(entry)}  {name}"
        text = "\n".join(label_stretch(*stretch) for stretch in split_entry_text(entry.text, entry.parts)) or entry.text
        yield from (f"    {line}" for line in cut_cited(text, words, chars).splitlines())


def _name_writer(entry: CitedEntry) -> str:
    """Return the role of an entry, and who wrote it where that is neither the owner nor the agent: `user (pasted)`."""
    is_own = entry.parts or entry.speaker in (None, "owner", "agent", "tool")
    return entry.role if is_own else f"{entry.role} ({name_speaker(entry.speaker).lower()})"


def _count_rest(count: int) -> Iterator[str]:
    if count > 0:
        yield f"  … and {count} more"


def _shorten(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value[:12])) + (f" … ({len(value)})" if len(value) > 12 else "")
    text = f"{round(value, 4):g}" if isinstance(value, float) else " ".join(str(value).split())
    return cut_closed(text, 160)


def _encode_value(value: object) -> object:
    if isinstance(value, datetime):
        return format_timestamp(value)
    return value.isoformat() if isinstance(value, date) else value
