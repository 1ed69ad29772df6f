"""Decides which observations may become lines of MEMORY.md, in which section, and how much they are worth.

A line must still be true next month, and the owner must want every agent to know it. Noise and duplicates make reviews useless,
so in doubt nothing is proposed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal, Protocol

from transforms.classify.clause_kinds import MIN_LASTING
from transforms.distil.engine_result import DEFAULT_CONFIDENCE
from transforms.exchanges.replaced_values import names_measure
from transforms.language.assertions import is_wish
from transforms.language.entities import find_file_names
from transforms.memory.lasting.durable_line import CHOICE, is_durable, is_vouched_for
from transforms.memory.lasting.spoken_rules import is_of_speaker, list_spoken_rules
from transforms.memory.normalise_claim import (
    extract_claims,
    extract_fragments,
    find_quote,
    names_answer,
)
from transforms.memory.passing_line import ends_soon, holds_for_days, is_choice_of_the_day, is_passing
from transforms.memory.said_for_good import (
    ABSOLUTE,
    choose_section,
    is_disowned,
    is_hard,
    is_meant_to_last,
    is_said_for_good,
    list_owned_sentences,
)
from transforms.pages.memory_md import HARD_RULES
from transforms.pages.page_names import shorten_project
from transforms.quoting.whole_claim import names_little
from transforms.tables.enums import APART_KINDS, GUIDING_KINDS, PERSON_KINDS, PERSONAL_KINDS, SETTLING_KINDS, STANDING_KINDS
from transforms.tables.periods import find_local_day
from transforms.tables.rows import ObservationRow

Source = Literal["owner", "answer", "summary", "agent"]
"""The origin of an observation: the owner's words, an answer to a question of the agent, a summary that cites the
owner, or only the agent and its tools."""
MIN_STATING_SESSIONS = 2
"""Sessions in which an agent must have said the same before it is proposed."""
MIN_WORDINGS = 2
"""Wordings in which something must have been said before it counts as restated: what is sent again word for word is a prompt."""
MIN_CORRECTED_SESSIONS = 3
"""Sessions in which a correction counts as restated in the very same words: it answers what the agent did, so it is no prompt."""
INELIGIBLE_KINDS = (
    frozenset({"file_change", "status", "progress", "rejected", "completion", "error", "request", "question", "task"})
    | APART_KINDS
)
FINDING_KINDS = frozenset({"root_cause", "fix", "fact"})
"""Kinds of findings, not of settled matters."""
NOTABLE_CONFIDENCE = 0.8
"""Confidence from which a medium observation of a lasting kind is notable."""
CONFIDENCE_WEIGHT = 0.5
HIGH_BONUS = 1.0
LEAST_SALIENCE = 2.0
"""Salience of an observation of a kind that does not last by itself, which a model took for more."""
ABSOLUTE_BONUS = 0.5
"""Added to the salience of a line that says always or never."""
REPETITION_BONUS, MAX_REPETITION_BONUS = 0.5, 1.5
"""Added to the salience for every merged observation, up to a maximum."""

_ELIGIBLE_KINDS = {
    "rule": 5.0, "preference": 4.6, "decision": 4.2, "convention": 4.2, "correction": 4.0, "root_cause": 3.4, "state_change": 3.4,
    "fact": 3.0, "fix": 2.4,
}  # fmt: skip


class Lasts(Protocol):
    """How likely a line, made of a quotation, is a rule for good by what learned weights say of its words; of one that cannot
    reach `least` some number below that."""

    def __call__(self, line: str, quote: str, least: float = 0.0, /) -> float:
        """Return the likelihood."""


MIN_AGREED = 0.6
"""Probability from which a line is a rule for good where its row is one of a rule or a wish, too."""


def lasts_by_rules_alone(_line: str, _quote: str, _least: float = 0.0) -> float:
    """Return 0: nobody is asked but the rules of language."""
    return 0.0


@dataclass(frozen=True, slots=True)
class LineCandidate:
    """A line that may be proposed, with the observations that prove it (best first) and its salience.

    `is_support`: too short or too tied to its occasion to be a line ("uv, not pip!!"), but evidence for a line with the same
    claim. `is_change`: no line by itself, and yet it may take the place of a line of MEMORY.md that it contradicts: that the
    subject matters was decided when the line was written. `is_worded`: by a model, which says by `is_everywhere` that it binds
    the owner's way of working in every project, although it was said in one. `unknown_section`: the section that a model named,
    when MEMORY.md has none of that name. `message`: the owner's message that a summary words, empty for other origins. `whole`:
    the line with what the owner said beside it, which is added; what changes a line of MEMORY.md says only the claim. `takes`:
    the proposals that wait, and in whose place a model puts it.
    """

    text: str
    section: str
    kind: str
    salience: float
    evidence: tuple[str, ...]
    sessions: frozenset[str]
    said_at: datetime
    projects: frozenset[str]
    is_support: bool = False
    is_change: bool = False
    is_everywhere: bool = False
    is_worded: bool = False
    unknown_section: str = ""
    message: str = ""
    whole: str = ""
    takes: tuple[str, ...] = ()


def find_refusal(
    observation: ObservationRow, source: Source, zone: tzinfo, wordings: int = 1, lasts: Lasts = lasts_by_rules_alone
) -> str:
    """Return why an observation of a lasting kind offers no line; empty when it may offer one, or is of another kind.

    `wordings`: in how many wordings it was said, restatements included.

    `foreign`: it is a wish, and neither the owner's nor a summary of theirs, or read off an output or somebody else's text;
    `disputed`: a sentence beside it may deny it or give it to somebody else;
    `agent_alone`: nobody but the agent said it, in one session only, or about a file; `decided_for_the_work`: a summary tells
    of a decision, or a choice is about things of a past day, or for the moment; `minor`: neither important nor sure nor repeated;
    `ends`: it says until when it holds, and that is soon; `unworded`: an answer whose words do not stand alone; `not_lasting`: no
    claim of it stands alone and lasts.
    """
    if observation["kind"] not in _ELIGIBLE_KINDS or not _is_current(observation):
        return ""
    if not may_speak(observation):
        return "foreign"
    wordings = _count_as_wordings(observation, wordings)
    if _is_disputed(observation, source, wordings) and not _find_lasting_lines(observation, source, wordings, lasts, zone):
        return "disputed"
    if source == "agent" and (not _is_restated(observation, wordings) or _is_finding_in_file(observation)):
        return "agent_alone"
    if source == "summary" and observation["kind"] not in ("convention", "decision"):
        return "decided_for_the_work"
    if source != "summary" and not is_notable(observation):
        return "minor"
    if ends_soon(observation, zone):
        return "ends"
    if _find_place(observation, source) == "answer" and is_choice_of_the_day(observation, zone):
        return "decided_for_the_work"
    if _find_lasting_lines(observation, source, wordings, lasts, zone):
        return ""
    if _find_place(observation, source) == "answer":
        return "unworded"
    return "decided_for_the_work" if source == "summary" and observation["kind"] == "decision" else "not_lasting"


def _is_disputed(observation: ObservationRow, source: Source, wordings: int) -> bool:
    """Whether a sentence of typed words that were said once may deny the others, or give them to somebody else."""
    is_alone = _find_place(observation, source) == "owner" and not _is_restated(observation, wordings)
    return is_alone and is_disowned(find_quote(observation["text"]) or "")


def _is_restated(observation: ObservationRow, wordings: int) -> bool:
    return len(_find_sessions(observation)) >= MIN_STATING_SESSIONS and wordings >= MIN_WORDINGS


def _find_place(observation: ObservationRow, source: Source) -> Source:
    """Return the origin of an observation; the choice of one of the agent's options is an answer, wherever it was typed."""
    return "answer" if source == "owner" and names_answer(observation["text"]) else source


