"""What a removed target, script, flag or symbol became, as far as the commit that removed it shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import orjson

from transforms.patterns.late_pattern import compile_late

_HEAD = compile_late(r"^([\w.%/-]+(?: [\w.%/-]+)*)\s*::?(?!=)")
_RECIPE = compile_late(r"^@?([a-z_][\w-]*)(?: [^:]*)?:(?!=)")
_KEY = compile_late(r'"([^"\\]+)"\s*:')
_FLAG = compile_late(r"(?<![\w-])--[a-z][\w-]+")
_WORD = compile_late(r"[A-Za-z_]\w*")


def read_targets(file: str, text: str) -> dict[str, str]:
    """Return the targets of a Makefile, the recipes of a justfile or the scripts of a package.json, each with what it runs.

    Of a package.json that nobody can read every key is one: what may be there is not gone.
    """
    if file.rsplit("/", 1)[-1] != "package.json":
        return _read_recipes(text, is_just="just" in file.rsplit("/", 1)[-1].lower())
    try:
        scripts = orjson.loads(text).get("scripts") or {}
        return {str(name): str(command) for name, command in scripts.items()}
    except (orjson.JSONDecodeError, AttributeError):
        return dict.fromkeys(_KEY.findall(text), "")


def _read_recipes(text: str, *, is_just: bool) -> dict[str, str]:
    targets: dict[str, str] = {}
    current: list[str] = []
    for row in text.splitlines():
        if row[:1].isspace():
            targets |= {name: f"{targets[name]}\n{row.strip()}".strip() for name in current}
        elif head := (_RECIPE if is_just else _HEAD).match(row):
            current = [name for name in head[1].split() if not name.startswith(".")]
            targets |= {name: targets.get(name, "") for name in current}
    return targets


def find_renamed_target(before: Mapping[str, str], after: Mapping[str, str], old: str) -> str:
    """Return the one new target that runs what the old one ran, else the only new one where the only old one went; or nothing."""
    gone, new = before.keys() - after.keys(), sorted(after.keys() - before.keys())
    alike = [name for name in new if before.get(old) and after[name] == before[old]]
    if len(alike) == 1:
        return alike[0]
    return new[0] if gone == {old} and len(new) == 1 else ""


def find_renamed_path(renames: Sequence[tuple[str, str]], old: str) -> str:
    """Return the new path of a file, or of a folder whose files all went to one folder; nothing when none was renamed."""
    for before, after in renames:
        if before == old or before.endswith("/" + old):
            return after
    moved = set[str]()
    for before, after in renames:
        head, middle, tail = f"/{before}".partition(f"/{old}/")
        if middle:
            moved.add(after.removesuffix(f"/{tail}") if after.endswith(f"/{tail}") and not head else "")
    return moved.pop() if len(moved) == 1 else ""


def find_renamed_word(diff: str, old: str) -> str:
    """Return the one flag or name that stands wherever `git show -U0` took the old one out; nothing where that is unclear."""
    pattern = _FLAG if old.startswith("--") else _WORD
    if not pattern.fullmatch(old):
        return ""
    successors: set[str] = set()
    for removed, added in _pair_rows(diff):
        gone, new = set(pattern.findall(removed)), set(pattern.findall(added))
        if old in gone - new and new - gone:
            successors.update(new - gone if gone - new == {old} and len(new - gone) == 1 else {"", old})
    return successors.pop() if len(successors) == 1 else ""


def _pair_rows(diff: str) -> Iterator[tuple[str, str]]:
    """Yield the removed and the added rows of each place: row by row where they are as many."""
    for hunk in _split_hunks(diff):
        removed, added = ([row[1:] for row in hunk if row[0] == sign] for sign in "-+")
        if len(removed) == len(added):
            yield from zip(removed, added, strict=True)
        else:
            yield "\n".join(removed), "\n".join(added)


def _split_hunks(diff: str) -> Iterator[list[str]]:
    hunk: list[str] = []
    is_inside = False
    for row in diff.splitlines():
        if row.startswith(("@@", "diff ")):
            yield hunk
            hunk, is_inside = [], row.startswith("@@")
        elif is_inside and row[:1] in ("-", "+"):
            hunk.append(row)
    yield hunk
