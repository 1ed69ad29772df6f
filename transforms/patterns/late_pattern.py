"""Regular expressions that are compiled when they are first used.

All modules of a night have some 700 patterns between them, a third of the processor time of importing it; a command uses few.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, AnyStr, cast

from transforms.patterns.needed_words import find_needed_words


def compile_late(pattern: AnyStr, flags: int = 0, *, by_words: bool = False) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns, except that an error in the expression is raised at its first use.

    Constants of modules are made with it. A pattern that is used at once is made with `re.compile`. With `by_words` a text is
    searched only when it has a word that every match has: for expressions of many words, most texts having none of them.
    """
    return cast("re.Pattern[AnyStr]", LatePattern(pattern, flags, by_words))


_DOTTED, _DOTLESS, _LONG_S = "\u0130\u0131\u017f"
"""Letters that `re` takes for an "i" or "s" of another case, and `str.lower` does not."""
_FIRST_RARE = "\u0100"
"""Below are ASCII and the letters of Western Europe, which both change the case of in the same way."""


class LatePattern:
    """Stands for a pattern: has its text, and from the first use on all that the compiled one has."""

    def __init__(self, pattern: str | bytes, flags: int, by_words: bool = False) -> None:
        self.pattern = pattern
        self._flags = flags
        self._by_words = by_words

    def __getattr__(self, name: str) -> Any:
        """Compile the expression; its methods become attributes, so that later uses cost what a compiled pattern costs."""
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        vars(self).update({name: getattr(compiled, name) for name in dir(compiled) if not name.startswith("_")})
        if self._by_words and isinstance(self.pattern, str) and (words := find_needed_words(self.pattern)):
            vars(self).update(_search_by_words(compiled, words))
        return vars(self)[name] if name in vars(self) else getattr(compiled, name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process compiles for itself."""
        return LatePattern, (self.pattern, self._flags, self._by_words)


def _search_by_words(compiled: re.Pattern[Any], words: frozenset[str]) -> dict[str, Callable[..., Any]]:
    """Return the searches of a pattern that look at texts with one of the words only, and find the same."""
    is_any_case = bool(compiled.flags & re.IGNORECASE)
    if is_any_case and max(map(max, words)) >= _FIRST_RARE:
        return {}
    needed = sorted({word.lower() for word in words} if is_any_case else words)

    def may_match(text: str) -> bool:
        """Whether a text has one of the words."""
        if is_any_case:
            if not text.isascii() and (_DOTTED in text or _DOTLESS in text or _LONG_S in text):
                return True
            text = text.lower()
        return any(map(text.__contains__, needed))

    def search(text: str, *bounds: int) -> re.Match[str] | None:
        """Return the first match, as the pattern does."""
        return compiled.search(text, *bounds) if may_match(text) else None

    def finditer(text: str, *bounds: int) -> Any:
        """Return the matches, as the pattern does."""
        return compiled.finditer(text, *bounds) if may_match(text) else iter(())

    def findall(text: str, *bounds: int) -> list[Any]:
        """Return what was matched, as the pattern does."""
        return compiled.findall(text, *bounds) if may_match(text) else []

    return {"search": search, "finditer": finditer, "findall": findall}
