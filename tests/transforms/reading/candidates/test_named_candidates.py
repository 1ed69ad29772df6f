"""The search for names of secrets in raw JSON."""

import subprocess
import sys

SEARCH_LONG_ROW = """
import resource
import polars as pl
from transforms.reading.candidates.named_candidates import search_names
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
row = b'"always use tabs ' + b"pin 1 code password: a1b2 4111 " * 10_000 + b'password: Otter4821!xKq"'
assert search_names(pl.concat([pl.Series("json", [row], pl.Binary).cast(pl.String)] * 2))[0]
"""


def test_a_long_row_with_many_names_takes_memory_in_proportion() -> None:
    """Of rows that were read apart each name copied the page: 20 GB for two megabytes, the end of `doctor`."""
    subprocess.run([sys.executable, "-c", SEARCH_LONG_ROW], check=True, timeout=120)
