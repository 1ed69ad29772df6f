"""Compares the paths of folders: one name may be written with composed letters or with letters and marks."""

from __future__ import annotations

from unicodedata import normalize


def compose_path(path: str) -> str:
    """Return a path with composed letters (NFC), in which macOS, terminals and clients write one folder alike.

    Source: Apple's file systems keep a name as it was given and find it in both forms (Apple File System Guide, "Unicode").
    """
    return path if path.isascii() else normalize("NFC", path)


def is_inside(folder: str, parent: str) -> bool:
    """Whether a folder is `parent` or lies in it."""
    inner, outer = compose_path(folder), compose_path(parent)
    return inner == outer or inner.startswith(outer.rstrip("/") + "/")
