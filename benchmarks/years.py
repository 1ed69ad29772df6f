"""`python benchmarks/years.py`: the benchmark `speed.years` under the name by which others run it."""

from __future__ import annotations

import sys

from benchmarks.speed.years import main

if __name__ == "__main__":
    sys.exit(main())
