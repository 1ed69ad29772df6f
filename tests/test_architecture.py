"""The pictures, the glossary and the tables of docs/architecture.md agree with the code."""

from __future__ import annotations

import re
from pathlib import Path

from flows.pipelines import NIGHTLY_STEPS
from flows.runner import step_name
from transforms.tables.schema import TABLES

ROOT = Path(__file__).resolve().parent.parent
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_pictures_name_every_step_in_order() -> None:
    """A step that a night runs stands in both pictures, under the name that progress and records show."""
    steps = [step_name(step) for step in NIGHTLY_STEPS]
    flow = ARCHITECTURE.partition("## The flow")[2].partition("## The layers")[0]
    assert re.findall(r"^ +\|  ([a-z_]+) ", flow, re.MULTILINE) == steps
    assert re.findall(r"^ +[│▼] ([a-z_]+) ", README, re.MULTILINE) == steps


def test_the_picture_names_every_table() -> None:
    """Names in brackets are tables of the lake, and none is missing."""
    picture = ARCHITECTURE.partition("## The flow")[2].partition("Names in brackets")[0]
    assert set(re.findall(r"\[([a-z_]+)\]", picture)) == set(TABLES)