def _count_as_wordings(observation: ObservationRow, wordings: int) -> int:
    is_insisted = observation["kind"] == "correction" and len(_find_sessions(observation)) >= MIN_CORRECTED_SESSIONS
    return max(wordings, MIN_WORDINGS) if is_insisted else wordings


def _is_finding_in_file(observation: ObservationRow) -> bool:
    """Whether a finding names a file: it is about the text there, which changes, however often agents report it."""
    return observation["kind"] in FINDING_KINDS and bool(find_file_names(observation["text"]))


def _list_claims(observation: ObservationRow) -> list[str]:
    project = shorten_project(observation["project"]) if observation["project"] else ""
    return extract_claims(observation["text"], project)


def _find_lasting_lines(observation: ObservationRow, source: Source, wordings: int, lasts: Lasts, zone: tzinfo) -> list[str]:
    """Return the claims of an observation that stand alone and last."""
    source = _find_place(observation, source)
    quote = find_quote(observation["text"])
    is_quote = quote is not None
    is_restated = wordings >= MIN_WORDINGS if is_quote else _is_repeated(observation)
    is_judged = quote is not None and observation["kind"] in PERSON_KINDS

    def is_sure(line: str, bar: float = MIN_LASTING) -> bool:
        """Whether learned weights call a line a rule for good; what its speaker does is one as a wish only."""
        return is_judged and (not is_of_speaker(line) or is_wish(line)) and lasts(line, quote or "", bar) >= bar

    def is_standing(line: str) -> bool:
        """Whether the weights do, with less doubt of a row that is a rule by its kind, too."""
        is_agreed = observation["kind"] in STANDING_KINDS and not is_of_speaker(line) and not names_little(line)
        return is_sure(line, MIN_AGREED if is_agreed else MIN_LASTING)

    def does_last(line: str) -> bool:
        """Whether a line would still hold next month: a summary or an answer has to be vouched for."""
        if source in ("summary", "answer"):
            return is_vouched_for(line, source, observation["kind"])
        if is_standing(line):
            return is_durable(line, "convention", is_quote=True, is_lasting=True)
        is_lasting = is_restated or is_meant_to_last(quote or "", line)
        if quote is not None and not (is_lasting or is_said_for_good(quote, line)):
            return False
        return is_durable(line, observation["kind"], is_quote=is_quote, is_lasting=is_lasting)

    is_disputed = _is_disputed(observation, source, wordings)
    lines = [line for line in _list_claims(observation) if does_last(line)] if not is_disputed else []
    if is_judged and source == "owner" and not lines:
        owned = " ".join(list_owned_sentences(quote or "")) if is_disputed else quote or ""
        spoken = list_spoken_rules(owned, is_sure if is_disputed else is_standing, is_sure)
        lines = [line for line in spoken if is_durable(line, "convention", is_quote=True, is_lasting=True)]
    if source == "owner" and is_quote:
        lines = [line for line in lines if not holds_for_days(line, find_local_day(observation["said_at"], zone))]
    is_choice = quote is not None and observation["kind"] in ("decision", "state_change")
    return [line for line in lines if is_choice and CHOICE.search(line)] or lines  # the choice, not its reason alone


