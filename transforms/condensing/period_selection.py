"""Chooses what a tier may tell of a period: its kinds of facts, merged and worded for it, and sentences of narratives.

Nothing here knows how much room there is: `condense` takes what fits, the best first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from transforms.condensing.period_item import DURABLE_KINDS, SALIENCE_OF_PRIORITY, PeriodItem
from transforms.language.sentences import QUESTION_MARKS, has_question_mark, split_prose
from transforms.language.similarity import group_forms, has_other_details, is_opposite
from transforms.language.statement import Statement, find_content_words, parse_statement, split_claim
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import SETTLING_KINDS
from transforms.tables.periods import DAY, MONTH, WEEK, YEAR

MAX_FACT_CHARS = 420
MAX_BRIEF_CHARS = {DAY: 420, WEEK: 420, MONTH: 240, YEAR: 240}
"""Characters of a fact where there is room, and where there is none."""
MAX_THEME_CHARS, MAX_THEME_WORDS = 160, 14
"""Characters of a theme's line, and content words beyond which a longer sentence is no better one."""
COVERED_SHARE, MIN_CUT_SHARE = 0.8, 0.6
"""Share of the words from which a fact is covered; share of the room that a cut at a full stop, semicolon or comma must fill."""
MAX_APPENDED_WORDS = 4
"""Content words of a fact that may be appended to a related one."""
_RESOLVES = frozenset({"fix", "root_cause", "completion", "decision", "state_change"})
_RESOLVED = frozenset({"error", "question", "task"})
COMMIT_FACT = compile_late(r'^Committed(?:(?: and pushed)? "(?P<subject>[^"]+)"|: (?P<subjects>.+)$)')
"""A commit, pushed or not, as the offline engine tells it; or several, as a condensed period does."""
_FILE_FACT = compile_late(r"^(?P<verb>Created|Edited|Deleted|Moved|Renamed) (?P<files>[^\s:,;]+(?:, [^\s:,;]+)*)(?:[:.;]|$)")
_ABOUT_NOTE = compile_late(r'\s*\(about: (?:the earlier )?"[^"]*"\)')
_ABORTED = compile_late(r'\s*\(about: "Request was aborted\."\)|\s+Outcome: Request was aborted\.')
_OUTCOME = compile_late(r"\s+(?:Outcome|Answer): .*$", re.DOTALL)
FILES_AT_END = compile_late(r"\s*\[[^\[\]]*\]$")
"""The files that a fact names behind its sentence."""
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


def select_for_tier(tier: int, items: list[PeriodItem]) -> list[PeriodItem]:
    """Return the items that a tier may tell, of any size: without what was resolved, related ones merged."""
    facts = [item for item in items if item.kind != "narrative"]
    narratives = [item for item in items if item.kind == "narrative"]
    if tier >= WEEK:
        facts = [item for item in _drop_resolved(facts) if item.priority != "low" or tells_words(item)]
    if tier >= MONTH:
        facts = _keep_newest_of_forms([item for item in facts if not is_record(item)])
    grouped = _group_work(tier, facts)
    facts = _merge_related([replace(item, text=_word_for_tier(tier, item)) for item in grouped])
    return sorted([*_select_narratives(tier, narratives, facts), *facts], key=lambda item: (item.order, item.id))


def _keep_newest_of_forms(facts: list[PeriodItem]) -> list[PeriodItem]:
    """Return the facts; of reports and questions of one form the newest, with their number."""
    passing = sorted((item for item in facts if _is_passing(item)), key=lambda item: (item.order, item.id), reverse=True)
    forms = [[passing[place] for place in places] for places in group_forms(*_list_claims(passing))]
    newest = {
        members[0].id: replace(
            members[0],
            priority=min((member.priority for member in members), key=_rank_priority),
            alike=sum(member.alike for member in members),
            sources=unite_sources(members),
        )
        for members in forms
    }
    older = {member.id for members in forms for member in members[1:]}
    return [newest.get(item.id, item) for item in facts if item.id not in older]


def _list_claims(items: list[PeriodItem]) -> tuple[list[str], list[int]]:
    return [split_claim(item.text).claim for item in items], [item.alike for item in items]


def _is_passing(item: PeriodItem) -> bool:
    """Whether a fact reports or asks something, and settles nothing."""
    return item.kind not in SETTLING_KINDS or (tells_words(item) and has_question_mark(split_claim(item.text).claim))


def is_durable(item: PeriodItem) -> bool:
    """Whether a fact still matters in the oldest tier: by its kind, and if it is more than a reaction or two words."""
    return item.kind in DURABLE_KINDS and _is_lasting(item)


def tells_words(item: PeriodItem) -> bool:
    """Whether a fact tells the words of a person."""
    return bool(_QUOTE_LEAD.match(item.text) or _QUOTE_LABEL.match(item.text))


