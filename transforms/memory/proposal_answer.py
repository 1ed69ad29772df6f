"""What a reflecting model proposes for MEMORY.md: asked of it as a schema or as XML, checked, and turned into candidates.

The model chooses words and what belongs together. Where a line goes, whether it was refused before, whether it says what the
page says already and how many may wait is decided by the same code as for the offline engine (`transforms.memory.rank_proposals`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator

from transforms.distil.answer_fields import Numbers, replace_null
from transforms.distil.answer_xml import read_element, strip_fences
from transforms.distil.output_checks import is_degenerate
from transforms.distil.row_grounding import CitedRow, escape_row, ground_line
from transforms.language import cue_phrases
from transforms.language.sentences import split_sentences
from transforms.memory.eligibility import (
    INELIGIBLE_KINDS,
    LineCandidate,
    choose_section,
    is_notable,
    is_passing,
    score_observation,
)
from transforms.memory.normalise_claim import is_standalone
from transforms.memory.same_claim import compute_resemblance
from transforms.pages.memory_md import HARD_RULES, MemoryPage
from transforms.tables.tokens import tokens

PROMPT_TOKENS = 20_000
"""So much evidence is shown at once; what is left over goes through the offline rules."""
MEMORY_TOKENS = 6_000
REFUSED_LINES = 80
SUMMARY_CHARS = 300
MIN_REPLACED_RESEMBLANCE = 0.2
"""Resemblance that a line must have with the line that it is to replace: a model that quotes the wrong line adds instead."""

_SECTION = re.compile(r"^#+\s*Proposed for:\s*(.+?)\s*$", re.I)
_BULLET = re.compile(r"^\s*[-*•+]\s+(.*\S)\s*$")
_REPLACE = re.compile(r'^replace\s+["“](?P<old>.+?)["”]\s+(?:with|by):?\s+(?P<new>.*)$', re.I | re.S)
_REFS = re.compile(r"\s*[(\[](?:refs?:?\s*)?#\d+(?:[\s,;]*(?:and\s+)?#?\d+)*[)\]]\s*[.]?\s*$", re.I)
_DATE = re.compile(r"^\(?\d{4}-\d\d-\d\d\)?:?\s+")

Row = Mapping[str, Any]


class ProposedLine(BaseModel):
    """A line for a section, with the numbers of the observations that it rests on."""

    section: Annotated[str, BeforeValidator(replace_null)] = ""
    text: str
    replaces: Annotated[str, BeforeValidator(replace_null)] = ""
    refs: Numbers


class ProposalAnswer(BaseModel):
    """Lines for MEMORY.md, and what changed in one or two sentences."""

    proposals: list[ProposedLine]
    summary: Annotated[str, BeforeValidator(replace_null)] = ""


@dataclass(frozen=True, slots=True)
class Reflection:
    """The lines that hold as candidates; old lines that some of them replace (→ evidence); what was held back, by reason."""

    candidates: tuple[LineCandidate, ...]
    replaces: dict[str, str]
    summary: str
    held: dict[str, int]


def select_prompt_rows(rows: Sequence[Row]) -> list[Row]:
    """The observations that a model is shown, oldest first: high and medium ones, the best of them when they are too many."""
    open_rows = [
        row
        for row in rows
        if row["verdict"] == "allow" and row["superseded_by"] is None and row["priority"] in ("high", "medium")
    ]
    left = PROMPT_TOKENS
    chosen = []
    for row in sorted(
        open_rows,
        key=lambda row: (not is_notable(row), row["priority"] != "high", -row["said_at"].timestamp(), row["observation_id"]),
    ):
        left -= tokens(row["text"]) + 12
        if left < 0:
            break
        chosen.append(row)
    return sorted(chosen, key=lambda row: (row["said_at"], row["observation_id"]))


def select_memory_lines(page: MemoryPage) -> list[tuple[str, list[str]]]:
    """MEMORY.md's lines by section, without text that instructs (it breeds more of its kind), newest lines first to stay."""
    left = MEMORY_TOKENS
    found: dict[str, list[str]] = {section.name: [] for section in page.sections}
    for bullet in reversed(page.bullets):
        left -= tokens(bullet.text) + 4
        if left > 0 and bullet.text and not is_passing(bullet.text) and not cue_phrases.INJECTION.search(bullet.text):
            found.setdefault(bullet.section, []).insert(0, escape_row(bullet.line).removeprefix("- "))
    return [(name, lines) for name, lines in found.items() if lines]


def parse_proposals_xml(raw: str) -> ProposalAnswer:
    """The XML form, as ADR-0021 has it.

    Raises:
        ValueError: when there are no proposals in it, or when it stops in the middle.
    """
    text = strip_fences(raw)
    if not re.search(r"<proposals\b", text, re.I):
        raise ValueError("there are no <proposals> in it")
    if not re.search(r"</proposals>", text, re.I):
        raise ValueError("it stops before </proposals>")
    section, found = "", []
    for line in read_element("proposals", text).splitlines():
        if heading := _SECTION.match(line):
            section = heading[1]
        elif bullet := _BULLET.match(line):
            found.append(_parse_line(section, bullet[1]))
    return ProposalAnswer(proposals=found, summary=read_element("summary", text))


