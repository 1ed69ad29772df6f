"""`python -m recollect`: the command line without the installed script."""

from __future__ import annotations

from recollect.cli import main

main()
