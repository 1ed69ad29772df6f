"""Invariants after every kill, and after the last run: each broken invariant is named in one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

import polars as pl

from benchmarks.safety.disturbing.worlds import OWN_LINE, OWN_NOTE, START, World
from effects.health.file_list import find_missing_files
from effects.index.manifest import IndexMissing, find_index_folder, read_manifest
from effects.index.record_store import open_record_store
from effects.store.lake import Lake
from transforms.tables.schema import TABLES

NOT_COMPARED = ("runs", "model_calls", "embeddings")
"""The record of runs holds seconds; answers of models are counted by the server."""
READ_FIRST = ("sessions", "entries", "coverage", "windows")
"""Tables that do not depend on the moment at which something was read."""
VOLATILE = ("attempts", "schema_version")
OF_THE_CLOCK = ("status", "reason")
"""Columns of windows that follow the latest clock that saw a session: what was complete by it is not reopened."""


def check_after_kill(world: World, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the damage of a kill: a page that is neither the former, the later nor another whole one; words of a person lost."""
    for name, data in read_pages(world.place).items():
        if data in (before.get(name), after.get(name)):
            continue
        is_beginning = any(page is not None and page.startswith(data) for page in (before.get(name), after.get(name)))
        if not data or (is_beginning and not _ends_whole(data)):
            yield f"a page is half-written: {name}"
    yield from check_owner(world)
    yield from _check_reader(Lake(world.place / "lake"))


def _ends_whole(data: bytes) -> bool:
    """Whether a page that begins another one ends where one may: a session that could not be read has no block yet."""
    marks = data.count(b"<!-- recollect:"), data.count(b"<!-- /recollect:")
    return data.endswith(b"-->\n") and marks[0] == marks[1]


def _check_reader(lake: Lake) -> Iterator[str]:
    """Yield the tables in which somebody who asks before the next run finds a row twice, or nothing at all."""
    lake.refresh()
    for name, table in TABLES.items():
        try:
            keys = lake.scan(name).select(table.key).collect()
        except (pl.exceptions.PolarsError, OSError) as error:
            yield f"a reader cannot read {name} after a kill: {type(error).__name__}"
            continue
        if keys.is_duplicated().any():
            yield f"a reader finds rows of {name} twice after a kill"


def check_owner(world: World) -> Iterator[str]:
    """Yield which words of the owner changed."""
    workspace = world.place / "workspace"
    if OWN_LINE not in (workspace / "MEMORY.md").read_text(encoding="utf-8").splitlines():
        yield "a line of the owner is gone"
    if OWN_NOTE not in (workspace / "memory" / f"{START:%Y-%m-%d}.md").read_text(encoding="utf-8"):
        yield "a note of the owner changed"


def check_at_end(world: World, number: int, texts: Mapping[str, str], is_early: bool) -> Iterator[str]:
    """Yield the differences from the calm night of this number; `is_early` when files changed while a run read them."""
    calm, lake = world.root / f"calm-{number}", Lake(world.place / "lake")
    for name in READ_FIRST if is_early else [name for name in TABLES if name not in NOT_COMPARED]:
        if _read_bytes(lake, name) == _read_bytes(Lake(calm / "lake"), name):
            continue  # a tenth of the time of reading both
        left_out = OF_THE_CLOCK if name == "windows" and is_early and _went_back(world, number) else ()
        found, expected = read_table(world.place / "lake", name), read_calm_table(calm / "lake", name)
        if not found.drop(left_out).equals(expected.drop(left_out)):
            yield f"{name} differs from the calm one"
    if not is_early and _list_requests(lake) != _list_requests(Lake(calm / "lake")):
        yield "an answered request is not in model_calls"
    key = ["session_id", "ordinal"]
    coverage, entries = lake.scan("coverage").select(key).collect(), lake.scan("entries").select(key).collect()
    if coverage.is_duplicated().any() or not coverage.sort(key).equals(entries.sort(key)):
        yield "an entry is not covered once"
    if {path.stem: path.read_text(encoding="utf-8") for path in (world.place / "sessions").glob("*.jsonl")} != texts:
        yield "a source was touched"
    if not is_early and (wrong := _differing_pages(read_pages(world.place), read_pages(calm))):
        yield f"pages differ from the calm ones: {', '.join(wrong)}"
    yield from check_owner(world)
    yield from _check_leftovers(world.place)
    if not is_early and _read_index(lake) != _read_index(Lake(calm / "lake")):
        yield "the index differs from the calm one"