def ground_proposal_answer(
    answer: ProposalAnswer, rows: Sequence[Row], page: MemoryPage, owner_section: str, reflected: str, zone: tzinfo
) -> Reflection:
    """The answer, checked against the rows that were given (`#1` is the first).

    Raises:
        ValueError: when it loops, or when nothing is left of it because it is not borne out.
    """
    if is_degenerate([line.text for line in answer.proposals]):
        raise ValueError("degenerate output")
    sources = {
        number: CitedRow(number, row["text"], row["said_at"], f"{row['said_at'].astimezone(zone):%Y-%m-%d}")
        for number, row in enumerate(rows, 1)
    }
    held: Counter[str] = Counter()
    found: list[LineCandidate] = []
    replaces: dict[str, str] = {}
    untrue = 0
    for line in answer.proposals:
        text = _DATE.sub("", " ".join(line.text.split())).rstrip(" .")
        refs, reason = ground_line(text, line.refs, sources, zone)
        cited = [rows[ref - 1] for ref in refs]
        untrue += bool(reason)
        if reason := reason or _find_unfit_reason(text, cited):
            held[reason.partition(": ")[0]] += 1
            continue
        candidate = _build_candidate(text, line.section, cited, owner_section, reflected)
        found.append(candidate)
        if old := _find_quoted_line(line.replaces, candidate, page, zone):
            replaces[old] = candidate.evidence[0]
    if untrue and not found:
        raise ValueError(f"no line in it can stand: {'; '.join(sorted(held))}")
    return Reflection(tuple(found), replaces, _ground_summary(answer.summary, sources, zone), dict(sorted(held.items())))


def find_missed_hard_rules(offline: Iterable[LineCandidate], proposed: Sequence[LineCandidate]) -> list[LineCandidate]:
    """Hard rules in a person's own words that a model did not mention: they are proposed all the same."""
    covered = {key for candidate in proposed for key in candidate.evidence}
    return [one for one in offline if one.section == HARD_RULES and not covered & set(one.evidence)]


def _parse_line(section: str, body: str) -> ProposedLine:
    refs = _REFS.search(body)
    text = _REFS.sub("", body)
    replace = _REPLACE.match(text)
    return ProposedLine(
        section=section,
        text=replace["new"] if replace else text,
        replaces=replace["old"] if replace else "",
        refs=[int(number) for number in re.findall(r"\d+", refs[0])] if refs else [],
    )


def _find_unfit_reason(text: str, cited: Sequence[Row]) -> str:
    """Why a line that is true is no line of MEMORY.md; empty when it is one."""
    if not any(is_notable(row) and row["kind"] not in INELIGIBLE_KINDS for row in cited):
        return "rests on nothing that lasts"
    if is_passing(text):
        return "is a state of work or an instruction about the page"
    return "" if is_standalone(text) else "cannot stand alone"


def _build_candidate(text: str, section: str, cited: Sequence[Row], owner_section: str, reflected: str) -> LineCandidate:
    lasting = [row for row in cited if is_notable(row) and row["kind"] not in INELIGIBLE_KINDS]
    best = max(lasting, key=lambda row: (score_observation(row), row["said_at"], row["observation_id"]))
    usual = choose_section(best["kind"], best["category"], text, owner_section, reflected)
    known = {name.casefold(): name for name in (owner_section, HARD_RULES, "System Architecture", "Patterns")}
    named = known.get(section.strip().strip("*_").casefold(), reflected if section.casefold().startswith("reflected") else usual)
    # A rule of the owner's is what the owner said, and a preference never becomes one: a model's word is not enough for either.
    is_rule_moved = (named == HARD_RULES) != (usual == HARD_RULES)
    return LineCandidate(
        text=text,
        section=usual if is_rule_moved else named,
        kind=best["kind"],
        worth=score_observation(best),
        evidence=tuple(dict.fromkeys(row["observation_id"] for row in [best, *cited])),
        sessions=frozenset(
            {row["session_id"] for row in cited} | {ref.split(":", 1)[0] for row in cited for ref in row["also"] or ()}
        ),
        said_at=max(row["said_at"] for row in cited),
        projects=frozenset(row["project"] for row in cited if row["project"]),
    )


def _find_quoted_line(quote: str, candidate: LineCandidate, page: MemoryPage, zone: tzinfo) -> str:
    """The line of MEMORY.md that the quotation is, when the candidate is about the same thing and not older than it."""
    wanted = " ".join(quote.split()).removeprefix("- ").strip('"“”')
    if not wanted:
        return ""
    for bullet in page.bullets:
        is_it = wanted in (bullet.text, " ".join(bullet.line.split()).removeprefix("- "), _DATE.sub("", bullet.text))
        is_older = bullet.dated is None or bullet.dated <= candidate.said_at.astimezone(zone).date()
        if (
            is_it
            and is_older
            and bullet.is_one_line
            and compute_resemblance(bullet.text, candidate.text) >= MIN_REPLACED_RESEMBLANCE
        ):
            return bullet.line
    return ""


def _ground_summary(summary: str, sources: dict[int, CitedRow], zone: tzinfo) -> str:
    """The sentences of the summary that the rows bear out, two at most."""
    true = [
        one
        for one in split_sentences(" ".join(summary.split()))
        if not ground_line(one, list(sources), sources, zone, is_narrative=True)[1]
    ]
    told = " ".join(true[:2])
    return told if len(told) <= SUMMARY_CHARS else ""