def _find_changing_lines(observation: ObservationRow, lasting: list[str]) -> list[str]:
    """Return the claims that cannot be lines themselves, but are of kinds that change a line. A quotation without a sentence that
    stands alone is one: it may retract a line, and the proposal then has the words of that line.
    """
    if observation["kind"] not in SETTLING_KINDS:
        return []
    claims = _list_claims(observation) or [find_quote(observation["text"]) or ""]
    return [line for line in claims if line and line not in lasting and not is_passing(line)]


def _find_sessions(observation: ObservationRow) -> frozenset[str]:
    return frozenset({observation["session_id"]} | {ref.split(":", 1)[0] for ref in observation["also"] or ()})


def find_candidates(
    observation: ObservationRow,
    owner_section: str,
    reflected: str,
    zone: tzinfo,
    source: Source = "owner",
    wordings: int = 1,
    lasts: Lasts = lasts_by_rules_alone,
) -> list[LineCandidate]:
    """Return the lines that an observation offers: none when it is not durable, not notable or cannot stand alone.

    `wordings`: in how many wordings it was said, restatements included.
    """
    kind = observation["kind"]
    wordings = _count_as_wordings(observation, wordings)
    refusal = find_refusal(observation, source, zone, wordings, lasts)
    salience = score_observation(observation)

    def build(line: str, worth: float, kind: str = kind, *, is_support: bool = False, is_change: bool = False) -> LineCandidate:
        """Return a candidate with this wording and the evidence of the observation."""
        section = choose_section(kind, observation["category"], line, owner_section, reflected, is_owners=source == "owner")
        is_typed = _find_place(observation, source) == "owner"
        return LineCandidate(
            text=line,
            section=HARD_RULES if is_typed and is_hard(line, kind) else section,
            kind=kind,
            salience=worth,
            evidence=(observation["observation_id"],),
            sessions=_find_sessions(observation),
            said_at=observation["said_at"],
            projects=frozenset({observation["project"]} if observation["project"] else ()),
            is_support=is_support,
            is_change=is_change,
            message=f"{observation['session_id']}:{observation['entry_ids'][0]}" if source == "summary" else "",
        )

    if kind == "request" and source == "owner" and _is_current(observation) and may_speak(observation):
        quote = find_quote(observation["text"]) or ""
        return [build(quote, 0.0, is_change=True)] if names_measure(quote) else []
    if not _is_current(observation) or kind not in _ELIGIBLE_KINDS or refusal not in ("", "unworded", "not_lasting", "minor"):
        return []
    lines = _find_lasting_lines(observation, source, wordings, lasts, zone) if refusal != "minor" else []
    changes = _find_changing_lines(observation, lines) if source == "owner" else []
    if refusal == "minor":
        return [build(line, 0.0, is_change=True) for line in changes]
    supports = extract_fragments(observation["text"]) if kind in GUIDING_KINDS else []
    whole = _list_claims(observation)  # what is cut out of a sentence holds where it was said, as a convention; a taste stays one
    scored = ((line, salience + (ABSOLUTE_BONUS if ABSOLUTE.search(line) else 0.0)) for line in lines)
    return [
        *(build(line, score, kind if line in whole or kind == "preference" else "convention") for line, score in scored),
        *(build(line, 0.0, is_change=True) for line in changes),
        *(build(line, 0.0, is_support=True) for line in supports if line.casefold() not in {known.casefold() for known in lines}),
    ]


