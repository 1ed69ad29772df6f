"""The walk through the proposals in a terminal: one after the other, each answered with a letter, all undoable until the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from recollect.terminal import print_line, print_wrapped
from transforms.tables.ids import shorten_id

if TYPE_CHECKING:
    from transforms.pages.review_md import ReviewSource
    from transforms.tables.rows import ProposalRow

ReviewAnswer = Literal["approve", "reject", "skip"]

KEY_HELP = "[y]es  [n]o  [e]dit  [s]kip  [w]hy  [u]ndo  [q]uit and apply"
ANSWERS: dict[str, ReviewAnswer] = {
    "y": "approve",
    "yes": "approve",
    "n": "reject",
    "no": "reject",
    "s": "skip",
    "": "skip",
    "skip": "skip",
}


@dataclass
class Walk:
    """The answers so far, by proposal id in the order in which they were given, and the words that were edited."""

    answers: dict[str, ReviewAnswer] = field(default_factory=dict)
    edited: dict[str, str] = field(default_factory=dict)

    def list_ids(self, answer: ReviewAnswer) -> list[str]:
        """Return the proposals that got an answer."""
        return [proposal_id for proposal_id, given in self.answers.items() if given == answer]


def walk_through(proposals: Sequence[ProposalRow], explain: Callable[[ProposalRow], str]) -> Walk:
    """Show each proposal and return the answers; `explain` returns the evidence of one. The end of the input ends the walk.

    Raises:
        KeyboardInterrupt: when the person leaves with Ctrl-C; nothing was applied then.
    """
    walk = Walk()
    place, short = 0, shorten_ids([row["proposal_id"] for row in proposals])
    while place < len(proposals):
        row = proposals[place]
        _show(row, f"{place + 1}/{len(proposals)}", short[row["proposal_id"]], walk.edited.get(row["proposal_id"]))
        key = _ask("> ")
        if key is None or key in ("q", "quit"):
            break
        if key in ("w", "why"):
            print_line(explain(row))
        elif key in ("u", "undo"):
            place = max(0, place - 1)
            walk.answers.pop(proposals[place]["proposal_id"], None)
            walk.edited.pop(proposals[place]["proposal_id"], None)
        elif key in ("e", "edit"):
            words = _edit(walk.edited.get(row["proposal_id"]) or row["text"])
            walk.edited |= {row["proposal_id"]: words} if words else {}
        elif key in ANSWERS:
            walk.answers[row["proposal_id"]] = ANSWERS[key]
            place += 1
        else:
            print_line(f"  `{key}` is none of {KEY_HELP}")
    approved = {key: words for key, words in walk.edited.items() if walk.answers.get(key) == "approve"}
    for key in sorted(walk.edited.keys() - approved.keys() - set(walk.list_ids("reject"))):
        print_line(f"  {short[key]} waits with its former words: an edited line counts once `y` approves it")
    walk.edited = approved
    return walk


def explain(row: ProposalRow, sources: Sequence[ReviewSource]) -> str:
    """Return the evidence of a proposal for a terminal: the words that were said, when, and in which session."""
    lines = []
    for source in sources:
        place = ", ".join(part for part in (source.said, source.project, source.session) if part)
        lines += [
            f"  {place}",
            *([f"    {source.quoted}"] if source.quoted else []),
            f"    recollect show {shorten_id(source.observation_id)}",
        ]
    return "\n".join(lines) or f"  You saved this line yourself (recollect show {row['proposal_id']})"


def shorten_ids(ids: Sequence[str]) -> dict[str, str]:
    """Return for each id a short ending that names no other, of one form for all: `3`, or `17-003`, for `p-20260517-003`."""
    numbers = {own: own.rsplit("-", 1)[-1].lstrip("0") for own in ids}
    forms = [numbers, *({own: own[-len(own.rsplit("-", 1)[-1]) - 1 - size :] for own in ids} for size in (2, 4, 8))]
    return next((form for form in forms if all(_names_one(word, ids) for word in form.values())), {own: own for own in ids})


def _names_one(word: str, ids: Sequence[str]) -> bool:
    return sum(names(word, own) for own in ids) == 1


def names(word: str, proposal_id: str) -> bool:
    """Return whether a word that a person typed names a proposal: its id, the end of it, or its number."""
    number = proposal_id.rsplit("-", 1)[-1].lstrip("0")
    return word == number or (len(word) > len(number) and proposal_id.endswith(word))


def expand_ids(words: Sequence[str], pending: Sequence[str]) -> list[str]:
    """Return full ids for the typed ones; a word that names none or several proposals stays, and is refused later."""
    expanded = []
    for word in words:
        meant = [proposal_id for proposal_id in pending if names(word, proposal_id)]
        expanded.append(meant[0] if len(meant) == 1 and word not in pending else word)
    return expanded


def _show(row: ProposalRow, place: str, name: str, edited: str | None) -> None:
    fix = f", fix for {row['target']}" if row["kind"] == "friction" and row["target"] else ""
    print_line()
    print_wrapped(f"{place}  {row['section']}{fix}  (id {name})")
    if row["old_text"]:
        print_wrapped(row["old_text"], "  - ")
    if row["op"] != "remove" or edited:
        print_wrapped(edited or row["text"], "  + ")
    print_wrapped(KEY_HELP, others="")


def _ask(prompt: str) -> str | None:
    """Return a line in lower case; None at the end of the input."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.strip().lower() if line else None


def _edit(text: str) -> str:
    """Return the line that a person makes of a text, which stands there to begin with; empty when it is none: that is said."""
    import readline

    from transforms.memory.promotion import UnfitLineError, clean_line

    readline.set_startup_hook(lambda: readline.insert_text(text))
    try:
        return clean_line(input("edit> "))
    except UnfitLineError as error:
        print_line(f"  {error}; the words stay as they are")
        return ""
    except EOFError:
        return ""
    finally:
        readline.set_startup_hook(None)
