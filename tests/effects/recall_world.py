"""A small lake to search: two projects, turns, observations (one superseded), a segment, a distillate and a MEMORY.md."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from effects.config.settings import EmbeddingSettings, Settings
from effects.embedding.embed_step import embed
from effects.index.index_step import index
from effects.store.run import Run, open_run
from tests.machine.kept_folders import copy_kept

SHOP, BLOG = "/home/joel/code/shop", "/home/joel/code/blog"
DAY = date(2026, 2, 9)
START = datetime(2026, 2, 9, 10, tzinfo=UTC)
AS_OF = datetime(2026, 2, 20, 4, tzinfo=UTC)

TALK = (
    ("user", "The checkout is slow. Why does every request hit the database?"),
    ("assistant", "The session lookup in src/sessionStore.ts is not cached."),
    ("user", "Please cache it in Redis then, and keep the TTL short."),
    ("assistant", "Done: sessions live in Redis with a TTL of 15 minutes, invalidated on logout."),
    ("user", "Good. Next: the invoices must be sent as PDF."),
    ("assistant", "I added renderInvoice() with pdfkit 0.15.0; the layout test passes."),
    ("user", "Which fonts does it embed?"),
    ("assistant", "Only Inter, subsetted to Latin."),
)


def entry(session: str, ordinal: int, role: str, text: str, **more: Any) -> dict[str, Any]:
    """Return a row of `entries`."""
    at = START + timedelta(minutes=ordinal)
    kind = "typed" if role == "user" else None
    row = {
        "session_id": session,
        "entry_id": f"{ordinal:08x}",
        "ordinal": ordinal,
        "line_no": ordinal + 1,
        "entry_type": "message",
    }
    row |= {"role": role, "turn_kind": kind, "text": text, "is_error": False, "said_at": at, "flags": [], "day": at.date()}
    return (
        row | {"raw_json": "{}", "source_path": f"/sessions/{session}.jsonl", "token_count": 10, "on_active_branch": True} | more
    )


def fact(name: str, text: str, **more: Any) -> dict[str, Any]:
    """Return a row of `observations` of the shop's session."""
    row = {"observation_id": f"o-{name}", "segment_id": "s-1", "window_id": "w-1", "session_id": "shop-1", "project": SHOP}
    row |= {"day": DAY, "said_at": START, "kind": "decision", "priority": "high", "category": "architecture", "text": text}
    row |= {"verdict": "allow", "superseded_by": None, "also": [], "merged_count": 1, "confidence": 0.9}
    return row | {"ordinals": [3], "entry_ids": ["00000003"], "lines": [4]} | more


FACTS = (
    fact("ttl", "Session cache: Redis, TTL 15 minutes (replaces 60 minutes)"),
    fact("old", "Session cache: Redis, TTL 60 minutes", superseded_by="o-ttl", said_at=START - timedelta(days=3)),
    fact("held", "The database password lies in vault seven", verdict="hold"),
    fact("style", "Prefers short commit messages in the imperative", kind="preference", priority="medium", project=BLOG),
)


def recall_run(root: Path, model: str = "bundled") -> Run:
    """Return a run over an empty lake below `root`."""
    embedding = EmbeddingSettings(model=model, turn_minutes="all")
    settings = Settings(lake=root / "lake", workspace=root / "workspace", timezone="UTC", owner="joel", embedding=embedding)
    return open_run(settings, AS_OF)


def filled(root: Path, model: str = "bundled", is_indexed: bool = True) -> Run:
    """Fill a lake with the whole world, embedded and indexed: a copy of one that was made once."""
    is_bundled = model == "bundled"
    copy_kept(("recall", is_bundled, is_indexed), lambda folder: _fill(folder, is_bundled, is_indexed), root)
    return recall_run(root, model)


def _fill(root: Path, is_bundled: bool, is_indexed: bool) -> None:
    run = recall_run(root, "bundled" if is_bundled else str(root / "no-model"))
    run.settings.workspace.mkdir(parents=True)
    memory = "# Memory\n\n## Hard Rules\n- (2026-02-01) Session cache TTL stays below 20 minutes\n"
    (run.settings.workspace / "MEMORY.md").write_text(memory, encoding="utf-8")
    write(run, "entries", [entry("shop-1", number, role, text) for number, (role, text) in enumerate(TALK)])
    write(run, "entries", [entry("blog-1", 0, "user", "The blog caches pages for a day.")])
    for session, project in (("shop-1", SHOP), ("blog-1", BLOG)):
        times = {"started_at": START, "ended_at": START + timedelta(minutes=8), "day": DAY}
        write(
            run,
            "sessions",
            [{"session_id": session, "project": project, "title": session, "source_path": f"/sessions/{session}.jsonl"} | times],
        )
    write(run, "observations", list(FACTS))
    segment = {"segment_id": "s-1", "window_id": "w-1", "session_id": "shop-1", "project": SHOP, "title": "Caching sessions"}
    segment |= {"narrative": "The slow checkout was traced to uncached session lookups."}
    segment |= {"first_ordinal": 0, "last_ordinal": 3}
    write(run, "segments", [segment | {"entry_ids": ["00000001"], "lines": [2], "started_at": START, "day": DAY}])
    window = {
        "window_id": "w-1",
        "session_id": "shop-1",
        "kind": "closing",
        "status": "distilled",
        "reason": "",
        "entry_count": 8,
    }
    lasted = {"started_at": START, "ended_at": START + timedelta(minutes=7), "files_read": [], "files_modified": []}
    write(run, "windows", [window | lasted | {"first_ordinal": 0, "last_ordinal": 7, "day": DAY}])
    write(run, "coverage", [{"session_id": "shop-1", "ordinal": n, "window_id": "w-1", "day": DAY} for n in range(8)])
    period = {
        "distillate_id": "d-1",
        "tier": 1,
        "project": SHOP,
        "period_start": DAY,
        "period_end": DAY,
        "child_ids": ["o-ttl", "s-1"],
    }
    write(run, "distillates", [period | {"text": "Invoices became PDFs with pdfkit.", "entry_refs": ["shop-1:00000005"]}])
    if is_indexed:
        settle(run)


def settle(run: Run) -> dict[str, Any]:
    """Embed and index; return the counts of both."""
    with run.lake.writing("test"):
        return {"embed": embed(run), "index": index(run)}


def write(run: Run, table: str, rows: list[dict[str, Any]]) -> None:
    """Add rows to a table, next to those of its partition."""
    with run.lake.writing("test"):
        schema = run.lake.scan(table).collect_schema()
        frame = pl.DataFrame(rows, schema={name: dtype for name, dtype in schema.items() if name in rows[0]})
        day = rows[0].get("day") if table != "distillates" else None
        with run.lake.commit() as change:
            if table == "entries":
                change.append(table, frame, day)
            else:
                before = run.lake.read(table, [day] if day else None).drop("schema_version")
                change.replace(table, pl.concat([before, frame], how="diagonal"), day)


def files_of(root: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
