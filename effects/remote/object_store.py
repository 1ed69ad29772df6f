"""An object store (S3 and its kin, Google, Azure) with the few requests that a lake needs; obstore speaks to it.

Addresses and keys come from the variables of the provider: for S3 `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`,
`AWS_ENDPOINT_URL`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, cast

from effects.system.errors import ConfigError, LakeError

PARALLEL_REQUESTS = 8
RETRIES, FIRST_PAUSE = 4, timedelta(milliseconds=200)
"""Repetitions of a request, and the pause before the first; each further pause is twice as long."""
TIMEOUT = timedelta(seconds=30)
"""An answer that takes longer is lost."""
TRIES = 3
"""Tries of the failures that obstore does not repeat: half an answer, a conditional write or a removal that timed out."""
RESTORE = "restore it from a version or a backup of the store"


class SwapLostError(Exception):
    """The object is not the one that was read: somebody else replaced it."""


class UnreachableError(LakeError):
    """The store did not answer, or was busy: the same request may succeed in a minute."""

    retryable = True


class MissingObjectError(LakeError):
    """An object that the manifest names is not there."""


@dataclass(frozen=True, slots=True)
class StoredObject:
    """The bytes of an object, the tag that tells it from every other version, and when it was written by the store's clock."""

    data: bytes
    tag: str
    written_at: float = 0.0


