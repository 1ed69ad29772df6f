"""Regular expressions that are compiled when they are first used.

All modules of a night have some 700 patterns between them, a third of the processor time of importing it; a command uses few.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def compile_late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns, except that an error in the expression is raised at its first use.

    Constants of modules are made with it. A pattern that is used at once is made with `re.compile`.
    """
    return cast("re.Pattern[AnyStr]", LatePattern(pattern, flags))


class LatePattern:
    """Stands for a pattern: has its text, and from the first use on all that the compiled one has."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compile the expression; its methods become attributes, so that later uses cost what a compiled pattern costs."""
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        vars(self).update({name: getattr(compiled, name) for name in dir(compiled) if not name.startswith("_")})
        return getattr(compiled, name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process compiles for itself."""
        return LatePattern, (self.pattern, self._flags)
