"""Reads the settings: arguments > environment `RECOLLECT_*` > the config file > defaults.

Every value is converted on its own, so that a complaint names its variable or its key, and `recollect config` can say where
each value came from.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

from effects.config.paths import find_address, find_config_file, locate_copy, make_absolute
from effects.config.settings import Settings
from effects.system.errors import ConfigError, word_cause

PREFIX = "RECOLLECT_"
Struct = TypeVar("Struct")
TYPE_WORDS = (
    ("`int | null`", "a whole number"),
    ("`int`", "a whole number"),
    ("`float`", "a number"),
    ("`str`", "text"),
    ("`bool`", "`true` or `false`"),
)
"""Words of a complaint for the types in msgspec's messages."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One value: its dotted name, the variable that sets it, the value as text, and its origin."""

    name: str
    variable: str
    value: str
    origin: str
    """environment | the config file's path | default"""


@dataclass(frozen=True, slots=True)
class _Source:
    """A raw value and its origin."""

    value: Any
    origin: str


def load_settings(**arguments: Any) -> Settings:
    """Return the settings; `arguments` come first, by the names of the fields of `Settings`.

    Raises:
        ConfigError: naming the variable (or the key of the config file) that cannot be used.
    """
    sources = _read_sources(arguments)
    values: dict[str, object] = {}
    complaints = [
        _format_complaint(name, sources[name], "there is no such setting") for name in sources if name not in _list_definitions()
    ]
    for name, (hint, definition) in _list_definitions().items():
        try:
            values[name] = _convert(hint, definition, sources.get(name))
        except (msgspec.ValidationError, ValueError) as error:
            complaints.append(_format_complaint(name, sources.get(name), _simplify_message(str(error), hint)))
    if complaints:
        raise ConfigError("; ".join(complaints), "correct it, then `recollect config`")
    if complaint := _find_clash(values["lake"], values["workspace"]):
        raise ConfigError(complaint, "give each a folder of its own, then `recollect config`")
    own = {name: value for name, value in values.items() if "." not in name}
    for name, group in _list_groups().items():
        of_group = {key.partition(".")[2]: value for key, value in values.items() if key.startswith(f"{name}.")}
        own[name] = _make_struct(group, of_group)
    return _make_struct(Settings, own)


def _find_clash(lake: Any, workspace: Any) -> str:
    """Return the complaint about a lake and a workspace of which one lies in the other; empty when they are apart."""
    try:
        here, there = (path.resolve() for path in (lake, workspace))
    except (OSError, RuntimeError):  # a link that leads in a circle: whatever opens it complains
        return ""
    if here == there:
        return f"{name_variable('lake')} and {name_variable('workspace')} are the same folder, {workspace}"
    if here.is_relative_to(there) or there.is_relative_to(here):
        return f"{name_variable('lake')}={lake} and {name_variable('workspace')}={workspace}: one lies in the other"
    return ""


def _make_struct(kind: Callable[..., Struct], values: Mapping[str, object]) -> Struct:
    """Return the settings, or a group of them, with converted values by field."""
    return kind(**values)


def is_chosen(name: str) -> bool:
    """Whether the owner set a setting, in the config file or by its variable, whatever its value is."""
    return name in _read_sources({})


def explain_settings(settings: Settings) -> list[Setting]:
    """Return every setting with its value and its origin, in the order of docs/contract.md."""
    sources = _read_sources({})
    explained = []
    for name in _list_definitions():
        group, _, key = name.rpartition(".")
        value = getattr(getattr(settings, group) if group else settings, key)
        explained.append(
            Setting(name, name_variable(name), _format_value(value), sources[name].origin if name in sources else "default")
        )
    return explained


def name_variable(name: str) -> str:
    """Return the variable of a setting: `engine.base_url` is set by `RECOLLECT_ENGINE__BASE_URL`."""
    return PREFIX + name.upper().replace(".", "__")


def list_shell_settings() -> list[str]:
    """Return the variables of the settings that only this process's environment has: a schedule runs without them.

    One that the settings file sets to the same value is left out.
    """
    in_file = dict(_flatten(_read_file(find_config_file())))
    in_shell = _read_environment()
    alone = [name for name, value in in_shell.items() if name not in in_file or str(in_file[name]) != value]
    return [name_variable(name) for name in _list_definitions() if name in alone]


def list_unknown_variables() -> list[str]:
    """Return the variables that begin like ours and set nothing: a typing mistake would otherwise go unnoticed."""
    known = {name_variable(name) for name in _list_definitions()} | {PREFIX + "CONFIG"}
    return sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)


@cache
def _list_definitions() -> dict[str, tuple[Any, Field[Any]]]:
    """Return every setting by its dotted name, with its type and its definition."""
    definitions: dict[str, tuple[Any, Field[Any]]] = {}
    hints = get_type_hints(Settings, include_extras=True)
    for definition in fields(Settings):
        group = _list_groups().get(definition.name)
        if group is None:
            definitions[definition.name] = (hints[definition.name], definition)
            continue
        inner = get_type_hints(group, include_extras=True)
        definitions |= {f"{definition.name}.{part.name}": (inner[part.name], part) for part in fields(group)}
    return definitions


