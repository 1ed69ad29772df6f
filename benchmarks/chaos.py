"""`python benchmarks/chaos.py`: the benchmark `safety.chaos` under the name by which others run it."""

from __future__ import annotations

import sys

from benchmarks.safety.chaos import main

if __name__ == "__main__":
    sys.exit(main())
