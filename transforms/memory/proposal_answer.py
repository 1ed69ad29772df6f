"""The answer of a reflecting model with lines for MEMORY.md: its schema and XML form, and its grounding.

The model chooses the words and groups related facts. The code of the offline engine (`transforms.memory.rank_proposals`) decides
the section, whether a line was rejected before or repeats the page, and how many lines may wait.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, model_validator

from transforms.distil.row_grounding import (
    SHOWN_LINES,
    CitedRow,
    describe_held_line,
    ground_line,
)
from transforms.language.entities import find_paths
from transforms.language.sentences import is_unspaced, split_sentences, split_words
from transforms.language.statement import parse_statement, select_content_words
from transforms.language.tokenizer import is_other_language, tokenize
from transforms.memory.eligibility import (
    INELIGIBLE_KINDS,
    LineCandidate,
    Source,
    is_notable,
    score_observation,
)
from transforms.memory.normalise_claim import is_standalone
from transforms.memory.passing_line import is_passing
from transforms.memory.proposal_outcomes import WaitingLine
from transforms.memory.proposing.shown_evidence import rank_row
from transforms.memory.said_for_good import choose_section
from transforms.model_answers import waiting_marks
from transforms.model_answers.answer_fields import (
    LIST_ITEM,
    KeepFitting,
    Numbers,
    OptionalText,
    fill_refs,
    parse_flag,
    parse_numbers,
)
from transforms.model_answers.answer_xml import read_element, strip_fences
from transforms.model_answers.repetition import is_degenerate
from transforms.pages.memory_md import HARD_RULES, PATTERNS, SYSTEM_ARCHITECTURE, Bullet, MemoryPage, normalise_name
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.stops import drop_end_stops
from transforms.quoting.line_doubts import LineDoubt
from transforms.tables.periods import find_local_day
from transforms.tables.rows import ObservationRow

PROPOSAL_SUMMARY_CHARS = 300
_SECTION = compile_late(r"^#+\s*Proposed for:\s*(.+?)\s*$", re.I)
REPLACEMENT = compile_late(r'^replace\s+["“](?P<old>.+?)["”]\s+(?:with|by):?\s+(?P<new>.*)$', re.I | re.S)
_OVER, _EVERYWHERE = "over:", "everywhere:"
TRAILING_REFS = compile_late(
    r"(?:(?<!\s)\s++)?[(\[](?:refs?:?\s*)?#\d++(?:[\s,;–-]*+(?:and\s+)?#?\d++)*+[)\]]\s*+(?:[.]\s*+)?$", re.I
)
LEADING_DATE = compile_late(r"^\(?\d{4}-\d\d-\d\d\)?:?\s+")


class ProposedLine(BaseModel):
    """A line for a section, with the numbers of the observations that it rests on, and whether it holds in every project."""

    section: OptionalText = ""
    text: str
    replaces: OptionalText = ""
    refs: Numbers
    everywhere: Annotated[bool, BeforeValidator(parse_flag)] = False

    _fill_in = model_validator(mode="before")(lambda value: fill_refs(waiting_marks.move_marks(value)))


class ProposalAnswer(BaseModel):
    """Lines for MEMORY.md, lines of it that were bound to something that is over, and the changes in one or two sentences."""

    proposals: Annotated[list[ProposedLine], KeepFitting]
    over: Annotated[list[str], BeforeValidator(waiting_marks.read_remarks)] = []
    summary: OptionalText = ""


@dataclass(frozen=True, slots=True)
class Reflection:
    """Grounded lines as candidates; old lines that some of them replace (→ evidence); the number of held lines by reason; the
    number of all lines, and the observations that they name; the lines of MEMORY.md that are said to be over, and what is said of
    lines that wait."""

    candidates: tuple[LineCandidate, ...]
    replaces: dict[str, str]
    summary: str
    held: dict[str, int]
    line_count: int = 0
    named: frozenset[str] = frozenset()
    over: tuple[str, ...] = ()
    doubts: tuple[LineDoubt, ...] = ()


def parse_proposals_xml(raw: str) -> ProposalAnswer:
    """Return the answer in the XML form.

    Raises:
        ValueError: when there are no proposals in it, or when it stops in the middle.
    """
    text = strip_fences(raw)
    if not re.search(r"<proposals\b", text, re.I):
        raise ValueError("there are no <proposals> in it")
    if not re.search(r"</proposals>", text, re.I):
        raise ValueError("it stops before </proposals>")
    section, lines, over = "", [], []
    for line in read_element("proposals", text).splitlines():
        if heading := _SECTION.match(line):
            section = heading[1]
        elif bullet := LIST_ITEM.match(line):
            if bullet[1].casefold().startswith(_OVER):
                over.append(bullet[1][len(_OVER) :].strip(' "“”'))
            else:
                lines.append(_parse_line(section, bullet[1]))
    return ProposalAnswer(proposals=lines, over=over, summary=read_element("summary", text))


def ground_proposal_answer(
    answer: ProposalAnswer,
    rows: Sequence[ObservationRow],
    page: MemoryPage,
    sections: tuple[str, str],
    zone: tzinfo,
    vouched_by: Mapping[str, Source],
    waiting: Sequence[WaitingLine] = (),
) -> Reflection:
    """Return the answer, checked against the rows of the prompt (`#1` is the first); `sections` are the owner's and the one for
    the rest, `vouched_by` has who vouches for each row's id. A line that only the agent said is no preference and no rule. What
    takes the place of a line may keep names and numbers of it; of a `waiting` one (`w1` is the first) it has the evidence, too.

    Raises:
        ValueError: when it loops, or when none of its lines is grounded.
    """
    if is_degenerate([line.text for line in answer.proposals]):
        raise ValueError("degenerate output")
    sources = {
        number: CitedRow(number, row["text"], row["said_at"], f"{row['said_at'].astimezone(zone):%Y-%m-%d}")
        for number, row in enumerate(rows, 1)
    }
    owner_section, reflected = sections
    held: Counter[str] = Counter()
    candidates: list[LineCandidate] = []
    replaces: dict[str, str] = {}
    ungrounded: list[str] = []
    named = {rows[ref - 1]["observation_id"] for line in answer.proposals for ref in line.refs if 1 <= ref <= len(rows)}
    for line in answer.proposals:
        text = drop_end_stops(LEADING_DATE.sub("", " ".join(line.text.split())))
        quoted = " ".join(bullet.text for bullet in page.bullets if is_quoted(bullet, line.replaces))
        taken = [] if quoted else _find_taken(line.replaces, text, waiting)
        former = " ".join([quoted, *(item.text for item in taken)]).strip()
        kept = {ref: replace(row, about=f"{row.about} {former}") for ref, row in sources.items()} if former else sources
        if taken and kept.keys().isdisjoint(line.refs):  # only the words are better
            kept = {0: CitedRow(0, former, taken[0].said_at, "")}
        refs, reason = ground_line(text, line.refs if 0 not in kept else [0], kept, zone)
        cited = [*(rows[ref - 1] for ref in refs if ref), *(row for item in taken for row in item.rows)]
        if reason:
            ungrounded.append(describe_held_line(text, line.refs, reason))
        if reason := reason or _find_unfit_reason(text, cited, vouched_by):
            held[reason.partition(": ")[0]] += 1
            continue
        candidate = _build_candidate(text, line.section, cited, page, owner_section, reflected)
        is_agents = all(vouched_by.get(row["observation_id"]) == "agent" for row in cited)
        if is_agents and candidate.section in (owner_section, HARD_RULES):
            held["nobody but the agent said it"] += 1
            continue
        candidate = replace(candidate, is_everywhere=line.everywhere and not is_agents and not find_paths(text))
        candidates.append(replace(candidate, takes=tuple(item.proposal_id for item in taken)))
        replaces |= {item.old_text: candidate.evidence[0] for item in taken if item.old_text}
        if old := _find_quoted_line(line.replaces, candidate, page, zone):
            replaces[old] = candidate.evidence[0]
    if ungrounded and not candidates:
        raise ValueError(f"no line in it can stand: {'; '.join(ungrounded[:SHOWN_LINES])}")
    summary = _ground_summary(answer.summary, sources, zone)
    over = tuple(
        bullet.line
        for bullet in page.bullets
        if bullet.is_one_line and bullet.line not in replaces and any(is_quoted(bullet, quote) for quote in answer.over)
    )
    count = len(answer.proposals)
    doubts = _find_doubts(answer.over, {key for item in candidates for key in item.takes}, rows, waiting, page)
    return Reflection(tuple(candidates), replaces, summary, dict(sorted(held.items())), count, frozenset(named), over, doubts)


def _find_taken(quote: str, text: str, waiting: Sequence[WaitingLine]) -> list[WaitingLine]:
    """Return the waiting lines that a model names by their marks, or by their words, as those whose place its line takes; none
    when it only says one of them again."""
    same = [item for item in waiting if strip_quote(quote) and strip_quote(quote) in (strip_quote(item.text), item.shown)]
    taken = same or [waiting[place] for place in waiting_marks.read_places(quote, [item.shown for item in waiting])]
    return [] if waiting_marks.repeats_line(text, [item.text for item in taken]) else taken


def _find_doubts(
    over: Sequence[str], taken: Collection[str], rows: Sequence[ObservationRow], waiting: Sequence[WaitingLine], page: MemoryPage
) -> tuple[LineDoubt, ...]:
    """Return what is said of waiting lines whose place no line takes, the first about each."""
    remarks = waiting_marks.find_remarks(over, [item.shown for item in waiting], [bullet.text for bullet in page.bullets])
    return tuple(
        LineDoubt(key, remark.verdict, tuple(rows[ref - 1]["observation_id"] for ref in remark.refs if 1 <= ref <= len(rows)))
        for place, remark in remarks.items()
        if (key := waiting[place].proposal_id) not in taken
    )


def find_missed_hard_rules(offline: Iterable[LineCandidate], proposed: Sequence[LineCandidate]) -> list[LineCandidate]:
    """Return hard rules in a person's own words that the model did not mention: they are proposed all the same, after its own."""
    covered = {key for candidate in proposed for key in candidate.evidence}
    missed = [candidate for candidate in offline if candidate.section == HARD_RULES and not covered & set(candidate.evidence)]
    return [replace(candidate, salience=0.0) for candidate in missed]


