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

from transforms.distil.answer_model import Numbers, text_or_empty
from transforms.distil.answer_xml import fenceless, tag
from transforms.distil.grounding import is_degenerate
from transforms.distil.row_grounding import Source, borne_out, inert
from transforms.language import cues
from transforms.language.sentences import sentences
from transforms.memory.eligibility import NEVER_PROPOSED, Candidate, is_notable, is_passing, section_of, worth_of
from transforms.memory.normalise_claim import stands_alone
from transforms.memory.same_claim import resemblance
from transforms.pages.memory_md import HARD_RULES, MemoryPage
from transforms.tables.tokens import tokens

GIVEN_TOKENS = 20_000
"""So much evidence is shown at once; what is left over goes through the offline rules."""
MEMORY_TOKENS = 6_000
REFUSED_LINES = 80
SUMMARY_CHARS = 300
REPLACES = 0.2
"""Resemblance that a line must have with the line that it is to replace: a model that quotes the wrong line adds instead."""

_SECTION = re.compile(r"^#+\s*Proposed for:\s*(.+?)\s*$", re.I)
_BULLET = re.compile(r"^\s*[-*•+]\s+(.*\S)\s*$")
_REPLACE = re.compile(r'^replace\s+["“](?P<old>.+?)["”]\s+(?:with|by):?\s+(?P<new>.*)$', re.I | re.S)
_REFS = re.compile(r"\s*[(\[](?:refs?:?\s*)?#\d+(?:[\s,;]*(?:and\s+)?#?\d+)*[)\]]\s*[.]?\s*$", re.I)
_DATE = re.compile(r"^\(?\d{4}-\d\d-\d\d\)?:?\s+")

Row = Mapping[str, Any]


class ProposedLine(BaseModel):
    """A line for a section, with the numbers of the observations that it rests on."""

    section: Annotated[str, BeforeValidator(text_or_empty)] = ""
    text: str
    replaces: Annotated[str, BeforeValidator(text_or_empty)] = ""
    refs: Numbers


class Proposals(BaseModel):
    """Lines for MEMORY.md, and what changed in one or two sentences."""

    proposals: list[ProposedLine]
    summary: Annotated[str, BeforeValidator(text_or_empty)] = ""


@dataclass(frozen=True, slots=True)
class Reflection:
    """The lines that hold as candidates; old lines that some of them replace (→ evidence); what was held back, by reason."""

    candidates: tuple[Candidate, ...]
    replaces: dict[str, str]
    summary: str
    held: dict[str, int]


def shown_rows(rows: Sequence[Row]) -> list[Row]:
    """The observations that a model is shown, oldest first: high and medium ones, the best of them when they are too many."""
    open_rows = [
        row
        for row in rows
        if row["verdict"] == "allow" and row["superseded_by"] is None and row["priority"] in ("high", "medium")
    ]
    left = GIVEN_TOKENS
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


def shown_memory(page: MemoryPage) -> list[tuple[str, list[str]]]:
    """MEMORY.md's lines by section, without text that instructs (it breeds more of its kind), newest lines first to stay."""
    left = MEMORY_TOKENS
    found: dict[str, list[str]] = {section.name: [] for section in page.sections}
    for bullet in reversed(page.bullets):
        left -= tokens(bullet.text) + 4
        if left > 0 and bullet.text and not is_passing(bullet.text) and not cues.INJECTION.search(bullet.text):
            found.setdefault(bullet.section, []).insert(0, inert(bullet.line).removeprefix("- "))
    return [(name, lines) for name, lines in found.items() if lines]


def parse_proposals(raw: str) -> Proposals:
    """The XML form, as ADR-0021 has it.

    Raises:
        ValueError: when there are no proposals in it, or when it stops in the middle.
    """
    text = fenceless(raw)
    if not re.search(r"<proposals\b", text, re.I):
        raise ValueError("there are no <proposals> in it")
    if not re.search(r"</proposals>", text, re.I):
        raise ValueError("it stops before </proposals>")
    section, found = "", []
    for line in tag("proposals", text).splitlines():
        if heading := _SECTION.match(line):
            section = heading[1]
        elif bullet := _BULLET.match(line):
            found.append(_line(section, bullet[1]))
    return Proposals(proposals=found, summary=tag("summary", text))


