"""Reads what a command changed outside of the working tree, or showed to be so there.

A command tells it by its program and its subcommand, whatever language the people around it write; whether it went through by its
exit code, and by its output where another command replaces that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from transforms.conversation.entries import Entry
from transforms.exchanges.actions import find_error, has_failed
from transforms.exchanges.outside.command_parts import CommandPart, find_changed_branch, list_git_words, split_command_line
from transforms.exchanges.outside.outside_change import FORGES, Deed, OutsideChange, Thing
from transforms.patterns.command_words import RUNNERS

_FORGE_THINGS: dict[str, Thing] = {
    "pr": "pull request", "mr": "pull request", "issue": "issue", "repo": "repository", "release": "release",
}  # fmt: skip
_FORGE_DEEDS: dict[str, Deed] = {
    "create": "opened", "merge": "merged", "close": "closed", "reopen": "reopened", "delete": "deleted",
}  # fmt: skip
_STATES: dict[str, Deed] = {"MERGED": "merged", "CLOSED": "closed", "OPEN": "is open"}
"""States that a forge prints of pull requests and issues."""
_APPLYING = {
    "terraform": {"apply", "destroy"}, "tofu": {"apply", "destroy"}, "pulumi": {"up", "destroy"},
    "kubectl": {"apply", "delete", "scale", "set"}, "helm": {"install", "upgrade", "rollback", "uninstall"},
    "docker": {"push"}, "podman": {"push"},
}  # fmt: skip
"""Subcommands of programs that change what runs somewhere else."""
_PUBLISHING = dict.fromkeys(("npm", "pnpm", "yarn", "bun", "cargo", "poetry", "uv", "hatch", "flit"), ("publish",)) | {
    "twine": ("upload",), "gem": ("push",),
}  # fmt: skip
_READING = frozenset({
    "git", "gh", "grep", "rg", "ag", "find", "fd", "ls", "cat", "cd", "echo", "printf", "sed", "awk", "head", "tail", "less",
    "mkdir", "cp", "mv", "rm", "touch", "which", "man", "ssh", "scp", "code", "vim",
})  # fmt: skip
"""Programs of which "deploy" behind them is a pattern or a path."""
DEPLOYING = "deploy"
_TELLING = (
    *(f" {verb}" for verb in (*_FORGE_DEEDS, "view", "push", "tag", "branch", "rebase", "log", "publish", "upload")),
    *sorted({f" {verb}" for verbs in _APPLYING.values() for verb in verbs}), DEPLOYING, "ansible-playbook",
)  # fmt: skip
_DRY = frozenset({
    "--check", "--dry-run", "--plan", "--help", "--dry-run=client", "--dry-run=server", "--syntax-check", "--list-hosts",
    "--list-tasks", "--list-tags",
})  # fmt: skip
_UNMERGED = ("--abort", "--quit", "--squash", "--no-commit")
"""Options of a merge that leave no merge behind."""
_LOCAL = frozenset({"main", "master", "origin", "upstream", "FETCH_HEAD", "HEAD"})
COMMAND_CHARS, PRINTED_CHARS, MOST_SEEN = 80, 100, 2
"""Characters of a deployment's command and of its last line; merges that one list of commits tells, the newest."""
_MERGED_LINE, _MERGED_FROM = "Merge pull request #", " from "


def read_command(command: str, ordinal: int, result: Entry) -> Iterator[OutsideChange]:
    """Yield the changes of a command line in order, as far as its exit code and its output tell whether they went through."""
    branch = ""
    for part in split_command_line(command) if may_change(command) else ():
        branch = find_changed_branch(part) or branch
        for change in _read_part(part, ordinal, result, branch):
            if change.is_seen:
                yield change
                continue
            if (outcome := _tell_outcome(change, part, result)) is not None:
                yield outcome


def may_change(command: str) -> bool:
    """Return whether a line has a word without which it changes nothing elsewhere: splitting each line would cost much."""
    return any(word in command for word in _TELLING)


def _tell_outcome(change: OutsideChange, part: CommandPart, result: Entry) -> OutsideChange | None:
    """Return a change with its outcome; None where nobody can tell it from those of the commands beside it."""
    if _prints_success(change, result.text):
        return change
    if result.is_error and not part.is_last:
        return None
    if has_failed(result.text, not result.is_error, "" if part.is_needed else ";"):
        return replace(change, is_ok=False, error=find_error(result.text, is_refused=result.is_error))
    return change


