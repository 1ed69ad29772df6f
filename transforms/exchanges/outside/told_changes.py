"""Tells changes outside of the working tree in rows of one form each, and reads such rows, with those of commits and releases.

A row begins with what was done, and names what it was done to: `Merged pull request #47 "title".`
"""

from __future__ import annotations

from dataclasses import dataclass

from transforms.exchanges.outside.command_parts import SHORT_HASH, is_hash, list_git_words, split_command_line
from transforms.exchanges.outside.outside_change import FORGES, OutsideChange

NAMED_THINGS = ("pull request", "issue", "branch", "tag", "repository", "release")
_INFINITIVES = {
    "merged": "merge", "closed": "close", "reopened": "reopen", "created": "create", "deleted": "delete", "rebased": "rebase",
    "tagged": "tag", "published": "publish", "deployed": "deploy", "opened": "open", "pushed": "push",
}  # fmt: skip
REFUSED_PUSH = "the push was refused: "
"""What the row of a commit says of a push that was refused, and did not go through later."""
TITLE_WORDS = 40
TRIED, SET_OUT = "Tried to ", "Set out to commit "
_PLACES = {"merged": " into {}", "rebased": " on {}", "pushed": " (commits {})"}


@dataclass(frozen=True, slots=True)
class ToldChange:
    """What a row tells: the deeds, the kind of thing ("" where it names none), the numbers or names of that, and the branch of a
    commit or request; of a commit its hash, of a push that of its last commit. With not `is_ok` it was tried and failed, or no
    result is known."""

    deeds: frozenset[str]
    thing: str
    names: tuple[str, ...]
    is_ok: bool = True
    branch: str = ""
    hash: str = ""


def tell_change(change: OutsideChange) -> str:
    """Return the row of a change."""
    if change.command and not change.is_seen:
        subject = f"with `{change.command}`"
        printed = f'; it printed "{change.printed.rstrip(".")}"' if change.printed and change.is_ok else ""
        return _tell(change, f"{subject}{printed}")
    marked = [f"#{name}" if name.isdigit() else name for name in change.names]
    plural = "es" if change.thing == "branch" else "s"
    thing = f"{change.thing}{plural if len(marked) > 1 else ''}"
    title = f' "{change.title}"' if change.title else ""
    subject = f"{thing} {', '.join(marked)}{title}".strip()
    branch = f" (branch {change.branch})" if change.branch else ""
    if change.is_seen:
        state = change.deed if change.deed == "is open" else f"is {change.deed}"
        return f"{subject[:1].upper()}{subject[1:]}{branch} {state}, as {change.command} showed."
    if change.thing == "tag" and change.deed == "tagged":
        return _tell(change, ", ".join(marked))
    if change.deed == "opened":
        return f"Opened {change.thing}{title or branch}: {change.place}"
    if change.thing == "pull request":
        return _tell(change, subject + branch)
    is_placed = bool(change.place) and not (change.deed == "pushed" and title)  # the last hash is of the last title alone
    return _tell(change, subject + (_PLACES.get(change.deed, " {}").format(change.place) if is_placed else ""))


def _tell(change: OutsideChange, subject: str) -> str:
    if change.is_ok:
        return f"{change.deed[:1].upper()}{change.deed[1:]} {subject}."
    reason = f": {change.error.rstrip('.')}" if change.error else ""
    return f"{TRIED}{_INFINITIVES[change.deed]} {subject}; it failed{reason}."


