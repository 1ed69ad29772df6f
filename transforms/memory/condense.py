"""Condenses the narratives and facts of a period offline. The text consists of extracts, so every word stands in a child.

There are five levels of detail: none is dropped, then 8/10, 6/10, 4/10 and 2/10 of the budget. The first level whose text is
smaller than its input is taken.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from transforms.language.sentences import split_prose
from transforms.language.similarity import has_other_details, is_opposite
from transforms.language.statement import Statement, parse_statement, select_content_words, split_claim
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import PRIORITY_MARKS
from transforms.tables.periods import DAY, MONTH, WEEK, YEAR
from transforms.tables.tokens import count_tokens

DETAIL_LEVELS = (1.0, 0.8, 0.6, 0.4, 0.2)
"""Share of the budget at each level."""
TIER_BUDGETS = {DAY: (0.85, 4000), WEEK: (0.85, 4000), MONTH: (0.85, 4000), YEAR: (0.75, 5000)}
"""Tier → the share of the input that may stay, and the most tokens. Kinds decide first on the rows that a tier drops; a smaller
share would also lose rules."""
GUARANTEED_TOKENS = 1000
"""Tokens that any period may keep, however small its input: a project with three rules keeps them for ever."""
MAX_FACT_CHARS = {DAY: 420, WEEK: 420, MONTH: 240, YEAR: 240}
MAX_THEME_CHARS, MAX_THEME_WORDS = 160, 14
"""Characters of a theme's line, and content words beyond which a longer sentence is no better one."""
LEAST_SALIENCE_OF_LEVEL = (0, 0, 10, 20, 25)
"""Least salience of a fact at each level: the third drops low facts, the fourth medium ones."""
COVERED_SHARE, MIN_CUT_SHARE = 0.8, 0.6
"""Share of the words from which a fact is covered; share of the room that a cut at a full stop, semicolon or comma must fill."""
MAX_APPENDED_WORDS = 4
"""Content words of a fact that may be appended to a related one."""
DURABLE_KINDS = frozenset({"decision", "preference", "rule", "convention", "correction", "root_cause", "state_change", "cure"})
DONE_MARK = "✅"
_SALIENCE_OF_KIND = {
    "rule": 10, "preference": 9, "decision": 9, "convention": 9, "state_change": 8, "root_cause": 8, "correction": 7, "fix": 6,
    "completion": 5, "narrative": 5, "error": 4, "task": 4, "status": 3, "file_change": 3, "cure": 7, "request": 2,
    "question": 1, "fact": 5, "rejected": 5, "progress": 2,
}  # fmt: skip
_SALIENCE_OF_PRIORITY = {"high": 20, "medium": 10, "low": 0}
_PASSING_KINDS = frozenset({"question", "progress"})
_RESOLVES = frozenset({"fix", "root_cause", "completion", "decision", "state_change"})
_RESOLVED = frozenset({"error", "question", "task"})
_COMMIT_FACT = compile_late(r'^Committed(?: "(?P<subject>[^"]+)"|: (?P<subjects>.+)$)')
_FILE_FACT = compile_late(r"^(?P<verb>Created|Edited|Deleted|Moved|Renamed) (?P<files>[^\s:,;]+(?:, [^\s:,;]+)*)(?:[:.;]|$)")
_ABOUT_NOTE = compile_late(r'\s*\(about: (?:the earlier )?"[^"]*"\)')
_ABORTED = compile_late(r'\s*\(about: "Request was aborted\."\)|\s+Outcome: Request was aborted\.')
_OUTCOME = compile_late(r"\s+(?:Outcome|Answer): .*$", re.DOTALL)
_FILES = compile_late(r"\s*\[[^\[\]]*\]$")
_NOT_ALONE = compile_late(
    r"^(?:Done|Committed|All committed|Changed|Request was aborted)\b|…\.?$|^\w+ (?:asked|said|decided|objected|refused)\b[^\"]*$"
)
"""Sentences that say nothing without their neighbours."""
_STANDING_WORDS = compile_late(
    r"\b(?:never|always|must|should|instead|rather|prefer|don'?t|do not|no need|only|every|each|belongs?|stays?|keep|use|not)\b"
    r"|->|→|\bno \w+",
    re.I,
)
_PASSING_START = compile_late(
    r"^(?:yes|ok(?:ay)?|no|that'?s it|minor|propose|you can look|go|continue|do it|try|it needs|needs to)\b", re.I
)


