"""What stands in brackets behind the text of a fact: notes, ` (rejected: …)`, and a choice among an agent's options.

Notes are written where a fact is built, and cut where the fact alone counts. A choice is told with the quotation first,
`User decided: "the former" (asked: …; chosen: …; not: …)`, because the quoted words are the evidence; who reads a page wants what
was decided first.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from transforms.patterns.late_pattern import compile_late
from transforms.patterns.stops import drop_end_stops

NoteLabel = Literal["wrong", "rejected", "cured by"]
LABELS: tuple[NoteLabel, ...] = ("wrong", "rejected", "cured by")
"""Of a correction what was wrong, of a decision what was rejected, of an error the cure."""
TURNED_DOWN: tuple[NoteLabel, ...] = ("wrong", "rejected")
"""Labels of notes that say what does not hold."""
_REPLY_LABELS = ("Outcome", "Reply")
WORDS_THAT_STAND_ALONE = 25
"""Words of a quotation from which it is told without the agent's reply where room is short: real owners type little, and what was
found and done stands in the replies."""
LEFT_MARK = "; not: "
"""Stands before the options that were left."""
NONE = "none"
"""What was chosen by who turned all options down."""
_ROW_LABEL = compile_late(r"(?<![^\s(])(?:asked|about|chosen|not|meaning|earlier|Outcome|Reply|Answer|Cause): ")
"""What the offline engine writes before the parts of a row."""
_NUMBER = compile_late(r"(?:(?<![^\W\d])(?P<before>[^\W\d]+)\s+)?(?<![\w.,:])(?P<number>\d+(?:[.,:]\d+)*)(?![\w:]|[.,]\d)")
"""A number that is no part of a name, with the word before it."""
_DIGITS = compile_late(r"\d+")
_RECOMMENDED = compile_late(r"\s*\(recommended\b[^()]*\)", re.I)
"""What question tools write behind the option that the agent would take."""
_CONFIRMATION = compile_late(r"^\s*(?:Reply|Outcome): (?P<words>.+?)(?:\s\[[^\]]*\])?$", re.S)
_LONG_WORD = compile_late(r"\w{4,}")
NAMED_SHARE = 1 / 3
"""Share of an option's longer words from which the person's words name it, and do not only point at it."""
MIN_SHARED_CHARS = 12
"""Characters of an option that are looked for in what was asked: the row may have cut both."""

ORIGIN_LABELS = {"agent": "by the agent", "summary": "from a summary"}
"""Who stated a fact, where its words could be the owner's; those of a tool or of pasted text tell."""
STILL_LEAD, SAID_TOO_LEAD = "still, from ", "also said "
"""Beginnings of the parts of a mark beside a fact that add to it: what goes on to hold of a fact whose place it took, and what
one that it absorbed says more. What is over stands before them."""


def add_note(text: str, label: NoteLabel, note: str) -> str:
    """Return the text with a note behind it."""
    return f"{drop_end_stops(text)} ({label}: {note})"


def cut_notes(text: str) -> str:
    """Return the text without its notes, which may be the very thing that a line must not say."""
    for label in LABELS if text.endswith(")") else ():
        text = text.partition(f" ({label}: ")[0]
    return text


def cut_reply(text: str) -> str:
    """Return a row that quotes a person without what the agent replied or made of it, which few words and a question need."""
    end = min((place for label in _REPLY_LABELS if (place := text.find(f'" {label}: ')) >= 0), default=-1)
    quote = text[: max(end, 0)].partition('"')[2]
    stands_alone = len(quote.split()) >= WORDS_THAT_STAND_ALONE and not quote.endswith("?")
    return text[: end + 1] if stands_alone else text


def split_turned_down(text: str) -> tuple[str, list[str]]:
    """Return the text without the notes that say what does not hold, and the words of these notes."""
    places = {text.find(f" ({label}: "): label for label in LABELS if text.endswith(")")}
    starts = sorted(place for place in places if place >= 0)
    kept, turned_down = text[: starts[0]] if starts else text, list[str]()
    for start, end in pairwise([*starts, len(text)]):
        note, label = text[start:end], places[start]
        if label in TURNED_DOWN:
            turned_down.append(note[len(f" ({label}: ") : -1])
        else:
            kept += note
    return kept, turned_down


def name_note(text: str, place: int) -> str:
    """Return the label of the note in which a place of a text stands; empty when it stands before all notes."""
    starts = {text.find(f" ({label}: "): label for label in LABELS if text.endswith(")")}
    before = [start for start in starts if 0 <= start < place]
    return starts[max(before)] if before else ""


def drop_labels(text: str) -> str:
    """Return the text without its notes and without the labels of its parts, which are no names of what stands behind them."""
    return _ROW_LABEL.sub("— ", cut_notes(text))


