"""Settings: arguments > environment `RECOLLECT_*` > the config file > defaults. Read once, passed down as an argument."""

from __future__ import annotations

import getpass
import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from effects.config.paths import absolute, config_file, system_timezone


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EngineSettings(_Group):
    """Which engine distils, and what it may cost."""

    observer: str = "offline"
    reflector: str = "offline"
    base_url: str | None = None
    concurrency: int = Field(4, ge=1)
    observer_temperature: float = Field(0.3, ge=0, le=2)
    reflector_temperature: float = Field(0.0, ge=0, le=2)
    max_output_tokens: int = Field(8000, ge=1)
    timeout_s: float = Field(600.0, gt=0)
    budget_run_usd: float = Field(2.00, ge=0)
    budget_day_usd: float = Field(0.50, ge=0)
    budget_run_tokens: int | None = Field(None, ge=0)

    @field_validator("observer", "reflector")
    @classmethod
    def _known_engine(cls, value: str) -> str:
        chain_of(value)
        return value


class DistilSettings(_Group):
    """How much the offline engine keeps."""

    budget: float = Field(0.05, gt=0, le=1)


class WindowSettings(_Group):
    """Where windows end."""

    cap_tokens: int = Field(30_000, ge=1000)
    quiet_minutes: int = Field(120, ge=1)
    min_user_messages: int = Field(5, ge=1)


class TierSettings(_Group):
    """Ages in days after which a day, week, month and year are condensed."""

    after_days: Annotated[tuple[int, int, int, int], NoDecode] = (3, 14, 60, 365)

    @field_validator("after_days", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(value.split(",")) if isinstance(value, str) else value


class ReviewSettings(_Group):
    """How long a proposal waits, and how many a week may bring."""

    expire_days: int = Field(7, ge=1)
    per_week: int = Field(10, ge=1)


class EmbeddingSettings(_Group):
    """Which model embeds, and how long a night may spend on raw turns."""

    model: str = "bundled"
    turn_minutes: float | Literal["all"] = 10.0


class Settings(BaseSettings):
    """Every setting of CONTRACT.md; paths are absolute once read."""

    model_config = SettingsConfigDict(
        env_prefix="RECOLLECT_", env_nested_delimiter="__", frozen=True, extra="forbid", nested_model_default_partial_update=True
    )

    sessions: Annotated[tuple[Path, ...], NoDecode] = (Path("~/.pi/agent/sessions"),)
    exclude: Annotated[tuple[str, ...], NoDecode] = ()
    lake: Path = Path("data/lake")
    workspace: Path = Path("data/workspace")
    timezone: str = Field(default="", validate_default=True)
    owner: str = Field(default="", validate_default=True)
    identity: Annotated[tuple[Path, ...], NoDecode] = ()
    engine: EngineSettings = EngineSettings()
    distil: DistilSettings = DistilSettings()
    window: WindowSettings = WindowSettings()
    tiers: TierSettings = TierSettings()
    review: ReviewSettings = ReviewSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()

    @field_validator("sessions", "identity", mode="before")
    @classmethod
    def _split_paths(cls, value: object) -> object:
        return tuple(part for part in value.split(os.pathsep) if part) if isinstance(value, str) else value

    @field_validator("exclude", mode="before")
    @classmethod
    def _split_globs(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("sessions", "identity")
    @classmethod
    def _absolute_each(cls, value: tuple[Path, ...]) -> tuple[Path, ...]:
        return tuple(absolute(path) for path in value)

    @field_validator("lake", "workspace", mode="after")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return absolute(value)

    @field_validator("timezone")
    @classmethod
    def _zone(cls, value: str) -> str:
        from zoneinfo import ZoneInfo

        name = value or system_timezone()
        try:
            ZoneInfo(name)
        except (KeyError, ValueError, OSError) as error:
            raise ValueError(f"`{name}` is not a time zone") from error
        return name

    @field_validator("owner")
    @classmethod
    def _owner(cls, value: str) -> str:
        return value or getpass.getuser()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, environment, then the one config file. No file of the working directory is read."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, config_file())


def chain_of(engine: str) -> tuple[tuple[str, str], ...]:
    """`instructor:a/x,b/y` as (("instructor", "a/x"), ("instructor", "b/y")), tried in this order; empty for `offline`.

    Raises:
        ValueError: for anything else.
    """
    if engine.strip() == "offline":
        return ()
    chain: list[tuple[str, str]] = []
    way = ""
    for part in (part.strip() for part in engine.split(",")):
        named, colon, rest = part.partition(":")
        way, model = (named, rest) if colon and named in ("instructor", "pi") else (way, part)
        provider, slash, name = model.partition("/")
        if not (way and provider and slash and name) or any(char.isspace() for char in model):
            raise ValueError(
                f"`{engine}` is no engine: use `offline`, `instructor:provider/model` or `pi:provider/model`"
                " (several models, separated by commas, are tried in turn)"
            )
        chain.append((way, model))
    return tuple(chain)
