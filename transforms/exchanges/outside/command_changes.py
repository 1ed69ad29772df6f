"""Reads what a command changed outside of the working tree, or showed to be so there.

A command tells it by its program and its subcommand, whatever language the people around it write; whether it went through by its
exit code, and by its output where another command replaces that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, takewhile

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
    "terraform": {"apply"}, "tofu": {"apply"}, "pulumi": {"up"}, "kubectl": {"apply", "scale", "set"},
    "helm": {"install", "upgrade", "rollback"}, "docker": {"push"}, "podman": {"push"},
    **{name: {"deploy"} for name in ("fly", "flyctl", "vercel", "netlify", "firebase", "wrangler", "serverless", "cdk", "eb")},
}  # fmt: skip
"""Subcommands of programs that change what runs somewhere else."""
_PLACING = ("-n", "--namespace", "--context", "--kube-context", "--kubeconfig")
"""Options of these programs whose value stands before the subcommand."""
_PUBLISHING = dict.fromkeys(("npm", "pnpm", "yarn", "bun", "cargo", "poetry", "uv", "hatch", "flit"), ("publish",)) | {
    "twine": ("upload",), "gem": ("push",),
}  # fmt: skip
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
_LISTING = (
    "-n",
    "-l",
    "--list",
    "-v",
    "--contains",
    "--no-contains",
    "--merged",
    "--no-merged",
    "--points-at",
    "--sort",
    "--format",
)
"""Options with which `git tag` lists or checks tags."""
_GIT_VALUES = {
    "merge": ("-m", "-F", "-s", "-X", "--strategy", "--strategy-option", "--into-name"),
    "tag": ("-m", "-F", "-u", "--message", "--file", "--local-user"),
    "push": ("-o", "--push-option", "--repo"), "rebase": ("--onto", "-s", "-X", "--exec", "-x"),
}  # fmt: skip
"""Options of git that have a value, by subcommand; "-am" of a tag ends with one, too."""
_FORGE_PLACES = ("-R", "--repo", "--hostname")
_FORGE_VALUES = {
    "merge": ("-b", "--body", "-F", "--body-file", "-t", "--subject", "-A", "--author-email", "--match-head-commit"),
    "close": ("-c", "--comment", "-r", "--reason"), "reopen": ("-c", "--comment"),
    "view": ("--json", "-q", "--jq", "-t", "--template"),
}  # fmt: skip
"""Options of a forge's program that have a value, by subcommand."""
MOST_CHANGES = 16
"""Changes of one line, the first ones."""
_DONE = "✓"
_LOCAL = frozenset({"main", "master", "origin", "upstream", "FETCH_HEAD", "HEAD"})
COMMAND_CHARS, PRINTED_CHARS, MOST_SEEN = 80, 100, 2
"""Characters of a deployment's command and of its last line; merges that one list of commits tells, the newest."""
_MERGED_LINE, _MERGED_FROM = "Merge pull request #", " from "


@dataclass(frozen=True)
class _Output:
    """What a command line printed, read once for all of its commands."""

    entry: Entry

    @cached_property
    def done_lines(self) -> tuple[str, ...]:
        """The lines with which a forge tells what it did: "✓ Closed issue owner/name#37 (title)"."""
        lines = (line.strip() for line in self.entry.text.splitlines())
        return tuple(line.removeprefix(_DONE).strip() for line in lines if line.startswith(_DONE))

    @cached_property
    def has_bad_lines(self) -> bool:
        """Whether the output tells a failure, which counts where another command hides the exit code."""
        return has_failed(self.entry.text, is_ok=True, rest=";")

    @cached_property
    def error(self) -> str:
        """The line that tells why it failed."""
        return find_error(self.entry.text, is_refused=self.entry.is_error)


def read_command(command: str, ordinal: int, result: Entry) -> Iterator[OutsideChange]:
    """Yield the changes of a command line in order, at most `MOST_CHANGES`, as far as its exit code and its output tell whether
    they went through."""
    yield from islice(_read_line(command, ordinal, _Output(result)), MOST_CHANGES)


def _read_line(command: str, ordinal: int, output: _Output) -> Iterator[OutsideChange]:
    branch = ""
    for part in split_command_line(command) if may_change(command) else ():
        branch = find_changed_branch(part) or branch
        for change in _read_part(part, ordinal, output, branch):
            if change.is_seen:
                yield change
                continue
            if (outcome := _tell_outcome(change, part, output)) is not None:
                yield outcome


