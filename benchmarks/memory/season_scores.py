"""Scores the memory of a season: recall of facts that hold, stale and contradictory lines, traps, secrets, and replaced facts."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import Any

from benchmarks.memory.season_life import Life, belongs_to
from benchmarks.memory.season_voice import Keys, SeasonFact, State, mentions, scale_day
from effects.store.run import Run
from transforms.language.relative_dates import has_ended
from transforms.tables.periods import DAY, Period, find_parent_period, find_period
from transforms.tables.rows import ObservationRow
from transforms.tables.schema import OBSERVATIONS, read_rows
from transforms.tables.tokens import count_tokens

Scores = dict[str, Any]


def score_week(life: Life, day: int) -> dict[str, float]:
    """Return the row of a week: shares of lasting facts that hold on the day, and counts of lines and of proposals so far."""
    lines = life.memory_lines()
    holding = [fact for fact in life.voice.facts if fact["lasting"] and life.voice.find_state(fact, day, life.days)]
    return {
        "day": day,
        "proposed": len(life.ticked) + len(life.struck),
        "ticked": len(life.ticked),
        "lines": len(lines),
        "in_memory": share(sum(_is_in(fact, lines, life, day) for fact in holding), len(holding)),
        "in_memory_or_briefing": share(sum(_reaches(fact, lines, life, day) for fact in holding), len(holding)),
        "stale": sum(life.is_stale(line, day) for line in lines),
        "contradictory": len(_find_contradictions(life, lines, day)),
        "traps": _count_traps(life, lines),
        "secrets": _count_secrets(life),
        "leaked": _count_leaked(life, day),
        "night_s": round(life.seconds[-1], 2) if life.seconds else 0.0,
    }


def score_end(life: Life, run: Run, day: int) -> Scores:
    """Return the figures at the end of a season."""
    rows = [row for row in read_rows(OBSERVATIONS, run.lake.read("observations")) if row["verdict"] == "allow"]
    week = score_week(life, day)
    replaced = [(fact, past) for fact in life.voice.facts for past in life.voice.list_past_states(fact, day, life.days)]
    mentioned = [(fact, past) for fact, past in replaced if any(mentions(row["text"], past["keys"]) for row in rows)]
    retired = sum(all(row["superseded_by"] for row in _list_statements(fact, past, rows)) for fact, past in mentioned)
    hand = [line for line in life.by_hand.values() if life.is_stale(line, day)]
    return week | {
        "nights": len(life.seconds),
        "accepted_share": share(len(life.ticked), len(life.ticked) + len(life.struck)),
        "line_share": _count_line_share(life),
        "reproposed_after_rejection": life.reproposed,
        "operations": dict(sorted(Counter(life.operations[key] for key in life.ticked).items())),
        "struck_operations": dict(sorted(Counter(life.operations[key] for key in life.struck).items())),
        "stale_over_a_week": sum(nights > 7 for line, nights in life.stale_nights.items() if line in life.memory_lines()),
        "hand_stale": len(hand),
        "hand_stale_left": sum(any(line in bullet for bullet in life.memory_lines()) for line in hand),
        "facts": len(life.voice.facts),
        "in_tier_0": share(sum(_is_stated(fact, rows) for fact in life.voice.facts), len(life.voice.facts)),
        "replaced": len(replaced),
        "replaced_in_tier_0": len(mentioned),
        "retired": retired,
        **_count_fates(life, mentioned, rows, day),
        "wrongly_retired": sum(_is_lost(life, fact, rows, day) for fact in life.voice.facts),
        "polarity_merges": _count_polarity_merges(life, rows),
        "restated": _count_restated(life, rows, day)[0],
        "restated_merged": _count_restated(life, rows, day)[1],
        "recall_by_tier": _measure_tiers(life, run, rows, day),
        "sections": _count_sections(life, run, day),
        "briefing_tokens": max((count_tokens(text) for text in read_briefings(life).values()), default=0),
        "night_s_first": round(life.seconds[0], 2),
        "typed_recall": share(
            sum(_is_in(fact, life.typed, life, day) for fact in _list_holding(life, day)), len(_list_holding(life, day))
        ),
        "typed_stale": sum(any(mentions(line, past["keys"]) for line in life.typed) for _, past in replaced),
    }


def _count_line_share(life: Life) -> float:
    ticked, struck = (sum(life.operations[key] != "friction" for key in marked) for marked in (life.ticked, life.struck))
    return share(ticked, ticked + struck)


def read_briefings(life: Life) -> dict[str, str]:
    """Return the briefings by project."""
    return {path.stem: path.read_text(encoding="utf-8") for path in (life.settings.workspace / "briefing").glob("*.md")}


def share(part: int, whole: int) -> float:
    """Return a share, 0 of nothing."""
    return round(part / whole, 3) if whole else 0.0


def _list_holding(life: Life, day: int) -> list[SeasonFact]:
    return [fact for fact in life.voice.facts if fact["lasting"] and life.voice.find_state(fact, day, life.days)]


def _is_in(fact: SeasonFact, lines: list[str], life: Life, day: int) -> bool:
    state = life.voice.find_state(fact, day, life.days)
    return state is not None and any(mentions(line, state["keys"]) for line in lines)


def _reaches(fact: SeasonFact, lines: list[str], life: Life, day: int) -> bool:
    pages = [text.splitlines() for project, text in read_briefings(life).items() if belongs_to(fact, project)]
    return _is_in(fact, lines, life, day) or any(_is_in(fact, page, life, day) for page in pages)


def _find_contradictions(life: Life, lines: list[str], day: int) -> list[str]:
    """Return the facts of which MEMORY.md states both the present and an earlier state."""
    return [
        fact["id"]
        for fact in life.voice.facts
        if _is_in(fact, lines, life, day)
        and any(
            mentions(line, past["keys"]) and life.is_stale(line, day)
            for past in life.voice.list_past_states(fact, day, life.days)
            for line in lines
        )
    ]


def _count_traps(life: Life, lines: list[str]) -> int:
    return sum(any(mentions(line, trap["keys"]) for line in lines) for trap in life.voice.traps)


def _count_secrets(life: Life) -> int:
    return sum(life.secret in path.read_text(encoding="utf-8") for path in life.settings.workspace.rglob("*.md"))


def _count_leaked(life: Life, day: int) -> int:
    """Return the lines of a briefing about a fact of the other project, lines of MEMORY.md apart."""
    approved = life.memory_lines()
    count = 0
    for project, text in read_briefings(life).items():
        own = [line for line in text.splitlines() if line.startswith("- ") and not any(bullet in line for bullet in approved)]
        others = [fact for fact in life.voice.facts if not belongs_to(fact, project)]
        count += sum(any(_is_in(fact, [line], life, day) for fact in others) for line in own)
    return count


def _is_stated(fact: SeasonFact, rows: list[ObservationRow]) -> bool:
    return any(mentions(row["text"], fact["states"][-1]["keys"]) for row in rows)


def _list_statements(fact: SeasonFact, past: State, rows: list[ObservationRow]) -> list[ObservationRow]:
    """Return the statements of an earlier state; what also tells a later one reports the change."""
    later = fact["states"][fact["states"].index(past) + 1 :]
    return [
        row
        for row in rows
        if mentions(row["text"], past["keys"]) and not any(mentions(row["text"], state["keys"]) for state in later)
    ]


def _count_fates(life: Life, mentioned: list[tuple[SeasonFact, State]], rows: list[ObservationRow], day: int) -> dict[str, int]:
    """Return how many earlier states a later one replaced, how many ended without a word, and how many of both are gone: all
    their statements are superseded, or their stated end has passed."""
    counts = dict.fromkeys(("by_a_state", "by_a_state_gone", "by_their_end", "by_their_end_gone"), 0)
    today = life.find_night(day).date()
    for fact, past in mentioned:
        now = life.voice.find_state(fact, day, life.days)
        is_ended = now is None and past is life.voice.list_past_states(fact, day, life.days)[-1]
        own = _list_statements(fact, past, rows)
        is_gone = all(
            row["superseded_by"] or (row["said_at"] and has_ended(row["text"], row["said_at"].date(), today)) for row in own
        )
        name = "by_their_end" if is_ended else "by_a_state"
        counts[name] += 1
        counts[f"{name}_gone"] += is_gone
    return counts


def _is_lost(life: Life, fact: SeasonFact, rows: list[ObservationRow], day: int) -> bool:
    """Whether every statement of a fact that holds was retired by statements of something else."""
    state = life.voice.find_state(fact, day, life.days)
    own = [row for row in rows if state and mentions(row["text"], state["keys"])]
    ids = {row["observation_id"] for row in own}
    return bool(own) and all(row["superseded_by"] and row["superseded_by"] not in ids for row in own)


def _count_polarity_merges(life: Life, rows: list[ObservationRow]) -> int:
    """Return how often a statement of one state was merged into one of the other; what names both ("no longer …") is neither."""
    by_id = {row["observation_id"]: row for row in rows}
    merged = [
        (row["text"], heir["text"])
        for row in rows
        if (heir := by_id.get(row["superseded_by"] or "")) and _list_cited(row) & set(heir["also"] or ())
    ]
    pairs = [
        (state["keys"], other["keys"])
        for fact in life.voice.facts
        for state, other in zip(fact["states"], fact["states"][1:], strict=False)
    ]
    return sum(
        any({_tell_state(text, a, b), _tell_state(heir, a, b)} == {"first", "second"} for a, b in pairs) for text, heir in merged
    )


def _list_cited(row: ObservationRow) -> set[str]:
    return {f"{row['session_id']}:{entry_id}" for entry_id in row["entry_ids"] or ()}


def _tell_state(text: str, first: Keys, second: Keys) -> str:
    is_first, is_second = mentions(text, first), mentions(text, second)
    return "" if is_first == is_second else "first" if is_first else "second"


def _count_restated(life: Life, rows: list[ObservationRow], day: int) -> tuple[int, int]:
    """Return the states that were said several times and that observations of several sessions tell, and those of which some were
    merged."""
    restated = merged = 0
    for fact in life.voice.facts:
        for state in fact["states"]:
            own = [row for row in rows if mentions(row["text"], state["keys"])]
            days = {said["day"] for said in state["said"] if scale_day(said["day"], life.days) <= day}
            if len(days) > 1 and len({row["session_id"] for row in own}) > 1:
                restated += 1
                merged += any((row["merged_count"] or 1) > 1 for row in own)
    return restated, merged


def _measure_tiers(life: Life, run: Run, rows: list[ObservationRow], day: int) -> dict[str, float]:
    """Return, for each tier, the share of facts of tier 0 whose period has a text, and that a text still tells."""
    texts: dict[int, dict[tuple[date, str], str]] = {}
    for row in run.lake.read("distillates").iter_rows(named=True):
        texts.setdefault(row["tier"], {})[row["period_start"], row["project"]] = row["text"]
    result: dict[str, float] = {}
    for tier, periods in sorted(texts.items()):
        covered = kept = 0
        for fact in _list_holding(life, day):
            state = life.voice.find_state(fact, day, life.days)
            own = [row for row in rows if state and mentions(row["text"], state["keys"]) and row["superseded_by"] is None]
            places = {(_find_period_start(tier, row["day"]), row["project"] or "") for row in own}
            of_period = [periods[place] for place in sorted(places) if place in periods]
            covered += bool(of_period)
            kept += bool(of_period) and any(_is_in(fact, text.splitlines(), life, day) for text in of_period)
        result[str(tier)] = share(kept, covered)
    return result


def _find_period_start(tier: int, day: date) -> date:
    """Return the first day of the period that takes in a day; a week belongs to the month of its Thursday."""
    period: Period | None = find_period(DAY, day)
    while period is not None and period.tier < tier:
        period = find_parent_period(period)
    return period.start if period else day


def _count_sections(life: Life, run: Run, day: int) -> dict[str, int]:
    """Return how many approved lines of each kind of fact stand in each section."""
    sections = dict(run.lake.read("proposals").select("proposal_id", "section").iter_rows())
    counts: Counter[str] = Counter()
    for proposal_id, text in life.ticked.items():
        if life.operations[proposal_id] == "add" and (fact := life.holds(text, day)):
            counts[f"{fact['kind']} in {sections[proposal_id].split(' (')[0]}"] += 1
    return dict(sorted(counts.items()))
