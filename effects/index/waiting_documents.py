"""Documents that wait for the vector of their text, as frames (`number`, `text_hash`), for whoever writes the index.

All that wait may be the turns of a whole history, while a night has the vectors of a few: only these are read. Readers of the
index do not import this module, since it imports polars.
"""

from __future__ import annotations

import json
import sqlite3

import polars as pl

from effects.index.record_store import RecordStore

SCHEMA = pl.Schema({"number": pl.Int64, "text_hash": pl.String})
ROWS_PER_READ = 16_384
"""Texts that are looked for, and rows that are read at once: as Python's objects all rows would take five times as much."""


def find_waiting(store: RecordStore, text_hashes: pl.Series) -> pl.DataFrame:
    """Return the documents of these texts that have no vector yet."""
    query = """SELECT number, text_hash FROM documents WHERE text_hash IN (SELECT value FROM json_each(?))
        AND EXISTS (SELECT 1 FROM waiting WHERE waiting.number = documents.number)"""
    pieces = (text_hashes[start : start + ROWS_PER_READ] for start in range(0, len(text_hashes), ROWS_PER_READ))
    frames = [_read_rows(store.database.execute(query, (json.dumps(piece.to_list()),))) for piece in pieces]
    return pl.concat([SCHEMA.to_frame(), *frames])


def read_new_waiting(store: RecordStore) -> pl.DataFrame:
    """Return the documents without a vector for which older files of vectors were not searched."""
    return _read_rows(store.database.execute("SELECT number, text_hash FROM waiting WHERE is_new"))


def read_all_texts(store: RecordStore) -> pl.DataFrame:
    """Return the documents that can have a vector; in a new index none of them has one."""
    return _read_rows(store.database.execute("SELECT number, text_hash FROM documents WHERE text_hash IS NOT NULL"))


def _read_rows(cursor: sqlite3.Cursor) -> pl.DataFrame:
    frames = [SCHEMA.to_frame()]
    while rows := cursor.fetchmany(ROWS_PER_READ):
        frames.append(pl.DataFrame(rows, schema=SCHEMA, orient="row"))
    return pl.concat(frames)