def is_record(item: PeriodItem) -> bool:
    """Whether a fact only records work that git or the session has: a file, a commit, a step on the way."""
    return item.kind == "progress" or bool(COMMIT_FACT.match(item.text) or _FILE_FACT.match(item.text))


def _is_lasting(item: PeriodItem) -> bool:
    """Whether a fact still matters a month later: neither a reaction to the screen nor an answer of two words."""
    claim = split_claim(_ABOUT_NOTE.sub("", item.text)).claim
    if item.kind == "correction":
        return bool(_STANDING_WORDS.search(claim)) and not claim.rstrip().endswith(QUESTION_MARKS)
    if item.kind in ("decision", "preference"):
        return len(find_content_words(claim)) >= 3 and not _PASSING_START.match(claim)
    return True


def _drop_resolved(facts: list[PeriodItem]) -> list[PeriodItem]:
    """Drop problems and questions that a later item answers; the answer and the root cause stay."""
    unresolved = []
    for position, item in enumerate(facts):
        is_open = item.kind in _RESOLVED and not _OUTCOME.search(item.text)
        later = facts[position + 1 :] if is_open else []
        if not any(other.kind in _RESOLVES and _is_answered_by(item, other) for other in later):
            unresolved.append(item)
    return unresolved


def _is_answered_by(problem: PeriodItem, answer: PeriodItem) -> bool:
    """Whether an answer shares a file or enough words with a problem."""
    if problem.files & answer.files:
        return True
    return len(find_content_words(problem.text) & find_content_words(answer.text)) >= 2


def _group_work(tier: int, facts: list[PeriodItem]) -> list[PeriodItem]:
    """Put commits into one bullet, and touched files into one: a reader skims ten lines and reads two."""
    commits: dict[str, list[PeriodItem]] = defaultdict(list)
    files: dict[str, list[PeriodItem]] = defaultdict(list)
    rest: list[PeriodItem] = []
    for item in facts:
        group = f"{item.day}" if tier == DAY else ""
        if COMMIT_FACT.match(item.text):
            commits[group].append(item)
        elif item.kind == "file_change" and _FILE_FACT.match(item.text):
            files[group].append(item)
        else:
            rest.append(item)
    for members in commits.values():
        matches = [match for item in members if (match := COMMIT_FACT.match(item.text))]
        subjects = dict.fromkeys(subject for match in matches for subject in (match["subjects"] or match["subject"]).split("; "))
        rest.append(replace(members[0], text="Committed: " + "; ".join(subjects), sources=unite_sources(members)))
    rest += [
        replace(
            members[0],
            text=_list_touched_files(members),
            priority=min((member.priority for member in members), key=_rank_priority),
            sources=unite_sources(members),
        )
        for members in files.values()
    ]
    return sorted(rest, key=lambda item: (item.order, item.id))


def _rank_priority(priority: str) -> int:
    return -SALIENCE_OF_PRIORITY.get(priority, 0)


def unite_sources(items: Iterable[PeriodItem]) -> frozenset[str]:
    """Return the ids of all rows below that items were made from."""
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
_QUOTE_LABEL = compile_late(rf'^(?:{"|".join(_QUOTE_LABELS.values())}): "')


def _word_for_tier(tier: int, item: PeriodItem) -> str:
    """Return the text of a fact as a tier tells it when there is room."""
    text = _ABORTED.sub("", item.text) if "Request was aborted" in item.text else item.text
    if tier >= WEEK:
        text = _QUOTE_LEAD.sub(lambda lead: f'{_QUOTE_LABELS[lead["verb"]]}: "', text)
    return _cut(text, MAX_FACT_CHARS)


def tell_briefly(tier: int, item: PeriodItem) -> PeriodItem:
    """Return a fact as a tier tells it when room is short: from a week on without its files and, if it stands alone, the question
    that it answers; from a month on without what came of it."""
    text = item.text
    if item.kind == "narrative" or tier < WEEK:
        return item
    if "(about: " in text:
        bare = _ABOUT_NOTE.sub("", text)
        text = bare if len(find_content_words(split_claim(bare).claim)) >= 3 else text
    if "]" in text[-2:]:
        text = FILES_AT_END.sub("", text)
    if tier >= MONTH and ": " in text:
        text = _OUTCOME.sub("", text)
    return replace(item, text=_cut(text, MAX_BRIEF_CHARS[tier]))


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    break_at = max(head.rfind(mark) for mark in (". ", "; ", ", "))
    cut = head[:break_at] if break_at > MIN_CUT_SHARE * limit else head[: head.rfind(" ")]
    return cut.rstrip(" ,;:(") + "…" + ('"' if cut.count('"') % 2 else "")


