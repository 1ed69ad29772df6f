"""Has the facts of a window read a second time, and joins its verdicts with those of the word checks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from effects.judging.second_reader import SecondReader
from effects.store.run import Counts
from transforms.distil.engine_result import DistilledWindow, Fact
from transforms.distil.fact_grounding import NOBODY_TYPED, check_fact
from transforms.distil.window_evidence import WindowEvidence
from transforms.rereading.kept_part import keep_as_kind, keep_part, keep_without_aside
from transforms.rereading.passages import shows_citations_whole
from transforms.rereading.reading_answer import Reading
from transforms.rereading.verdicts import is_let_through, join_verdicts
from transforms.tables.enums import Verdict

MAX_REREAD_FACTS = 24
"""Facts of one request; a window with more is read in several."""
MOST_LEFT = 16
"""Facts that join the request before them: excerpts and instructions cost ten times what they do."""


@dataclass(frozen=True, slots=True)
class WindowReading:
    """The verdict on each fact of a window with its reason, the `kept` part of facts of which another part is false, and counts:
    facts `read`, `wrong` (or absent) ones held, doubtful ones let through (`cleared`), `shortened` ones, faults by name, and
    `unread` facts by reason."""

    verdicts: dict[Fact, tuple[Verdict, str]]
    kept: dict[Fact, Fact] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)


def read_window(reader: SecondReader, distilled: DistilledWindow, evidence: WindowEvidence) -> WindowReading:
    """Return the verdicts on a window's facts: those of the word checks alone where the reader gave no answer.

    Facts that the checks discard are not read: no verdict of a model could bring them back.
    """
    checked = {fact: check_fact(fact, evidence) for segment in distilled.segments for fact in segment.facts}
    open_facts = [fact for fact, (verdict, _) in checked.items() if verdict != "discard"]
    readings: dict[Fact, Reading | None] = {}
    result = WindowReading(checked)
    for part in split_facts(open_facts):
        answers, reason = reader.read(part, evidence)
        readings |= dict(zip(part, answers, strict=True))
        if reason:
            result.unread[reason] += len(part)
    for fact, answered in readings.items():
        if answered is None:
            continue
        reading = _name_finding(fact, checked[fact], answered)
        kept = _keep_part(fact, checked[fact], reading, evidence)
        joined = join_verdicts(
            checked[fact],
            reading,
            is_whole=shows_citations_whole(fact, evidence),
            noted=fact.text if kept and kept.text != fact.text else "",
            noted_kind=fact.kind if kept and kept.kind != fact.kind else "",
        )
        before, after, result.verdicts[fact] = checked[fact][0], joined[0], joined
        if kept:
            result.kept[fact] = kept
        result.counts["read"] += 1
        result.counts["shortened"] += bool(kept and kept.text != fact.text)
        result.counts["wrong"] += before == "allow" and after == "hold"
        result.counts["cleared"] += before == "hold" and after == "allow"
        if reading.reason:
            result.faults[reading.reason.partition(":")[0]] += 1
    return result


def split_facts(facts: list[Fact]) -> list[list[Fact]]:
    """Return the facts of each request, in order."""
    parts = [facts[start : start + MAX_REREAD_FACTS] for start in range(0, len(facts), MAX_REREAD_FACTS)]
    if len(parts) > 1 and len(parts[-1]) <= MOST_LEFT:
        parts[-2:] = [parts[-2] + parts[-1]]
    return parts


def _name_finding(fact: Fact, checked: tuple[Verdict, str], reading: Reading) -> Reading:
    """Return the reading of a fact; of a supported correction that nobody typed, as a finding. What a check showed of an agent's
    claim is true, and no words of the owner."""
    is_finding = fact.kind == "correction" and checked == ("hold", NOBODY_TYPED)
    return replace(reading, kind="fact") if is_finding and reading.verdict == "supported" and not reading.kind else reading


def _keep_part(fact: Fact, checked: tuple[Verdict, str], reading: Reading, evidence: WindowEvidence) -> Fact | None:
    """Return what stands for a fact that cannot go further as it is; None when it can, or nothing may stand for it."""
    if reading.kind and (lowered := keep_as_kind(fact, reading.kind, evidence)):
        return lowered
    if reading.verdict == "supported" and not is_let_through(checked):
        return keep_without_aside(fact, checked[1].partition(": ")[2], evidence)
    return keep_part(fact, reading.holds, evidence)


def summarise_readings(readings: list[WindowReading]) -> Counts:
    """Return the counts of a step; empty when nothing was to be read."""
    counts: Counter[str] = sum((reading.counts for reading in readings), Counter())
    faults: Counter[str] = sum((reading.faults for reading in readings), Counter())
    unread: Counter[str] = sum((reading.unread for reading in readings), Counter())
    if not counts and not unread:
        return {}
    named: Counts = {name: counts[name] for name in ("read", "wrong", "cleared", "shortened")}
    return named | {"faults": dict(sorted(faults.items()))} | ({"unread": dict(sorted(unread.items()))} if unread else {})
