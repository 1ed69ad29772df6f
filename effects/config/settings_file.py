"""Changes values of the settings file and keeps everything else in it: comments, order, other values."""

from __future__ import annotations

from collections.abc import Mapping

import tomlkit
from tomlkit.items import Table

HEADER = "Settings of recollect. `recollect config` prints all of them, each with its value and its origin."


def render_settings_file(text: str, values: Mapping[str, object]) -> str:
    """Return the TOML text with these values, by dotted name (`engine.observer`); other values stay."""
    document = tomlkit.parse(text)
    if not text.strip():
        document.add(tomlkit.comment(HEADER))
    for name, value in values.items():
        group, _, key = name.rpartition(".")
        table: tomlkit.TOMLDocument | Table = document
        if group:
            if group not in document:
                document[group] = tomlkit.table()
            table = document[group]
        if key not in table or table[key] != value:
            table[key] = value
    return tomlkit.dumps(document)
