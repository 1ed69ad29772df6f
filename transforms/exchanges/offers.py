"""Reads what an agent's turn offers: the question, and its options with their labels, or the alternatives that it joins by "or".

Only marks and closed classes are read: consecutive numbers or letters, marks of a list, "or" and "either", question marks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise

from transforms.language.sentences import QUESTION_MARKS, find_content_words, join_lines, shorten, split_sentences, strip_markdown
from transforms.patterns.late_pattern import compile_late

OPTION_CHARS = 240
"""Longest text of an option that is read."""
LEAD_CHARS = 1_200
"""Characters before or behind the options in which the words about them are looked for."""
MIN_OPTIONS, MOST_BULLETS = 2, 200
MIN_ASKED_WORDS = 3
"""A question with fewer content words ("Which one?") is read together with the sentence before it."""
MIN_HEAD_WORDS = 2
"""Content words of a head with a colon that says by itself what its options are."""
MENU_WORDS = frozenset({"option", "options", "way", "ways", "choices", "candidates", "possibilities", "variants", "alternatives"})
"""What announces a menu and names nothing of it."""
MAX_ALTERNATIVE_WORDS = 14
"""Words of an alternative in a sentence; a longer part is a clause of its own."""
FENCE = compile_late(r"```.*?(?:```|\Z)", re.S)
_LABEL = compile_late(
    r"(?P<line>^[ \t>*#-]*)?(?P<open>\(|(?<![\w.#]))(?:[Oo]ption |[Cc]hoice |[Pp]lan )?(?P<label>\d{1,2}|[A-Za-z])"
    r"(?P<close>[).:])\**(?=\s)|^[ \t>*#-]*(?:[Oo]ption|[Cc]hoice|[Pp]lan) (?P<bare>\d{1,2}|[A-Z])\b[ \t]*(?:[—–:(-]|$)",
    re.M,
)
_END = compile_late(r"[?!](?=\s|$)|\.(?=\s+[A-Z\"'“(*]|\s*$)|\n")
_TRAILING_JOIN = compile_late(r"[\s,;.]*(?:\b(?:or|and)\b)?[\s,;]*$", re.I)
_LEADING_MARKS = compile_late(r"^[\s*:]*(?:[—–-]+\s+)?\**")
_OR = compile_late(r",?\s+or(?:\s+else)?\s+", re.I)
BRACKETED = compile_late(r"\([^()]*\)")
_MASK, _UNMASK = str.maketrans(" ,;", "\1\2\3"), str.maketrans("\1\2\3", " ,;")
"""What stands in parentheses is not cut: its separators are other characters for a while."""
_EITHER = compile_late(r"^.*?\beither\s+", re.I)
_SUBORDINATE = compile_late(
    r"^(?:which|who|that|where|when|once|if|since|because|as|so|with|but|though|although|while|until|unless)\b", re.I
)
"""A part that begins so belongs to the alternative before it."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of an offer; `label` is its number or capital letter, empty for an alternative of a sentence."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Offer:
    """What a turn offers: the words that say about what, the options, and the sentence of a question that ends the turn."""

    asked: str
    options: tuple[Option, ...]
    is_listed: bool = False
    """Whether the options are only a list behind a colon: no mark and no "or" says that they exclude each other."""
    advised: int | None = None
    """The option that the agent would take, where it says so."""

    @property
    def is_labelled(self) -> bool:
        """Whether the options have labels."""
        return bool(self.options) and bool(self.options[0].label)


def read_offer(text: str) -> Offer:
    """Return what a turn offers: its last labelled menu, else a list with a question, else alternatives of a sentence."""
    return read_offers(text)[-1]


@lru_cache(maxsize=64)
def read_offers(text: str) -> tuple[Offer, ...]:
    """Return all that a turn offers, in order: its labelled menus, if each has a head of its own, else one offer."""
    prose = FENCE.sub("\n", text)
    matches = list(_LABEL.finditer(prose))
    runs = _find_runs(matches, is_numbered=True) + _find_runs(matches, is_numbered=False)
    last = next((run for is_numbered in (True, False) if (run := _find_last(_find_runs(matches, is_numbered=is_numbered)))), [])
    menus = _list_menus(prose, runs) if len(runs) >= MIN_MENUS else []
    if len(menus) >= MIN_MENUS:
        return tuple(menus)
    if last:
        options = tuple(_cut_options(prose, last))
        if len(options) >= MIN_OPTIONS:
            start = max((run[-1].end() for run in runs if run[-1].end() <= last[0].start()), default=0)
            asked = _find_asked(_drop_line(prose, start), last[0].start(), last[-1].end(), options)
            return (Offer(asked, options, advised=_find_advised(prose, options)),)
    offer = _read_bullets(prose) or _read_alternatives(prose)
    return (replace(offer, advised=_find_advised(prose, offer.options)),) if offer.options else (offer,)