def is_notable(observation: ObservationRow) -> bool:
    """Whether an observation may be proposed at all: allowed, not superseded, and high, or medium and sure or repeated."""
    if not _is_current(observation):
        return False
    if observation["priority"] == "high":
        return True
    is_sure = (observation["confidence"] or 0) >= NOTABLE_CONFIDENCE and observation["kind"] in (
        "preference",
        "rule",
        "decision",
        "convention",
    )
    return observation["priority"] == "medium" and (is_sure or _is_repeated(observation))


def _is_current(observation: ObservationRow) -> bool:
    return observation["verdict"] == "allow" and observation["superseded_by"] is None and observation["said_at"] is not None


def _is_repeated(observation: ObservationRow) -> bool:
    return (observation["merged_count"] or 1) > 1


def may_speak(observation: ObservationRow) -> bool:
    """Whether an observation of its kind may come from where it comes from: a wish is the owner's, or a summary of the owner's.

    Rows of older versions have no origin and passed the checks of their time.
    """
    origin = observation.get("origin")
    if observation["kind"] in PERSONAL_KINDS:
        return origin in (None, "owner", "summary")
    return observation["kind"] not in ("decision", "convention", "state_change") or origin not in ("tool", "other")


def score_observation(observation: ObservationRow) -> float:
    """Return the salience of a line that rests on this observation; its kind has to be eligible."""
    salience = _ELIGIBLE_KINDS.get(observation["kind"], LEAST_SALIENCE) + (
        HIGH_BONUS if observation["priority"] == "high" else 0.0
    )
    salience += min(MAX_REPETITION_BONUS, REPETITION_BONUS * ((observation["merged_count"] or 1) - 1))
    return round(salience + CONFIDENCE_WEIGHT * float(observation["confidence"] or DEFAULT_CONFIDENCE), 6)