def list_unnamed_rows(shown: Sequence[ObservationRow], reflection: Reflection, max_lines: int) -> list[str]:
    """Return the observations that a full answer had no room for, the best first: they are shown again. None when it had room."""
    if reflection.line_count < max_lines:
        return []
    unnamed = [row for row in shown if row["observation_id"] not in reflection.named and is_notable(row)]
    return [row["observation_id"] for row in sorted(unnamed, key=rank_row)]


def _parse_line(section: str, body: str) -> ProposedLine:
    text, marked = waiting_marks.cut_marked_refs(body)
    refs = TRAILING_REFS.search(text)
    text = TRAILING_REFS.sub("", text)
    is_everywhere = text.casefold().startswith(_EVERYWHERE)
    text = text[len(_EVERYWHERE) :].lstrip() if is_everywhere else text
    replace = REPLACEMENT.match(text)
    old, new = (replace["old"], replace["new"]) if replace else waiting_marks.split_marked(text)
    numbers = marked or (parse_numbers(refs[0]) if refs else [])
    return ProposedLine.model_validate(
        {"section": section, "text": new, "replaces": old, "refs": numbers, "everywhere": is_everywhere}
    )


def _find_unfit_reason(text: str, cited: Sequence[ObservationRow], vouched_by: Mapping[str, Source]) -> str:
    """Return why a grounded line does not belong in MEMORY.md; empty when it does.

    An agent's report must be of a kind that lasts. A request of the owner may be a wish for good: the model saw them all and
    judges that.
    """
    if not any(_is_lasting(row) or _is_owners(row, vouched_by) for row in cited):
        return "rests on nothing that lasts"
    if is_passing(text, is_worded=True):
        return "is a state of work or an instruction about the page"
    return "" if is_standalone(text, is_worded=True) else "cannot stand alone"


