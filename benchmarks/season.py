"""`python benchmarks/season.py`: the benchmark `memory.season` under the name by which others run it."""

from __future__ import annotations

import sys

from benchmarks.memory.season import main

if __name__ == "__main__":
    sys.exit(main())