def read_change(text: str) -> ToldChange | None:
    """Return what a row tells of a change, also one of a commit, an opened request or a release; None for any other row."""
    is_ok = not text.startswith(TRIED)
    first, _, rest = text.removeprefix(TRIED).partition(" ")
    deed = next((deed for deed, verb in _INFINITIVES.items() if first.lower() == (deed if is_ok else verb)), "")
    if deed and (thing := next((thing for thing in NAMED_THINGS if rest.startswith(thing)), "")):
        names = _read_names(rest.removeprefix(thing), is_opened=deed == "opened")
        branch = names[0] if thing == "branch" and names else _read_branch(rest)
        return ToldChange(frozenset({deed}), thing, names, is_ok, branch, _read_hash(rest) if deed == "pushed" else "")
    if deed == "tagged":
        return ToldChange(frozenset({deed}), "tag", _read_names(f" {rest}"), is_ok)
    if deed in ("deployed", "published") and rest.startswith("with `"):
        return ToldChange(frozenset({deed}), "", (), is_ok)
    if seen := next((thing for thing in NAMED_THINGS[:2] if text.lower().startswith(f"{thing} #")), ""):
        state = text.rpartition(", as ")[0].rpartition(" is ")[2]
        if state in ("merged", "closed", "open"):
            deed = "is open" if state == "open" else state
            return ToldChange(frozenset({deed}), seen, _read_names(text[len(seen) :]), branch=_read_branch(text))
    return _read_commit(text)


def limit_title_words(text: str, usual: int) -> int:
    """Return the words that a quotation of a row may have and is a name: more in one that tells a change, where it is a title."""
    return TITLE_WORDS if read_change(text) is not None else usual


def _read_names(text: str, *, is_opened: bool = False) -> tuple[str, ...]:
    """Return the numbers or names behind the kind of a thing; of what was opened the number that its address ends with."""
    if is_opened:
        number = text.rstrip(".").rpartition("/")[2]
        return (number,) if number.isdigit() else ()
    words = text.removeprefix("es").removeprefix("s").partition('"')[0].split()
    names = list[str]()
    for word in words:
        names.append(word.strip(",.:;").removeprefix("#"))
        if not word.endswith(","):
            break
    return tuple(name for name in names if name)


def _read_branch(text: str) -> str:
    """Return the branch that a row names in brackets: "(branch topic)", "(1f2e3d4 on topic)", "(on topic)"."""
    for bracket in text.rpartition('"')[2].split("(")[1:]:
        words = bracket.partition(")")[0].split()
        if len(words) > 1 and words[-2] in ("branch", "on") and (len(words) == 2 or is_hash(words[0])):
            return words[-1]
    return ""


def _read_hash(text: str) -> str:
    """Return the hash in the first bracket behind a title: "(1f2e3d4 on topic)", "(commits 0a..1f2e3d4)"; empty for none."""
    words = text.rpartition('"')[2].partition("(")[2].partition(")")[0].split()
    hashes = [word.rpartition("..")[2] for word in words]
    return next((word[:SHORT_HASH] for word in hashes if is_hash(word)), "")


def _read_commit(text: str) -> ToldChange | None:
    """Return what a row of a commit, of a push or of a release tells."""
    if text.startswith(SET_OUT):
        return ToldChange(frozenset({"committed"}), "", (), is_ok=False)
    if text.startswith('The commit "'):
        return ToldChange(frozenset({"committed"}), "", (), is_ok=False)
    if text.startswith("`git push"):
        return ToldChange(frozenset({"pushed"}), "", (), is_ok="went through later" in text)
    if text.startswith(('Committed and pushed "', 'Committed "')):
        is_pushed = text.startswith("Committed and pushed ") or REFUSED_PUSH in text
        return ToldChange(
            frozenset({"committed", "pushed"} if is_pushed else {"committed"}),
            "",
            (),
            REFUSED_PUSH not in text,
            _read_branch(text),
            _read_hash(text),
        )
    return _read_release(text) if text.startswith("Release: ") else None


def _read_release(text: str) -> ToldChange:
    ran = [piece for place, piece in enumerate(text.split("`")) if place % 2]
    is_ok = "` failed" not in text
    deeds, names = set[str](), list[str]()
    for part in (part for command in ran for part in split_command_line(command)):
        words, git_words = part.plain_words, list_git_words(part)
        if git_words[:1] == ("tag",):
            deeds.add("deleted" if {"-d", "--delete"} & {*part.words} else "tagged")
            names += git_words[1:2]
        elif git_words[:1] == ("push",):
            deeds.add("pushed")
        elif words[:1] and words[0] in FORGES:
            deeds.add("published")
            names += words[3:4]
        else:
            deeds.add("published")
    deeds |= {"committed"} if "committed " in text else set()
    return ToldChange(frozenset(deeds), "tag" if names else "", tuple(names), is_ok)