MIN_MENUS, MAX_HEAD_WORDS = 2, 16
"""Menus of a turn from which each is read by itself, and words of a head that says what its menu is for."""


def _list_menus(prose: str, runs: Sequence[list[re.Match[str]]]) -> list[Offer]:
    """Return the menus of a turn that has several below each other, each behind a question or a head with a colon; none when one
    stands within another, or has no such head."""
    ordered = sorted(runs, key=lambda run: run[0].start())
    if any(first[-1].end() > second[0].start() for first, second in pairwise(ordered)):
        return []
    starts, ends = [0], list[int]()
    for run, following in zip(ordered, [*ordered[1:], None], strict=True):
        part = prose[: following[0].start()] if following else prose
        line = part.find("\n", run[-1].end())
        ends.append(line if line >= 0 and following else len(part))
        starts.append(ends[-1])
    menus = list[Offer]()
    for run, start, end in zip(ordered, starts, ends, strict=False):
        lead = next((words for words in reversed(prose[start : run[0].start()].split("\n")) if words.strip()), "")
        head = join_lines(strip_markdown((split_sentences(lead) or [""])[-1].strip().strip("#>-* ")))
        options = tuple(_cut_options(prose[:end], run))
        is_head = head.endswith((":", *QUESTION_MARKS)) and 0 < len(head.split()) <= MAX_HEAD_WORDS
        if is_head and len(options) >= MIN_OPTIONS:
            menus.append(Offer(head, options, advised=_find_advised(prose[start:end], options)))
    return menus if len(menus) == len(ordered) else []


def _drop_line(prose: str, end: int) -> str:
    """Return a text that is blank up to the end of the line at `end`: options of an earlier menu lead to nothing."""
    line = prose.find("\n", end) if end else 0
    return " " * line + prose[line:] if line > 0 else prose


ADVICE = compile_late(
    r"\b(?:recommend\w*|suggest\w*|propose\w*|advise\w*|favou?rite|default|(?:my|first) (?:pick|choice|preference|vote)"
    r"|i(?:'d|’d| would|'ll|’ll)? (?:rather )?(?:go|take|pick|use|choose|prefer|keep|stay|lean))\b",
    re.I,
)
"""How an agent says which option it would take."""


def _find_advised(prose: str, options: Sequence[Option]) -> int | None:
    """Return the option that the agent would take, said in it or in a sentence that names it; None without exactly one."""
    marked = [place for place, option in enumerate(options) if ADVICE.search(option.text)]
    if len(marked) == 1:
        return marked[0]
    named = set[int]()
    words = [find_content_words(option.text) for option in options]
    for sentence in _split_prose(prose[-LEAD_CHARS:]):
        if sentence.endswith(QUESTION_MARKS) or not (advice := ADVICE.search(sentence)):
            continue
        behind = sentence[advice.end() :]
        labels = re.findall(r"(?<!\w)(\d{1,2}|[A-Z])(?!\w)", behind)
        said = find_content_words(behind)
        named |= {place for place, option in enumerate(options) if option.label and option.label in labels[:1]}
        shared = [len(said & own) for own in words]
        if not labels and options and max(shared) and shared.count(max(shared)) == 1:
            named.add(shared.index(max(shared)))
    return named.pop() if len(named) == 1 else None


def _find_last(runs: Sequence[list[re.Match[str]]]) -> list[re.Match[str]]:
    """Return the run of labels that begins last."""
    return max(runs, key=lambda run: run[0].start(), default=[])


def _find_runs(matches: Sequence[re.Match[str]], *, is_numbered: bool) -> list[list[re.Match[str]]]:
    """Return the runs of consecutive labels of one style that start with 1 or A, two labels at least."""
    runs: list[list[re.Match[str]]] = []
    last: dict[str, list[re.Match[str]]] = {}
    for match in matches:
        label = _take_label(match)
        if label.isdigit() != is_numbered:
            continue
        is_line = match["bare"] is not None or match["line"] is not None
        if not is_line and not match["open"] and match["close"] != ")" and not (is_numbered and match["close"] == "."):
            continue  # "e. g." and "Step A: …" inside of a sentence
        style = f"{match['open'] or ''}{match['close'] or ' '}{is_line}"
        run = last.setdefault(style, [])
        if run and follows(_take_label(run[-1]), label):
            run.append(match)
        elif label in ("1", "A"):
            last[style] = run = [match]
            runs.append(run)
        else:
            last[style] = []
    return [run for run in runs if len(run) >= MIN_OPTIONS]


