"""Find facts in the work: commits and changed settings; and in incidents: pasted errors, failures, releases."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import dropwhile

from transforms.exchanges import claims
from transforms.exchanges.actions import Action, find_touched_paths, format_file_names
from transforms.exchanges.exchange import Exchange
from transforms.language import cue_phrases, entities
from transforms.language.sentences import join_lines, shorten, split_sentences
from transforms.offline.candidates import READ, RECORDED, UNFINISHED_FACTOR, Candidate, is_unfit, shorten_row
from transforms.offline.salience_factors import WORK
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import Priority

FinalValues = dict[tuple[str, str], tuple[int, str]]

MAX_CITATIONS = 6
MAX_FILES = 4
"""Files that an error names; a commit names twice as many."""
COMMIT_NAMES = 4
"""Functions and classes of each file that the row of a commit names; also the number of its created files."""
COMMIT_DELETIONS, COMMIT_MOVES = 2, 4
"""Deletions and moves that the row of a commit names."""
ROW_VALUES = 8
"""Values of a settings file that one row names."""
ERROR_CHARS, CAUSE_CHARS = 220, 200
_CHANGES = frozenset({"create", "edit", "delete", "move"})
RELEASE_CITATIONS = 4
"""Publishing commands that the row of a release cites, the newest ones."""
FOLDER_FLAGS = frozenset({"-C", "--prefix", "--cwd", "--dir", "--manifest-path"})
"""Flags of a check behind which a folder stands that is none of its words."""


def find_work_facts(exchange: Exchange, final: FinalValues, gone: frozenset[str]) -> Iterator[Candidate]:
    """Yield commits and values. Files in `gone` were deleted later: their values are left out.

    `final` holds, for each (file, key) of a settings file, the entry of the last change and the first value.
    """
    yield from find_commits(exchange)
    yield from (candidate for candidate in _find_value_changes(exchange, final) if not set(candidate.files) & gone)


def find_final_values(exchanges: list[Exchange]) -> FinalValues:
    """Return, for each (file, key) that edits changed, the entry of the last change and the value before the first."""
    values: FinalValues = {}
    for exchange in exchanges:
        for action in exchange.actions:
            for key, old, _ in action.values if action.is_ok else ():
                values[action.path, key] = (action.ordinal, values.get((action.path, key), (0, old))[1])
    return values


def find_deleted_files(exchanges: list[Exchange]) -> frozenset[str]:
    """Return the files that were created or edited and deleted later."""
    deleted: dict[str, int] = {}
    for exchange in exchanges:
        for action in exchange.actions:
            if action.kind == "delete" and action.is_ok:
                deleted |= {entities.take_base_name(path): action.ordinal for path in action.path.split()}
    changes = [action for exchange in exchanges for action in exchange.actions if action.kind in ("create", "edit")]
    kept_paths = {action.path for action in changes if action.ordinal > deleted.get(entities.take_base_name(action.path), -1)}
    return frozenset(action.path for action in changes) - kept_paths


def group_by_commit(exchange: Exchange) -> Iterator[tuple[list[Action], Action]]:
    """Yield the actions that lead to each successful commit, with the commit."""
    group: list[Action] = []
    for action in exchange.actions:
        if action.kind == "commit" and action.is_ok:
            yield group, action
            group = []
        else:
            group.append(action)


def find_commits(exchange: Exchange, *, is_short: bool = False) -> Iterator[Candidate]:
    """Yield a row for each commit, with its push and with the work that led to it; without that work for `is_short`."""
    answered = {action.detail for action in exchange.actions if action.kind == "commit" and action.is_known}
    for commit in exchange.actions:
        if commit.kind == "commit" and not commit.is_known and commit.detail not in answered and not is_unfit(commit.detail):
            text = f'Set out to commit "{commit.detail}"; no result is recorded.'
            yield Candidate(shorten_row(text), "status", "medium", (commit.ordinal,), (), WORK.commit, RECORDED)
    for group, commit in group_by_commit(exchange):
        if is_unfit(commit.detail):
            continue
        tried = [
            action for action in exchange.actions if is_push(action) and action.is_known and action.ordinal >= commit.ordinal
        ]
        pushes = [action for action in tried if action.is_ok]
        refused = [] if _find_released(exchange) else [action for action in tried if not action.is_ok and action.error][-1:]
        text = f'Committed{" and pushed" if pushes else ""} "{commit.detail}"{_name_place(commit)}'
        if done := "" if is_short else _describe_work(group):
            text += f": {done}"
        text += "".join(f"; the push was refused{' first' if pushes else ''}: {push.error.rstrip('.')}" for push in refused)
        ordinals = _cite(
            [commit.ordinal, commit.result, *(action.result for action in [*refused, *pushes[:1]])],
            [action.ordinal for action in group if action.kind in ("create", "edit", "move", "delete")],
        )
        yield Candidate(
            shorten_row(text + "."),
            "error" if refused and not pushes else "completion",
            "medium",
            ordinals,
            tuple(find_touched_paths(group)[: 2 * MAX_FILES]),
            WORK.commit + min(WORK.max_specifics, WORK.per_specific * entities.count_specifics(text)),
            RECORDED,
        )


def _name_place(commit: Action) -> str:
    """Return the hash of a commit and its branch in brackets; empty where neither is known."""
    place = f"{commit.path} on {commit.branch}" if commit.path and commit.branch else commit.path or commit.branch
    return f" ({'on ' * (not commit.path)}{place})" if place else ""


def _cite(first: list[int | None], more: list[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys([ordinal for ordinal in first if ordinal is not None] + more))[:MAX_CITATIONS]


def _describe_work(group: list[Action]) -> str:
    made = {action.path: action.added for action in group if action.kind == "create" and action.is_ok}
    created = list(made)
    edited = [path for path in find_touched_paths(group) if path not in created]
    descriptions = [
        entities.take_base_name(path) + (f" ({', '.join(added[:COMMIT_NAMES])})" if added else "") for path, added in made.items()
    ]
    rest = f" and {len(descriptions) - COMMIT_NAMES} more" if len(descriptions) > COMMIT_NAMES else ""
    parts = [f"created {', '.join(descriptions[:COMMIT_NAMES])}{rest}"] if descriptions else []
    parts += [f"edited {format_file_names(edited, 3)}"] if edited else []
    deleted = dict.fromkeys(action.path for action in group if action.kind == "delete" and action.is_ok and action.path)
    parts += [f"deleted {format_file_names(path.split(), 4)}" for path in deleted][:COMMIT_DELETIONS]
    parts += [
        f"moved {format_file_names(action.path.split(), 6)} to {action.detail}"
        for action in group
        if action.kind == "move" and action.is_ok
    ][:COMMIT_MOVES]
    return "; ".join(parts)


def _find_value_changes(exchange: Exchange, final: FinalValues) -> Iterator[Candidate]:
    for path in exchange.files:
        file_actions = [action for action in exchange.actions if action.path == path and action.is_ok]
        changes = [
            (action.ordinal, key, final[path, key][1], new)
            for action in file_actions
            for key, _, new in action.values
            if final.get((path, key), (-1, ""))[0] == action.ordinal and new and new != final[path, key][1]
        ]
        for start in range(0, len(changes), ROW_VALUES):
            part = changes[start : start + ROW_VALUES]
            descriptions = [f"{key} {f'{old} → ' if old else '= '}{new}" for _, key, old, new in part]
            text = f"In {entities.take_base_name(path)}: {'; '.join(descriptions)}."
            salience = WORK.changed_value if any(old for *_, old, _ in part) else WORK.new_value
            salience += WORK.per_value * len(part)
            yield Candidate(
                shorten_row(text),
                "state_change",
                "medium",
                _cite([], [ordinal for ordinal, *_ in part]),
                (path,),
                salience,
                RECORDED,
            )


_ERROR_LINE = compile_late(
    r"^\W{0,4}(?:[\w.-]+:\s+)?((?:[A-Z]\w*(?:Error|Exception)|Error|error(?: TS\d+)?|fatal|panic(?:ked)?|Traceback)\b"
    r"(?::| \d|\[)[^\n]{6,}(?:\n(?!\s+at )[^\n{}]{8,}){0,2})",
    re.M,
)


def find_incident_facts(exchange: Exchange, *, is_last: bool) -> Iterator[Candidate]:
    """Yield reported errors, opened issues and pull requests, and releases. A failing test counts when no later check follows
    (`is_last`).
    """
    yield from _find_pasted_error(exchange)
    yield from _find_opened(exchange)
    if released := _find_released(exchange):
        yield _describe_release(exchange, released)
    else:
        yield from _find_refused_push(exchange)
    yield from _find_open_failures(exchange, is_last=is_last)


def _find_pasted_error(exchange: Exchange) -> Iterator[Candidate]:
    """Yield a pasted error, word for word, with the cause that the agent found; without one, with the fix that it reports."""
    match = _ERROR_LINE.search(exchange.pasted) if exchange.user and exchange.pasted else None
    if exchange.user is None or match is None or is_unfit(match[1]):
        return
    text = f"User hit an error: {shorten(join_lines(match[1]), ERROR_CHARS)}"
    ordinals = [exchange.user.ordinal]
    done = min((action.ordinal for action in exchange.actions if action.kind in _CHANGES and action.is_ok), default=None)
    explained = [
        (entry.ordinal, finding, _drop_reports(finding) if done is not None and done < entry.ordinal else finding)
        for entry in exchange.agent_messages
        for finding in claims.find_findings(entry.text)
        if cue_phrases.CAUSE.search(finding)
    ]
    causes = [(ordinal, "Cause", cause) for ordinal, _, cause in explained if cue_phrases.CAUSE.search(cause)]
    fixes = [(ordinal, "Outcome", finding) for ordinal, finding, _ in explained]
    for ordinal, label, words in [*causes, *fixes][:1]:
        text += f" {label}: {shorten(words, CAUSE_CHARS)}"
        ordinals.append(ordinal)
    yield Candidate(shorten_row(text), "error", "medium", tuple(ordinals), exchange.files[:MAX_FILES], WORK.pasted_error, READ)


def _drop_reports(finding: str) -> str:
    """Return a statement of an agent behind its changes without the sentences that report them, with or without the reason."""
    return " ".join(sentence for sentence in split_sentences(finding) if not _reports_change(sentence))


def _reports_change(sentence: str) -> bool:
    change = cue_phrases.FIX.search(sentence) or cue_phrases.CHANGE.search(sentence)
    cause = cue_phrases.EXPLICIT_CAUSE.search(sentence)
    return change is not None and (cause is None or change.start() < cause.start())


def _find_opened(exchange: Exchange) -> Iterator[Candidate]:
    for action in exchange.actions:
        if action.kind == "open" and action.is_ok and not is_unfit(action.detail):
            text = shorten_row(f"Opened {action.detail}: {action.path}")
            yield Candidate(text, "completion", "medium", _cite_results([action]), (), WORK.opened, RECORDED)


def is_push(action: Action) -> bool:
    """Whether an action pushes commits."""
    return action.kind == "publish" and action.detail.startswith("git push")


def _find_released(exchange: Exchange) -> list[Action]:
    """Return the publishing commands of an exchange; none where all push commits: that is no release."""
    released = [action for action in exchange.actions if action.kind == "publish" and action.is_known]
    return [] if all(is_push(action) for action in released) else released


def _find_refused_push(exchange: Exchange) -> Iterator[Candidate]:
    """Yield the last refused push of commits that were made before; the row of a commit says so itself."""
    pushes = [action for action in exchange.actions if is_push(action) and action.is_known]
    committed = min((commit.ordinal for _, commit in group_by_commit(exchange) if not is_unfit(commit.detail)), default=None)
    refused = [push for push in pushes if not push.is_ok and push.error and (committed is None or push.ordinal < committed)]
    for push in refused[-1:]:
        is_cured = any(later.is_ok and later.ordinal > push.ordinal for later in pushes)
        text = f"`{push.detail}` was refused{', and went through later' if is_cured else ''}: {push.error.rstrip('.')}."
        yield Candidate(shorten_row(text), "error", "medium", _cite_results([push]), (), WORK.release, READ)


def _describe_release(exchange: Exchange, released: list[Action]) -> Candidate:
    commits = [action for action in exchange.actions if action.kind == "commit" and action.is_ok]
    done = [f'committed "{commit.detail}"{f" ({commit.path})" if commit.path else ""}' for commit in commits[-1:]]
    done += [f"ran `{action.detail}`" for action in released if action.is_ok]
    failed = [action for action in released if not action.is_ok][-1:]
    parts = [", ".join(done)] if done else []
    parts += [f"`{action.detail}` failed{f': {action.error}' if action.error else ''}" for action in failed]
    text = "; ".join(parts)
    is_out = any(re.search(r"\bpublish|\btag\b|release create", action.detail) for action in released if action.is_ok)
    priority: Priority = "high" if is_out and not failed else "medium"
    ordinals = _cite_results([*failed, *released[-RELEASE_CITATIONS:], *commits[-1:]])
    return Candidate(
        shorten_row(f"Release: {text.rstrip('.')}."),
        "error" if failed else "completion",
        priority,
        ordinals,
        (),
        WORK.release,
        READ,
    )


def _find_open_failures(exchange: Exchange, *, is_last: bool) -> Iterator[Candidate]:
    """Yield refused commits, and a test run whose last result was a failure."""
    for action in exchange.actions:
        if action.kind == "commit" and not action.is_ok and action.error:
            text = f'The commit "{action.detail}" was blocked: {action.error}'
            yield Candidate(
                shorten_row(text),
                "error",
                "medium",
                _cite_results([action]),
                exchange.files[:MAX_FILES],
                WORK.refused_commit,
                READ,
            )
    checks = [action for action in exchange.actions if action.kind == "check" and action.is_known and "test" in action.detail]
    if is_last and checks and not checks[-1].is_ok and checks[-1].error and not exchange.is_undone:
        text = f"`{checks[-1].detail}` still failed at the end: {checks[-1].error}"
        yield Candidate(
            shorten_row(text),
            "error",
            "low",
            _cite_results([checks[-1]]),
            exchange.files[:MAX_FILES],
            WORK.failed_check,
            UNFINISHED_FACTOR,
        )


def _cite_results(actions: list[Action]) -> tuple[int, ...]:
    return tuple(
        dict.fromkeys(ordinal for action in actions for ordinal in (action.ordinal, action.result) if ordinal is not None)
    )[:MAX_CITATIONS]


def find_failed_check(exchanges: Sequence[Exchange], kinds: Collection[str]) -> Action | None:
    """Return the last action of these kinds when it failed; None where the same check passed later, also with other flags or in
    another folder."""
    checks = [action for exchange in exchanges for action in exchange.actions if action.kind in kinds and action.is_known]
    if not checks or checks[-1].is_ok:
        return None
    failed = checks[-1]
    return None if failed.kind == "check" and _has_passed_later(exchanges, failed) else failed


def _has_passed_later(exchanges: Sequence[Exchange], failed: Action) -> bool:
    """Whether a check, as `go build`, ran again later without an error: `go -C e2e build ./...`, but not `go vet`."""
    entries = [entry for exchange in exchanges for entry in exchange.replies]
    passed = {entry.tool_call_id for entry in entries if entry.role == "toolResult" and not entry.is_error}
    check = _list_check_words(failed.detail)
    return any(
        entry.ordinal > failed.ordinal
        and call.call_id in passed
        and any(words[: len(check)] == check for words in _list_commands(str(call.arguments.get("command") or "")))
        for entry in entries
        for call in entry.tool_calls
    )


def _list_commands(command: str) -> list[list[str]]:
    """Return the words of each part of a command line whose exit code is that of the line: none behind it hides it."""
    *_, line = command.strip().split("\n")
    return [] if re.search(r"[|;]|(?<![&>])&(?![&>])", line) else [_list_check_words(part) for part in line.split("&&")]


def _list_check_words(part: str) -> list[str]:
    """Return the words of a command without its settings before it, its flags, and the `run` that `npm` may have."""
    words = part.split()
    pairs = zip(["", *words], words, strict=False)
    bare = [word for before, word in pairs if not word.startswith("-") and before not in FOLDER_FLAGS]
    return [word for word in dropwhile(lambda word: "=" in word, bare) if word != "run"]
