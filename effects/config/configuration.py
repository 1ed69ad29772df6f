"""Loads the settings, says where each value came from, and turns what pydantic complains about into one line for people."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_settings import SettingsError

from effects.config.paths import config_file
from effects.config.settings import Settings
from effects.system.errors import ConfigError

PREFIX = "RECOLLECT_"


@dataclass(frozen=True, slots=True)
class Setting:
    """One value: its dotted name, the variable that sets it, the value as text, and who set it."""

    name: str
    variable: str
    value: str
    origin: str
    """argument | environment | the config file's path | default"""


def load_settings(**arguments: Any) -> Settings:
    """The settings, `arguments` first.

    Raises:
        ConfigError: naming the variable (or the key of the config file) that cannot be used.
    """
    path = config_file()
    if "RECOLLECT_CONFIG" in os.environ and not path.is_file():
        raise ConfigError(
            f"RECOLLECT_CONFIG names {path}, which is not a file", "unset it or write the file, then `recollect config`"
        )
    try:
        return Settings(**arguments)
    except ValidationError as error:
        raise ConfigError("; ".join(_complaint(item) for item in error.errors()), "recollect config --help") from error
    except SettingsError as error:
        raise ConfigError(_unreadable(error), "recollect config --help") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", "correct the file, or name another with RECOLLECT_CONFIG") from error


def explain(settings: Settings, arguments: dict[str, Any] | None = None) -> list[Setting]:
    """Every setting with its value and where it came from, in the order of CONTRACT.md."""
    return [
        Setting(name, variable_of(name), _text(value), _origin(name, arguments or {}, _file_values()))
        for name, value in _leaves(settings)
    ]


def variable_of(name: str) -> str:
    """`engine.base_url` is set by `RECOLLECT_ENGINE__BASE_URL`."""
    return PREFIX + name.upper().replace(".", "__")


def unknown_variables(settings: Settings) -> list[str]:
    """Variables that start like ours and set nothing: a typing mistake would otherwise go unnoticed."""
    known = {variable_of(name) for name, _ in _leaves(settings)} | {PREFIX + "CONFIG"}
    groups = {PREFIX + name.upper() for name in type(settings).model_fields}
    return sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known | groups)


def _leaves(model: BaseModel, prefix: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name in type(model).model_fields:
        value = getattr(model, name)
        found += _leaves(value, f"{prefix}{name}.") if isinstance(value, BaseModel) else [(prefix + name, value)]
    return found


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return (os.pathsep if any(hasattr(part, "parts") for part in value) else ",").join(str(part) for part in value)
    return "" if value is None else str(value)


def _origin(name: str, arguments: dict[str, Any], in_file: dict[str, Any]) -> str:
    top = name.split(".", maxsplit=1)[0]
    if top in arguments:
        return "argument"
    present = {key.upper() for key in os.environ}  # pydantic reads variables in any case
    if variable_of(name) in present or variable_of(top) in present:
        return "environment"
    value: Any = in_file
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return str(config_file()) if value is not None else "default"


def _file_values() -> dict[str, Any]:
    path = config_file()
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _complaint(item: Any) -> str:
    name = ".".join(str(part) for part in item["loc"] if not isinstance(part, int) and "[" not in str(part))
    told = str(item["msg"]).removeprefix("Value error, ")
    if item["type"] == "extra_forbidden":
        return f"{variable_of(name)}: there is no such setting"
    given = item.get("input")
    shown = f" (it is `{given}`)" if isinstance(given, str | int | float) and str(given) not in told else ""
    return f"{variable_of(name)}: {told[:1].lower()}{told[1:]}{shown}"


def _unreadable(error: SettingsError) -> str:
    """pydantic-settings says: error parsing value for field "engine" from source "EnvSettingsSource"."""
    quoted = str(error).split('"')
    return f"{variable_of(quoted[1])} cannot be read" if len(quoted) > 1 else str(error)