@dataclass(frozen=True, slots=True)
class PeriodItem:
    """A narrative or a fact on its way to a higher tier. `earlier` is the claim that it replaced, `sources` the rows it tells."""

    id: str
    kind: str
    priority: str
    text: str
    day: date
    order: tuple[float, str, int]
    files: frozenset[str] = frozenset()
    earlier: str = ""
    sources: frozenset[str] = frozenset()

    @property
    def salience(self) -> int:
        """Importance of the item within its period: its priority and its kind, 0 for unknown ones."""
        return _SALIENCE_OF_PRIORITY.get(self.priority, 0) + _SALIENCE_OF_KIND.get(self.kind, 0)

    @property
    def mark(self) -> str:
        """The emoji of the item's line on the page: done, or its priority."""
        return DONE_MARK if self.kind == "completion" else PRIORITY_MARKS.get(self.priority, PRIORITY_MARKS["low"])


@dataclass(frozen=True, slots=True)
class CondensedText:
    """The text of a period, and the items in it for the tier above."""

    text: str
    level: int
    items: tuple[PeriodItem, ...]


def condense(tier: int, items: Sequence[PeriodItem], input_tokens: int) -> CondensedText | None:
    """Return the first level's text that is smaller than `input_tokens`; None when no level is."""
    prepared = select_for_tier(tier, sorted(items, key=lambda item: (item.order, item.id)))
    share, most = TIER_BUDGETS[tier]
    for level, detail in enumerate(DETAIL_LEVELS):
        budget = int(min(max(share * input_tokens, GUARANTEED_TOKENS), most) * detail)
        chosen = _choose_within(tier, prepared, min(budget, input_tokens - 1), level)
        text = render_items(tier, chosen)
        if input_tokens <= GUARANTEED_TOKENS and any(item.priority == "high" and item not in chosen for item in prepared):
            return None  # so little that every high fact must stay: the children go up as they are
        if text and count_tokens(text) < input_tokens:
            return CondensedText(text, level, tuple(chosen))
    return None


def render_items(tier: int, items: Sequence[PeriodItem]) -> str:
    """Return a paragraph (a line per theme in a month and a year), then bullets with priority marks, oldest first."""
    narratives = [item.text for item in items if item.kind == "narrative"]
    bullets = [_render_bullet(tier, item) for item in items if item.kind != "narrative"]
    lead = ("\n" if tier >= MONTH else " ").join(narratives)
    return "\n\n".join(part for part in (lead, "\n".join(bullets)) if part)


def _render_bullet(tier: int, item: PeriodItem) -> str:
    when = f" ({item.day:%m-%d})" if tier >= WEEK else ""
    earlier = f" (earlier: {item.earlier})" if item.earlier else ""
    return f"- {item.mark} {item.text}{earlier}{when}"


# ---- the selection of a tier


def select_for_tier(tier: int, items: list[PeriodItem]) -> list[PeriodItem]:
    """Return the items that a tier keeps, of any size: chosen by kind and priority, related ones merged, shortened."""
    facts = [item for item in items if item.kind != "narrative"]
    narratives = [item for item in items if item.kind == "narrative"]
    if tier >= WEEK:
        facts = [item for item in _drop_resolved(facts) if item.priority != "low"]
    if tier >= MONTH:
        facts = [item for item in facts if _is_durable(item) or _is_worth_room(item)]
    grouped = _group_work(tier, facts)
    facts = _merge_related([replace(item, text=_shorten(tier, item)) for item in grouped])
    return sorted([*_select_narratives(tier, narratives, facts), *facts], key=lambda item: (item.order, item.id))


