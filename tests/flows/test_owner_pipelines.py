"""Somebody waits for these pipelines, so they import what their own steps need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LATE = ("effects.index.index_step", "effects.ingest.ingest_step", "effects.judging.line_scopes", "transforms.memory.eligibility")
"""The index, reading sessions and what weighs lines of a reflection: together half of what importing took."""


def test_saving_a_line_for_review_imports_neither_the_index_nor_what_reads_or_weighs() -> None:
    code = (
        "import sys, flows.runner\nfrom flows.owner_pipelines import remember_pipeline\n"
        f"remember_pipeline('Use ruff.', None, False, 'owner')\nprint(sorted({{*{LATE!r}}} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
