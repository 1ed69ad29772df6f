"""Finds words of a user entry that the agent said or a tool printed before: quoted, or sent back with a few words changed."""

from __future__ import annotations

import itertools
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from transforms.classify.paragraphs import Paragraph
from transforms.conversation.pasted_lines import is_prose, quotes_words
from transforms.exchanges.itemised_answers import MIN_ANSWERS, read_itemised_answers, read_items
from transforms.patterns.late_pattern import compile_late

_QUOTE_MARKS = "*_`#>|•│─"
"""Marks that a terminal does not show, so that copied text lacks them."""
_RAW_WORD = compile_late(r"\S+")
_LETTER = compile_late(r"[^\W\d_]")
_LINE = compile_late(r"[^\n]+")
_BLANK = compile_late(r"\s*")
_POINT_LABEL = compile_late(r"^\s*(?:[-*•+]|\w{1,2}[.)])\s+")
MIN_QUOTED_WORDS = 10
"""Words that a quotation must have: people do repeat an option or a name."""
CHUNK_WORDS = 4
MAX_CHUNKS = 16
MIN_QUOTED_SHARE = 0.75
"""Share of the chunks of a quotation that must have been said before."""
MIN_EDITED_SHARE = 0.5
"""Share of its words that an edited quotation must have in common with its source, in the same order."""
MIN_BLOCK_WORDS = 3
"""Common words in a row below this number are chance."""
MAX_EDITED_WORDS = 400
MIN_ANSWERED_WORDS = 3
"""Words of the agent that a quoted line must have to be what the lines below answer: fewer are said by chance."""
MOST_QUOTED_LINES = 200
"""Quoted lines that are looked for in the agent's words: a mailbox of ten thousand would be searched for seconds."""
MEMORY_CHARS = 400_000
"""Characters of agent and tools that are searched, the latest ones."""
_QUOTED = compile_late(r'(?<![\w"“”„«»])["“„«]([^"“”„«»]{30,8000}?)["”“»](?![\w"])|[「『]([^「」『』]{12,8000}?)[」』]')
_SENTENCE_END = compile_late(r"[.!?…]\s+\S|[。！？]\s*\S")
MIN_WORDS, MIN_UNSPACED_CHARS = 8, 16
"""Size of a quotation with several sentences, in words, or in characters of a script without blanks."""
_UNSPACED = compile_late(r"[぀-ヿ㐀-鿿]")


@dataclass(slots=True)
class EarlierText:
    """The words said and printed so far in a session."""

    parts: deque[tuple[str, str]] = field(default_factory=deque)
    size: int = 0

    def add(self, speaker: str, text: str) -> None:
        """Add a text of the `agent` or of a `tool`; the oldest ones are dropped behind MEMORY_CHARS."""
        if not text.strip():
            return
        self.parts.append((speaker, normalise(text[:MEMORY_CHARS])))
        self.size += len(self.parts[-1][1])
        while self.size > MEMORY_CHARS and len(self.parts) > 1:
            self.size -= len(self.parts.popleft()[1])

    def find_source(self, words: str) -> tuple[str, str, float] | None:
        """Return (speaker, text, share) of the earlier text that has most of these words, the latest of equals."""
        chunks = _split_chunks(words)
        best: tuple[str, str, float] | None = None
        for speaker, text in reversed(self.parts):
            if chunks and (share := sum(chunk in text for chunk in chunks) / len(chunks)) > (best[2] if best else 0.0):
                best = (speaker, text, share)
                if share == 1.0:
                    break
        return best

    def has_said(self, words: str) -> bool:
        """Whether the agent said these words, in this order."""
        plain = normalise(words)
        return plain.count(" ") + 1 >= MIN_ANSWERED_WORDS and any(
            speaker == "agent" and plain in text for speaker, text in self.parts
        )

    def find_copied_start(self, words: str) -> tuple[str, int] | None:
        """Return (speaker, end) of the longest beginning of the words that stands word for word in an earlier text; None for a
        beginning of fewer than MIN_QUOTED_WORDS words, and for a copy from the first word to the last."""
        tokens = [(token, word) for token in _RAW_WORD.finditer(words) if (word := normalise(token[0]))]
        if len(tokens) <= MIN_QUOTED_WORDS:
            return None
        plain = " ".join(word for _, word in tokens)
        ends = list(itertools.accumulate(len(word) + 1 for _, word in tokens))  # one behind the end of each word
        best: tuple[str, int] | None = None
        count = MIN_QUOTED_WORDS
        for speaker, text in reversed(self.parts):
            place, known = 0, 0  # the first place of the words so far, and how many of their letters are known to stand there
            while count <= len(tokens):
                end = ends[count - 1] - 1
                if not text.startswith(plain[known:end], place + known):
                    place = text.find(plain[:end], place)
                known = end
                if place < 0 or text[place + end : place + end + 1] not in ("", " "):
                    break
                best = speaker, tokens[count - 1][0].end()
                count += 1
        return best if best is not None and count < len(tokens) else None