def _is_durable(item: PeriodItem) -> bool:
    return item.kind in DURABLE_KINDS and _is_lasting(item)


def _is_worth_room(item: PeriodItem) -> bool:
    """Whether a fact that is not durable may fill the room that the durable ones leave: no file, commit, request or remark."""
    is_record = _COMMIT_FACT.match(item.text) or _FILE_FACT.match(item.text)
    return item.kind not in DURABLE_KINDS and item.kind not in _PASSING_KINDS and not is_record


def _is_lasting(item: PeriodItem) -> bool:
    """Whether a fact still matters a month later: neither a reaction to the screen nor an answer of two words."""
    claim = split_claim(_ABOUT_NOTE.sub("", item.text)).claim
    if item.kind == "correction":
        return bool(_STANDING_WORDS.search(claim)) and not claim.rstrip().endswith("?")
    if item.kind in ("decision", "preference"):
        return len(select_content_words(parse_statement(claim))) >= 3 and not _PASSING_START.match(claim)
    return True


def _drop_resolved(facts: list[PeriodItem]) -> list[PeriodItem]:
    """Drop problems and questions that a later item answers; the answer and the root cause stay."""
    unresolved = []
    for position, item in enumerate(facts):
        later = facts[position + 1 :] if item.kind in _RESOLVED else []
        if not any(other.kind in _RESOLVES and _is_answered_by(item, other) for other in later):
            unresolved.append(item)
    return unresolved


def _is_answered_by(problem: PeriodItem, answer: PeriodItem) -> bool:
    """Whether an answer shares a file or enough words with a problem."""
    if problem.files & answer.files:
        return True
    return len(select_content_words(parse_statement(problem.text)) & select_content_words(parse_statement(answer.text))) >= 2


def _group_work(tier: int, facts: list[PeriodItem]) -> list[PeriodItem]:
    """Put commits into one bullet, and touched files into one: a reader skims ten lines and reads two."""
    commits: dict[str, list[PeriodItem]] = defaultdict(list)
    files: dict[str, list[PeriodItem]] = defaultdict(list)
    rest: list[PeriodItem] = []
    for item in facts:
        group = f"{item.day}" if tier == DAY else ""
        if _COMMIT_FACT.match(item.text):
            commits[group].append(item)
        elif item.kind == "file_change" and _FILE_FACT.match(item.text):
            files[group].append(item)
        else:
            rest.append(item)
    for members in commits.values():
        matches = [match for item in members if (match := _COMMIT_FACT.match(item.text))]
        subjects = dict.fromkeys(subject for match in matches for subject in (match["subjects"] or match["subject"]).split("; "))
        rest.append(replace(members[0], text="Committed: " + "; ".join(subjects), sources=_unite_sources(members)))
    rest += [
        replace(
            members[0],
            text=_list_touched_files(members),
            priority=min((member.priority for member in members), key=_rank_priority),
            sources=_unite_sources(members),
        )
        for members in files.values()
    ]
    return sorted(rest, key=lambda item: (item.order, item.id))


def _rank_priority(priority: str) -> int:
    return -_SALIENCE_OF_PRIORITY.get(priority, 0)


def _unite_sources(items: Sequence[PeriodItem]) -> frozenset[str]:
    return frozenset().union(*(item.sources for item in items))


def _list_touched_files(members: list[PeriodItem]) -> str:
    by_verb: dict[str, dict[str, None]] = {}
    seen: set[str] = set()
    for match in (match for item in members for part in item.text.split("; ") if (match := _FILE_FACT.match(part))):
        for name in (name.strip("`").rstrip(".") for name in match["files"].split(", ")):
            if name not in seen:
                seen.add(name)
                by_verb.setdefault(match["verb"], {})[name] = None
    return "; ".join(f"{verb} {', '.join(names)}" for verb, names in by_verb.items())


