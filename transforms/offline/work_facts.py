"""Facts from what was done: commits with their files, new files with what they define, changed settings, releases, failures."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.language import entities
from transforms.offline.actions import Action, named_files, touched
from transforms.offline.candidates import Candidate, is_unfit, row
from transforms.offline.exchanges import Exchange
from transforms.tables.enums import Priority

Final = dict[tuple[str, str], tuple[int, str]]


def work_facts(exchange: Exchange, final: Final, root: str, gone: frozenset[str]) -> Iterator[Candidate]:
    """Paths are shown below `root`, files that are `gone` at the end are left out.

    `final` has for each (file, key) of a settings file the last change and the first value: what lay between is history.
    """
    yield from _commits(exchange)
    yield from (one for one in (*_files(exchange, root), *_values(exchange, final)) if not set(one.files) & gone)


def final_values(exchanges: list[Exchange]) -> Final:
    """For each (file, key) that edits changed, the entry of the last change and the value before the first."""
    found: Final = {}
    for exchange in exchanges:
        for action in exchange.actions:
            for key, old, _ in action.values if action.is_ok else ():
                found[action.path, key] = (action.ordinal, found.get((action.path, key), (0, old))[1])
    return found


def gone_files(exchanges: list[Exchange]) -> frozenset[str]:
    """Files that were created or edited and deleted later."""
    deleted: dict[str, int] = {}
    for exchange in exchanges:
        for action in exchange.actions:
            if action.kind == "delete" and action.is_ok:
                deleted |= {entities.base_name(path): action.ordinal for path in action.path.split()}
    made = [action for exchange in exchanges for action in exchange.actions if action.kind in ("create", "edit")]
    kept = {action.path for action in made if action.ordinal > deleted.get(entities.base_name(action.path), -1)}
    return frozenset(action.path for action in made) - kept


def stretches(exchange: Exchange) -> Iterator[tuple[list[Action], Action]]:
    """The actions that lead to each successful commit, with the commit."""
    group: list[Action] = []
    for action in exchange.actions:
        if action.kind == "commit" and action.is_ok:
            yield group, action
            group = []
        else:
            group.append(action)


def _commits(exchange: Exchange) -> Iterator[Candidate]:
    for group, commit in stretches(exchange):
        if is_unfit(commit.detail):
            continue
        text = f'Committed "{commit.detail}"' + (f" ({commit.path})" if commit.path else "")
        if done := _work_of(group):
            text += f": {done}"
        ordinals = _cited(
            [commit.ordinal, commit.result],
            [action.ordinal for action in group if action.kind in ("create", "edit", "move", "delete")],
        )
        yield Candidate(
            row(text + "."),
            "completion",
            "medium",
            ordinals,
            tuple(touched(group)[:8]),
            0.72 + min(0.2, 0.04 * entities.count(text)),
            0.9,
        )


def _cited(first: list[int | None], more: list[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys([at for at in first if at is not None] + more))[:6]


def _work_of(group: list[Action]) -> str:
    made = {action.path: action.added for action in group if action.kind == "create" and action.is_ok}
    created = list(made)
    edited = [path for path in touched(group) if path not in created]
    told = [entities.base_name(path) + (f" ({', '.join(added[:4])})" if added else "") for path, added in made.items()]
    rest = f" and {len(told) - 4} more" if len(told) > 4 else ""
    parts = [f"created {', '.join(told[:4])}{rest}"] if told else []
    parts += [f"edited {named_files(edited, 3)}"] if edited else []
    parts += [
        f"deleted {named_files(action.path.split(), 4)}"
        for action in group
        if action.kind == "delete" and action.is_ok and action.path
    ][:2]
    parts += [
        f"moved {named_files(action.path.split(), 6)} to {action.detail}"
        for action in group
        if action.kind == "move" and action.is_ok
    ][:4]
    return "; ".join(parts)


def _files(exchange: Exchange, root: str) -> Iterator[Candidate]:
    committed = {action.path for group, _ in stretches(exchange) for action in group}
    for path in exchange.files:
        mine = [one for one in exchange.actions if one.path == path and one.is_ok and one.kind in ("create", "edit")]
        added = list(dict.fromkeys(name for action in mine for name in action.added))
        removed = [name for name in dict.fromkeys(name for action in mine for name in action.removed) if name not in added]
        is_new = mine[0].kind == "create"
        if not added and not removed and not is_new:
            continue
        text = f"{'Created' if is_new else 'Edited'} {entities.short_path(path, root)}"
        parts = [f"{'defines' if is_new else 'added'} {', '.join(added[:8])}"] if added else []
        parts += [f"removed {', '.join(removed[:8])}"] if removed else []
        text += f": {'; '.join(parts)}" if parts else ""
        worth = (0.45 if is_new else 0.2) + min(0.2, 0.03 * (len(added) + len(removed)))
        worth += 0.2 if added and removed else 0  # one thing took the place of another
        worth *= 0.3 if exchange.is_rejected else 0.6 if path in committed else 1.0  # a commit tells it already
        ordinals = _cited([], [action.ordinal for action in mine])
        priority: Priority = "medium" if is_new else "low"
        yield Candidate(row(text + "."), "file_change", priority, ordinals, (path,), worth, 0.9)


def _values(exchange: Exchange, final: Final) -> Iterator[Candidate]:
    for path in exchange.files:
        mine = [action for action in exchange.actions if action.path == path and action.is_ok]
        changes = [
            (action.ordinal, key, final[path, key][1], new)
            for action in mine
            for key, _, new in action.values
            if final.get((path, key), (-1, ""))[0] == action.ordinal and new and new != final[path, key][1]
        ]
        for start in range(0, len(changes), 8):
            part = changes[start : start + 8]
            told = [f"{key} {f'{old} → ' if old else '= '}{new}" for _, key, old, new in part]
            text = f"In {entities.base_name(path)}: {'; '.join(told)}."
            worth = (0.45 if any(old for *_, old, _ in part) else 0.25) + 0.03 * len(part)
            yield Candidate(row(text), "state_change", "medium", _cited([], [at for at, *_ in part]), (path,), worth, 0.9)