def check_quiet(world: World, number: int) -> Iterator[str]:
    """Run the last night once more, over nothing new; yield what it changed, and files that it says are missing."""
    lake = Lake(world.place / "lake")
    if missing := find_missing_files(lake):
        yield f"a file is called missing: {missing[0].name}"
    tables, pages = {name: _read_bytes(lake, name) for name in TABLES if name != "runs"}, read_pages(world.place)
    runs = lake.read("runs").height
    world.run(number)
    if changed := [name for name, data in tables.items() if data != _read_bytes(lake, name)]:
        yield f"a run over nothing new changed {', '.join(changed)}"
    if wrong := _differing_pages(pages, read_pages(world.place)):
        yield f"a run over nothing new changed pages: {', '.join(wrong)}"
    if lake.read("runs").height != runs + 1:
        yield "a run is not recorded once"


def _went_back(world: World, number: int) -> bool:
    """Whether the clock of a night is behind that of the one before it."""
    return number > 0 and world.nights[number].moment < world.nights[number - 1].moment


def _list_requests(lake: Lake) -> set[str]:
    """Return the requests that a lake knows to be paid, each once: one that was under way may have been sent again."""
    return set(lake.scan("model_calls").filter(pl.col("outcome") == "ok").select("request_key").collect()["request_key"])


def _read_bytes(lake: Lake, name: str) -> list[bytes]:
    """Return the bytes of the files of a table, in the order of its days."""
    return [path.read_bytes() for path in lake.list_files(name)]


def read_table(root: Path, name: str) -> pl.DataFrame:
    """Return the rows of a table that a disturbed run must have as the calm one has them."""
    return Lake(root).read(name).drop(VOLATILE, strict=False)


@lru_cache(maxsize=256)
def read_calm_table(root: Path, name: str) -> pl.DataFrame:
    """Return the same of a calm lake, which never changes."""
    return read_table(root, name)


def read_pages(place: Path) -> dict[str, bytes]:
    """Return the pages of the workspace; `.MEMORY.md.bak` is the version before the last change, and there may be one more."""
    workspace = place / "workspace"
    paths = (path for path in workspace.rglob("*") if path.is_file() and path.suffix != ".bak")
    return {path.relative_to(workspace).as_posix(): path.read_bytes() for path in sorted(paths)}


def _differing_pages(present: Mapping[str, bytes], calm: Mapping[str, bytes]) -> list[str]:
    return sorted(name for name in present.keys() | calm.keys() if present.get(name) != calm.get(name))


def _check_leftovers(place: Path) -> Iterator[str]:
    if left := [path.name for path in (place / "workspace").rglob("*") if path.name.endswith((".tmp", ".new"))]:
        yield f"something half-written is left: {left[0]}"
    if any((place / "lake" / "_tx").glob("*")):
        yield "a commit is left"
    if left := [path.name for path in (place / "lake").rglob("*.tmp")] + [
        path.name for path in (place / "lake").rglob("*.staged")
    ]:
        yield f"something half-written is left: {left[0]}"


def _read_index(lake: Lake) -> list[tuple[object, ...]]:
    """Return every document of the index, with the number of those that its tables of words hold; nothing without an index."""
    try:
        folder = find_index_folder(lake) / read_manifest(lake).generation
    except IndexMissing:
        return []
    import lance

    store = open_record_store(folder)
    try:
        rows = list(store.database.execute("SELECT number, part, row_hash, shown FROM documents ORDER BY number"))
        rows += list(store.database.execute("SELECT word, documents FROM words ORDER BY word"))
    finally:
        store.close()
    numbers = {
        number
        for name in ("documents", "documents_new")
        for number in lance.dataset(str(folder / f"{name}.lance")).to_table(["number"])["number"].to_pylist()
    }
    return [*rows, ("searched", *sorted(numbers))]
