"""Errors for a person: the problem, its place, and the next command."""

from __future__ import annotations

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_LOCKED = 4


class RecollectError(Exception):
    """A problem in one line, with the next command as `hint`."""

    code = "failed"
    exit_code = EXIT_FAILED
    retryable = False

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def make_envelope(self) -> dict[str, dict[str, object]]:
        """Return the error as `--json` prints it."""
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint, "retryable": self.retryable}}


def word_cause(error: Exception) -> str:
    """Return what went wrong in words; of an error of the file system without its number and path: a message names the path."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


class UsageError(RecollectError):
    """An argument that makes no sense."""

    code = "usage"
    exit_code = EXIT_USAGE


class ConfigError(RecollectError):
    """A setting that cannot be used."""

    code = "config"
    exit_code = EXIT_USAGE


class SourceError(RecollectError):
    """Sessions that cannot be found or read."""

    code = "source"


class LockedError(RecollectError):
    """Another run holds the lake."""

    code = "locked"
    exit_code = EXIT_LOCKED
    retryable = True


class LakeError(RecollectError):
    """The lake cannot be read or written."""

    code = "lake"


class EngineError(RecollectError):
    """No engine distilled anything that was due; the next run asks again."""

    code = "engine"
    retryable = True


class NotFoundError(RecollectError):
    """An id that names nothing."""

    code = "not_found"


class PageError(RecollectError):
    """A page that was changed so that we must not overwrite or interpret it."""

    code = "page"


class ModelMissing(RecollectError):
    """The embedding model cannot be loaded; recall and dedupe go on without vectors."""

    code = "model_missing"