def may_change(command: str) -> bool:
    """Return whether a line has a word without which it changes nothing elsewhere: splitting each line would cost much."""
    return any(word in command for word in _TELLING)


def _tell_outcome(change: OutsideChange, part: CommandPart, output: _Output) -> OutsideChange | None:
    """Return a change with its outcome; None where nobody can tell it from those of the commands beside it."""
    is_error = output.entry.is_error
    if any(f"#{name}" in line for name in change.names for line in _list_done(change.deed, output)):
        return change
    if is_error and not part.is_last:
        return None
    if is_error or (not part.is_needed and output.has_bad_lines):
        return replace(change, is_ok=False, error=output.error)
    return change


def _list_done(deed: Deed, output: _Output) -> list[str]:
    """Return the lines by which a forge tells that it did this: "Squashed and merged pull request #47", and not "Pull request #47
    will be added to the merge queue"."""
    begins = [line.partition("#")[0].casefold() for line in output.done_lines]
    return [
        line for line, begin in zip(output.done_lines, begins, strict=True) if begin.startswith(deed) or f" and {deed} " in begin
    ]


def _read_part(part: CommandPart, ordinal: int, output: _Output, branch: str) -> Iterator[OutsideChange]:
    program, result = part.words[0].rpartition("/")[2], output.entry
    if _DRY.intersection(part.words):
        return
    if program in FORGES:
        yield from _read_forge(part, ordinal, output, branch)
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
    """Whether a command is a program of that name, a target of that name, or a subcommand that changes what runs elsewhere."""
    plain = _list_plain_words(part.words, _PLACING)
    program, *rest = (plain[0].rpartition("/")[2], *plain[1:]) if plain else ("",)
    if program == "ansible-playbook":
        return "-C" not in part.words
    if program in _APPLYING:
        return rest[:1] != [] and rest[0] in _APPLYING[program]
    runner = next((words for name in RUNNERS if plain[: len(words := name.split())] == words), None)
    if runner is not None:
        return plain[len(runner) : len(runner) + 1] == [DEPLOYING]
    return _split_name(program)[:1] == [DEPLOYING]


def _list_plain_words(words: Sequence[str], valued: Collection[str]) -> list[str]:
    """Return the words that are no options, nor values of these options."""
    plain, is_value = list[str](), False
    for word in words:
        if not (is_value or word.startswith("-")):
            plain.append(word)
        is_value = not is_value and word in valued
    return plain


def _split_name(name: str) -> list[str]:
    return "".join(sign if sign.isalnum() else " " for sign in name).split()


def _is_name(word: str) -> bool:
    """Whether a word is the name of something, and no variable, substitution or text."""
    return bool(word) and not {*"$`", *" \t\n"} & {*word}


def _read_forge(part: CommandPart, ordinal: int, output: _Output, branch: str) -> Iterator[OutsideChange]:
    result = output.entry
    _, kind, verb, *_ = (*_list_plain_words(part.words, _FORGE_PLACES), "", "", "")
    thing = _FORGE_THINGS.get(kind)
    if thing is None:
        return
    plain = _list_plain_words(part.words, (*_FORGE_PLACES, *_FORGE_VALUES.get(verb, ())))
    named = tuple(number for word in plain[3:4] if (number := _read_number(word)))
    if verb == "view" and named and thing in ("pull request", "issue"):
        yield from _read_state(thing, named, ordinal, result)
        return
    if (deed := _FORGE_DEEDS.get(verb)) is None or "--auto" in part.words:
        return  # `--auto` merges when its checks pass, perhaps never
    title = part.take_option("--title", "-t") if verb == "create" else ""
    if thing == "repository":
        if deed == "opened":
            yield OutsideChange("created", thing, tuple(filter(_is_name, plain[3:4])), ordinal, result.ordinal)
        return
    if thing == "release":
        if deed == "deleted":
            yield OutsideChange(deed, thing, tuple(filter(_is_name, plain[3:4])), ordinal, result.ordinal)
        return  # a release that was created is told as one
    if verb == "create":
        address = next((word for word in reversed(result.text.split()) if "://" in word and _read_number(word)), "")
        if address:
            branch = branch if thing == "pull request" else ""
            own = (_read_number(address),)
            yield OutsideChange("opened", thing, own, ordinal, result.ordinal, title, address, branch)
        return
    done = _list_done(deed, output)
    if not named and len(done) == 1:
        named = _find_number(done[0])
    is_only_announced = bool(output.done_lines) and not done and not result.is_error
    if (plain[3:] and not named) or is_only_announced:
        return  # of a branch or a variable nobody knows the number; "will be added to the merge queue"
    yield OutsideChange(deed, thing, named, ordinal, result.ordinal, _read_title(named, done))


