"""The pictures, the glossary and the tables of docs/architecture.md agree with the code."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import get_args

from effects.config.client_folders import list_client_folders
from flows.pipelines import NIGHTLY_STEPS
from flows.runner import name_step
from transforms.condensing.period_item import PeriodItem
from transforms.reading.readers import READERS
from transforms.report.archive import CLIENT_NAMES
from transforms.sessions.resume_command import make_resume_command
from transforms.tables.enums import KINDS, Agent
from transforms.tables.schema import TABLES

LAYERS = ("recollect", "flows", "effects", "transforms", "prompts")
ROOT = Path(__file__).resolve().parent.parent
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_picture_names_every_step_in_order() -> None:
    """A step that a night runs stands in it, under the name that progress and records show."""
    steps = [name_step(step) for step in NIGHTLY_STEPS]
    flow = ARCHITECTURE.partition("## The flow")[2].partition("## The layers")[0]
    assert re.findall(r"^ +\|  ([a-z_]+) ", flow, re.MULTILINE) == steps


def test_the_picture_names_every_table() -> None:
    """Names in brackets are tables of the lake, and none is missing."""
    picture = ARCHITECTURE.partition("## The flow")[2].partition("Names in brackets")[0]
    assert set(re.findall(r"\[([a-z_]+)\]", picture)) == set(TABLES)


def list_terms() -> list[str]:
    """Return the terms of the glossary in lower case, without hyphens and notes in brackets."""
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| [^|]+ \|$", ARCHITECTURE.partition("## Glossary")[2], re.MULTILINE)
    terms = [term for row in rows for term in re.sub(r" \(.*?\)", "", row).split(", ")]
    return [re.sub(r"[-_]", " ", term).lower() for term in terms if term != "term"]


def test_every_term_of_the_glossary_stands_in_the_code() -> None:
    """A term may stand in a name, a comment or a message, in singular or plural."""
    files = [path for layer in LAYERS for path in (ROOT / layer).rglob("*") if path.suffix in {".py", ".j2"}]
    code = " ".join(f"{path.relative_to(ROOT)} {path.read_text(encoding='utf-8')}" for path in files)
    words = re.sub(r"[\s_-]+", " ", code).lower()
    assert [term for term in list_terms() if not re.search(rf"\b{re.escape(term)}(?:s|es|ed)?\b", words)] == []


def test_the_glossary_explains_the_names_of_packages() -> None:
    """Each package of effects and transforms is named with a word that the glossary has."""
    glossary = re.sub(r"[\s_-]+", " ", ARCHITECTURE.partition("## Glossary")[2]).lower()
    packages = {init.parent.name for layer in ("effects", "transforms") for init in (ROOT / layer).glob("*/__init__.py")}
    stems = {package: re.sub(r"(?:ing|es|s|e)$", "", package.replace("_", " ")) for package in packages}
    assert {package for package, stem in stems.items() if not re.search(rf"\b{stem}", glossary)} == set()


def test_the_modules_that_answer_where_something_is_exist() -> None:
    """Each question stands once and leads to one module."""
    section = ARCHITECTURE.partition("## Where is …")[2].partition("## Glossary")[0]
    rows = re.findall(r"^\| ([^|]+) \| `([^`]+)` \|$", section, re.MULTILINE)
    assert len(rows) >= 25
    assert len({question for question, _ in rows}) == len(rows)
    assert [module for _, module in rows if not (ROOT / module).is_file()] == []


def test_every_client_and_every_kind_of_fact_stands_where_the_page_sends_who_adds_one() -> None:
    """A client without a command to resume, or a kind without weight in a condensed period, would go on without a word."""
    clients = get_args(Agent)
    assert set(READERS) == set(CLIENT_NAMES) == set(clients)
    assert len(list_client_folders()) == len(clients)
    assert [client for client in clients if client not in " ".join(make_resume_command(client, "s", "/s.jsonl"))] == []
    items = [PeriodItem("o-1", kind, "low", "x", date(2026, 5, 17), (0.0, "", 0)) for kind in KINDS]
    assert [item.kind for item in items if item.salience == 0] == []
