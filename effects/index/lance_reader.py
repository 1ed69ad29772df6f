"""Searching the tables of a generation, for reading only.

The tables are LanceDB's, and are read with `pylance`, the library of their file format: a process that answers one question
has no time to import `lancedb`, which loads its clients for remote services.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from lance import LanceDataset, LanceScanner

QueryVector = npt.NDArray[np.float32]

PROBES, PROBES_WITH_FILTER = 40, 200
"""Partitions of the approximate index that are searched, and the most that are while a filter leaves too few rows."""
RECENT_SHARE = 8
"""An eighth of the hits by words may come from the recent rows, at any score."""

ScoredNumber = tuple[float, int]
"""The score or distance of a row, and its number."""


@dataclass(frozen=True, slots=True)
class LanceReader:
    """A large table and the small one with its recent rows (`effects/index/lance_writer.py`), searched as one.

    A row is known by its column `number`. `where` is a condition in SQL over the tables' columns, or empty.
    """

    large: LanceDataset
    recent: LanceDataset

    def search_words(self, text: str, where: str, limit: int) -> list[int]:
        """Return the numbers of the rows with these words in the column `words`, best first.

        Each table scores by itself, and a word that came up lately is less rare among the recent rows than in all. So a share
        of the limit is reserved for recent rows, and only the rest is decided by score.
        """
        query = {"query": text, "columns": ["words"]}
        large, recent = (
            _read_scored_numbers(
                table.scanner(["number", "_score"], where or None, limit, full_text_query=query, prefilter=True), "_score"
            )
            if table.count_rows()
            else []
            for table in (self.large, self.recent)
        )
        reserved = recent[: limit // RECENT_SHARE]
        others = sorted([*large, *recent[len(reserved) :]], key=_score, reverse=True)[: limit - len(reserved)]
        return _drop_repeated_numbers(sorted([*reserved, *others], key=_score, reverse=True))

    def search_vector(self, vector: QueryVector, where: str, limit: int) -> list[int]:
        """Return the numbers of the rows nearest to the vector, nearest first."""
        nearest = {
            "column": "vector",
            "q": vector,
            "k": limit,
            "metric": "dot",
            "minimum_nprobes": PROBES,
            "maximum_nprobes": PROBES_WITH_FILTER if where else PROBES,
        }
        rows: list[ScoredNumber] = []
        for table in (self.large, self.recent):
            if table.count_rows():
                scanner = table.scanner(["number", "_distance"], where or None, nearest=nearest, prefilter=True)
                rows += _read_scored_numbers(scanner, "_distance")
        return _drop_repeated_numbers(sorted(rows, key=_score))[:limit]

    def read_all_numbers(self) -> set[int]:
        """Read every column of every row; return the numbers of the rows."""
        return {number for table in (self.large, self.recent) for number in table.to_table()["number"].to_pylist()}

    def list_where(self, where: str, limit: int) -> list[int]:
        """Return the numbers of any rows that fulfil a condition, the first `limit`."""
        numbers: list[int] = []
        for table in (self.large, self.recent):
            numbers += table.scanner(["number"], where, limit).to_table()["number"].to_pylist()
        return list(dict.fromkeys(numbers))[:limit]


def open_lance_reader(folder: Path, name: str) -> LanceReader:
    """Open a table of a LanceDB folder, and the one with its recent rows, at their present versions.

    Raises:
        ModuleNotFoundError: when pylance is not installed.
        ValueError: when a table is not there or cannot be read.
    """
    import lance

    # The recent rows first: rows that are moved meanwhile are then found twice instead of not at all.
    recent = lance.dataset(str(folder / f"{name}_new.lance"))
    return LanceReader(lance.dataset(str(folder / f"{name}.lance")), recent)


def _read_scored_numbers(scanner: LanceScanner, column: str) -> list[ScoredNumber]:
    table = scanner.to_table()
    return list(zip(table[column].to_pylist(), table["number"].to_pylist(), strict=True))


def _score(row: ScoredNumber) -> float:
    return row[0]


def _drop_repeated_numbers(rows: Iterable[ScoredNumber]) -> list[int]:
    return list(dict.fromkeys(number for _, number in rows))