_QUOTE_LEAD = compile_late(
    r"^\S+ (?P<verb>set a rule|set a convention|wants|decided|objected|asked|reported|said|left open)(?: \(a question\))?: \""
)
_QUOTE_LABELS = {
    "set a rule": "Rule", "set a convention": "Convention", "wants": "Wants", "decided": "Decided", "objected": "Objected",
    "asked": "Asked", "reported": "Reported", "said": "Said", "left open": "Left open",
}  # fmt: skip


def _shorten(tier: int, item: PeriodItem) -> str:
    """Return the text without the question it answers (if it stands alone), its files, and in older tiers its outcome."""
    text = _ABORTED.sub("", item.text)
    if tier >= WEEK:
        bare = _ABOUT_NOTE.sub("", text)
        text = bare if len(select_content_words(parse_statement(split_claim(bare).claim))) >= 3 else text
        text = _QUOTE_LEAD.sub(lambda lead: f'{_QUOTE_LABELS[lead["verb"]]}: "', _FILES.sub("", text))
    if tier >= MONTH:
        text = _OUTCOME.sub("", text)
    return _cut(text, MAX_FACT_CHARS[tier])


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    break_at = max(head.rfind(mark) for mark in (". ", "; ", ", "))
    cut = head[:break_at] if break_at > MIN_CUT_SHARE * limit else head[: head.rfind(" ")]
    return cut.rstrip(" ,;:(") + "…" + ('"' if cut.count('"') % 2 else "")


def _merge_related(facts: list[PeriodItem]) -> list[PeriodItem]:
    """Merge related facts: drop a fact that another contains, and append its additions."""
    merged: list[tuple[PeriodItem, Statement]] = []
    words_of: list[frozenset[str]] = []
    for item in sorted(facts, key=lambda item: (-item.salience, item.order, item.id)):
        claim = parse_statement(split_claim(item.text).claim)
        words = select_content_words(claim)
        is_short = len(words) <= MAX_APPENDED_WORDS
        for position, other_words in enumerate(words_of):
            if not (words <= other_words or (is_short and not words.isdisjoint(other_words))):
                continue  # nearly all pairs, and this is far cheaper than the comparison
            joined = _join_facts(*merged[position], item, claim)
            if joined is not None:
                joined = replace(joined, sources=_unite_sources((merged[position][0], item)))
                claim = parse_statement(split_claim(joined.text).claim)
                merged[position], words_of[position] = (joined, claim), select_content_words(claim)
                break
        else:
            merged.append((item, claim))
            words_of.append(words)
    return sorted((item for item, _ in merged), key=lambda item: (item.order, item.id))


def _join_facts(first: PeriodItem, first_claim: Statement, second: PeriodItem, second_claim: Statement) -> PeriodItem | None:
    first_words, second_words = select_content_words(first_claim), select_content_words(second_claim)
    if not second_words or is_opposite(first_claim, second_claim):
        return None
    has_quote = '"' in first.text or '"' in second.text
    if second_words <= first_words and second_claim.names <= first_claim.words and second_claim.numbers <= first_claim.numbers:
        return first if len(second_words) >= 2 or second_words == first_words else None
    shared = first_words & second_words
    is_short = len(second_words) <= MAX_APPENDED_WORDS and len(first_words) <= 8 and first.kind == second.kind
    if (
        has_quote
        or not is_short
        or 2 * len(shared) < len(second_words)
        or not shared
        or _has_another_value(first_claim, second_claim)
    ):
        return None
    return replace(first, text=f"{first.text.rstrip('.')}; {_cut_shared_start(first.text, second.text)}")


def _has_another_value(first: Statement, second: Statement) -> bool:
    """Whether two facts give one subject two values: they must stay two bullets."""
    return bool(first.numbers and second.numbers) and has_other_details(first, second)


