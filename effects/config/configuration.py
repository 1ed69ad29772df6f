"""Reads the settings: arguments > environment `RECOLLECT_*` > the config file > defaults.

Every value is converted on its own, so that a complaint names its variable or its key, and `recollect config` can say where
each value came from.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from effects.config.paths import absolute, config_file
from effects.config.settings import Settings
from effects.system.errors import ConfigError

PREFIX = "RECOLLECT_"
TYPE_WORDS = (("`int | null`", "a whole number"), ("`int`", "a whole number"), ("`float`", "a number"), ("`str`", "text"))
"""How a complaint says the types of msgspec's messages."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One value: its dotted name, the variable that sets it, the value as text, and where it came from."""

    name: str
    variable: str
    value: str
    origin: str
    """argument | environment | the config file's path | default"""


@dataclass(frozen=True, slots=True)
class _Source:
    """A raw value and where it came from."""

    value: Any
    origin: str


def load_settings(**arguments: Any) -> Settings:
    """Return the settings; `arguments` come first, by the names of the fields of `Settings`.

    Raises:
        ConfigError: naming the variable (or the key of the config file) that cannot be used.
    """
    sources = _read_sources(arguments)
    values: dict[str, Any] = {}
    complaints = [_complain(name, sources[name], "there is no such setting") for name in sources if name not in _settable()]
    for name, (hint, definition) in _settable().items():
        try:
            values[name] = _convert(hint, definition, sources.get(name))
        except (msgspec.ValidationError, ValueError) as error:
            complaints.append(_complain(name, sources.get(name), _in_words(str(error))))
    if complaints:
        raise ConfigError("; ".join(complaints), "correct it, then `recollect config`")
    groups: dict[str, Any] = {}
    for name, group in _groups().items():
        groups[name] = group(**{key.partition(".")[2]: value for key, value in values.items() if key.startswith(f"{name}.")})
    return Settings(**{name: value for name, value in values.items() if "." not in name}, **groups)


def explain_settings(settings: Settings, arguments: Mapping[str, Any] | None = None) -> list[Setting]:
    """Return every setting with its value and where it came from, in the order of docs/contract.md."""
    sources = _read_sources(arguments or {})
    found = []
    for name in _settable():
        group, _, key = name.rpartition(".")
        value = getattr(getattr(settings, group) if group else settings, key)
        found.append(Setting(name, variable_of(name), _as_text(value), sources[name].origin if name in sources else "default"))
    return found


def variable_of(name: str) -> str:
    """Return the variable of a setting: `engine.base_url` is set by `RECOLLECT_ENGINE__BASE_URL`."""
    return PREFIX + name.upper().replace(".", "__")


def unknown_variables() -> list[str]:
    """Return the variables that begin like ours and set nothing: a typing mistake would otherwise go unnoticed."""
    known = {variable_of(name) for name in _settable()} | {PREFIX + "CONFIG"}
    return sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)


@cache
def _settable() -> dict[str, tuple[Any, Field[Any]]]:
    """Every setting by its dotted name, with its type and its definition."""
    found: dict[str, tuple[Any, Field[Any]]] = {}
    hints = get_type_hints(Settings, include_extras=True)
    for definition in fields(Settings):
        group = _groups().get(definition.name)
        if group is None:
            found[definition.name] = (hints[definition.name], definition)
            continue
        inner = get_type_hints(group, include_extras=True)
        found |= {f"{definition.name}.{part.name}": (inner[part.name], part) for part in fields(group)}
    return found


@cache
def _groups() -> dict[str, type[Any]]:
    """The sections of the config file, each with its class."""
    hints = get_type_hints(Settings)
    return {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}


def _read_sources(arguments: Mapping[str, Any]) -> dict[str, _Source]:
    """The raw value of every setting that is set, by dotted name."""
    path = config_file()
    found = {name: _Source(value, str(path)) for name, value in _flatten(_read_file(path))}
    found |= {name: _Source(value, "environment") for name, value in _read_environment().items()}
    return found | {name: _Source(value, "argument") for name, value in _flatten(arguments)}


def _read_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        if "RECOLLECT_CONFIG" in os.environ:
            raise ConfigError(
                f"RECOLLECT_CONFIG names {path}, which is not a file", "unset it or write the file, then `recollect config`"
            )
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", "correct the file, or name another with RECOLLECT_CONFIG") from error


def _read_environment() -> dict[str, str]:
    """Variables in any case. A variable of no setting is passed over, unless it names a known group."""
    found: dict[str, str] = {}
    for variable in sorted(os.environ):
        if not variable.upper().startswith(PREFIX):
            continue
        name = variable.upper().removeprefix(PREFIX).lower().replace("__", ".")
        if name in _settable() or name.partition(".")[0] in _groups():
            found.setdefault(name, os.environ[variable])
    return found


def _flatten(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{key}", inner) for key, inner in value.items())
        else:
            yield name, value


def _convert(hint: Any, definition: Field[Any], source: _Source | None) -> Any:
    """The value of a setting, converted and checked. An empty text means the default where the default is computed."""
    raw = source.value if source else None
    if source is None or (raw == "" and hint is str and definition.default_factory is not MISSING):
        value = definition.default_factory() if definition.default_factory is not MISSING else definition.default
    else:
        separator = definition.metadata.get("separator")
        if separator and isinstance(raw, str):
            raw = [part.strip() for part in raw.split(separator) if part.strip()]
        value = msgspec.convert(raw, hint, strict=False, dec_hook=_convert_path)
    if check := definition.metadata.get("check"):
        check(value)
    return value


def _convert_path(kind: type, value: object) -> Path:
    if kind is not Path or not isinstance(value, str | Path) or str(value) == "":
        raise ValueError("Expected a path")
    return absolute(Path(value))


def _complain(name: str, source: _Source | None, message: str) -> str:
    """One complaint: where the value is set, what is wrong with it, and the value."""
    in_file = source is not None and source.origin not in ("environment", "argument")
    where = f"`{name}` in {source.origin}" if source and in_file else variable_of(name)
    if name in _groups():
        return f"{where}: this is a group of settings; set one of them, for example {_first_of(name)}"
    shown = f" (it is `{source.value}`)" if source and str(source.value) not in message else ""
    return f"{where}: {message}{shown}"


def _first_of(group: str) -> str:
    return variable_of(next(name for name in _settable() if name.startswith(f"{group}.")))


def _in_words(message: str) -> str:
    """A message of msgspec without its words for types: "Expected `int` >= 1" as "expected a whole number >= 1"."""
    text = message.partition(" - at `$")[0].partition(", got `")[0]
    if text.startswith("Invalid enum value"):
        text = "expected a number or `all`"
    for word, plain in TYPE_WORDS:
        text = text.replace(word, plain)
    return text[:1].lower() + text[1:]


def _as_text(value: Any) -> str:
    if isinstance(value, tuple):
        return (os.pathsep if any(isinstance(part, Path) for part in value) else ",").join(str(part) for part in value)
    return "" if value is None else str(value)
