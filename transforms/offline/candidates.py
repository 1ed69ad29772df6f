"""Candidates: facts that may be selected, with their salience, before the budget decides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from transforms.classify.linear_model import LinearModel
from transforms.classify.reach import MIN_REACH, MIN_REACH_BESIDE, MIN_REACH_OBJECTING, judge_reach
from transforms.distil.engine_result import Fact, Tail
from transforms.language import assertions, cue_phrases, entities
from transforms.language.clauses import parse_clause
from transforms.language.dialogue_acts import ClassifiedSentence, Message
from transforms.language.lexicon import SAYING_FORMS, WISHING_FORMS
from transforms.language.relative_dates import resolve_date
from transforms.language.sentences import (
    ends_asking,
    find_content_words,
    join_lines,
    join_sentences,
    shorten,
    split_sentences,
    split_words,
)
from transforms.language.speech.reported_speech import find_saying
from transforms.language.tokenizer import split_pieces
from transforms.patterns.late_pattern import compile_late
from transforms.quoting.whole_words import drop_fillers, find_news
from transforms.tables.enums import WISH_KINDS, Category, FactKind, Priority

SHORT_SENTENCE, ANSWER_CHARS = 16, 2_000
"""Characters of a sentence that a quotation keeps between or behind others: leaving it out saves nothing; those behind a question
in which such a one may answer it."""
QUOTED_SHARE = 0.8
"""Share of the content words of a sentence that a quotation has, if it is quoted."""
_LEAST_REACH: dict[FactKind, float] = {
    "request": MIN_REACH,
    "question": MIN_REACH,
    "correction": MIN_REACH_OBJECTING,
}
"""Kinds of rows that may hold for good after all, with the least reach of their words."""
CANDIDATE_CHARS = 460
"""Longest text of a row: readers and search judge an observation by its first 480 characters (120 tokens)."""

RECORDED = 0.9
"""Confidence in typed words and in calls of tools, as the session has them."""
READ = 0.8
"""Confidence in an error or release that was read from an output."""
UNFINISHED_FACTOR = 0.7
"""Confidence in a state that work after the window may change."""
CLAIMED = 0.6
"""Confidence in words of the agent."""


LEAD_OF_KIND: dict[FactKind, str] = {
    "convention": "{} set a convention", "state_change": "{} said", "rule": "{} set a rule", "preference": "{} wants",
    "decision": "{} decided", "correction": "{} objected", "request": "{} asked", "question": "{} asked",
    "error": "{} reported", "status": "{} said", "completion": "{} said", "root_cause": "{} found", "fix": "{} found",
}  # fmt: skip
"""How a row tells that a person said something of this kind."""
OWNER_PRIORITIES: dict[FactKind, Priority] = {
    "rule": "high", "convention": "high", "state_change": "high", "preference": "high", "decision": "high",
    "correction": "high", "question": "low", "status": "low",
}  # fmt: skip
"""Priority of what a person says; of other kinds it is medium."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible fact. `salience` lies between 0 and about 1.5; of candidates with one `group` at most one is selected.

    `tails` are the parts of its text behind its quotation.
    """

    text: str
    kind: FactKind
    priority: Priority
    ordinals: tuple[int, ...]
    files: tuple[str, ...]
    salience: float
    confidence: float = CLAIMED
    line_numbers: tuple[int, ...] = ()
    group: str = ""
    topic: int | None = None
    tails: tuple[Tail, ...] = ()

    @property
    def topic_ordinal(self) -> int:
        """The entry that decides on the topic: `topic` when the fact cites entries before its window, else the first citation."""
        return self.ordinals[0] if self.topic is None else self.topic

    def make_fact(self, said_on: date) -> Fact:
        """Return the fact as engines answer it; `said_on` is the local day of its first citation."""
        return Fact(
            text=self.text, kind=self.kind, priority=self.priority, category=choose_category(self.kind, self.text),
            ordinals=self.ordinals, files=self.files, line_numbers=self.line_numbers, confidence=self.confidence,
            refers_to=resolve_date(self.text, said_on), tails=tuple(tail for tail in self.tails if tail.text in self.text),
        )  # fmt: skip


SAID = LEAD_OF_KIND["status"]
"""How a row tells words of which nobody is sure what they do."""


def rename_kind(candidate: Candidate, kind: FactKind, owner: str, *, is_named: bool = True) -> Candidate:
    """Return a candidate that quotes the owner as one of another kind, which its line tells (`is_named`), or else only that they
    "said" it. What was plainly "said" stays said, and one that a doubt lowered to medium priority stays there."""
    lead = f"{LEAD_OF_KIND.get(candidate.kind, '')}:".format(owner)
    text = candidate.text
    if text.startswith(lead):
        text = f"{(LEAD_OF_KIND[kind] if is_named else SAID).format(owner)}:{text.removeprefix(lead)}"
    usual, likely = OWNER_PRIORITIES.get(candidate.kind, "medium"), OWNER_PRIORITIES.get(kind, "medium")
    is_doubted = usual == "high" != candidate.priority
    return replace(candidate, text=text, kind=kind, priority="medium" if is_doubted and likely == "high" else likely)


HEAD_CHARS = 90
"""Longest head of a list that is written as one line: "What changed: …; …"."""
FAULT = compile_late(
    r"\b(?:issues?|problems?|bugs?|culprit|root cause|wrong|missing|stale|unable|not|cannot|never|no|without|only)\b|n['’]t\b",
    re.I,
)
MIN_CAUSE_WORDS = 3
"""Content words that say which a cause is, where nothing is named by its spelling."""
CAUSE_NOUNS = frozenset({"cause", "issue", "problem", "bug", "culprit", "reason", "insight", "found"})
"""Words of a cue that name a cause, which has to be said yet."""
_STATING = ("is", "was", "were", "are", "here", "sits", "lies")
"""Words behind which the cause is named."""
_DASHES = (" — ", " – ", " - ", ": ")


def names_cause(text: str, reported: str) -> bool:
    """Whether a statement that was taken for a root cause says what failed and why, outside of code; of a list the head does.

    "Because" alone gives a reason, and an explanation in any words mostly explains something else: both need a word for what
    failed, or is not so (docs/decisions.md, "A cause names what failed"); a reason may have it in `reported`, the words of the
    person that are answered. A sentence that names a cause has to say which it is.
    """
    text = text.rpartition(" [")[0] if text.endswith("]") and " [" in text else text  # the files that a row names
    head, colon, items = text.partition(": ")
    is_list = bool(colon) and "; " in items and len(head) <= HEAD_CHARS and not set(";`") & set(head)
    stated = f"{head}:" if is_list else cue_phrases.CODE_SPAN.sub("x", text)
    if not cue_phrases.EXPLICIT_CAUSE.search(stated):
        return not is_list and bool(cue_phrases.BREAKAGE.search(stated))
    plain = cue_phrases.REASON_WORD.sub(lambda word: "x" * len(word[0]), text)
    if cues := list(cue_phrases.EXPLICIT_CAUSE.finditer(plain)):
        return any(_is_completed(plain[cue.start() :], cue[0]) for cue in cues)
    reasons = [sentence for sentence in split_sentences(stated) if cue_phrases.REASON_WORD.search(sentence)]
    is_reported = not is_list and bool(cue_phrases.BREAKAGE.search(reported))
    return is_reported or any(FAULT.search(sentence) or cue_phrases.BREAKAGE.search(sentence) for sentence in reasons)


def _is_completed(text: str, cue: str) -> bool:
    """Whether a text that begins with the name of a cause says which it is: "the root cause is clear" and "found the reference in
    `../cli`" do not. Words that join a cause to its consequence need nothing behind them."""
    rest, words = text[len(cue) :], split_words(cue.casefold())
    if CAUSE_NOUNS.isdisjoint(words) or words[0].startswith("that"):
        return True
    stated = rest if words[-1] in _STATING or cue.endswith(":") else _cut_verb(rest)
    if stated is not None:
        named = next(iter(split_sentences(stated)), "").partition(" and the ")[0]
        named = "" if split_words(named)[:1] == ["not"] else named
    else:  # "Found the issue! The harness …": the sentence only announces the cause
        named = " ".join([*split_sentences(rest)[1:], *(rest.partition(dash)[2] for dash in _DASHES)])
    return len(find_content_words(named)) >= MIN_CAUSE_WORDS or bool(entities.count_specifics(named))


