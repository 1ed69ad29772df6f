"""Reads and writes the Parquet files of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from transforms.tables.definition import Table

ZSTD_LEVEL = 1
"""Higher levels save little space and cost more time than everything else that a commit does."""


def scan_files(files: list[Path], table: Table[Any]) -> pl.LazyFrame:
    """Return the rows of these files in the table's schema, whatever version of recollect wrote them.

    A column that an older version did not know is null; a column that only a newer version knows is left out.
    """
    return pl.scan_parquet(
        files, schema=table.schema, missing_columns="insert", extra_columns="ignore", hive_partitioning=False, glob=False
    )


def write_rows(rows: pl.DataFrame, path: Path) -> None:
    """Write rows in the table's schema to a file. All files of the lake are written here."""
    rows.write_parquet(path, compression="zstd", compression_level=ZSTD_LEVEL, statistics=False)