def _prints_success(change: OutsideChange, output: str) -> bool:
    lines = [line.strip() for line in output.splitlines()]
    return any(line.startswith("✓") and any(f"#{name}" in line for name in change.names) for line in lines)


def _read_part(part: CommandPart, ordinal: int, result: Entry, branch: str) -> Iterator[OutsideChange]:
    program = part.words[0].rpartition("/")[2]
    if _DRY.intersection(part.words):
        return
    if program in FORGES:
        yield from _read_forge(part, ordinal, result, branch)
    elif program == "git":
        yield from _read_git(part, ordinal, result, branch)
    elif len(part.plain_words) > 1 and part.plain_words[1] in _PUBLISHING.get(program, ()):
        yield OutsideChange("published", "", (), ordinal, result.ordinal, command=" ".join(part.words)[:COMMAND_CHARS])
    elif _is_deployment(part):
        lines = reversed(result.text.splitlines()) if part.is_last else ()
        line = next((line.strip() for line in lines if line.strip()), "")
        command = " ".join(part.words)[:COMMAND_CHARS]
        yield OutsideChange(
            "deployed", "", (), ordinal, result.ordinal, command=command, printed=line[:PRINTED_CHARS].replace('"', "'")
        )


def _is_deployment(part: CommandPart) -> bool:
    plain = part.plain_words
    program, rest = plain[0].rpartition("/")[2] if plain else "", plain[1:3]
    if program == "ansible-playbook" and "-C" in part.words:
        return False
    if program == "ansible-playbook" or not _APPLYING.get(program, set()).isdisjoint(rest):
        return True
    if program in _READING or program in _APPLYING:
        return False
    is_runner = any(runner.split()[0] == program for runner in RUNNERS)
    targets = [program, *(word for word in (rest if is_runner or len(rest) > 1 else rest[:1]) if not {"/", "."} & {*word})]
    return any(_split_name(word)[:1] == [DEPLOYING] for word in targets)


def _split_name(name: str) -> list[str]:
    return "".join(sign if sign.isalnum() else " " for sign in name).split()


def _read_forge(part: CommandPart, ordinal: int, result: Entry, branch: str) -> Iterator[OutsideChange]:
    plain = part.plain_words
    thing, verb = _FORGE_THINGS.get(plain[1]) if len(plain) > 2 else None, plain[2] if len(plain) > 2 else ""
    if thing is None:
        return
    named = tuple(number for word in plain[3:4] if (number := _read_number(word)))
    if verb == "view" and named and thing in ("pull request", "issue"):
        yield from _read_state(thing, named, ordinal, result)
        return
    if (deed := _FORGE_DEEDS.get(verb)) is None or "--auto" in part.words:
        return  # `--auto` merges when its checks pass, perhaps never
    title = part.take_option("--title", "-t") if verb == "create" else ""
    if thing == "repository":
        if deed == "opened":
            yield OutsideChange("created", thing, plain[3:4], ordinal, result.ordinal)
        return
    if thing == "release":
        if deed == "deleted":
            yield OutsideChange(deed, thing, plain[3:4], ordinal, result.ordinal)
        return  # a release that was created is told as one
    if verb == "create":
        address = next((word for word in reversed(result.text.split()) if "://" in word and _read_number(word)), "")
        if address:
            branch = branch if thing == "pull request" else ""
            own = (_read_number(address),)
            yield OutsideChange("opened", thing, own, ordinal, result.ordinal, title, address, branch)
        return
    yield OutsideChange(deed, thing, named, ordinal, result.ordinal, _read_title(named, result.text))


def _read_number(word: str) -> str:
    """Return the number that a word or an address ends with: `47`, `#47`, `…/pull/47`."""
    last = word.rstrip("/").rpartition("/")[2].removeprefix("#")
    return last if last.isdigit() else ""


def _read_title(named: Iterable[str], output: str) -> str:
    """Return the title that a forge prints behind a number: "✓ Closed issue owner/name#37 (title)"."""
    for line in output.splitlines():
        for number in named:
            before, sign, behind = line.partition(f"#{number} (")
            if sign and before.lstrip().startswith("✓") and behind.rstrip().endswith(")"):
                return behind.rstrip()[:-1]
    return ""


