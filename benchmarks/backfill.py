"""`python benchmarks/backfill.py`: the benchmark `speed.backfill` under the name by which others run it."""

from __future__ import annotations

import sys

from benchmarks.speed.backfill import main

if __name__ == "__main__":
    sys.exit(main())
