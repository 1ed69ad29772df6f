"""Finds other people's words in a message: quoted lines (`> …`) and forwarded mails. Their rules are not the writer's.

Labels of points are read here, too: by these a writer answers a mail or a list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from transforms.patterns.late_pattern import compile_late

_QUOTED_LINE = compile_late(r"^ {0,3}>(?:\s|>|$)")
_HEADER = compile_late(
    r"^\s*\**(?P<name>From|To|Cc|Subject|Date|Sent|Reply-To|Von|An|Betreff|Datum|Gesendet|De|À|Objet|Date d'envoi)\**:\**\s+\S",
    re.I,
)
_SIGN_OFF = compile_late(
    r"""^\s*(?:(?:kind|best|warm|many|with\sbest)\s(?:regards|wishes|thanks)|regards|best|cheers|sincerely|yours(?:\s\w+)?
    |(?:mit\s)?(?:freundlichen|vielen|viele|liebe|beste|schöne)\s(?:grüßen|grüße|gruß)|lg|vg|mfg|cordialement)\b[\s,.!–-]*""",
    re.X | re.I,
)
_FIELD = compile_late(r"^\**(?P<name>[^\W\d_][^\W\d_]*(?:[ '’-][^\W\d_]+){0,2})\s?\**[:：]\**\s*(?P<value>\S.*)$")
_ADDRESS = compile_late(r"^(?P<name>[^<>@:]{0,60}?)[ \t]*[<\[(]?(?:mailto:)?[\w.+-]+@[\w-]+(?:\.[\w-]+)+[>\])]?[;,]?$")
_MOMENT = compile_late(r"\b(?:[0-2]?\d[:.h][0-5]\d|(?:19|20)\d\d)\b")
LEAST_UNDATED_FIELDS, MOST_FIELDS = 3, 200
_CONTACT = compile_late(r"[\d@]|www[.]")
MAX_CLOSING_WORDS, MAX_SIGNATURE_WORDS = 4, 6
_FORWARDED = compile_late(r"^\s*-{2,}\s*(?:original|forwarded|weitergeleitete|ursprüngliche)\b.*-{2,}\s*$", re.I)


def find_quoted_lines(texts: Sequence[str]) -> list[bool]:
    """Return for every line whether it quotes somebody else: a quotation mark in front, or part of a mail with its header.

    A mail is two header fields within three lines (or a forwarding rule, or a header by its form), and ends with the paragraph
    that holds a sign-off, or with the name of its sender. Without these it goes to the end, because nothing separates its body
    from later lines but another style.
    """
    is_quoted = [bool(_QUOTED_LINE.match(text)) for text in texts]
    position = 0
    while (first := _find_mail_start(texts, position)) is not None:
        last = _find_mail_end(texts, first)
        is_quoted[first:last] = [True] * (last - first)
        position = last
    return is_quoted


def may_be_quoted(text: str) -> bool:
    """Whether a first line may be quoted, or begin a mail."""
    return any(pattern.match(text) for pattern in (_QUOTED_LINE, _FORWARDED, _HEADER)) or _match_field(text) is not None


def _find_mail_start(texts: Sequence[str], start: int) -> int | None:
    for index in range(start, len(texts)):
        if _FORWARDED.match(texts[index]):
            return index
        if (here := _HEADER.match(texts[index])) and any(
            (other := _HEADER.match(text)) and other["name"].lower() != here["name"].lower()
            for text in texts[index + 1 : index + 3]
        ):
            return index
        if _is_header(texts, index):
            return index
    return None


def _is_header(texts: Sequence[str], first: int) -> bool:
    """Whether a paragraph begins with the header of a mail in any language, and more text stands below.

    Its fields begin with capitals, where the script has them, unlike the keys of settings and notes; one is an address alone,
    with or without its name, and another one holds a year or a time. Without a date the first of three fields, or of two above
    an empty line, names its sender as mails do: `Ana Vega <ana@lab.example>`.
    """
    if first and texts[first - 1].strip() and not texts[first - 1].rstrip().endswith((":", "：")):
        return False
    fields = []
    for line in range(first, min(len(texts), first + MOST_FIELDS)):  # no slice: each empty line would copy all lines below it
        if (field := _match_field(texts[line])) is None:
            break
        fields.append(field["value"].strip())
    if not (addresses := [value for value in fields if _ADDRESS.match(value)]):
        return False
    is_dated = any(_MOMENT.search(value) and value not in addresses for value in fields)
    end = first + len(fields)
    is_closed = len(fields) >= LEAST_UNDATED_FIELDS or (len(fields) > 1 and not "".join(texts[end : end + 1]).strip())
    is_named = is_closed and fields[0] in addresses and fields[0].endswith(">")
    return (is_dated or is_named) and any(texts[line].strip() for line in range(end, len(texts)))


def _match_field(text: str) -> re.Match[str] | None:
    field = _FIELD.match(text)
    return None if field is None or field["name"][0].islower() else field


def _list_sender_names(texts: Sequence[str], first: int) -> set[str]:
    """Return the words of the name in the first field of a header that is an address, or else in its first field."""
    values = []
    for text in texts[first:]:
        if (field := _match_field(text)) is None:
            break
        values.append(field["value"].strip())
    addresses = [address["name"] for value in values if (address := _ADDRESS.match(value))]
    names = addresses or [value for value in values[:1] if _is_name(value)]
    return {word.strip("\"'“”,.").casefold() for name in names[:1] for word in name.split()} - {""}


def _find_mail_end(texts: Sequence[str], first: int) -> int:
    sender = _list_sender_names(texts, first)
    for index in range(first + 1, len(texts)):
        if sender and _is_signed(texts, index, sender):
            return index + 1
        if _is_closing(texts, index):
            return _find_signature_end(texts, index + 1)
        if not _SIGN_OFF.match(texts[index]):
            continue
        rest = _SIGN_OFF.sub("", texts[index], count=1)
        if len(rest.split()) > 4:
            continue
        # The name may stand below an empty line: `Best,` / `` / `Ines`.
        end = index + 1
        if not rest.strip() and end < len(texts) and not texts[end].strip() and end + 1 < len(texts) and _is_name(texts[end + 1]):
            end += 1
        while end < len(texts) and texts[end].strip():
            end += 1
        return end
    return _find_answers(texts, first) or _find_remark(texts, first)


_CLAUSE_LINE = compile_late(r"^\s*\(?(?P<label>\d{1,2}(?:\.\d{1,2})+)[.):]*\s+(?P<words>\S.*)")
MIN_ANSWERS = 2
"""Clauses of a mail from which a list below it with their labels answers them."""


def _find_answers(texts: Sequence[str], first: int) -> int | None:
    """Return where the paragraph begins that answers the clauses of a mail ("4.1 …") under their labels, with the line above it.

    None without such. A document has such a label once, or again with the same words in its table of contents; "1." and "a)"
    begin again in each list of a mail. What the next mail of a chain answers is of its sender.
    """
    body = next((at for at in range(first, len(texts)) if not _is_of_header(texts[at])), len(texts))
    end = _find_mail_start(texts, body)
    seen, starts = dict[str, tuple[int, str]](), dict[int, int]()
    start = first
    for index in range(first, len(texts) if end is None else end):
        if index and not texts[index - 1].strip():
            start = index
        if (clause := _CLAUSE_LINE.match(texts[index])) is None:
            continue
        place, words = seen.setdefault(clause["label"], (start, clause["words"]))
        if place < start and not clause["words"].startswith(words) and not words.startswith(clause["words"]):
            starts[start] = starts.get(start, 0) + 1
            if starts[start] >= MIN_ANSWERS:
                return start
    return None


def _is_of_header(line: str) -> bool:
    return not line.strip() or bool(_FORWARDED.match(line) or _HEADER.match(line)) or _match_field(line) is not None


def _is_closing(texts: Sequence[str], index: int) -> bool:
    """Whether a short line ends with a comma above a name: a mail closes so in any language. A salutation has more below."""
    words = texts[index].split()
    is_short = 0 < len(words) <= MAX_CLOSING_WORDS and texts[index][:1].isupper() and texts[index].rstrip().endswith(",")
    return is_short and index + 1 < len(texts) and _is_name(texts[index + 1])


def _find_signature_end(texts: Sequence[str], first: int) -> int:
    """Return where the lines end that stand below a closing: names, and where to find them. A long line, a question or one in
    small letters is of the writer who passed the mail on."""
    end = first
    while end < len(texts) and _is_signature(texts[end]):
        end += 1
    return end


def _is_signature(line: str) -> bool:
    is_short = 0 < len(line.split()) <= MAX_SIGNATURE_WORDS and not line.rstrip().endswith("?")
    return is_short and (not line.lstrip()[:1].islower() or _CONTACT.search(line) is not None)


def _is_signed(texts: Sequence[str], index: int, sender: set[str]) -> bool:
    """Whether a line is the sender's name alone ("/Ingvild")."""
    words = [word.strip("-–—/,.*").casefold() for word in texts[index].split()]
    return 0 < len(words) <= 4 and sender.issuperset(words)