def _read_state(thing: Thing, named: tuple[str, ...], ordinal: int, result: Entry) -> Iterator[OutsideChange]:
    """Yield the state that a forge showed of one thing; none where it showed several states."""
    words = set("".join(sign if sign.isalnum() or sign == "_" else " " for sign in result.text).split())
    states = [deed for word, deed in _STATES.items() if word in words]
    if len(states) == 1 and not result.is_error:
        title = result.text.partition('"title":"')[2].partition('"')[0]
        yield OutsideChange(states[0], thing, named, ordinal, result.ordinal, title, is_seen=True, command="gh view")


def _read_git(part: CommandPart, ordinal: int, result: Entry, branch: str) -> Iterator[OutsideChange]:
    verb, *names = list_git_words(part) or ("",)
    flags = {*part.words}
    if verb == "merge" and names and flags.isdisjoint(_UNMERGED) and "Already up to date" not in result.text:
        name = names[0]
        if name.partition("/")[0] not in _LOCAL and "CONFLICT" not in result.text:
            yield OutsideChange("merged", "branch", (name,), ordinal, result.ordinal, place=branch)
    elif verb == "tag" and names and not flags & {"-l", "--list", "-v", "--contains", "--points-at"}:
        deed: Deed = "deleted" if flags & {"-d", "--delete"} else "tagged"
        yield OutsideChange(deed, "tag", tuple(names if deed == "deleted" else names[:1]), ordinal, result.ordinal)
    elif verb == "branch" and flags & {"-d", "-D", "--delete"} and names:
        yield OutsideChange("deleted", "branch", tuple(names), ordinal, result.ordinal)
    elif verb == "rebase" and names and not flags & {"--abort", "--continue"}:
        printed = result.text.partition("Successfully rebased and updated refs/heads/")[2].split()[:1]
        rebased = printed[0].rstrip(".") if printed else branch
        if rebased:
            yield OutsideChange("rebased", "branch", (rebased,), ordinal, result.ordinal, place=names[0])
    elif verb == "push":
        yield from _read_push(part, names, ordinal, result)
    elif verb == "log" and not result.is_error:
        yield from _read_log(ordinal, result)


def _read_push(part: CommandPart, names: list[str], ordinal: int, result: Entry) -> Iterator[OutsideChange]:
    if "Everything up-to-date" in result.text or "-n" in part.words:
        return
    thing: Thing
    gone = [name.removeprefix(":") for name in names[1:] if name.startswith(":")]
    gone += names[1:] if {"--delete", "-d"} & {*part.words} else []
    if gone:
        thing = "tag" if "tags/" in gone[0] else "branch"
        yield OutsideChange("deleted", thing, tuple(name.rpartition("tags/")[2] for name in gone), ordinal, result.ordinal)
        return
    printed = [line.partition("->")[2].split()[0] for line in result.text.splitlines() if _is_moved(line)]
    branches = tuple(dict.fromkeys(printed or [name for name in names[1:] if name != "HEAD"]))
    thing = "tag" if printed and all("[new tag]" in line for line in result.text.splitlines() if _is_moved(line)) else "branch"
    span = next((word for line in result.text.splitlines() if _is_moved(line) for word in line.split()[:1] if ".." in word), "")
    yield OutsideChange("pushed", thing, branches, ordinal, result.ordinal, place=span)


def _is_moved(line: str) -> bool:
    """Whether a line of a push tells of one branch that went through."""
    before, _, behind = line.partition("->")
    words = before.split()
    words = words[1:] if words[:1] in (["*"], ["+"]) else words
    if not words or not behind.split():
        return False
    start, dots, end = words[0].replace("...", "..").partition("..")
    is_span = bool(dots and start and end) and {*start, *end} <= {*"0123456789abcdef"}
    return words[0] == "[new" or is_span


def _read_log(ordinal: int, result: Entry) -> Iterator[OutsideChange]:
    """Yield the pull requests of which a list of commits tells that they are merged, the newest."""
    lines = [line for line in result.text.splitlines() if _MERGED_LINE in line and _MERGED_FROM in line]
    for line in lines[:MOST_SEEN]:
        number, _, source = line.partition(_MERGED_LINE)[2].partition(_MERGED_FROM)
        if number.isdigit():
            title = source.split()[0].partition("/")[2] if source.split() and not source.endswith("...") else ""
            yield OutsideChange(
                "merged", "pull request", (number,), ordinal, result.ordinal, branch=title, is_seen=True, command="git log"
            )