def _cut_verb(rest: str) -> str | None:
    """Return what stands behind the verb of "(the root cause) of the crash is …", or behind a colon; None without either."""
    if rest.startswith(":"):
        return rest[1:]
    words = rest.split()
    verb = next((place for place, word in enumerate(words) if word in _STATING), None)
    return None if verb is None or (verb and words[0] != "of") else " ".join(words[verb + 1 :])


_CATEGORY: dict[FactKind, Category] = {
    "preference": "preferences", "rule": "rules", "convention": "rules", "correction": "rules", "decision": "architecture",
    "root_cause": "architecture", "state_change": "architecture", "fix": "operations", "error": "operations",
}  # fmt: skip
_MEMORY_WORDS = compile_late(r"\b(?:MEMORY\.md|REVIEW\.md|daily log|long-term memory|recollect)\b", re.I)
_OPERATION_WORDS = compile_late(
    r"\b(?:deploy\w*|install\w*|docker|server|service|port \d+|publish\w*|release\w*|CI|cron|launchd|systemd|database"
    r"|git push)\b",
    re.I,
)


def choose_category(kind: FactKind, text: str) -> Category:
    """Return the category of a fact: by its kind, or by words of its text that say more."""
    if _MEMORY_WORDS.search(text):
        return "memory"
    if kind in _CATEGORY:
        return _CATEGORY[kind]
    return "operations" if _OPERATION_WORDS.search(text) else "projects"