@cache
def _list_groups() -> dict[str, type[Any]]:
    """Return the sections of the config file, each with its class."""
    hints = get_type_hints(Settings)
    return {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}


def _read_sources(arguments: Mapping[str, Any]) -> dict[str, _Source]:
    """Return the raw value of every setting that is set, by dotted name."""
    path = find_config_file()
    sources = {name: _Source(value, str(path)) for name, value in _flatten(_read_file(path))}
    sources |= {name: _Source(value, "environment") for name, value in _read_environment().items()}
    return sources | {name: _Source(value, "argument") for name, value in _flatten(arguments)}


def _read_file(path: Path) -> Mapping[str, object]:
    try:
        if not path.is_file():
            if os.environ.get("RECOLLECT_CONFIG"):
                raise ConfigError(
                    f"RECOLLECT_CONFIG names {path}, which is not a file", "unset it or write the file, then `recollect config`"
                )
            return {}
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(
            f"{path} cannot be read: {word_cause(error)}", "correct the file, or name another with RECOLLECT_CONFIG"
        ) from error


def _read_environment() -> dict[str, str]:
    """Return the values of our variables, in any case. One of no setting is passed over, unless it names a known group."""
    values: dict[str, str] = {}
    for variable in sorted(os.environ):
        if not variable.upper().startswith(PREFIX):
            continue
        name = variable.upper().removeprefix(PREFIX).lower().replace("__", ".")
        if name in _list_definitions() or name.partition(".")[0] in _list_groups():
            values.setdefault(name, os.environ[variable])
    return values


def _flatten(values: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{key}", inner) for key, inner in value.items())
        else:
            yield name, value


def _convert(hint: Any, definition: Field[Any], source: _Source | None) -> Any:
    """Return the value of a setting, converted and checked. An empty text means the default where the default is computed."""
    raw = source.value if source else None
    if source is None or (raw == "" and hint is str and definition.default_factory is not MISSING):
        value = definition.default_factory() if definition.default_factory is not MISSING else definition.default
    else:
        raw = _convert_lake(raw) if definition.name == "lake" else raw
        separator = definition.metadata.get("separator")
        if separator and isinstance(raw, str):
            raw = [part.strip() for part in raw.split(separator) if part.strip()]
        value = msgspec.convert(raw, hint, strict=False, dec_hook=_convert_path)
    if isinstance(value, float) and not isfinite(value):
        raise ValueError("expected a number that ends")
    if check := definition.metadata.get("check"):
        check(value)
    return value


def _convert_path(kind: type, value: object) -> Path:
    if kind is not Path or not isinstance(value, str | Path) or str(value) == "":
        raise ValueError("Expected a path")
    return make_absolute(Path(value))


def _convert_lake(value: object) -> object:
    """Return the folder of the copy of a lake in an object store; any other value as it is."""
    return locate_copy(value) if isinstance(value, str) and "://" in value else value


def _format_complaint(name: str, source: _Source | None, message: str) -> str:
    """Return a complaint with the place where the value is set, the problem, and the value."""
    in_file = source is not None and source.origin not in ("environment", "argument")
    where = f"`{name}` in {source.origin}" if source and in_file else name_variable(name)
    if name in _list_groups():
        return f"{where}: this is a group of settings; set one of them, for example {_name_example(name)}"
    shown = f" (it is `{source.value}`)" if source and not _is_named(str(source.value), message) else ""
    return f"{where}: {message}{shown}"


def _is_named(value: str, message: str) -> bool:
    """Return whether a message has the value as a word of its own."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", message) is not None


def _name_example(group: str) -> str:
    return name_variable(next(name for name in _list_definitions() if name.startswith(f"{group}.")))


def _simplify_message(message: str, hint: Any) -> str:
    """Return a message of msgspec in plain words: "Expected `int` >= 1" becomes "expected a whole number >= 1"."""
    text = message.partition(" - at `$")[0].partition(", got `")[0]
    if text.startswith("Invalid enum value"):
        text = f"expected {_list_choices(hint)}"
    if wanted := text.removeprefix("Expected `array` of length ") if text.startswith("Expected `array` of length ") else "":
        text = f"expected {wanted.partition(',')[0]} values with commas between them, got {wanted.rpartition(' ')[2]}"
    for word, plain in TYPE_WORDS:
        text = text.replace(word, plain)
    return text[:1].lower() + text[1:]


def _list_choices(hint: Any) -> str:
    """Return the texts that a setting takes, and the numbers that it takes beside them, in words."""
    words = [*_list_words(hint)]
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _list_words(hint: Any) -> Iterator[str]:
    for part in get_args(hint):
        yield from [f"`{part}`"] if isinstance(part, str) else _list_words(part) if get_args(part) else ["a number"]


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return (os.pathsep if any(isinstance(part, Path) for part in value) else ",").join(str(part) for part in value)
    if isinstance(value, Path):
        return find_address(value) or str(value)
    return "" if value is None else str(value)
