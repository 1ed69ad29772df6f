"""A lake in an object store: one commit or the next for every reader, whatever the store, the network and other machines do."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl
import pytest

from effects.remote import object_store, remote_lake
from effects.remote.object_store import ObjectStore, StoredObject, SwapLostError
from effects.remote.remote_lake import LEASE, MANIFEST, RemoteLake, unpack_manifest
from effects.system.errors import LakeError, LockedError
from tests.each_case import each_case
from tests.effects.remote.object_stores import FAULTS, Fault, Faults, serve_s3

NAMES = [f"{table}/day=2026-05-{day:02d}/data.parquet" for table in ("entries", "observations") for day in range(1, 5)]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Faults]:
    with serve_s3(monkeypatch, "bucket") as faults:
        yield faults


@pytest.fixture
def url() -> str:
    return f"s3://bucket/{uuid4().hex}"


def open_copy(folder: Path, url: str) -> RemoteLake:
    folder.mkdir(parents=True, exist_ok=True)
    return RemoteLake(folder, ObjectStore(url))


def write(copy: RemoteLake, **files: str) -> None:
    """Write files of a table into the copy; a name stands for a path."""
    for name, text in files.items():
        path = copy.root / "entries" / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def read(copy: RemoteLake) -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in copy.root.rglob("*.parquet")}


def test_what_one_machine_commits_another_reads(server: Faults, url: str, tmp_path: Path) -> None:
    item, other = open_copy(tmp_path / "one", url), open_copy(tmp_path / "other", url)
    with item.holding_lease("nightly"):
        item.synchronise()
        write(item, a="1", b="2")
        item.publish()
    assert other.refresh()
    assert read(other) == {"a": "1", "b": "2"}
    assert not other.refresh()
    (item.root / "entries" / "a.parquet").unlink()
    write(item, b="3")
    item.publish()
    assert other.refresh()
    assert read(other) == {"b": "3"}


def test_only_objects_of_the_manifest_remain(server: Faults, url: str, tmp_path: Path) -> None:
    copy = open_copy(tmp_path / "one", url)
    for text in ("1", "22", "333"):
        write(copy, a=text)
        copy.publish()
    manifest = copy.store.get(MANIFEST)
    assert manifest is not None
    assert set(copy.store.list_names()) == {MANIFEST, *unpack_manifest(manifest.data).values()}


def test_a_second_run_is_told_who_holds_the_lake_until_the_lease_ends(
    server: Faults, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    item, other = open_copy(tmp_path / "one", url), open_copy(tmp_path / "other", url)
    with item.holding_lease("recollect nightly"):
        with pytest.raises(LockedError, match=r"`recollect nightly` on .* \(process"), other.holding_lease("recollect review"):
            raise AssertionError
        later = remote_lake.time.time() + remote_lake.LEASE_S + 1
        monkeypatch.setattr(remote_lake.time, "time", lambda: later)
        with other.holding_lease("recollect review"):
            pass
    assert item.store.get(LEASE) is None


def test_a_run_that_lost_its_place_cannot_publish(server: Faults, url: str, tmp_path: Path) -> None:
    item, other = open_copy(tmp_path / "one", url), open_copy(tmp_path / "other", url)
    write(item, a="1")
    item.publish()
    other.refresh()
    write(other, b="2")
    other.publish()
    write(item, c="3")
    with pytest.raises(LakeError, match="written by another run meanwhile"):
        item.publish()
    fresh = open_copy(tmp_path / "fresh", url)
    fresh.refresh()
    assert read(fresh) == {"a": "1", "b": "2"}


def test_work_that_a_crash_kept_from_the_store_is_published_by_the_next_run(server: Faults, url: str, tmp_path: Path) -> None:
    copy = open_copy(tmp_path / "one", url)
    write(copy, a="1")
    copy.publish()
    write(copy, paid="2")
    again = open_copy(tmp_path / "one", url)
    assert again.synchronise() == ""
    fresh = open_copy(tmp_path / "fresh", url)
    fresh.refresh()
    assert read(fresh) == {"a": "1", "paid": "2"}


def test_such_work_gives_way_to_another_machine_and_a_note_says_so(server: Faults, url: str, tmp_path: Path) -> None:
    item, other = open_copy(tmp_path / "one", url), open_copy(tmp_path / "other", url)
    write(item, a="1")
    item.publish()
    write(item, mine="2")
    other.refresh()
    write(other, theirs="3")
    other.publish()
    assert "done again" in open_copy(tmp_path / "one", url).synchronise()
    assert read(item) == {"a": "1", "theirs": "3"}


@pytest.mark.parametrize("is_forgetting", [False, True])
def test_answers_that_were_paid_outlive_work_that_another_machine_overtook_unless_it_forgot_something(
    server: Faults, url: str, tmp_path: Path, is_forgetting: bool
) -> None:
    """They went with the rest of the work, and its repetition asked and paid again."""
    item, other = open_copy(tmp_path / "one", url), open_copy(tmp_path / "other", url)
    write(item, a="1")
    item.publish()
    write(item, mine="2")
    (item.root / "model_calls").mkdir()
    (item.root / "model_calls" / "part-1.parquet").write_text("answer", encoding="utf-8")
    other.refresh()
    write(other, theirs="3")
    if is_forgetting:
        (other.root / "tombstones").mkdir()
        (other.root / "tombstones" / "data.parquet").write_text("purged", encoding="utf-8")
    other.publish()
    with pytest.raises(LakeError, match="written by another run"):
        item.publish()
    again = open_copy(tmp_path / "one", url)
    assert "done again" in again.synchronise()
    left = {"a": "1", "theirs": "3"} | ({"data": "purged"} if is_forgetting else {"part-1": "answer"})
    assert read(again) == left
    again.publish()
    other.refresh()
    assert read(other) == left


def test_a_reader_leaves_work_alone_that_is_not_published_yet(server: Faults, url: str, tmp_path: Path) -> None:
    item, other = open_copy(tmp_path / "one", url), open_copy(tmp_path / "other", url)
    write(item, a="1")
    item.publish()
    other.refresh()
    write(item, a="2")
    write(other, b="3")
    other.publish()
    assert not item.refresh()
    assert read(item) == {"a": "2"}


def test_a_lost_state_of_the_copy_is_made_again(server: Faults, url: str, tmp_path: Path) -> None:
    copy = open_copy(tmp_path / "one", url)
    write(copy, a="1")
    copy.publish()
    (copy.root / remote_lake.REMOTE_STATE_FILE).write_text("{", encoding="utf-8")
    assert copy.refresh()
    assert read(copy) == {"a": "1"}
    assert not copy.refresh()


def test_what_a_crash_left_in_the_store_is_swept_by_who_takes_over(
    server: Faults, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = open_copy(tmp_path / "one", url)
    write(copy, a="1")
    copy.publish()
    copy.store.put_all([("entries/left-0123.parquet", b"left")])
    copy.store.swap(LEASE, json.dumps({"holder": "somebody", "until": 0}).encode(), None)
    later = remote_lake.time.time() + remote_lake.LEASE_S + 1
    monkeypatch.setattr(remote_lake.time, "time", lambda: later)
    other = open_copy(tmp_path / "other", url)
    with other.holding_lease("nightly"):
        other.synchronise()
    assert "entries/left-0123.parquet" not in other.store.list_names()
    assert read(other) == {"a": "1"}


def test_a_manifest_that_is_gone_empties_no_copy(server: Faults, url: str, tmp_path: Path) -> None:
    """A lifecycle rule or a slip deleted it: the last copy of the lake became an empty one, for readers and for runs."""
    copy = open_copy(tmp_path / "one", url)
    write(copy, a="1", b="2")
    copy.publish()
    copy.store.delete([MANIFEST])
    write(copy, b="3")
    for bring_together in (copy.refresh, copy.synchronise):
        with pytest.raises(LakeError, match="is gone") as error:
            bring_together()
        assert read(copy) == {"a": "1", "b": "3"}
    (copy.root / remote_lake.REMOTE_STATE_FILE).unlink()
    assert "delete" in error.value.hint
    assert copy.synchronise() == ""
    fresh = open_copy(tmp_path / "fresh", url)
    fresh.refresh()
    assert read(fresh) == {"a": "1", "b": "3"}


def test_a_bucket_that_is_not_there_is_named_and_taken_for_no_other_run(server: Faults, tmp_path: Path) -> None:
    copy = open_copy(tmp_path / "one", "s3://nobucket/lake")
    write(copy, a="1")
    takers = (copy.refresh, copy.synchronise, copy.publish, copy.holding_lease("nightly").__enter__)
    for take in takers:
        with pytest.raises(LakeError, match="no such bucket"):
            take()


@each_case("left", [b"", b"{", b"null", b"[1]", b'{"holder": "x"}', b'{"holder": "x", "until": "soon"}', b"<html>", b"\xff"])
def test_a_lease_that_cannot_be_read_holds_for_a_minute_and_then_stops_nobody(left: bytes) -> None:
    lease = remote_lake.read_lease(StoredObject(left, "tag", 1000.0))
    assert lease.until == 1000.0 + remote_lake.LEASE_S


def test_a_clock_that_goes_wrong_neither_locks_the_lake_for_years_nor_ends_a_lease_at_once(
    server: Faults, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = open_copy(tmp_path / "one", url)
    now = remote_lake.time.time()
    for clock in (now + 1e9, now - 1e5):
        copy.store.delete([LEASE])
        copy.store.swap(LEASE, json.dumps({"holder": "another\nmachine", "until": clock}).encode(), None)
        with pytest.raises(LockedError, match="by another machine"), copy.holding_lease("nightly"):
            raise AssertionError
        with monkeypatch.context() as patched:
            patched.setattr(remote_lake.time, "time", lambda: now + remote_lake.LEASE_S + 5)
            with copy.holding_lease("nightly"):
                pass


@each_case(
    "files", [None, [1, 2], {"a": 1}, {"../a.parquet": "x"}, {"/a.parquet": "x"}, {"_queue/a.parquet": "x"}, {"a.txt": "x"}]
)
def test_a_manifest_that_names_no_files_of_tables_is_refused(files: object) -> None:
    with pytest.raises(LakeError, match="damaged"):
        unpack_manifest(gzip.compress(json.dumps(files).encode()))


def test_a_damaged_object_is_refused(server: Faults, url: str, tmp_path: Path) -> None:
    copy = open_copy(tmp_path / "one", url)
    write(copy, a="1")
    copy.publish()
    [name] = [name for name in copy.store.list_names() if name.endswith(".parquet")]
    copy.store.put_all([(name, b"other")])
    with pytest.raises(LakeError, match="damaged"):
        open_copy(tmp_path / "other", url).refresh()


def test_a_swap_needs_the_version_that_was_read(server: Faults, url: str) -> None:
    store = ObjectStore(url)
    tag = store.swap("x", b"1", None)
    with pytest.raises(SwapLostError):
        store.swap("x", b"2", None)
    store.swap("x", b"2", tag)
    with pytest.raises(SwapLostError):
        store.swap("x", b"3", tag)
    assert store.swap("x", b"2", tag)  # as after a lost answer: it is done already


def test_a_store_that_is_gone_is_an_error_with_the_next_command(
    server: Faults, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_store, "RETRIES", 1)
    copy = open_copy(tmp_path / "one", url)
    server.is_down = True
    with pytest.raises(LakeError, match="cannot be reached") as error:
        copy.refresh()
    assert ("docs/scale.md" in error.value.hint, error.value.retryable) == (True, True)


def test_a_password_in_the_address_of_the_store_stands_in_no_message(
    monkeypatch: pytest.MonkeyPatch, server: Faults, url: str
) -> None:
    monkeypatch.setattr(object_store, "RETRIES", 0)
    word = "".join(reversed("4mQ9zT7x"))
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://minio:{word}@127.0.0.1:9")
    with pytest.raises(LakeError, match="cannot be reached") as error:
        ObjectStore(url).read_tag("x")
    assert word not in error.value.message


def test_a_refused_key_is_not_tried_again(monkeypatch: pytest.MonkeyPatch, server: Faults, url: str) -> None:
    import obstore

    def refuse(*_arguments: object) -> None:
        raise obstore.exceptions.PermissionDeniedError

    monkeypatch.setattr(obstore, "head", refuse)
    with pytest.raises(LakeError, match="cannot be reached") as error:
        ObjectStore(url).read_tag("x")
    assert not error.value.retryable


KINDS = {
    "HEAD _manifest.json.gz", "GET _manifest.json.gz", "PUT _manifest.json.gz if", "PUT data", "GET data", "POST data",
    "GET list", "GET _lease.json", "PUT _lease.json if",
}  # fmt: skip
"""Every kind of request that a lake sends; obstore deletes with POST."""


def wait_briefly(server: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an answer be late after a second: each late one is waited for, and any other takes a few milliseconds."""
    monkeypatch.setattr(object_store, "FIRST_PAUSE", timedelta(milliseconds=1))
    monkeypatch.setattr(object_store, "TIMEOUT", timedelta(seconds=1))
    server.late_s = 1.3