def _merge_related(facts: list[PeriodItem]) -> list[PeriodItem]:
    """Merge related facts: drop a fact that another contains, and append its additions."""
    merged: list[tuple[PeriodItem, str]] = []
    words_of: list[frozenset[str]] = []
    for item in sorted(facts, key=lambda item: (-item.salience, item.order, item.id)):
        claim = split_claim(item.text).claim
        words = find_content_words(claim)
        is_short = len(words) <= MAX_APPENDED_WORDS
        if item.changed:  # absorbed, it would lose what holds instead of its part
            merged.append((item, claim))
            words_of.append(words)
            continue
        for position, other_words in enumerate(words_of):
            if not (words <= other_words or (is_short and not words.isdisjoint(other_words))):
                continue  # nearly all pairs, and this is far cheaper than the comparison
            joined = _join_facts(*merged[position], item, claim)
            if joined is not None:
                joined = replace(joined, sources=unite_sources((merged[position][0], item)))
                claim = split_claim(joined.text).claim
                merged[position], words_of[position] = (joined, claim), find_content_words(claim)
                break
        else:
            merged.append((item, claim))
            words_of.append(words)
    return sorted((item for item, _ in merged), key=lambda item: (item.order, item.id))


def _join_facts(first: PeriodItem, first_text: str, second: PeriodItem, second_text: str) -> PeriodItem | None:
    """Return two facts with these claims as one, or None. Few pairs get as far as whole statements."""
    first_words, second_words = find_content_words(first_text), find_content_words(second_text)
    if not second_words:
        return None
    if second_words <= first_words:
        first_claim, second_claim = parse_statement(first_text), parse_statement(second_text)
        if second_claim.names <= first_claim.words and second_claim.numbers <= first_claim.numbers:
            is_known = len(second_words) >= 2 or second_words == first_words
            is_known = is_known and not _came_out_otherwise(first.text, second.text)
            return first if is_known and not is_opposite(first_claim, second_claim) else None
    is_short = len(second_words) <= MAX_APPENDED_WORDS and len(first_words) <= 8 and first.kind == second.kind
    shared = len(first_words & second_words) if is_short else 0
    if (
        not shared
        or 2 * shared < len(second_words)
        or '"' in first.text
        or '"' in second.text
        or _has_another_value(parse_statement(first_text), parse_statement(second_text))
        or is_opposite(parse_statement(first_text), parse_statement(second_text))  # it costs most
    ):
        return None
    return replace(first, text=f"{first.text.rstrip('.')}; {_cut_shared_start(first.text, second.text)}")


def _came_out_otherwise(first: str, second: str) -> bool:
    """Whether the second fact ends with an outcome that the first does not tell: the same was asked twice, and answered anew."""
    outcome = _OUTCOME.search(second)
    if outcome is None:
        return False
    return not _is_covered(find_content_words(outcome[0]), find_content_words(first))


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


def _select_narratives(tier: int, narratives: list[PeriodItem], facts: list[PeriodItem]) -> list[PeriodItem]:
    """Return the sentences of narratives that no bullet repeats. In a month and a year the best one of each week or month comes
    first when there is little room (`_choose_within`).
    """
    sentences: list[PeriodItem] = []
    known: list[frozenset[str]] | None = None  # of the bullets, when the first sentence asks, then of the sentences before
    for item in narratives:
        parts = [item.text] if tier > DAY else split_prose(item.text)
        for number, part in enumerate(parts):
            words = find_content_words(part)
            if not words or _NOT_ALONE.search(part):
                continue
            known = [find_content_words(fact.text) for fact in facts] if known is None else known
            if any(_is_covered(words, others) for others in known):
                continue
            known.append(words)
            sentences.append(replace(item, id=f"{item.id}.{number}", text=part.strip()))
    return sentences or _pick_best_sentence(narratives)


def _pick_best_sentence(narratives: list[PeriodItem]) -> list[PeriodItem]:
    """Return the sentence with most content words, when bullets repeat all: a reader must see the subject of the period."""
    full_sentences = [
        replace(item, text=part) for item in narratives for part in split_prose(item.text) if not _NOT_ALONE.search(part)
    ]
    if not full_sentences:
        return []
    best = max(full_sentences, key=lambda item: (len(find_content_words(item.text)), item.order, item.id))
    return [replace(best, id=f"{best.id}.0", text=_cut(best.text, MAX_THEME_CHARS))]


def _is_covered(words: frozenset[str], known: frozenset[str]) -> bool:
    """Whether most of the words are known."""
    return len(words & known) >= COVERED_SHARE * len(words)


def pick_themes(tier: int, sentences: list[PeriodItem]) -> list[PeriodItem]:
    """Return one line per week (in a year per month): the sentence with most content words."""
    groups: dict[tuple[int, int], list[PeriodItem]] = defaultdict(list)
    for item in sentences:
        year, week, _ = item.day.isocalendar()
        groups[(year, week) if tier == MONTH else (item.day.year, item.day.month)].append(item)
    lines = []
    for members in groups.values():
        best = max(
            members,
            key=lambda item: (min(len(find_content_words(item.text)), MAX_THEME_WORDS), item.order, item.id),
        )
        lines.append(replace(best, text=_cut(best.text, MAX_THEME_CHARS)))
    return lines