class ObjectStore:
    """The objects below one address, for example `s3://bucket/prefix`.

    obstore repeats a request when the store is busy, and most of those that time out; then it raises LakeError.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._store = _open(url)

    def get(self, name: str) -> StoredObject | None:
        """Return an object; None when there is none of this name."""
        import obstore

        def fetch(store: Any) -> StoredObject:
            """Return the object's bytes and the tag of its version."""
            answer = obstore.get(store, name)
            return StoredObject(bytes(answer.bytes()), str(answer.meta["e_tag"]), answer.meta["last_modified"].timestamp())

        try:
            return cast(StoredObject, self._insist(fetch))
        except FileNotFoundError:
            return None

    def read_tag(self, name: str) -> str | None:
        """Return the tag of an object without its bytes; None when there is none."""
        import obstore

        try:
            return str(self._request(obstore.head, name)["e_tag"])
        except FileNotFoundError:
            return None

    def put_all(self, objects: Iterable[tuple[str, bytes]]) -> None:
        """Store objects side by side. Their names hold a hash of their content, so that writing one twice changes nothing."""
        from concurrent.futures import ThreadPoolExecutor

        import obstore

        try:
            with ThreadPoolExecutor(PARALLEL_REQUESTS) as pool:
                for _ in pool.map(lambda item: self._request(obstore.put, *item), objects):
                    pass
        except FileNotFoundError as error:
            raise self._describe_no_place() from error

    def get_all(self, names: Iterable[str]) -> Iterable[tuple[str, bytes]]:
        """Yield names and bytes of objects, fetched side by side.

        Raises:
            MissingObjectError: when one of them is not there.
        """
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(PARALLEL_REQUESTS) as pool:
            for name, stored in pool.map(lambda name: (name, self.get(name)), names):
                if stored is None:
                    raise MissingObjectError(
                        f"{self.url}/{name} is missing", "restore it from a version or a backup of the store"
                    )
                yield name, stored.data

    def swap(self, name: str, data: bytes, tag: str | None) -> str:
        """Replace the object that has this tag (None: there must be none), and return the new tag.

        A request whose answer was lost is repeated and then refused; so a refusal counts only when the object is another's. One
        that timed out is sent again while the object is the one that was read.

        Raises:
            SwapLostError: when somebody else replaced or wrote it.
            LakeError: when the store has no such place, or cannot be reached.
        """
        import obstore

        mode: Any = "create" if tag is None else {"e_tag": tag}
        no_tag: tuple[type[Exception], ...] = (*_list_answers(), LakeError)
        for tries_left in reversed(range(TRIES)):
            try:
                return str(self._request(partial(obstore.put, mode=mode), name, data)["e_tag"])
            except no_tag as error:
                if tag is None and isinstance(error, FileNotFoundError):  # what is missing is its place
                    raise self._describe_no_place() from error
                present = self.get(name)
                if present is not None and present.data == data:
                    return present.tag
                is_refused = not isinstance(error, LakeError)
                if is_refused or (present.tag if present else None) != tag:
                    raise SwapLostError(name) from error
                if not tries_left:
                    raise
        raise AssertionError  # the last try returned or raised

    def delete(self, names: Iterable[str]) -> None:
        """Delete objects; those that are gone already do not matter."""
        import obstore

        for name in names:
            try:
                self._insist(obstore.delete, name)
            except FileNotFoundError:
                continue

    def list_names(self) -> list[str]:
        """Return the names of all objects."""
        import obstore

        pages = self._insist(lambda store: list(obstore.list(store)))
        return [str(meta["path"]) for page in pages for meta in page]

    def check_place(self) -> None:
        """Ask whether the bucket is there: without it each object only looks missing, and a lake empty.

        Raises:
            LakeError: when it is not, or the store cannot be reached.
        """
        import obstore

        try:
            self._insist(lambda store: next(iter(obstore.list(store, chunk_size=1)), None))
        except FileNotFoundError as error:
            raise self._describe_no_place() from error
        except UnreachableError as error:  # a list has no name of its own that could be missing
            raise (self._describe_no_place() if "404 Not Found" in error.message else error) from error

    def _describe_no_place(self) -> LakeError:
        return LakeError(
            f"{self.url} is not there: the store knows no such bucket", "correct RECOLLECT_LAKE, or create the bucket"
        )

    def _insist(self, call: Any, *arguments: Any) -> Any:
        """Send a request again when it failed: obstore repeats neither half an answer nor every timeout."""
        for _ in range(TRIES - 1):
            with suppress(LakeError):
                return self._request(call, *arguments)
        return self._request(call, *arguments)

    def _request(self, call: Any, *arguments: Any) -> Any:
        """Call a function of obstore; raise a LakeError when all repetitions fail."""
        import obstore

        try:
            return call(self._store, *arguments)
        except _list_answers():
            raise
        except (obstore.exceptions.BaseError, OSError) as error:
            raise self._describe(error) from error

    def _describe(self, error: Exception) -> LakeError:
        from obstore.exceptions import GenericError

        from transforms.redaction.redact import redact  # slow to import, and most calls do not fail

        reason = redact(next(iter(str(error).splitlines()), type(error).__name__))[:200]  # an address may be signed
        hint = "check its address and keys (docs/scale.md), then run the same command again"
        kind = UnreachableError if isinstance(error, GenericError | OSError) else LakeError  # a refused key stays refused
        return kind(f"{self.url} cannot be reached: {reason}", hint)


def _open(url: str) -> Any:
    try:
        from obstore.store import from_url
    except ImportError as error:
        raise ConfigError(f"the lake is {url}, and obstore is not installed", "pip install 'recollect[s3]'") from error
    allow_http = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")  # the owner named an address without TLS
    repeat: Any = {
        "max_retries": RETRIES,
        "retry_timeout": 2 * TIMEOUT,
        "backoff": {"init_backoff": FIRST_PAUSE},
    }
    try:
        return from_url(url, retry_config=repeat, client_options={"timeout": TIMEOUT, "allow_http": allow_http})
    except Exception as error:
        from transforms.redaction.redact import redact

        problem = f"{url} cannot be used as a lake: {redact(' '.join(str(error).split()))}"
        raise ConfigError(problem, "correct RECOLLECT_LAKE, then `recollect config`") from error


def _list_answers() -> tuple[type[Exception], ...]:
    """Return the errors that are answers: there is no such object, or a condition does not hold."""
    from obstore.exceptions import AlreadyExistsError, PreconditionError

    return FileNotFoundError, AlreadyExistsError, PreconditionError
