"""`python benchmarks/recall.py`: the benchmark `speed.recall` under the name by which others run it."""

from __future__ import annotations

import sys

from benchmarks.speed.recall import main

if __name__ == "__main__":
    sys.exit(main())