def append_files(text: str, files: Iterable[str], limit: int = 2) -> str:
    """Append the names of the files when the text does not name the first one and room is left."""
    said, missing = text.lower(), list[str]()
    for number, name in enumerate(entities.take_base_name(path) for path in files):
        is_missing = name.rsplit(".", 1)[0].lower() not in said
        if number == 0 and not is_missing:
            return text
        missing += [name] if is_missing and name not in missing else []
        if len(missing) == limit:
            break
    return append_if_fits(text, f" [{', '.join(missing)}]") if missing else text


def append_if_fits(text: str, tail: str) -> str:
    """Append the tail when both fit into a row."""
    return f"{text}{tail}" if len(text) + len(tail) <= CANDIDATE_CHARS else text


def shorten_row(text: str) -> str:
    """Return the text within the length of a row."""
    return shorten(text, CANDIDATE_CHARS)


@lru_cache(maxsize=4096)
def is_unfit(text: str) -> bool:
    """Whether a text must never become a fact: it addresses a memory, or holds hardly any words."""
    return bool(cue_phrases.INJECTION.search(text)) or len(text) < 12


def find_lasting_kind(
    quote: str, kind: FactKind, sentences: Sequence[ClassifiedSentence], reach: LinearModel, *, is_conceded: bool = False
) -> FactKind:
    """Return `kind`, or that of a rule or a preference where a learned model judges that words of a quotation hold for good.

    `sentences` are those of the whole message. What rules of language take for such a wish, and doubt, needs less, and so does
    what stands behind a question that the agent answers by conceding (`is_conceded`): it scolds. What they call an objection
    needs more, and a decision stays one. What is asked, supposed or reported is not judged, and nothing of a message
    that tells what another person says.
    """
    if kind not in _LEAST_REACH:
        return kind
    spoken = [sentence for sentence in sentences if _stands_in(sentence.text, quote)]
    is_scolded = is_conceded and any(sentence.is_question for sentence in sentences)
    least = MIN_REACH_BESIDE if is_scolded else _LEAST_REACH[kind]
    lasting = [sentence for sentence in spoken if _lasts(sentence, least, reach)]
    if not lasting or any(_tells_speech(sentence.text) for sentence in sentences):
        return kind
    return "preference" if lasting[0].act == "preference" else word_standing(lasting[0].text, "rule", kind)


def word_standing(text: str, kind: FactKind, former: FactKind) -> FactKind:
    """Return `kind`; a preference for a rule that was none by its `former` kind and begins with the person ("I like …")."""
    plain = cue_phrases.FILLER.sub("", text)
    is_own = kind == "rule" and former not in WISH_KINDS and parse_clause(plain, plain).subject == "i"
    return "preference" if is_own else kind


