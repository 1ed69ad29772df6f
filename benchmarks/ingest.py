"""`python benchmarks/ingest.py`: the benchmark `speed.ingest` under the name by which others run it."""

from __future__ import annotations

import sys

from benchmarks.speed.ingest import main

if __name__ == "__main__":
    sys.exit(main())
