"""Completes lines for MEMORY.md with what their owner said beside them, and holds back those that name next to nothing."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import polars as pl

from effects.store.forgotten import read_forgotten
from effects.store.run import Run
from transforms.conversation.speakers import Attribution, attribute_user_text, read_part_rows, split_quotable
from transforms.exchanges.chosen_option import points_behind, word_confirmed
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.language.sentences import find_content_words, split_words
from transforms.memory.eligibility import Lasts, LineCandidate
from transforms.memory.former_values import FormerNumbers, drop_former_numbers, list_former_numbers
from transforms.memory.line_successor import has_left_options, may_stand_beside, takes_other_option
from transforms.memory.normalise_claim import answers_question, extract_claims, find_quote, names_answer
from transforms.memory.said_for_good import is_about_work
from transforms.quoting.whole_claim import (
    MIN_SAID_SHARE,
    add_bans,
    complete_line,
    is_run_on,
    names_little,
    restore_answer,
    says_how_often,
)
from transforms.redaction.redact import redact
from transforms.tables.enums import PERSON_KINDS
from transforms.tables.rows import ObservationRow

TYPED_KINDS = PERSON_KINDS - {"preference"}
"""Kinds whose lines are one sentence of the owner's message; a wish is mostly whole."""
_COLUMNS = (
    "observation_id",
    "session_id",
    "project",
    "ordinals",
    "entry_ids",
    "also",
    "superseded_by",
    "said_at",
    "origin",
    "text",
)

MIN_BESIDE = 0.5
"""Likelihood from which a sentence beside a rule that names its matter is one, too, and no talk around it."""
Place = tuple[str, int]
"""A session and the ordinal of an entry in it."""


def complete_lines(
    run: Run,
    candidates: Sequence[LineCandidate],
    rows: Sequence[ObservationRow],
    left_out: Counter[str],
    weigh: Lasts,
) -> list[LineCandidate]:
    """Return the candidates, each line of typed words with what its message says of the same matter.

    A rule that still names next to nothing, a choice of which the owner took another option later, and a claim whose number they
    named as the former one are no lines (`left_out`), but may change one. What was forgotten or replaced since is not said beside
    a line.
    """
    quoted = {row["observation_id"]: row for row in rows if row["kind"] in TYPED_KINDS and find_quote(row["text"]) is not None}
    lines = {
        place: quoted[candidate.evidence[0]]
        for place, candidate in enumerate(candidates)
        if candidate.evidence[0] in quoted and not (candidate.is_change or candidate.is_support or candidate.message)
    }
    facts = _read_near_facts(run, [*lines.values()])
    messages = _read_messages(run, {_find_place(row) for row in lines.values()})
    over, later = _list_over(run, facts), _LaterWords(facts)
    completed = [*candidates]
    for number, row in lines.items():
        candidate, place = candidates[number], _find_place(row)
        is_changed = has_left_options(row["text"]) and takes_other_option(row["text"], later.list_words(row))
        is_fit = _make_judge(over.get(place, ()))
        whole = "" if is_changed else _word_whole(candidate, row, messages.get(place, ""), is_fit, weigh)
        whole = drop_former_numbers(whole, later.list_former(row))
        left_out.update([] if whole else ["not_lasting"])
        completed[number] = replace(candidate, whole=whole, is_change=not whole)
    return _drop_contained(completed, {number: _find_place(row) for number, row in lines.items()})


def _drop_contained(candidates: list[LineCandidate], places: Mapping[int, Place]) -> list[LineCandidate]:
    """Return the candidates; of two lines of a message, one of which stands in the other, the other only supports it, and so
    does the second of two that each say the claim of both.

    Words alone do not tell: "do not log the token" has none that "always log the token's length" lacks.
    """
    by_place = defaultdict[Place, list[tuple[int, str, str]]](list)
    for number, place in places.items():
        if candidates[number].whole:
            claim, whole = (
                " ".join(split_words(text.casefold())) for text in (candidates[number].text, candidates[number].whole)
            )
            by_place[place].append((number, claim, whole))
    for lines in by_place.values():
        for number, claim, own in lines:
            others = [line for line in lines if line[0] != number and not candidates[line[0]].is_support]
            is_contained = any(own in line and (own != line or other < number) for other, _, line in others)
            if is_contained or any(claim in line and said in own and other < number for other, said, line in others):
                candidates[number] = replace(candidates[number], is_support=True)
    return candidates


class _LaterWords:
    """What the owner said of a project after a fact. Each text is read once: a history has many lines, and more facts."""

    def __init__(self, facts: pl.DataFrame) -> None:
        is_said = (pl.col("origin") == "owner") & pl.col("said_at").is_not_null()
        said = facts.filter(is_said).select("project", "said_at", "text").sort("said_at", maintain_order=True)
        self.times = defaultdict[str | None, list[datetime]](list)
        self.words = defaultdict[str | None, list[frozenset[str]]](list)
        self.former = defaultdict[str | None, list[tuple[datetime, FormerNumbers]]](list)
        for project, said_at, text in said.iter_rows():
            self.times[project].append(said_at)
            self.words[project].append(frozenset(find_content_words(text.partition("; not: ")[0])))
            self.former[project] += ((said_at, numbers) for numbers in list_former_numbers(find_quote(text) or text))

    def list_words(self, row: ObservationRow) -> Sequence[frozenset[str]]:
        """Return the content words of each fact."""
        project = row["project"]
        return self.words[project][bisect_right(self.times[project], row["said_at"]) :]

    def list_former(self, row: ObservationRow) -> Sequence[FormerNumbers]:
        """Return the sentences that name a number as the former one."""
        return [numbers for said_at, numbers in self.former[row["project"]] if said_at > row["said_at"]]