def _read_number(word: str) -> str:
    """Return the number that a word or an address ends with: `47`, `#47`, `…/pull/47`."""
    last = word.rstrip("/").rpartition("/")[2].removeprefix("#")
    return last if last.isdigit() else ""


def _find_number(line: str) -> tuple[str, ...]:
    """Return the number that a forge names: "Closed issue owner/name#37 (title)"."""
    digits = "".join(takewhile(str.isdigit, line.partition("#")[2]))
    return (digits,) if digits else ()


def _read_title(named: Iterable[str], done: Iterable[str]) -> str:
    """Return the title that a forge prints behind a number: "Closed issue owner/name#37 (title)"."""
    for line in done:
        for number in named:
            _, sign, behind = line.partition(f"#{number} (")
            if sign and behind.endswith(")"):
                return behind[:-1]
    return ""


def _read_state(thing: Thing, named: tuple[str, ...], ordinal: int, result: Entry) -> Iterator[OutsideChange]:
    """Yield the state that a forge showed of one thing: as JSON, as a line above the description, or as all that it printed."""
    head = result.text.partition("\n--\n")[0]
    lines = {line.partition("\t")[2].strip() for line in head.splitlines() if line.startswith("state:\t")}
    as_json = {text.lstrip(': "').partition('"')[0] for text in result.text.split('"state"')[1:2]}
    states = [deed for word, deed in _STATES.items() if word in {*lines, *as_json, result.text.strip()}]
    if len(states) == 1 and not result.is_error:
        title = result.text.partition('"title":"')[2].partition('"')[0]
        yield OutsideChange(states[0], thing, named, ordinal, result.ordinal, title, is_seen=True, command="gh view")


def _read_git(part: CommandPart, ordinal: int, result: Entry, branch: str) -> Iterator[OutsideChange]:
    verb = (*list_git_words(part), "")[0]
    flags = {*part.words}
    valued = _GIT_VALUES.get(verb, ())
    written = [word for word in part.words if word in valued or (word[:1] == "-" and word[:2] != "--" and word.endswith("m"))]
    words = _list_plain_words(part.words, written if valued else ())
    names = words[words.index(verb) + 1 :] if verb in words else []
    if verb in ("merge", "tag", "branch", "rebase") and not all(map(_is_name, names)):
        return
    if verb == "merge" and names and flags.isdisjoint(_UNMERGED) and "Already up to date" not in result.text:
        name = names[0]
        if name.partition("/")[0] not in _LOCAL and "CONFLICT" not in result.text:
            yield OutsideChange("merged", "branch", (name,), ordinal, result.ordinal, place=branch)
    elif verb == "tag" and names and not _is_listing(part.words):
        deed: Deed = "deleted" if flags & {"-d", "--delete"} else "tagged"
        yield OutsideChange(deed, "tag", tuple(names if deed == "deleted" else names[:1]), ordinal, result.ordinal)
    elif verb == "branch" and flags & {"-d", "-D", "--delete"} and names:
        yield OutsideChange("deleted", "branch", tuple(names), ordinal, result.ordinal)
    elif verb == "rebase" and names and not flags & {"--abort", "--continue"} and " is up to date." not in result.text:
        printed = result.text.partition("Successfully rebased and updated refs/heads/")[2].split()[:1]
        rebased = printed[0].rstrip(".") if printed else branch
        if rebased:
            place = part.take_option("--onto") or names[0]
            yield OutsideChange("rebased", "branch", (rebased,), ordinal, result.ordinal, place=place)
    elif verb == "push":
        yield from _read_push(part, list(filter(_is_name, names)), ordinal, result)
    elif verb == "log" and not result.is_error:
        yield from _read_log(ordinal, result)


def _is_listing(words: Iterable[str]) -> bool:
    """Whether `git tag` lists or checks tags: also with the lines of notes to show, `-n` or `-n3`."""
    names = (word.partition("=")[0].rstrip("0123456789") for word in words)
    return any(name in _LISTING for name in names)


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