def _is_lasting(row: ObservationRow) -> bool:
    return is_notable(row) and row["kind"] not in INELIGIBLE_KINDS


def _is_owners(row: ObservationRow, vouched_by: Mapping[str, Source]) -> bool:
    is_current = row["verdict"] == "allow" and row["superseded_by"] is None
    return is_current and vouched_by.get(row["observation_id"]) in ("owner", "answer", "summary")


def _build_candidate(
    text: str, section: str, cited: Sequence[ObservationRow], page: MemoryPage, owner_section: str, reflected: str
) -> LineCandidate:
    lasting = [row for row in cited if _is_lasting(row)]
    best = max(lasting or cited, key=lambda row: (score_observation(row), row["said_at"], row["observation_id"]))
    kind = best["kind"] if lasting else "preference"  # a request of the owner that the model takes for a wish for good
    usual = choose_section(kind, best["category"], text, owner_section, reflected)
    known = _find_named_section(section, page, owner_section, reflected)
    named = known or usual
    # Only the owner makes a hard rule, and a preference never becomes one: a model's word is not enough for either. In another
    # language than English code cannot read "always" and "never": there a rule is as hard as the model says.
    is_unread = kind in ("rule", "correction") and is_other_language(
        split_words(" ".join([text, *(row["text"] for row in cited)]))
    )
    is_rule_moved = (named == HARD_RULES) != (usual == HARD_RULES) and not is_unread
    return LineCandidate(
        text=text,
        section=usual if is_rule_moved else named,
        kind=kind,
        salience=score_observation(best),
        evidence=tuple(dict.fromkeys(row["observation_id"] for row in [best, *cited])),
        sessions=frozenset(
            {row["session_id"] for row in cited} | {ref.split(":", 1)[0] for row in cited for ref in row["also"] or ()}
        ),
        said_at=max(row["said_at"] for row in cited),
        projects=frozenset(row["project"] for row in cited if row["project"]),
        is_worded=True,
        unknown_section="" if known else " ".join(section.split()),
    )