def own_inline_answers(text: str, judged: Sequence[tuple[Paragraph, bool]], earlier: EarlierText) -> list[tuple[Paragraph, bool]]:
    """Return the judged paragraphs of an entry; right below a quoted line ("> …") that the agent said, one in words is typed.

    Who quotes the agent answers it, as in a mail: below each line, also in points, which alone look like a review. A paragraph
    further below may be somebody else's again.
    """
    quoted = list(itertools.islice((line for line in _LINE.finditer(text) if quotes_words(line[0])), MOST_QUOTED_LINES))
    if not quoted:
        return list(judged)
    owned, is_answer, before = list[tuple[Paragraph, bool]](), False, ""
    for paragraph, is_typed in judged:
        above = next((line for line in reversed(quoted) if line.end() <= paragraph.start), None)
        is_below = above is not None and _BLANK.fullmatch(text, above.end(), paragraph.start) and earlier.has_said(above[0])
        goes_on = is_answer and before[len(before.rstrip()) :].count("\n") <= 1  # a head, and the points below it
        before = text[paragraph.start : paragraph.end]
        is_answer = bool(is_below or goes_on) and _is_in_words(before)
        owned.append((paragraph, is_typed or is_answer))
    return owned


def own_listed_answers(text: str, judged: Sequence[tuple[Paragraph, bool]], before: str) -> list[tuple[Paragraph, bool]]:
    """Return the judged paragraphs of an entry; one that answers all that the agent's last words ask, under their labels and with
    nothing else in it, is typed: alone it looks like a review in points."""
    items = read_items(before) if not all(is_typed for _, is_typed in judged) else {}
    if len(items) < MIN_ANSWERS:
        return list(judged)
    owned = list[tuple[Paragraph, bool]]()
    for paragraph, is_typed in judged:
        read = None if is_typed else read_itemised_answers(text[paragraph.start : paragraph.end], before)
        is_answer = read is not None and len(read.answers) == len(items) and not read.rest
        owned.append((paragraph, is_typed or is_answer))
    return owned


def _is_in_words(text: str) -> bool:
    """Whether most lines of a paragraph are prose, behind the label of a point, or a few words."""
    lines = [_POINT_LABEL.sub("", line) for line in text.splitlines() if line.strip()]
    return sum(is_prose(line) or len(line.split()) <= MIN_ANSWERED_WORDS for line in lines) > len(lines) / 2


def normalise(text: str) -> str:
    """Return a text in lower case, its marks and blanks as single spaces."""
    plain = text.lower()
    for mark in _QUOTE_MARKS:
        plain = plain.replace(mark, " ")
    return " ".join(plain.split())


def is_quoted(share: float) -> bool:
    """Whether words with this share of chunks in an earlier text are quoted from it."""
    return share >= MIN_QUOTED_SHARE


def find_edits(words: str, source: str) -> list[tuple[int, int]] | None:
    """Return the stretches of `words` that differ from `source`; None when it is not that text with a few words changed.

    The stretches are character offsets in `words`, between words of the source in the same order; they hold a letter.
    """
    tokens = list(_RAW_WORD.finditer(words))[:MAX_EDITED_WORDS]
    tokens_here = [normalise(token[0]) for token in tokens]
    source_tokens = _cut_region(source.split(), tokens_here)
    if len(tokens_here) < MIN_QUOTED_WORDS or not source_tokens:
        return None
    matched = SequenceMatcher(None, source_tokens, tokens_here, autojunk=False).get_matching_blocks()
    blocks = [block for block in matched if block.size >= MIN_BLOCK_WORDS]
    if sum(block.size for block in blocks) < MIN_EDITED_SHARE * len(tokens_here):
        return None
    gaps = _list_gaps(tokens, [(block.b, block.b + block.size) for block in blocks], len(words))
    return [(start, end) for start, end in gaps if _LETTER.search(words[start:end])]


def _list_gaps(tokens: list[re.Match[str]], blocks: list[tuple[int, int]], end: int) -> Iterator[tuple[int, int]]:
    position = 0
    for first, last in [*blocks, (len(tokens), len(tokens))]:
        if first > position:
            yield tokens[position].start(), tokens[first - 1].end() if first < len(tokens) else end
        position = last


def _cut_region(source_tokens: list[str], tokens_here: list[str]) -> list[str]:
    """Return the part of a long source around the first words that both have."""
    if len(source_tokens) <= 2 * MAX_EDITED_WORDS:
        return source_tokens
    pairs = {(first, second) for first, second in itertools.pairwise(tokens_here)}
    hits = [index for index, pair in enumerate(itertools.pairwise(source_tokens)) if pair in pairs]
    if not hits:
        return []
    middle = hits[len(hits) // 2]
    return source_tokens[max(0, middle - MAX_EDITED_WORDS) : middle + MAX_EDITED_WORDS]


def _split_chunks(words: str) -> list[str]:
    """Return a few runs of words, spread over the text; none for a text that is too short to be a quotation."""
    parts = normalise(words).split()
    if len(parts) < MIN_QUOTED_WORDS:
        return []
    starts = range(0, len(parts) - CHUNK_WORDS + 1, CHUNK_WORDS)
    chosen = starts if len(starts) <= MAX_CHUNKS else [starts[number * len(starts) // MAX_CHUNKS] for number in range(MAX_CHUNKS)]
    return [" ".join(parts[start : start + CHUNK_WORDS]) for start in chosen]


def find_quoted_sentences(text: str) -> list[tuple[int, int]]:
    """Return the stretches between quotation marks that span more than one sentence, marks included, as character offsets."""
    quotation = []
    for match in _QUOTED.finditer(text):
        words = match[1] or match[2]
        is_long = len(words.split()) >= MIN_WORDS or len(_UNSPACED.findall(words)) >= MIN_UNSPACED_CHARS
        if is_long and _SENTENCE_END.search(words):
            quotation.append((match.start(), match.end()))
    return quotation
