"""Takes from the owner a message of somebody else that is passed on as it was written, without marks around it.

Its form tells, in any language. Below a line that ends with a colon people leave an empty line before words that they paste;
their own go on at once or stand in points. Below a first line that begins with a sender ("Henrik: 402 runs fine") the owner
answers; that such a label is a name shows elsewhere in the session. A program's own name stands between brackets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from unicodedata import east_asian_width

from transforms.attribution.given_blocks import is_point
from transforms.classify.paragraphs import Paragraph
from transforms.conversation.pasted_lines import split_lines
from transforms.patterns.late_pattern import compile_late

MIN_WORDS = 8
"""Words of a message; fewer may be a name or a value that the owner sets apart."""
MIN_WIDE_CHARS = 16
"""The same for scripts without blanks, or with few of them."""
MIN_LOG_LINES = 3
MIN_SENDER_CHARS = 3
MOST_CAPITALS = 0.15
"""Share of words inside of sentences that begin with a capital, in languages where only names do."""
_INSIDE_WORD = compile_late(r"(?<=[^\W\d_A-Z][ ])[^\W\d_]{3,}")
_COLONS = (":", "：")
_POINT_MARKS = (".", ")", "、")
SENDER = compile_late(
    r"""(?P<name>[^\W\d_][\w'’.-]*(?:[ ][^\W\d_][\w'’.-]*)?)(?:[ ]\([^()\n]{1,40}\))?
    (?:,?[ ][\[(]?\d{1,2}[:.h]\d\d(?:[ ]?[AaPp][Mm])?[\])]?)?[ \t]?(?::(?!//)[ \t]+|：[ \t]*)(?P<words>\S[^\n]*)""",
    re.X,
)
"""A sender of one word or two, perhaps with a role and a time, before words on the same line."""
_HEADER = compile_late(
    r"""(?P<tag>\[[^\]\[\n]{2,20}\][ ])?(?P<name>[^\W\d_][^\n:,.!?()\[]{0,30}?)
    (?P<role>[ ]\([^()\n]{1,30}\))?(?P<dash>[ ]+[—–-]|,)?
    [ ]{1,4}(?P<bracket>\[)?(?:[^\n\]]{2,14}[ ])?\d{1,2}[:.h]\d\d(?:[ ]?[AaPp]\.?[Mm]\.?)?\]?:?[ \t]*\Z""",
    re.X,
)
"""A sender and a time alone on a line, as chats put them above a message."""
_TAG = compile_late(r"\s*\[(?!redacted:)(?=[^\]\n]*[a-z\d])[^\W\d_][^\]\[\n]{1,40}\]:?[ \t]+\S")
"""The name of a program or a channel between brackets before its message: "[pi-budget] 71 % used". People write "[WIP] …"."""
MIN_MESSAGES = 2
"""Messages that begin with a label before it is a sender's."""


def take_relayed_messages(
    text: str, judged: Sequence[tuple[Paragraph, bool]], other_texts: Collection[str]
) -> list[tuple[Paragraph, bool]]:
    """Return the judged paragraphs of an entry; what is set apart below a colon, and what begins with its sender, is not typed.

    `other_texts` are those of the session, which show what is a common word.
    """
    sent = _find_sent_lines(text, other_texts) if ":" in text or "[" in text else []
    taken: list[tuple[Paragraph, bool]] = []
    for paragraph, is_typed in judged:
        if is_typed and taken and _is_set_apart(text, taken[-1][0], paragraph):
            taken.append((paragraph, False))
        elif is_typed:
            taken += _cut(text, paragraph, sent)
        else:
            taken.append((paragraph, is_typed))
    return taken


def _is_set_apart(text: str, above: Paragraph, paragraph: Paragraph) -> bool:
    """Whether an empty line stands between a paragraph in prose and a line that ends with a colon."""
    words = text[paragraph.start : paragraph.end]
    gap = text[len(text[: above.end].rstrip()) : paragraph.start]
    is_announced = text[: above.end].rstrip().endswith(_COLONS) and gap.count("\n") >= 2
    is_listed = is_point(words) or words.lstrip()[1:2] in _POINT_MARKS
    return is_announced and not is_listed and _is_message(words)


def _is_message(words: str) -> bool:
    return len(words.split()) >= MIN_WORDS or sum(east_asian_width(char) in "WF" for char in words) >= MIN_WIDE_CHARS


def _cut(text: str, paragraph: Paragraph, sent: Sequence[Paragraph]) -> Iterator[tuple[Paragraph, bool]]:
    """Yield a typed paragraph in pieces: the lines that somebody sent are not typed."""
    position = paragraph.start
    for line in sent:
        start, end = max(line.start, position), min(line.end, paragraph.end)
        if start < end and text[start:end].strip():
            if text[position:start].strip():
                yield Paragraph(position, start), True
            yield Paragraph(start, end), False
            position = end
    if text[position : paragraph.end].strip():
        yield Paragraph(position, paragraph.end), True


def _find_sent_lines(text: str, other_texts: Collection[str]) -> list[Paragraph]:
    """Return the lines that begin with a sender: in a talk of several, or the first line of an entry.

    What stands below a sender that is alone on its line is the sender's up to the next one; of the last, one line.
    """
    lines = [line for line in split_lines(text) if line.text.strip()]
    senders = [SENDER.match(line.text) for line in lines]
    headers = _find_headers([line.text for line in lines])
    sent = {
        place
        for first, end in zip(headers, [*headers[1:], *[place + 2 for place in headers[-1:]]], strict=True)
        for place in range(first, min(end, len(lines)))
    }
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and senders[end]:
            end += 1
        names = [match["name"].casefold() for match in senders[start:end] if match]
        if len(names) >= MIN_LOG_LINES and 1 < len(set(names)) < len(names):
            sent |= set(range(start, end))
        start = end + 1
    if lines and (_TAG.match(text) or _is_sent_first(senders, other_texts)):
        sent.add(0)
    return [Paragraph(lines[place].start, lines[place].end) for place in sorted(sent)]


def _is_sent_first(senders: Sequence[re.Match[str] | None], other_texts: Collection[str]) -> bool:
    """Whether the first line of an entry begins with a name before a message, and more stands below."""
    first = senders[0]
    if first is None or len(senders) == 1 or senders[1] is not None:
        return False
    is_message = _is_message(first["words"]) and not first["words"].rstrip().endswith(_COLONS)
    return is_message and _names_sender(first["name"], other_texts)


def _find_headers(lines: Sequence[str]) -> list[int]:
    """Return the places of lines with a sender and a time above a message: several of them, or one in a form of its own."""
    named = {place: match for place, line in enumerate(lines) if (match := _HEADER.match(line))}
    headers = {
        place: any(match.group("tag", "role", "dash", "bracket"))
        for place, match in named.items()
        if place + 1 < len(lines) and place + 1 not in named
    }
    places = [place for place, is_marked in headers.items() if is_marked or not named[place]["name"][0].islower()]
    return places if len(places) > 1 or any(headers[place] for place in places) else []


def _names_sender(name: str, other_texts: Collection[str]) -> bool:
    """Whether a label names somebody: it stands with a capital inside of a sentence elsewhere, and nowhere in small letters.

    Where all nouns have capitals, as in German, that says nothing.
    """
    if len(name) < MIN_SENDER_CHARS or not name[0].isupper():
        return False
    small = re.compile(rf"(?<![\w/\\@.~-]){re.escape(name.lower())}(?![\w/\\@-]|[.]\w)")
    inside = re.compile(rf"[^\W\d_][,;]?[ ]{re.escape(name)}(?![\w/\\@-]|[.]\w)")
    if any(small.search(text) for text in other_texts) or not any(inside.search(text) for text in other_texts):
        return False
    words: list[str] = [word for text in other_texts for word in _INSIDE_WORD.findall(text)]
    return sum(word[0].isupper() for word in words) <= MOST_CAPITALS * len(words)


def find_parent_messages(texts: Mapping[int, str]) -> set[int]:
    """Return the ordinals of the messages that a parent sent, of all user messages of a session that another one opened."""
    labels = {ordinal: match["name"] for ordinal, text in texts.items() if (match := SENDER.match(text.lstrip()))}
    times = Counter(label for label in labels.values() if not label[0].islower())
    return {ordinal for ordinal, label in labels.items() if times[label] >= MIN_MESSAGES}
