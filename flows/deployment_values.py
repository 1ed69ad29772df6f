"""Values of the owner for prefect.yaml. Prefect's own `{{ $VARIABLE }}` has no default, so a build step asks our settings."""

from __future__ import annotations

from pathlib import Path

from effects.config.configuration import load_settings
from effects.config.paths import PROJECT_ROOT, is_checkout


def read_owner_values() -> dict[str, str]:
    """Return the zone of the schedules (environment, config file or system) and the folder that runs start in."""
    return {"timezone": load_settings().timezone, "directory": str(PROJECT_ROOT if is_checkout() else Path.home())}