def _find_named_section(name: str, page: MemoryPage, owner_section: str, reflected: str) -> str:
    """Return the section that a model named: one of the usual ones, else one of the page; empty when there is none of that name.

    The owner may have made sections of their own, and a model is shown their lines.
    """
    if name.casefold().startswith("reflected"):
        return reflected
    for known in (owner_section, HARD_RULES, SYSTEM_ARCHITECTURE, PATTERNS):
        if normalise_name(known) == normalise_name(name):
            return known
    present = page.find_section(name)
    return present.name if present and present.name and present.level > 1 else ""


def _find_quoted_line(quote: str, candidate: LineCandidate, page: MemoryPage, zone: tzinfo) -> str:
    """Return the quoted line of MEMORY.md, when the candidate shares a word of the subject and is not older.

    One shared word is enough, because a new choice often has new words ("hosted on Fly", "runs on the NUC in the office").
    """
    for bullet in page.bullets:
        is_older = bullet.dated is None or bullet.dated <= find_local_day(candidate.said_at, zone)
        if is_older and bullet.is_one_line and is_quoted(bullet, quote) and _share_subject(bullet.text, candidate.text):
            return bullet.line
    return ""


def is_quoted(bullet: Bullet, quote: str) -> bool:
    """Whether a quotation is the line, with its marker and date or without."""
    wanted = strip_quote(quote)
    return bool(wanted) and wanted in {
        strip_quote(text) for text in (bullet.text, bullet.line, LEADING_DATE.sub("", bullet.text))
    }


def strip_quote(text: str) -> str:
    """Return a line without its marker and the quotation marks around it; a line may end with one of its own."""
    return " ".join(text.split()).removeprefix("- ").strip('"“” ')


def _share_subject(old: str, new: str) -> bool:
    pairs = {word for word in tokenize(old) if is_unspaced(word)} & {*tokenize(new)}
    return bool(pairs or select_content_words(parse_statement(old)) & select_content_words(parse_statement(new)))


def _ground_summary(summary: str, sources: dict[int, CitedRow], zone: tzinfo) -> str:
    """Return the grounded sentences of the summary, two at most."""
    grounded = [
        sentence
        for sentence in split_sentences(" ".join(summary.split()))
        if not ground_line(sentence, list(sources), sources, zone, is_narrative=True)[1]
    ]
    text = " ".join(grounded[:2])
    return text if len(text) <= PROPOSAL_SUMMARY_CHARS else ""
