"""Reads a message that answers the agent's numbered questions one by one: "1: a, one file. 2 yes. 3 the latter".

Only marks are read: labels that the agent gave to its items, in their order, at the beginning of a line or of a sentence. A
numbered list of somebody who was asked nothing answers nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from transforms.conversation.quoted_lines import read_clauses
from transforms.exchanges.offers import FENCE, follows, read_offer
from transforms.exchanges.pointing import ASKING, DENYING
from transforms.language import cue_phrases
from transforms.language.lexicon import parse_set
from transforms.language.sentences import QUESTION_MARKS, join_lines, shorten, split_sentences, strip_markdown
from transforms.language.tokenizer import stem
from transforms.patterns.late_pattern import compile_late

ITEM_CHARS = 240
"""Longest text of an item and of an answer that is read."""
MIN_ANSWERS = 2
"""Answers of a message from which it is one that goes through the items; a single label picks an option."""
_LABELLED = r"(?:Q(?:uestion)?[ ]?)?(?P<label>\d{1,2}|[A-Z])"
_ITEM = compile_late(rf"^[ \t>*#-]*{_LABELLED}\**[.):]\**[ \t]+(?P<text>\S.*)$", re.M)
_ANSWER = compile_late(
    r"(?:^[ \t]*|(?<=[.;!?…])[ \t]+)[(#]?(?:Q(?:uestion)?[ ]?)?"
    r"(?P<label>\d{1,2}|[A-Ha-h])(?:[.):]+[ \t]*|[ \t]+(?=[^\W\d]))(?=\S)",
    re.M,
)
"""A label in front of an answer: with a mark, or with a word behind it ("2 yes")."""


def read_points(text: str) -> dict[str, str]:
    """Return the points of a text by their labels: the clauses of a document ("4.1 Keys must …"), else its last labelled list."""
    clauses = {label: shorten(words, ITEM_CHARS) for label, words in read_clauses(text)}
    if len(clauses) >= MIN_ANSWERS:
        return clauses
    return {option.label: option.text for option in read_offer(text).options if option.label}


@dataclass(frozen=True, slots=True)
class ItemAnswer:
    """What an owner answered to one item of the agent's list, in the words of both; `is_question` when the item asks something,
    and is no step of the agent's work."""

    label: str
    asked: str
    answer: str
    is_question: bool
    is_verdict: bool = False
    """Whether the owner went through proposals, and takes or refuses each."""

    @property
    def is_refusal(self) -> bool:
        """Whether a verdict refuses the proposal, in its first words."""
        words = self.answer.split()[:VERDICT_WORDS]
        is_taken = bool(words and cue_phrases.AGREEMENT.match(words[0]))
        return self.is_verdict and not is_taken and bool(DENYING.search(" ".join(words)))


@dataclass(frozen=True, slots=True)
class ItemisedAnswers:
    """The answers of a message, and its words before the first and below the last of them."""

    answers: tuple[ItemAnswer, ...]
    rest: str


def read_itemised_answers(typed: str, reply: str) -> ItemisedAnswers | None:
    """Return the answers of what an owner typed to the items of a reply; None unless it answers two at least, in their order."""
    items = read_items(reply)
    options = {option.label: option.text for option in read_offer(reply).options if option.label}
    counted = _list_counted(reply, {*items, *options}) if items or options else frozenset[str]()
    marks = [mark for mark in _ANSWER.finditer(typed) if mark["label"].upper() in items and not _counts(mark, typed, counted)]
    run = _take_rising(marks) if items else []
    if len(run) < MIN_ANSWERS:
        run = _find_unmarked(typed, items)
    is_verdict = len(run) < MIN_ANSWERS
    if is_verdict:
        items = options
        run = _find_verdicts(typed, items, counted)
    if len(run) < MIN_ANSWERS:
        return None
    last = typed.find("\n", run[-1].end())
    ends = [*(mark.start() for mark in run[1:]), last if last >= 0 else len(typed)]
    answers = []
    for mark, end in zip(run, ends, strict=True):
        answer, asked = join_lines(typed[mark.end() : end]).strip(" ,;"), items[mark["label"].upper()]
        if answer.endswith(QUESTION_MARKS) or (is_verdict and ASKING.match(answer)) or len(answer) > ITEM_CHARS:
            return None  # a list of the owner's own, of questions or of work
        if answer:
            answers.append(ItemAnswer(mark["label"].upper(), asked, answer, asks(asked), is_verdict))
    rest = "\n".join(filter(None, (typed[: run[0].start()].strip(), typed[ends[-1] :].strip())))
    return ItemisedAnswers(tuple(answers), rest) if len(answers) >= MIN_ANSWERS else None


def _list_counted(reply: str, labels: Collection[str]) -> frozenset[str]:
    """Return the stems of the words right behind a number that is none of the labels: of "2 needs a server" the 2 is one."""
    pairs = pairwise(reply.lower().split())
    counts = (word for number, word in pairs if number.isdigit() and number not in labels and word[0].isalpha())
    return frozenset(stem(word.strip(".,;:!?")) for word in counts)


def _counts(mark: re.Match[str], typed: str, counted: Collection[str]) -> bool:
    """Whether a number without a mark counts what the agent counted: "3 attempts not 5", behind "5 attempts"."""
    word = typed[mark.end() :].split(maxsplit=1)[0].strip(".,;:!?").lower()
    return mark[0].strip() == mark["label"] and stem(word) in counted


