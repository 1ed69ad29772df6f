"""The settings that reading needs, without pydantic: a cold question waits 0.2 s for it, of the half second that it may take.

Only what is plain is read here: everything else, and everything that could be wrong, is left to `load_settings`, which says
what is wrong. A test compares the two.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from zoneinfo import ZoneInfo

from effects.config.paths import absolute, config_file, system_timezone

if TYPE_CHECKING:
    from effects.config.settings import Settings

PREFIX = "RECOLLECT_"
PLAIN = ("lake", "workspace", "timezone", "owner", "sessions", "exclude", "identity", "embedding.model")
"""Settings for which any text will do (a time zone is looked up)."""
NO_MODEL = ("engine.observer", "engine.reflector")
"""Settings that are plain when they say `offline`: whoever names a model needs the whole anyhow."""


@dataclass(frozen=True, slots=True)
class _Embedding:
    model: str


class LightSettings:
    """What reading needs; asked for anything else it becomes the whole settings."""

    def __init__(self, lake: Path, workspace: Path, timezone: str, model: str) -> None:
        self.lake, self.workspace, self.timezone, self.embedding = lake, workspace, timezone, _Embedding(model)
        self._whole: Settings | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copying and pickling ask for what no setting is called
            raise AttributeError(name)
        if self._whole is None:
            from effects.config.configuration import load_settings

            self._whole = load_settings()
        return getattr(self._whole, name)


def light_settings() -> Settings | None:
    """The settings, when all that is set is plain and no model writes answers; else None, and `load_settings` knows more."""
    try:
        values = _in_file(config_file()) | _in_environment()
        if not all(name in PLAIN or (name in NO_MODEL and value == "offline") for name, value in values.items()):
            return None
        zone = values.get("timezone") or system_timezone()
        ZoneInfo(zone)
    except (KeyError, ValueError, OSError):  # tomllib's errors are ValueErrors
        return None
    lake, workspace = (absolute(Path(values.get(name, f"data/{name}"))) for name in ("lake", "workspace"))
    return cast("Settings", LightSettings(lake, workspace, zone, values.get("embedding.model", "bundled")))


def _in_environment() -> dict[str, str]:
    """Values by dotted name; pydantic reads variables in any case."""
    found = {}
    for variable, value in os.environ.items():
        name = variable.upper()
        if name.startswith(PREFIX) and name != PREFIX + "CONFIG":
            if not value or name in found:
                raise ValueError(f"{variable} is empty, or set twice")
            found[name.removeprefix(PREFIX).lower().replace("__", ".")] = value
    return found


def _in_file(path: Path) -> dict[str, str]:
    """The same from the config file; ValueError for anything that is no text."""
    if not path.is_file():
        if "RECOLLECT_CONFIG" in os.environ:
            raise ValueError(f"{path} is no file")
        return {}
    import tomllib

    found: dict[str, str] = {}
    for name, value in tomllib.loads(path.read_text(encoding="utf-8")).items():
        for key, inner in value.items() if isinstance(value, dict) else [("", value)]:
            if not isinstance(inner, str) or not inner:
                raise ValueError(f"{name} is no text")
            found[f"{name}.{key}".rstrip(".")] = inner
    return found
