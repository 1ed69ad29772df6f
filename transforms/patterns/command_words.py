"""Tells a command from prose by its first words: "make test-e2e" is typed, "make sure" is said."""

from __future__ import annotations

RUNNERS = ("make", "just", "npm run", "pnpm run", "yarn run", "bun run")
"""Programs whose next word is a target or a script of a project."""
_PROGRAMS = frozenset(runner.split()[0] for runner in RUNNERS)
_STOPS = ",;:.!?"


def begins_with_command(text: str) -> bool:
    """Whether a text begins with the words of a command: a program with an option, or a runner with a script, a setting or a
    target that is no word of prose."""
    first, second, *rest = [*text.split(), "", ""]
    if second.startswith("-") and second.replace("-", "").rstrip(_STOPS).isalnum():
        return first.isalnum() and first.islower()
    if first not in _PROGRAMS:
        return False
    target = second.rstrip(_STOPS)
    signs = {sign for sign in target if not sign.isalpha() and sign not in "'’"}
    is_compound = signs == {"-"} and rest[0].isalpha()  # "just re-run the tests", "make high-level decisions"
    is_target = second[:1].islower() and bool(signs) and not is_compound
    has_setting = any("=" in word and word.partition("=")[0].isupper() for word in rest)
    return is_target or has_setting or f"{first} {second}" in RUNNERS
