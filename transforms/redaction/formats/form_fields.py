"""Finds what an agent enters into a password field of a page: one member names the field, another one holds the words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.value_forms import is_harmless

VALUE_NAMES = ("text", "value")
"""Members with the words that browser tools enter (Playwright, Puppeteer, Chrome DevTools, computer use)."""
MOST_FIELD, LEAST_VALUE, MOST_VALUE = 120, 4, 160
"""Characters of a field's name, and of the words entered."""
_FIELD = compile_late(r"(?i)pass(?:word|wd|phrase|code|wort)|kennwort|contrase|senha|wachtwoord|mot de passe|#pwd\b")
_NAMES_FIELD = frozenset({"element", "selector", "locator", "name", "label", "field", "ref", "id", "uid", "type", "placeholder"})
"""Members with the name of a field."""
FIELD_HINT = (
    r"(?:ass(?:word|wd|phrase|code|wort)|ennwort|ontrase|enha|achtwoord|ot de passe|#pwd)[^{}\n]{0,200}\"(?:text|value)\":"
    r"|\"(?:text|value)\":[^{}\n]{0,280}(?:ass(?:word|wd|phrase|code|wort)|ennwort|ontrase|enha|achtwoord|ot de passe|#pwd)"
)
"""Rust regex over raw JSON: it finds something where such words stand beside the name of a field."""


def find_entered_secret(members: Mapping[str, Any]) -> str | None:
    """Return the name of the member with the words entered into a password field; None when there is none."""
    if len(members) > len(_NAMES_FIELD) or not any(name in members for name in VALUE_NAMES):
        return None
    if not any(name in _NAMES_FIELD and _names_password(value) for name, value in members.items()):
        return None
    return next((name for name in VALUE_NAMES if _is_entered(members.get(name))), None)


def _names_password(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_FIELD and _FIELD.search(value) is not None


def _is_entered(value: Any) -> bool:
    return isinstance(value, str) and LEAST_VALUE <= len(value) <= MOST_VALUE and "\n" not in value and not is_harmless(value)


def holds_entered_secret(value: Any) -> bool:
    """Whether words entered into a password field stand somewhere in a JSON value."""
    if isinstance(value, dict):
        return find_entered_secret(value) is not None or any(map(holds_entered_secret, value.values()))
    return isinstance(value, list) and any(map(holds_entered_secret, value))