def _take_label(match: re.Match[str]) -> str:
    return (match["label"] or match["bare"] or "").upper()


def follows(before: str, label: str) -> bool:
    """Whether a label is the next number or letter behind another one."""
    if before.isdigit():
        return label.isdigit() and int(label) == int(before) + 1
    return not label.isdigit() and ord(label) == ord(before) + 1


def _cut_options(prose: str, marks: Sequence[re.Match[str]]) -> Iterator[Option]:
    """Yield the options: each reaches to the next label, at most to the end of its line, the last to the end of its sentence."""
    ends = [mark.start() for mark in marks[1:]] + [len(prose)]
    for mark, end in zip(marks, ends, strict=True):
        text = _LEADING_MARKS.sub("", prose[mark.end() : end])
        text = text.split("\n", 1)[0]
        if end == len(prose) and not (mark["line"] is not None and not _is_inline(prose, marks)):
            text = text[: end_mark.start() + 1] if (end_mark := _END.search(text)) else text
        text = _TRAILING_JOIN.sub("", join_lines(strip_markdown(text).replace("**", "")))
        if text:
            yield Option(_take_label(mark), shorten(text, OPTION_CHARS))


def _is_inline(prose: str, marks: Sequence[re.Match[str]]) -> bool:
    return any("\n" not in prose[first.end() : second.start()] for first, second in pairwise(marks))


_ENDS = "".join(QUESTION_MARKS) + "。. "


def _find_asked(prose: str, start: int, end: int, options: Sequence[Option]) -> str:
    """Return the sentences about what the options are: a question behind them when it says something, else the lead before.

    The end of an option's own sentence is no question about them ("1) keep the form, or 2) close it?").
    """
    before, behind = _split_prose(prose[max(start - LEAD_CHARS, 0) : start]), _split_prose(prose[end:][-LEAD_CHARS:])
    own = {option.text.rstrip(_ENDS) for option in options}
    asking = [sentence for sentence in [*before[-2:], *behind[-2:]] if sentence.endswith(QUESTION_MARKS)]
    questions = [sentence for sentence in asking if sentence.rstrip(_ENDS) not in own]
    if questions and len(find_content_words(questions[-1])) >= MIN_ASKED_WORDS:
        return questions[-1]
    return _join_lead(before)


def _join_lead(sentences: Sequence[str]) -> str:
    """Return the last sentence, with the one before it when it says too little alone."""
    lead = ""
    for sentence in reversed(sentences[-3:]):
        lead = f"{sentence} {lead}".strip()
        is_head = lead.endswith(":") and len(find_content_words(lead) - MENU_WORDS) >= MIN_HEAD_WORDS
        if is_head or len(find_content_words(lead)) >= MIN_ASKED_WORDS:
            break
    return lead


def _split_prose(text: str) -> list[str]:
    return [
        sentence
        for part in split_sentences(text)
        if (sentence := join_lines(strip_markdown(part.strip().lstrip("#>-* ")))) and find_content_words(sentence)
    ]


def _read_bullets(prose: str) -> Offer | None:
    """Return a list without labels as an offer when a question stands right before or behind it. One of more than `MOST_BULLETS`
    offers nothing: it tells what was found or done, and nobody picks from it by a word."""
    marks = list(re.finditer(r"(?m)^[ \t]*[-*•+][ \t]+(.+)$", prose))
    if len(marks) < MIN_OPTIONS:
        return None
    run = [marks[-1]]
    for mark in reversed(marks[:-1]):
        if prose[mark.end() : run[0].start()].strip():
            break
        run.insert(0, mark)
        if len(run) > MOST_BULLETS:
            return None
    start, end = run[0].start(), run[-1].end()
    before, behind = _split_prose(prose[max(start - LEAD_CHARS, 0) : start]), _split_prose(prose[end : end + LEAD_CHARS])
    asking = [sentence for sentence in [*before[-1:], *behind[:2]] if sentence.endswith(QUESTION_MARKS)]
    if len(run) < MIN_OPTIONS or not asking:
        return None
    if asking[-1] in behind[:2] and len(split_alternatives(asking[-1])) >= MIN_OPTIONS:
        return None  # the question has its own: "Shall I set both, or will you?"
    options = tuple(Option("", shorten(join_lines(strip_markdown(mark[1])), OPTION_CHARS)) for mark in run)
    return Offer(_find_asked(prose, start, end, options), options)


