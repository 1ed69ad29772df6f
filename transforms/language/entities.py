"""Specifics of a text: paths, identifiers, values, versions, numbers and quoted words, which must survive verbatim."""

from __future__ import annotations

import re

_EXTENSIONS = re.findall(
    r"\S+",
    """
    bash c cc cfg conf cpp cs css csv dart env ex exs go gradle graphql h hpp html ini ipynb java js json jsonl jsx kt
    lock lua m md mdx mjs cjs mk mm nix php pl prisma proto ps1 py pyi r rb rs sass scala scss sh sql svelte swift tf
    toml ts tsx txt vue xml yaml yml zig zsh
    """,
)
_FILE = re.compile(rf"(?<![\w.])@?((?:[~.\w@+-]*/)*[\w@+.-]*\w\.(?:{'|'.join(_EXTENSIONS)}))(?![\w-])(?:[:#]L?(\d+))?")
_PATH = re.compile(r"(?<![\w/:.])((?:~|\.{1,2})?/?(?:[\w@.+-]+/)+[\w@.+-]*)(?!\w)")
_CODE = re.compile(r"`([^`\n]{1,160})`")
_NAME = re.compile(
    r"(?<![\w/.-])(?:[A-Za-z_$]*[a-z0-9][A-Z][\w$]*|[A-Za-z]\w*_\w+|_[A-Za-z]\w+|[A-Z]{2,}\d*(?:_[A-Z\d]+)+)(?:\(\))?(?![\w/])"
)
_VALUE = re.compile(
    r"(?<!\w)(?:\#[0-9a-fA-F]{3,8}\b|v?\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?|\d[\d,]*(?:\.\d+)?\s?(?:%|ms|s|min|h|kb|mb|gb|px|k)?(?!\w)"
    r"|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,40}(?!\w)|--?[a-z][\w-]+)",
    re.I,
)
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{2,300})[\"”]")
_PLAIN_NUMBER = re.compile(r"\d+")
_PROSE_PATH = re.compile(r"[A-Za-z]{2,}/[A-Za-z]{2,}/?")


def paths(text: str) -> list[str]:
    """File names and paths that a text names, in order, once each, without line suffixes and `@`."""
    found = [match[1] for match in _FILE.finditer(text)]
    found += [match[1] for match in _PATH.finditer(text) if not _PROSE_PATH.fullmatch(match[1]) and len(match[1]) > 3]
    return list(dict.fromkeys(path.removeprefix("@") for path in found))


def file_names(text: str) -> list[str]:
    """Only names with a known file extension, in order, once each."""
    return list(dict.fromkeys(match[1].removeprefix("@") for match in _FILE.finditer(text)))


def line_numbers(text: str) -> list[int]:
    """Line numbers written behind a file name (`text.ts:116`, `text.ts#L9`), in order."""
    return list(dict.fromkeys(int(match[2]) for match in _FILE.finditer(text) if match[2]))


def names(text: str) -> list[str]:
    """Identifiers: code spans, camelCase, snake_case and constants, in order, once each."""
    return list(dict.fromkeys([*(match[1] for match in _CODE.finditer(text)), *_NAME.findall(text)]))


def values(text: str) -> list[str]:
    """Colours, versions, numbers with their unit, hashes and flags, in order, once each."""
    return list(dict.fromkeys(match[0].strip() for match in _VALUE.finditer(text)))


def quoted(text: str) -> list[str]:
    """What stands between double quotes."""
    return [match[1] for match in _QUOTED.finditer(text)]


def count(text: str) -> int:
    """How many different specifics a text holds; bare one-digit numbers do not count."""
    bare = [value for value in values(text) if not (_PLAIN_NUMBER.fullmatch(value) and len(value) < 2)]
    return len({*names(text), *paths(text), *bare})


def base_name(path: str) -> str:
    """The last part of a path."""
    return path.rstrip("/").rsplit("/", 1)[-1] or path


def short_path(path: str, project: str = "") -> str:
    """The path relative to the project where it lies inside, else as it is."""
    root = project.rstrip("/") + "/"
    return path[len(root) :] if len(root) > 1 and path.startswith(root) else path