def _lasts(sentence: ClassifiedSentence, least: float, reach: LinearModel) -> bool:
    clause = parse_clause(sentence.text, sentence.text)
    is_open = (sentence.is_question and ends_asking(sentence.text)) or assertions.is_open_question(sentence.text)
    if is_open or clause.is_reported or clause.is_hypothetical or _tells_wish(sentence.text):
        return False
    is_wish = sentence.act in WISH_KINDS
    return judge_reach(sentence.text, reach).odds >= (MIN_REACH_BESIDE if is_wish else least)


def _stands_in(text: str, quote: str) -> bool:
    """Whether a sentence is quoted, which may have lost fillers at its beginning."""
    words = find_content_words(text)
    return bool(words) and len(words & find_content_words(quote)) >= QUOTED_SHARE * len(words)


_SAYING = SAYING_FORMS | {"claims", "goes"}
"""A third person's verbs of saying, also behind other words of a sentence. Whose the words behind them are no rule tells here."""
_SELF = frozenset({"i", "we", "you", "it", "that", "which", "what", "log", "output", "test", "error", "docs", "readme"})


def _tells_wish(text: str) -> bool:
    """Whether a sentence tells what another person wishes; other sentences of its message may be the owner's rules."""
    places = ((piece, find_saying(piece, WISHING_FORMS)) for piece in split_pieces(text))
    return any(place is not None and piece[place] in WISHING_FORMS for piece, place in places)


def _tells_speech(text: str) -> bool:
    """Whether another person than the speaker, and no thing, says something."""
    words = [word.lower() for word in split_words(text)]
    speakers = zip(["", *words], words, [*words[1:], ""], strict=False)
    return any(
        (word in _SAYING and before not in _SELF)
        or (word == "say" and before in ("people", "they"))  # what messages and logs say is what stands in them
        or (word in ("his", "her") and behind in ("take", "view", "opinion"))
        for before, word, behind in speakers
    )


def join_quotation(group: Sequence[ClassifiedSentence], typed: str) -> str:
    """Return the sentences as one quotation; "…" stands for words between them that are left out.

    A few letters stay, for the mark would save nothing and they may be what decides: "on 22? だめ。 20 until December".
    """
    text = _join_parts(group, typed)
    return shorten(cue_phrases.FILLER.sub("", text).strip() or text, 400).replace('"', "'")


def show_quotation(message: Message, group: Sequence[ClassifiedSentence], typed: str) -> str:
    """Return the quotation as a reader needs it, whose first word may be what limits it, with the short news beside it."""
    before, behind = find_news(message, group)
    text = join_sentences([part for part in (before, _join_parts(group, typed), behind) if part])
    return shorten(drop_fillers(text) or text, 400).replace('"', "'")


def _join_parts(group: Sequence[ClassifiedSentence], typed: str) -> str:
    parts, end = list[str](), 0
    for sentence in group:
        text = sentence.text
        if text not in typed and (unparted := text.replace("; ", " ")) in typed:
            text = unparted  # nobody typed these semicolons
        start = typed.find(text, end)
        if parts and start > end and split_words(between := typed[end:start].strip()):
            if _may_decide(between):
                parts.append(join_lines(between))
            else:
                parts[-1] += " …"
        parts.append(join_lines(text))
        end = start + len(text) if start >= 0 else end
    if group[-1].is_question and (verdict := _find_own_answer(typed[end : end + ANSWER_CHARS])):
        parts.append(verdict)
    return join_sentences(parts)


def _find_own_answer(rest: str) -> str:
    """Return the short sentence right behind a question with which its asker answers it, empty where there is none."""
    sentence = next(iter(split_sentences(rest)), "").strip()
    return sentence if _may_decide(sentence) else ""


def _may_decide(sentence: str) -> bool:
    """Whether a sentence has a few letters that are no thanks or the like."""
    return len(sentence) <= SHORT_SENTENCE and bool(split_words(cue_phrases.CHATTER.sub("", sentence)))