def reflection_of(
    answer: Proposals, rows: Sequence[Row], page: MemoryPage, owner_section: str, reflected: str, zone: tzinfo
) -> Reflection:
    """The answer, checked against the rows that were given (`#1` is the first).

    Raises:
        ValueError: when it loops, or when nothing is left of it because it is not borne out.
    """
    if is_degenerate([line.text for line in answer.proposals]):
        raise ValueError("degenerate output")
    sources = {
        number: Source(number, row["text"], row["said_at"], f"{row['said_at'].astimezone(zone):%Y-%m-%d}")
        for number, row in enumerate(rows, 1)
    }
    held: Counter[str] = Counter()
    found: list[Candidate] = []
    replaces: dict[str, str] = {}
    untrue = 0
    for line in answer.proposals:
        text = _DATE.sub("", " ".join(line.text.split())).rstrip(" .")
        refs, reason = borne_out(text, line.refs, sources, zone)
        cited = [rows[ref - 1] for ref in refs]
        untrue += bool(reason)
        if reason := reason or _unfit(text, cited):
            held[reason.partition(": ")[0]] += 1
            continue
        candidate = _candidate(text, line.section, cited, owner_section, reflected)
        found.append(candidate)
        if old := _quoted_line(line.replaces, candidate, page, zone):
            replaces[old] = candidate.evidence[0]
    if untrue and not found:
        raise ValueError(f"no line in it can stand: {'; '.join(sorted(held))}")
    return Reflection(tuple(found), replaces, _summary(answer.summary, sources, zone), dict(sorted(held.items())))


def unforgettable(offline: Iterable[Candidate], proposed: Sequence[Candidate]) -> list[Candidate]:
    """Hard rules in a person's own words that a model did not mention: they are proposed all the same."""
    covered = {key for candidate in proposed for key in candidate.evidence}
    return [one for one in offline if one.section == HARD_RULES and not covered & set(one.evidence)]


def _line(section: str, body: str) -> ProposedLine:
    refs = _REFS.search(body)
    text = _REFS.sub("", body)
    replace = _REPLACE.match(text)
    return ProposedLine(
        section=section,
        text=replace["new"] if replace else text,
        replaces=replace["old"] if replace else "",
        refs=[int(number) for number in re.findall(r"\d+", refs[0])] if refs else [],
    )


def _unfit(text: str, cited: Sequence[Row]) -> str:
    """Why a line that is true is no line of MEMORY.md; empty when it is one."""
    if not any(is_notable(row) and row["kind"] not in NEVER_PROPOSED for row in cited):
        return "rests on nothing that lasts"
    if is_passing(text):
        return "is a state of work or an instruction about the page"
    return "" if stands_alone(text) else "cannot stand alone"


def _candidate(text: str, section: str, cited: Sequence[Row], owner_section: str, reflected: str) -> Candidate:
    lasting = [row for row in cited if is_notable(row) and row["kind"] not in NEVER_PROPOSED]
    best = max(lasting, key=lambda row: (worth_of(row), row["said_at"], row["observation_id"]))
    usual = section_of(best["kind"], best["category"], text, owner_section, reflected)
    known = {name.casefold(): name for name in (owner_section, HARD_RULES, "System Architecture", "Patterns")}
    named = known.get(section.strip().strip("*_").casefold(), reflected if section.casefold().startswith("reflected") else usual)
    # A rule of the owner's is what the owner said, and a preference never becomes one: a model's word is not enough for either.
    is_rule_moved = (named == HARD_RULES) != (usual == HARD_RULES)
    return Candidate(
        text=text,
        section=usual if is_rule_moved else named,
        kind=best["kind"],
        worth=worth_of(best),
        evidence=tuple(dict.fromkeys(row["observation_id"] for row in [best, *cited])),
        sessions=frozenset(
            {row["session_id"] for row in cited} | {ref.split(":", 1)[0] for row in cited for ref in row["also"] or ()}
        ),
        said_at=max(row["said_at"] for row in cited),
        projects=frozenset(row["project"] for row in cited if row["project"]),
    )


def _quoted_line(quote: str, candidate: Candidate, page: MemoryPage, zone: tzinfo) -> str:
    """The line of MEMORY.md that the quotation is, when the candidate is about the same thing and not older than it."""
    wanted = " ".join(quote.split()).removeprefix("- ").strip('"“”')
    if not wanted:
        return ""
    for bullet in page.bullets:
        is_it = wanted in (bullet.text, " ".join(bullet.line.split()).removeprefix("- "), _DATE.sub("", bullet.text))
        is_older = bullet.dated is None or bullet.dated <= candidate.said_at.astimezone(zone).date()
        if is_it and is_older and bullet.is_one_line and resemblance(bullet.text, candidate.text) >= REPLACES:
            return bullet.line
    return ""


def _summary(summary: str, sources: dict[int, Source], zone: tzinfo) -> str:
    """The sentences of the summary that the rows bear out, two at most."""
    true = [
        one for one in sentences(" ".join(summary.split())) if not borne_out(one, list(sources), sources, zone, is_story=True)[1]
    ]
    told = " ".join(true[:2])
    return told if len(told) <= SUMMARY_CHARS else ""