@pytest.mark.parametrize("fault", FAULTS)
def test_each_kind_of_request_survives_each_fault_once(
    server: Faults, url: str, tmp_path: Path, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Busy, lost, late or half an answer, also to a conditional write: nobody notices, and nothing is lost."""
    wait_briefly(server, monkeypatch)
    server.once = fault
    one, reader = open_copy(tmp_path / "one", url), open_copy(tmp_path / "reader", url)
    for text in ("1", "2"):
        with one.holding_lease("nightly"):
            assert one.synchronise() == ""
            write(one, a=text, b=text)
            one.publish()
            assert one.sweep() == 0
        reader.refresh()
        assert read(reader) == {"a": text, "b": text}
    assert set(server.met) == KINDS
    assert one.store.get(LEASE) is None
    assert server.counts[fault] == len(KINDS)


def test_a_conditional_write_that_never_arrives_is_not_taken_for_another_run(
    server: Faults, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store answers, but every write of the manifest is lost on its way: the error names the store, and no other run."""
    monkeypatch.setattr(object_store, "RETRIES", 0)
    copy = open_copy(tmp_path / "one", url)
    write(copy, a="1")
    copy.publish()
    write(copy, a="2")
    monkeypatch.setattr(server, "_choose_fault", lambda environ: "busy" if environ["REQUEST_METHOD"] == "PUT" else None)
    again = open_copy(tmp_path / "one", url)
    with pytest.raises(LakeError, match="cannot be reached"):
        again.publish()
    with pytest.raises(LakeError, match="cannot be reached"):
        again.store.swap(MANIFEST, b"x", again.store.read_tag(MANIFEST))


class CrashError(BaseException):
    """The process dies: nothing of the code under test may handle it."""


class DyingStore(ObjectStore):
    """A store whose process dies at one of its requests: before it is sent, or after it was carried out."""

    def __init__(self, url: str, last: int, *, is_sent: bool) -> None:
        super().__init__(url)
        self.left, self.is_sent = last, is_sent

    def _request(self, call: Any, *arguments: Any) -> Any:
        self.left -= 1
        if self.left < 0 or (self.left == 0 and not self.is_sent):
            raise CrashError
        answer = super()._request(call, *arguments)
        if self.left == 0:
            raise CrashError
        return answer


@pytest.mark.parametrize("is_sent", [False, True], ids=["before a request", "after a request"])
def test_a_crash_at_any_request_leaves_one_commit_or_the_next(server: Faults, url: str, tmp_path: Path, is_sent: bool) -> None:
    """Whatever request is the last one: readers see a whole commit, and the next run publishes the work of the dead one."""
    seen: set[str] = set()
    for last in range(1, 100):
        place, folder = f"{url}-{last}", tmp_path / f"{last}"
        first = open_copy(folder / "one", place)
        write(first, a="1", b="1", gone="1")
        first.publish()
        dying = RemoteLake(folder / "one", DyingStore(place, last, is_sent=is_sent))
        has_crashed = False
        try:
            dying.synchronise()
            write(dying, a="2", b="2")
            (dying.root / "entries" / "gone.parquet").unlink()
            dying.publish()
        except CrashError:
            has_crashed = True
        reader = open_copy(folder / "reader", place)
        reader.refresh()
        whole = read(reader)
        assert whole in ({"a": "1", "b": "1", "gone": "1"}, {"a": "2", "b": "2"})
        seen.add(whole["a"])
        work = read(first)
        again = open_copy(folder / "one", place)
        assert again.synchronise() == ""
        again.sweep()
        reader.refresh()
        assert read(reader) == work
        manifest = again.store.get(MANIFEST)
        assert manifest is not None
        assert set(again.store.list_names()) == {MANIFEST, *unpack_manifest(manifest.data).values()}
        if not has_crashed:
            break
    else:
        raise AssertionError("the run never ended")
    assert last > 4
    assert seen == {"1", "2"}


@pytest.mark.parametrize("seed", range(3))
def test_any_schedule_of_two_machines_and_faults_ends_in_a_lake_of_whole_commits(
    server: Faults, url: str, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each commit writes the same text into two files: no reader may ever see them differ, and no publication may be lost."""
    wait_briefly(server, monkeypatch)
    server.chance = chance = random.Random(seed)
    copies = [open_copy(tmp_path / name, url) for name in ("one", "other")]
    reader = open_copy(tmp_path / "reader", url)
    published: list[str] = []
    for number in range(8):
        server.busy, server.lost, server.late = 0.1, 0.1, 0.02
        copy, text = chance.choice(copies), f"{seed}-{number}"
        try:
            with copy.holding_lease("nightly"):
                copy.synchronise()
                write(copy, a=text, b=text)
                if chance.random() < 0.2:
                    continue  # killed before it published
                copy.publish()
            published.append(text)
        except (LakeError, LockedError):
            pass
        server.busy = server.lost = server.late = 0.0
        copy.store.delete([LEASE])
        reader.refresh()
        seen = read(reader)
        assert seen.get("a") == seen.get("b")
        assert not published or number_of(seen["a"]) >= number_of(published[-1])
    assert server.counts["busy"] + server.counts["lost"] > 0
    assert published


def number_of(text: str) -> int:
    return int(text.partition("-")[2])


def test_any_reader_of_parquet_reads_the_store(server: Faults, url: str, tmp_path: Path) -> None:
    """A process of its own reads: once polars has read a cloud, a thread of it calls getenv for as long as the process lives.

    A later test that sets a variable would kill both (`ConcurrencyController::spawn_control_loop`, polars 2.1).
    """
    copy = open_copy(tmp_path / "one", url)
    for name in NAMES:
        (copy.root / name).parent.mkdir(parents=True, exist_ok=True)
        pl.DataFrame({"x": [1, 2]}).write_parquet(copy.root / name)
    copy.publish()
    code = (
        "import os, sys, polars\n"
        "options = {'aws_endpoint_url': os.environ['AWS_ENDPOINT_URL'], 'aws_allow_http': 'true'}\n"
        "print(polars.scan_parquet(sys.argv[1], storage_options=options).collect()['x'].sum())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, f"{url}/entries/**/*.parquet"], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout.strip() == "12", done.stderr