def _cut_shared_start(first: str, second: str) -> str:
    """Return the second text without the words at its start that the first has: "Redis runs in Docker" → "runs in Docker"."""
    known = {word.lower().strip(".,;:") for word in first.split()}
    words = second.rstrip(".").split()
    while len(words) > 2 and words[0].lower().strip(".,;:") in known:
        words = words[1:]
    return " ".join(words)


# ---- narratives


def _select_narratives(tier: int, narratives: list[PeriodItem], facts: list[PeriodItem]) -> list[PeriodItem]:
    """Return the sentences of narratives that no bullet repeats. In a month and a year the best one of each week or month comes
    first when there is little room (`_choose_within`).
    """
    shown = [select_content_words(parse_statement(item.text)) for item in facts]
    sentences: list[PeriodItem] = []
    seen: list[frozenset[str]] = []
    for item in narratives:
        parts = [item.text] if tier > DAY else split_prose(item.text)
        for number, part in enumerate(parts):
            words = select_content_words(parse_statement(part))
            if not words or _NOT_ALONE.search(part) or any(_is_covered(words, known) for known in (*shown, *seen)):
                continue
            seen.append(words)
            sentences.append(replace(item, id=f"{item.id}.{number}", text=part.strip()))
    return sentences or _pick_best_sentence(narratives)


def _pick_best_sentence(narratives: list[PeriodItem]) -> list[PeriodItem]:
    """Return the sentence with most content words, when bullets repeat all: a reader must see the subject of the period."""
    full_sentences = [
        replace(item, text=part) for item in narratives for part in split_prose(item.text) if not _NOT_ALONE.search(part)
    ]
    if not full_sentences:
        return []
    best = max(full_sentences, key=lambda item: (len(select_content_words(parse_statement(item.text))), item.order, item.id))
    return [replace(best, id=f"{best.id}.0", text=_cut(best.text, MAX_THEME_CHARS))]


def _is_covered(words: frozenset[str], known: frozenset[str]) -> bool:
    """Whether most of the words are known."""
    return len(words & known) >= COVERED_SHARE * len(words)


def _pick_themes(tier: int, sentences: list[PeriodItem]) -> list[PeriodItem]:
    """Return one line per week (in a year per month): the sentence with most content words."""
    groups: dict[tuple[int, int], list[PeriodItem]] = defaultdict(list)
    for item in sentences:
        year, week, _ = item.day.isocalendar()
        groups[(year, week) if tier == MONTH else (item.day.year, item.day.month)].append(item)
    lines = []
    for members in groups.values():
        best = max(
            members,
            key=lambda item: (min(len(select_content_words(parse_statement(item.text))), MAX_THEME_WORDS), item.order, item.id),
        )
        lines.append(replace(best, text=_cut(best.text, MAX_THEME_CHARS)))
    return lines


# ---- the budget


def _choose_within(tier: int, items: list[PeriodItem], budget: int, level: int) -> list[PeriodItem]:
    """Return the items of most salience within the budget, in order of time; stricter levels drop low facts, then medium ones.

    In a month and a year the lines of themes come first (they are few, and bullets mean little without them), then durable facts,
    then other ones, then further sentences.
    """
    narratives = [item for item in items if tier >= MONTH and item.kind == "narrative"]
    themes = {item.id for item in _pick_themes(tier, narratives)}

    def rank(item: PeriodItem) -> tuple[int, int, tuple[float, str, int], str]:
        """Sort themes first, then lasting items, then the rest by salience, narratives last."""
        place = 0 if item.id in themes else 1 if tier < MONTH or _is_durable(item) else 3 if item.kind == "narrative" else 2
        return (place, -item.salience, item.order, item.id)

    floor = LEAST_SALIENCE_OF_LEVEL[level]
    chosen: list[PeriodItem] = []
    spent = 0
    for item in sorted(items, key=rank):
        cost = count_tokens(f"- {item.mark} {item.text} (00-00)\n{item.earlier}")
        if spent + cost <= budget and (item.salience >= floor or item.kind == "narrative"):
            chosen.append(item)
            spent += cost
    return sorted(chosen, key=lambda item: (item.order, item.id))
