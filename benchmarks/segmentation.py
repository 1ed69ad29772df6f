"""`python benchmarks/segmentation.py`: the benchmark `windowing.segmentation` under the name by which others run it."""

from __future__ import annotations

import sys

from benchmarks.windowing.segmentation import main

if __name__ == "__main__":
    sys.exit(main())