def _read_alternatives(prose: str) -> Offer:
    """Return the alternatives of the last of the last sentences that has some; an offer without options when none has."""
    sentences = _split_prose(prose[-LEAD_CHARS:])
    for index in range(len(sentences) - 1, max(len(sentences) - 5, -1), -1):
        if len(options := split_alternatives(sentences[index])) >= MIN_OPTIONS:
            is_listed = not _OR.search(BRACKETED.sub("", sentences[index]))
            return Offer(_join_lead(sentences[: index + 1]), tuple(Option("", option) for option in options), is_listed)
    return Offer("", ())


def split_alternatives(sentence: str) -> list[str]:
    """Return the alternatives that a sentence joins by "or", or lists behind a colon; none when one is a whole clause."""
    masked = BRACKETED.sub(lambda match: match[0].translate(_MASK), sentence.rstrip(".?! "))
    _, colon, rest = masked.partition(": ")
    listed = rest if colon and (", " in rest or "; " in rest or _OR.search(rest)) else ""
    if not listed and not _OR.search(masked):
        return []
    *first, last = _OR.split(listed or _EITHER.sub("", masked))
    last = last.split("; ", 1)[0] if first else last
    parts = [part for piece in first for part in re.split(r"[,;]\s+", piece)] + ([last] if first else re.split(r"[,;]\s+", last))
    parts = _join_subordinates([part.strip(" ,;") for part in parts if part.strip(" ,;")])
    if any(len(part.split()) > MAX_ALTERNATIVE_WORDS for part in parts[1:]):
        return []
    return [shorten(part.translate(_UNMASK), OPTION_CHARS) for part in parts]


def _join_subordinates(parts: Sequence[str]) -> list[str]:
    joined: list[str] = []
    for part in parts:
        if joined and _SUBORDINATE.match(part):
            joined[-1] = f"{joined[-1]}, {part}"
        else:
            joined.append(part)
    return joined


def flatten(text: str) -> str:
    """Return a text in one spelling, by which it is known again: small letters and digits, a blank between words."""
    plain = "".join(char if char.isalnum() else " " for char in strip_markdown(text).lower())
    return " ".join(plain.split())


LAST_SENTENCES = 3
"""Sentences at the end of a reply of which one may be the open offer."""
OFFER_CHARS, MIN_OFFER_WORDS = 230, 5
"""Characters of an offer, and content words from which it is told without the sentence before it."""


def find_open_offer(reply: str) -> str:
    """Return the question or proposal that a reply leaves open at its end, with the sentence before it when it says little.

    What an agent advises of a menu is no offer of its own.
    """
    is_menu = read_offer(reply).is_labelled
    prose = [join_lines(strip_markdown(sentence.strip())) for sentence in split_sentences(FENCE.sub("\n", reply))]
    prose = [sentence for sentence in prose if sentence]
    for place in range(len(prose) - 1, max(len(prose) - 1 - LAST_SENTENCES, -1), -1):
        sentence = prose[place]
        if sentence.endswith(QUESTION_MARKS) or (not is_menu and ADVICE.search(sentence)):
            is_short = len(find_content_words(sentence)) < MIN_OFFER_WORDS
            is_led = place > 0 and prose[place - 1].endswith((".", ":", "!", *QUESTION_MARKS))
            return f"{prose[place - 1]} {sentence}" if is_short and is_led else sentence
    return ""


def shorten_offer(offered: str) -> str:
    """Return an offer with its end, which asks, where it is long."""
    if len(offered) <= OFFER_CHARS:
        return offered
    last = split_sentences(offered)[-1]
    room = OFFER_CHARS - len(last) - 1
    return f"{shorten(offered[: -len(last)].strip(), room)} {last}" if room > len(last) else shorten(last, OFFER_CHARS)


def find_distinct_words(texts: Sequence[str]) -> list[frozenset[str]]:
    """Return of each text the content words that no other one has."""
    words = [find_loose_words(text) for text in texts]
    counts = Counter(chain.from_iterable(words))
    return [frozenset(word for word in own if counts[word] == 1) for own in words]


def find_loose_words(text: str) -> frozenset[str]:
    """Return the content words, those of names in small letters too: people type "rabbitmq" for RabbitMQ."""
    return find_content_words(text) | find_content_words(text.lower())