@dataclass(frozen=True, slots=True)
class ToldChoice:
    """A choice as a row tells it: the words before the quotation, the person's words, what was `asked` (or what it was "about",
    the `label`), the option that was chosen, those that were left, and what stands behind the bracket."""

    lead: str
    quote: str
    label: str
    asked: str
    chosen: str
    left: tuple[str, ...]
    behind: str


def read_told_choice(text: str) -> ToldChoice | None:
    """Return the choice that a row tells in brackets behind the person's words; None when it tells none."""
    quoted, mark, remark = " ".join(text.split()).partition('" (')
    asked, is_asked, tail = remark.partition("; chosen: ")
    if remark.startswith("chosen: "):
        asked, tail = "", remark.removeprefix("chosen: ")
    elif not is_asked or not asked.startswith(("asked: ", "about: ")):
        return None
    end = _find_end(tail)
    chosen, _, left = tail[:end].partition(LEFT_MARK)
    if not mark or end < 0:
        return None
    lead, _, quote = quoted.partition('"')
    others = tuple(part.strip() for part in left.split("; ") if part.strip())
    return ToldChoice(lead, quote, asked[:5], asked[7:].strip(), chosen.strip(), others, tail[end + 1 :])


def drop_recommendation(option: str) -> str:
    """Return an option without the mark of the one that the agent would take."""
    return _RECOMMENDED.sub("", option)


def read_confirmation(choice: ToldChoice) -> str:
    """Return what the row tells of the agent's answer to a choice, or of its outcome, without the files; empty when nothing."""
    match = _CONFIRMATION.match(choice.behind)
    return match["words"] if match else ""


def list_numbers(text: str) -> set[str]:
    """Return the numbers of a text that are no parts of names."""
    return {match["number"] for match in _NUMBER.finditer(text)}


def find_other_values(choice: ToldChoice) -> dict[str, str]:
    """Return the numbers of the person's words that the option lacks while it has another one of their form ("300 instead of
    120", "8.1" for "8.0"), each with the word before it; a single digit is mostly the label of an option."""
    own = list_numbers(choice.chosen)
    forms = {_DIGITS.sub("0", number) for number in own}
    said = ((match["number"], match["before"] or "") for match in _NUMBER.finditer(choice.quote))
    return {
        number: before for number, before in said if len(number) > 1 and number not in own and _DIGITS.sub("0", number) in forms
    }


def lead_with_chosen(text: str) -> str:
    """Return the text of a row with what was chosen first, and the person's words, the question and what was left behind it.

    A row that tells no choice stays as it is, and so does one whose option is the beginning of the question ("should we sign it"
    is no decision), or whose quotation names the option or changes a value of it: then the person's words say more.
    """
    choice = read_told_choice(text)
    if choice is None or not choice.lead.endswith(": ") or choice.chosen in ("", NONE):
        return text
    if find_other_values(choice):
        return text
    if choice.asked.casefold().startswith(choice.chosen.casefold()[:MIN_SHARED_CHARS]):
        return text
    named, said = ({*_LONG_WORD.findall(words.casefold())} for words in (choice.chosen, choice.quote))
    if named and len(named & said) >= NAMED_SHARE * len(named):
        return text
    remarks = [f'"{choice.quote}"']
    remarks += [f"{choice.label}: {choice.asked}"] if choice.asked else []
    remarks += [f"not: {'; '.join(choice.left)}"] if choice.left else []
    return f"{choice.lead}{choice.chosen.rstrip('.')} ({'; '.join(remarks)}){choice.behind}"


def _find_end(remark: str) -> int:
    """Return the place of the bracket that closes a remark; -1 when none does. What the row cut off leaves brackets open."""
    ends = [place for place, mark in enumerate(remark) if mark == ")"]
    whole = [
        place
        for place in ends
        if remark[place + 1 :].lstrip(" .").startswith(("Reply:", "Outcome:", "[")) or place + 1 == len(remark)
    ]
    return whole[0] if whole else -1


def name_origin(origin: str | None) -> str:
    """Return the words that name who stated a fact (`by the agent`); empty where its text tells."""
    return ORIGIN_LABELS.get(origin or "", "")


def cut_additions(mark: str) -> str:
    """Return what is over of the mark beside a fact, which stands first, without what goes on to hold or was said, too."""
    places = [place for lead in (STILL_LEAD, SAID_TOO_LEAD) if (place := f"; {mark}".find(f"; {lead}")) >= 0]
    return mark[: max(min(places, default=len(mark) + 2) - 2, 0)]


def stands_for(also: Collection[str] | None, session_id: str, entry_ids: Collection[str] | None) -> bool:
    """Whether a fact says what one that it superseded says: its evidence, `also`, has what that one cites. Else it retired it."""
    return not {f"{session_id}:{entry}" for entry in entry_ids or ()}.isdisjoint(also or ())