MIN_STYLED_LINES = 2
"""Lines of the body of a mail, with the remark below it, from which their styles are compared."""
_PLAIN_BEGINNING = compile_late(r"^[^\W\d_A-ZÀ-Þ]")
_LINE_BEGINNING = compile_late(r"^\s*(?:\d{1,2}[.)]\s+|[-*•+]\s+)?[A-ZÀ-Þ]")


def _find_remark(texts: Sequence[str], first: int) -> int:
    """Return where the last paragraph begins if it is one line in small letters below a mail that begins its lines with capitals,
    else the end: the writer of the message types so, and the writer of the mail does not."""
    blank = next((index for index in range(first, len(texts)) if not texts[index].strip()), len(texts))
    filled = [index for index in range(blank, len(texts)) if texts[index].strip()]
    if len(filled) < MIN_STYLED_LINES:
        return len(texts)
    last = filled[-1]
    is_apart = last > first and not texts[last - 1].strip() and _PLAIN_BEGINNING.match(texts[last])
    is_formal = all(_LINE_BEGINNING.match(texts[index]) for index in filled[:-1])
    return last if is_apart and is_formal else len(texts)


def _is_name(line: str) -> bool:
    words = line.split()
    return 0 < len(words) <= 4 and all(word[:1].isupper() for word in words) and not line.rstrip().endswith(("?", "!", ":"))