def _take_rising(marks: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """Return the marks whose labels rise: "2 days" within the answer to 3 is no label."""
    run: list[re.Match[str]] = []
    for mark in marks:
        label = mark["label"].upper()
        last = run[-1]["label"].upper() if run else ""
        if not run or (label.isdigit() == last.isdigit() and (len(label), label) > (len(last), last)):
            run.append(mark)
    return run


def _find_unmarked(typed: str, items: Mapping[str, str]) -> list[re.Match[str]]:
    """Return the labels of a line that begins with the first and names all, each once and in order, of a list that only asks."""
    head = typed.split("\n", 1)[0]
    labels = [*items] if items and all(map(asks, items.values())) else []
    words = re.finditer(_WORD_LABEL, head)
    run = [mark for mark in words if mark["label"].upper() in labels]
    return run if run and run[0].start() == 0 and [mark["label"].upper() for mark in run] == labels else []


_WORD_LABEL = r"(?<!\S)(?P<label>\d{1,2}|[A-Ha-h])[.):]*[ \t]+(?=\S)"
_COUNTING = parse_set("a an the of in on at to from by with for than until after and or least most")
"""Words before a number that counts or measures, and before no label of an answer."""
_JOINING = frozenset({"of", "and", "or"})
"""Words behind a number that is no label ("1 of them") or shares its verdict with the next one ("2 and 4 yes")."""
WORD_CHARS = 12
"""Characters before a number in which such a word stands, with blanks around it."""
VERDICT_WORDS = 3
"""First words of an answer in which it refuses what it answers; who takes it says so first."""


def _find_verdicts(typed: str, items: Mapping[str, str], counted: Collection[str]) -> list[re.Match[str]]:
    """Return the labels of a message that begins with one and says of several proposals what it takes: "1 ok 2 no 3 later".

    One of them at least must be a plain yes or no: numbers that count stand in sentences, too. Who goes back and forth, or joins
    two ("2 and 4 yes 1 no"), cannot be parted without marks: a verdict would fall on the wrong one.
    """
    labels = [
        mark for mark in re.finditer(_WORD_LABEL, typed) if mark["label"].upper() in items and not _counts(mark, typed, counted)
    ]
    marks = [
        mark
        for mark in labels
        if _COUNTING.isdisjoint(typed[max(0, mark.start() - WORD_CHARS) : mark.start()].lower().split()[-1:])
    ]
    run = _take_rising(marks)
    if len(run) < MIN_ANSWERS or run[0].start() > 0 or run != marks:
        return []
    ends = [*(mark.start() for mark in run[1:]), len(typed)]
    answers = [typed[mark.end() : end].split() for mark, end in zip(run, ends, strict=True)]
    first_words = {stem(words[0].lower()) for words in answers if words}
    if len(first_words) == 1 and not any(cue_phrases.AGREEMENT.match(word) or DENYING.match(word) for word in first_words):
        return []  # "1 day is ok 2 days no"
    is_plain = [
        bool(cue_phrases.AGREEMENT.match(" ".join(words[:1])) or DENYING.search(" ".join(words[:VERDICT_WORDS])))
        for words in answers
    ]
    return run if any(is_plain) and all(words and words[0].lower() not in _JOINING for words in answers) else []


def read_items(reply: str) -> dict[str, str]:
    """Return the items of the last labelled list that asks something, by their labels; empty when none asks."""
    prose = FENCE.sub("\n", reply)
    runs: list[list[re.Match[str]]] = []
    for mark in _ITEM.finditer(prose):
        if runs and follows(runs[-1][-1]["label"], mark["label"]):
            runs[-1].append(mark)
        elif mark["label"] in ("1", "A"):
            runs.append([mark])
    if not runs:
        return {}
    run = runs[-1]  # a list before it was explained, and what is asked stands behind
    texts = {mark["label"]: shorten(join_lines(strip_markdown(mark["text"]).replace("**", "")), ITEM_CHARS) for mark in run}
    asking = sum(map(asks, texts.values()))
    end = (split_sentences(join_lines(prose[run[-1].end() :])) or [""])[-1]
    is_named = end.endswith(QUESTION_MARKS) and _names_label(end, texts)
    return {label: _cut_advice(text) for label, text in texts.items()} if asking * MIN_ANSWERS >= len(texts) or is_named else {}


def _names_label(sentence: str, texts: Mapping[str, str]) -> bool:
    """Whether a question names an item by its label: "May I do 1 and 2 on the server?"."""
    return any(label in texts for label in re.findall(r"\b(?:\d{1,2}|[A-Z])\b", sentence))


def _cut_advice(text: str) -> str:
    """Return an item up to the last sentence that asks: what the agent advises behind it is not what was asked."""
    sentences = split_sentences(text)
    asking = [place for place, sentence in enumerate(sentences) if asks(sentence)]
    return " ".join(sentences[: asking[-1] + 1]) if asking else text


def asks(text: str) -> bool:
    """Whether a text asks something: by a question mark, or by alternatives."""
    return any(mark in text for mark in QUESTION_MARKS) or len(read_offer(text).options) >= MIN_ANSWERS
