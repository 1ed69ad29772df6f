"""Cuts a text at the end of a sentence or clause, and closes the brackets, quotation marks and code that the cut left open."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from transforms.language.sentences import cut_at_word, is_unspaced
from transforms.patterns.late_pattern import compile_late

BRACKETS = dict(zip("([{“«「『（【《", ")]}”»」』）】》", strict=True))
QUOTE, CODE, MORE = '"', "`", "…"
OPENINGS = frozenset(BRACKETS) | {QUOTE, CODE}
LEAST_SHARE, FULL_SHARE, CLAUSE_SHARE = 0.6, 0.8, 0.1
"""Share of the room that sentences fill at least, where further ones follow and where a line stands alone, because a cut further
in front would lose too much; and by how much less clauses fill."""
MOST_REACH = 4_000
"""Characters behind a cut in which the partner of a mark is looked for: a pasted log has megabytes."""
SMALLEST = 8
"""Characters below which a cut may be longer than its limit by the marks that it closes."""
LEAST_INSIDE = 16
"""Characters behind a mark that was left open: with fewer the cut stands before the mark."""
LEAST_STUB = 8
"""Characters of a clause that was begun: fewer are left out."""

_SENTENCE_END = compile_late(r"(?<=[.!?…。！？])[\"')\]”»」』）`]*(?=\s|$)|(?<=[。！？])")
_CLAUSE_END = compile_late(r"(?=[,;:—–]\s|\s[—–-]\s|\s\(|[、，；])")

Places = tuple[tuple[int, int], ...]


@lru_cache(maxsize=64)  # an excerpt asks for the same text again
def find_pairs(text: str) -> Places:
    """Return the places of each bracket, quotation mark or run of code and of the mark that closes it, in order.

    A mark without a partner is none, and inside of code nothing opens: ":)", "1)" and 5" are as the writer wrote them.
    """
    pairs: list[tuple[int, int]] = []
    open_places: list[int] = []
    place = 0
    while place < len(text):
        char = text[place]
        if char == CODE:
            end = text.find(CODE, place + 1)
            if end > place:
                pairs.append((place, end))
                place = end
        elif char in BRACKETS or (char == QUOTE and _opens(text, place, open_places)):
            open_places.append(place)
        elif char == QUOTE or char in _OPENING_OF:
            opening = _OPENING_OF.get(char, QUOTE)
            partner = next(
                (number for number in range(len(open_places) - 1, -1, -1) if text[open_places[number]] == opening), None
            )
            if partner is not None:
                pairs.append((open_places[partner], place))
                del open_places[partner:]
        place += 1
    return tuple(sorted(pairs))


_OPENING_OF = {closing: opening for opening, closing in BRACKETS.items()}


def _opens(text: str, place: int, open_places: list[int]) -> bool:
    """Whether a straight quotation mark opens: it stands before a word, and no other one that is open ends here."""
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    is_before_word = (not before or before.isspace() or before in OPENINGS) and bool(after) and not after.isspace()
    return is_before_word or not any(text[other] == QUOTE for other in open_places)


def cut_closed(text: str, limit: int, start: int = 0, end: int | None = None, least: float = LEAST_SHARE) -> str:
    """Return a stretch of a text, within `limit` characters if it is longer, with the marks closed that close outside of it.

    It ends with a sentence or a clause if one fills `least` of the room or nearly, else with a word. Dots stand where a sentence
    was cut. Marks that the writer never closed stay so.
    """
    text = text[: start + limit + MOST_REACH]
    end = len(text) if end is None else min(end, len(text))
    pairs = find_pairs(text)
    room = limit
    while True:
        last = end if end - start <= room else _find_end(text, start, room - 1, pairs, least)
        shown = _close(text, start, last, pairs, is_cut=last < end)
        if len(shown) <= limit or room <= SMALLEST:
            return shown
        room = min(room, last - start) - 1


def _find_end(text: str, start: int, room: int, pairs: Places, least: float) -> int:
    """Return where to cut the stretch that begins at `start`: behind its last sentence, clause or word within `room`."""
    stretch = text[start : start + room + 1]
    for ends, share in ((_SENTENCE_END, least), (_CLAUSE_END, least - CLAUSE_SHARE)):
        places = [start + match.end() for match in ends.finditer(stretch) if match.end() <= room]
        outside = [place for place in places if place - start >= share * room and not _is_in_code(text, place, pairs)]
        if outside:
            return _leave_out_stub(outside[-1], places)
    word = start + len(cut_at_word(stretch, room + 1) if " " in stretch or is_unspaced(stretch) else stretch[:room])
    word = _leave_out_stub(word, [start + match.end() for match in _CLAUSE_END.finditer(stretch)])
    code = next((opening for opening, closing in pairs if text[opening] == CODE and opening < word <= closing), None)
    return code if code is not None and code - start >= least * room else word


def _leave_out_stub(end: int, clauses: Sequence[int]) -> int:
    """Return the end of the last clause when only a word or two of the next one stand behind it: "…; not"."""
    return max((clause for clause in clauses if end - LEAST_STUB < clause < end), default=end)


def _is_in_code(text: str, place: int, pairs: Places) -> bool:
    return any(text[opening] == CODE and opening < place <= closing for opening, closing in pairs)


def _close(text: str, start: int, end: int, pairs: Places, *, is_cut: bool) -> str:
    """Return a stretch with what it needs around it: the marks that are open where it begins and where it ends, and dots."""
    if is_cut:
        end = min((opening for opening, closing in pairs if start < end - LEAST_INSIDE < opening < end <= closing), default=end)
        openings = {opening for opening, _ in pairs}
        while end > start and (text[end - 1].isspace() or text[end - 1] in ",;:—–-" or end - 1 in openings):
            end -= 1
    opened = "".join(text[opening] for opening, closing in pairs if opening < start <= closing < end)
    closed = "".join(text[closing] for opening, closing in reversed(pairs) if start <= opening < end <= closing)
    stretch = text[start:end].strip()
    is_ended = stretch.rstrip("\"')]}”»」』）】》`")[-1:] in tuple(".!?…。！？")
    dots = MORE if is_cut and stretch and not is_ended else ""
    return f"{opened}{MORE if opened else ''}{stretch}{dots}{closed}"


def cut_as_line(text: str, limit: int) -> str:
    """Return a text as one line, cut like any other."""
    return cut_closed(" ".join(text.split()), limit)