def _word_whole(candidate: LineCandidate, row: ObservationRow, message: str, is_fit: Callable[[str], bool], weigh: Lasts) -> str:
    """Return a line of the owner's typed words with what belongs to it; empty when it points, names little or runs on."""
    if names_answer(row["text"]):
        return add_bans(candidate.text, message, is_fit)
    if (restored := restore_answer(row["text"], message)) != row["text"]:
        return next(iter(extract_claims(restored)), candidate.text)
    if answers_question(candidate.text):
        return candidate.text  # what a tool returned tells nothing beside the answer
    if points_behind(candidate.text):
        return word_confirmed(candidate.text, row["text"])
    whole = complete_line(candidate.text, message, is_fit, lambda sentence: weigh(sentence, message, MIN_BESIDE) >= MIN_BESIDE)
    whole = (
        whole if redact(whole, is_user=True) == whole else candidate.text
    )  # the message may be older than a search for secrets
    is_bare = row["kind"] in ("rule", "correction") and names_little(whole) and not is_about_work(whole)
    return "" if is_bare or is_run_on(whole) or says_how_often(whole) else whole


def _make_judge(over: Sequence[str]) -> Callable[[str], bool]:
    """Return whether a sentence may stand beside a line, unless it says what is `over`."""
    gone = [words for text in over if (words := find_content_words(find_quote(text) or text))]

    def is_fit(sentence: str) -> bool:
        own = find_content_words(sentence)
        is_over = any(len(own & words) >= MIN_SAID_SHARE * min(len(own), len(words)) for words in gone)
        return not is_over and may_stand_beside(sentence)

    return is_fit


def _find_place(row: ObservationRow) -> Place:
    return row["session_id"], (row["ordinals"] or [-1])[0]


def _read_near_facts(run: Run, rows: Sequence[ObservationRow]) -> pl.DataFrame:
    """Return the facts of the projects of these facts, and of their sessions."""
    projects = sorted({row["project"] for row in rows if row["project"]})
    is_near = pl.col("project").is_in(projects) | pl.col("session_id").is_in(sorted({row["session_id"] for row in rows}))
    near = run.lake.scan("observations").filter(is_near & (pl.col("verdict") == "allow"))
    return near.select(_COLUMNS).sort("said_at", "observation_id").collect()


def _list_over(run: Run, facts: pl.DataFrame) -> Mapping[Place, Sequence[str]]:
    """Return, by the entry that they quote, facts that were forgotten, or that another one replaced and did not only absorb."""
    remembered = set(drop_forgotten_rows(facts, read_forgotten(run.lake))["observation_id"])
    absorbed = {key: set(also or ()) for key, also in facts.select("observation_id", "also").iter_rows()}
    over = defaultdict[Place, list[str]](list)
    for row in facts.iter_rows(named=True):
        cited = {f"{row['session_id']}:{entry}" for entry in row["entry_ids"] or ()}
        heir = row["superseded_by"]
        if row["observation_id"] not in remembered or (heir is not None and cited.isdisjoint(absorbed.get(heir, ()))):
            over[row["session_id"], (row["ordinals"] or [-1])[0]].append(row["text"])
    return over


def _read_messages(run: Run, places: set[Place]) -> dict[Place, str]:
    """Return the owner's words of these messages; of what a question tool returned, all. None of a message that was forgotten."""
    if not places:
        return {}
    scan = run.lake.scan("entries").filter(pl.col("role").is_in(["user", "toolResult"]))
    ordinals = scan.collect_schema()["ordinal"]
    wanted = pl.LazyFrame(sorted(places), schema={"session_id": pl.String, "ordinal": ordinals}, orient="row")
    columns = ("session_id", "ordinal", "entry_id", "role", "text", "speaker", "speaker_reason", "speaker_parts")
    read = scan.select(columns).join(wanted, on=("session_id", "ordinal"), how="semi").collect()
    messages = dict[Place, str]()
    for row in drop_forgotten_rows(read, read_forgotten(run.lake)).iter_rows(named=True):
        place, text = (row["session_id"], row["ordinal"]), row["text"] or ""
        if row["role"] != "user":
            messages[place] = text
            continue
        parts = read_part_rows(row["speaker_parts"])
        is_judged = bool(row["speaker"])
        spoken = Attribution(row["speaker"], row["speaker_reason"], parts) if is_judged else attribute_user_text(text)
        messages[place] = split_quotable(text, spoken)[0]
    return messages
