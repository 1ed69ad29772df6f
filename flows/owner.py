"""A build step of prefect.yaml: what a deployment has to know of the owner. Prefect's own `{{ $VARIABLE }}` has no default."""

from __future__ import annotations

from effects.config.configuration import load_settings
from effects.config.paths import PROJECT_ROOT


def owner() -> dict[str, str]:
    """The zone that schedules are in (environment, config file or system) and the folder that runs start in."""
    return {"timezone": load_settings().timezone, "directory": str(PROJECT_ROOT)}