_NUMBERED = r"(?:\d{1,2}(?:\.\d{1,2})*|[A-Za-z])"
_VERDICT = compile_late(
    rf"^[ \t]*(?P<lead>[^\W\d_]{{2,5}}\.?[ \t]+)?\(?(?P<labels>{_NUMBERED}(?:[ \t]*(?:,|&|\+|/|and)[ \t]*{_NUMBERED})*)"
    r"(?P<end>[.):]+)?[ \t]+(?P<words>\S.*)$"
)
_CLAUSE = compile_late(r"^[ \t>*#-]*(?P<label>\d{1,2}(?:\.\d{1,2})+)[.):]*[ \t]+(?P<text>\S.*)$", re.M)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A line that says something of the points with these labels; `is_named` when it can be no point of a list of its own: it
    names several, one of a clause ("4.1"), or a word stands in front ("re 3: …")."""

    labels: tuple[str, ...]
    words: str
    is_named: bool


def read_verdict(line: str) -> Verdict | None:
    """Return what a line says of labelled points: "4.1 nack", "(b) no", "1, 2: later", "re 3: as it is"; None for other lines."""
    match = _VERDICT.match(line)
    if match is None:
        return None
    labels, end = tuple(re.findall(_NUMBERED, match["labels"])), match["end"] or ""
    is_clause = len(labels) == 1 and "." in labels[0] and not match["lead"]
    is_marked = ":" in end if match["lead"] or len(labels) > 1 else bool(end)
    if not (is_marked or is_clause):
        return None
    return Verdict(tuple(map(str.upper, labels)), match["words"].strip(), is_clause or len(labels) > 1 or bool(match["lead"]))


def read_clauses(text: str) -> list[tuple[str, str]]:
    """Return the clauses of a document with their labels ("4.1 Keys must …")."""
    return [(match["label"], match["text"].strip()) for match in _CLAUSE.finditer(text)]
