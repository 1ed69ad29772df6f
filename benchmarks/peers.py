"""`python benchmarks/peers.py`: the benchmark `recall.peers` under the name by which others run it."""

from __future__ import annotations

import sys

from benchmarks.recall.peers import main

if __name__ == "__main__":
    sys.exit(main())
