"""Todoist as a second surface of the review, against a server on this machine: tasks out, decisions back, nothing lost."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from effects.config.settings import TodoistSettings
from effects.health.outside_checks import check_todoist
from effects.memory.remember import remember
from effects.memory.review_step import approve, reject
from effects.store.run import Counts
from effects.todoist import client
from effects.todoist.account import TODOIST_STATE_FILE, TOKEN_VARIABLE, locate_token_file, read_token
from effects.todoist.client import TodoistClient, TodoistError
from effects.todoist.exchange import read_todoist, write_todoist
from tests.effects.memory_world import World, copy_proposing_world
from tests.effects.todoist.fake_todoist import FakeTodoist, serve_todoist
from tests.machine.loopback import QuietHandler, serving_on_loopback

TOKEN = "".join(reversed("0123456789abcdef")) * 2
FIRST, SECOND, THIRD = "p-20260517-001", "p-20260517-002", "p-20260517-003"
RULES = ("Never force-push to main", "Prefers uv over pip", "The cache lives in Redis because Postgres was too slow")


@pytest.fixture
def account() -> Iterator[FakeTodoist]:
    with serve_todoist(TOKEN) as account:
        yield account


@pytest.fixture
def world(tmp_path: Path, account: FakeTodoist, monkeypatch: pytest.MonkeyPatch) -> World:
    """Three proposals and the setting turned on, before the first exchange."""
    monkeypatch.setenv("RECOLLECT_CONFIG", str(tmp_path / "recollect.toml"))
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    settings = TodoistSettings(enabled=True, base_url=account.address, pause_s=0.01)
    return copy_proposing_world(tmp_path, settings={"todoist": settings})


def exchange(world: World) -> tuple[Counts, Counts]:
    """One night's reading and writing, at the world's time."""
    with world.run.lake.writing("test"):
        read = read_todoist(world.run)
        world.render()
        return read, write_todoist(world.run)


def change_token(world: World, token: str) -> None:
    """Let the state hold another token of changes."""
    path = world.run.lake.root / TODOIST_STATE_FILE
    state = re.sub(r'"sync_token":"\w+"', f'"sync_token":"{token}"', path.read_text(encoding="utf-8"))
    path.write_text(state, encoding="utf-8")


def test_each_proposal_becomes_one_task_with_its_evidence_and_a_second_exchange_adds_none(
    world: World, account: FakeTodoist
) -> None:
    assert exchange(world)[1]["added"] == 3
    assert account.open_titles() == sorted(RULES)
    task = account.tasks[account.find(FIRST)]
    assert task["labels"] == ["memory-review"]
    assert "Section: Hard Rules" in task["description"]
    assert "“session-o-" in task["description"]
    assert task["description"].endswith(f"recollect {FIRST}")
    state = (world.run.lake.root / TODOIST_STATE_FILE).read_bytes()
    assert exchange(world)[1] == {"added": 0, "changed": 0, "closed": 0, "deleted": 0}
    assert len(account.tasks) == 3
    assert (world.run.lake.root / TODOIST_STATE_FILE).read_bytes() == state or b"force-push" not in state


def test_completing_accepts_deleting_rejects_and_an_edited_title_edits(world: World, account: FakeTodoist) -> None:
    exchange(world)
    account.touch(account.find(FIRST), content="Never force-push to main or release", checked=True)
    account.touch(account.find(SECOND), is_deleted=True)
    account.touch(account.find(THIRD), content="The cache lives in Redis")
    world.days = 1
    read, written = exchange(world)
    assert (read["approved"], read["rejected"], read["edited"], read["promoted"]) == (1, 1, 2, 1)
    assert world.statuses() == {FIRST: "approved", SECOND: "rejected", THIRD: "pending"}
    assert "Never force-push to main or release" in world.memory()
    assert world.proposals()[THIRD]["text"] == "The cache lives in Redis"
    assert world.events("edited") == [(FIRST, "Never force-push to main or release"), (THIRD, "The cache lives in Redis")]
    assert written["added"] == 0
    assert account.open_titles() == ["The cache lives in Redis"]
    assert "The cache lives in Redis\n" in world.review_file.read_text(encoding="utf-8")


def test_decisions_and_edits_made_elsewhere_reach_the_tasks(world: World, account: FakeTodoist) -> None:
    exchange(world)
    with world.run.lake.writing("test"):
        approve(world.run, [FIRST])
        reject(world.run, [SECOND])
    world.edit("The cache lives in Redis because", "The cache lives in Valkey because")
    world.days = 1
    world.night()
    written = exchange(world)[1]
    assert (written["closed"], written["deleted"], written["changed"]) == (1, 1, 1)
    assert account.open_titles() == ["The cache lives in Valkey because Postgres was too slow"]
    world.days = 2
    assert exchange(world)[0]["rejected"] == 0, "what the run itself deleted is no decision"
    assert world.statuses()[FIRST] == "approved"


def test_the_label_for_rejected_rejects_and_the_task_goes(world: World, account: FakeTodoist) -> None:
    exchange(world)
    account.touch(account.find(FIRST), labels=["memory-review", "rejected"])
    world.days = 1
    assert exchange(world)[0]["rejected"] == 1
    assert account.open_titles() == sorted(RULES[1:])


def test_a_deleted_project_rejects_nothing(world: World, account: FakeTodoist) -> None:
    exchange(world)
    for key in list(account.tasks):
        account.touch(key, is_deleted=True)
    world.days = 1
    read, written = exchange(world)
    assert "Nothing was rejected" in read["problems"][0]
    assert set(world.statuses().values()) == {"pending"}
    assert written["added"] == 3
    assert account.open_titles() == sorted(RULES)


def test_a_lost_state_finds_its_tasks_again_over_pages_and_hears_what_was_done(world: World, account: FakeTodoist) -> None:
    """Tasks name their proposal: none is made twice. Here two tasks stand on a page."""
    exchange(world)
    (world.run.lake.root / TODOIST_STATE_FILE).unlink()
    account.touch(account.find(FIRST), labels=["memory-review", "rejected"])
    world.days = 1
    read, written = exchange(world)
    assert (read["rejected"], written["added"]) == (1, 0)
    assert len(account.tasks) == 3
    assert account.requests.count(("GET", "/tasks")) >= 2


def test_a_token_of_changes_that_todoist_forgot_loses_no_decision(world: World, account: FakeTodoist) -> None:
    exchange(world)
    account.touch(account.find(FIRST), checked=True)
    account.touch(account.find(SECOND), is_deleted=True)
    change_token(world, "expired")
    world.days = 1
    exchange(world)
    assert world.statuses() == {FIRST: "approved", SECOND: "rejected", THIRD: "pending"}


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_limit_of_the_rate_and_a_failing_server_are_asked_again(world: World, account: FakeTodoist, status: int) -> None:
    account.failures = [(status, {"Retry-After": "0.01"}), (status, {})]
    read, written = exchange(world)
    assert "failed" not in read
    assert written["added"] == 3


def test_without_a_network_the_night_goes_on_and_the_next_one_hears_everything(world: World, account: FakeTodoist) -> None:
    exchange(world)
    account.touch(account.find(FIRST), checked=True)
    account.failures = [(503, {})] * 3
    world.days = 1
    read, written = exchange(world)
    assert read["failed"] == 1
    assert "nothing is lost" in read["problems"][0]
    assert written == {"waiting": 3}, "a task that the owner edited meanwhile is not written over"
    account.failures = []
    world.days = 2
    assert exchange(world)[0]["approved"] == 1
    assert "Never force-push" in world.memory()


def test_a_crash_between_two_tasks_leaves_each_once(world: World, account: FakeTodoist, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with world.run.lake.writing("test"):
        read_todoist(world.run)
        with monkeypatch.context() as patched:
            patched.setattr("effects.todoist.exchange.write_state", crash)
            with pytest.raises(KeyboardInterrupt):
                write_todoist(world.run)
    assert len(account.tasks) == 1
    exchange(world)
    assert len(account.tasks) == 3


def test_a_refused_token_is_told_and_stands_nowhere(world: World, account: FakeTodoist) -> None:
    account.token = "another"
    read, _ = exchange(world)
    assert "401" in read["problems"][0]
    files = [path for path in world.folder.rglob("*") if path.is_file()]
    assert not [path for path in files if TOKEN.encode() in path.read_bytes()]
    assert TOKEN not in str(read)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_token_goes_along_no_redirect(world: World, account: FakeTodoist, status: int) -> None:
    with serve_todoist(TOKEN) as other:
        account.failures = [(status, {"Location": f"{other.address}/tasks?label=memory-review"})] * 9
        exchange(world)
        assert account.requests
        assert other.requests == []


def test_off_by_default_and_then_nothing_is_sent(tmp_path: Path, account: FakeTodoist, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token in the environment alone turns nothing on."""
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    world = World(tmp_path, settings={"todoist": TodoistSettings(base_url=account.address)})
    world.night()
    assert exchange(world) == ({}, {})
    assert account.requests == []
    assert list(check_todoist(world.run)) == []


def test_the_token_comes_from_the_environment_or_from_a_file_of_the_owner_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE)
    assert exchange(world)[0]["failed"] == 1
    assert [check.level for check in check_todoist(world.run)] == ["wrong"]
    path = locate_token_file(world.run)
    path.write_text(f"{TOKEN}\n", encoding="utf-8")
    path.chmod(0o644)
    assert "other users can read" in exchange(world)[0]["problems"][0]
    path.chmod(0o600)
    assert read_token(world.run) == TOKEN
    assert [check.level for check in check_todoist(world.run)] == ["note"]
    exchange(world)
    assert [check.level for check in check_todoist(world.run)] == ["ok"]
    world.days = 3
    assert [check.level for check in check_todoist(world.run)] == ["wrong"]


def test_a_task_completed_while_todoist_could_not_be_read_counts_although_its_line_expired(
    world: World, account: FakeTodoist
) -> None:
    exchange(world)
    account.touch(account.find(FIRST), checked=True)
    account.failures = [(503, {})] * 3
    world.days = 9
    assert exchange(world)[0]["failed"] == 1
    assert world.night()["review"]["expired"] == 3
    account.failures = []
    world.days = 10
    read, written = exchange(world)
    assert (read["approved"], read["promoted"], written["closed"]) == (1, 1, 0)
    assert "Never force-push" in world.memory()
    assert world.statuses() == {FIRST: "approved", SECOND: "expired", THIRD: "expired"}


def test_a_secret_in_an_edited_title_stands_in_no_table(world: World, account: FakeTodoist) -> None:
    exchange(world)
    secret = "sk-ant-" + "yK7" * 14
    account.touch(account.find(FIRST), content=f"Never force-push, the key is {secret}", checked=True)
    assert exchange(world)[0]["promoted"] == 1
    assert "Never force-push, the key is [redacted:" in world.memory()
    assert secret not in world.memory() + str(world.proposals()) + str(world.events("edited"))


def test_an_edit_of_a_title_that_is_cut_approves_nothing_when_the_task_is_completed(world: World, account: FakeTodoist) -> None:
    """The line has more words than a title, so nobody knows what the owner wants it to say."""
    with world.run.lake.writing("test"):
        saved = remember(world.run, "Never force-push to main " * 23)["proposal_id"]
    exchange(world)
    account.touch(account.find(str(saved)), content="Never force-push to trunk", checked=True)
    read, written = exchange(world)
    assert (read["approved"], read["promoted"], len(read["problems"])) == (0, 0, 1)
    assert (world.statuses()[saved], written["added"], world.memory()) == ("pending", 1, "")


STRANGE = ["", '{"items": [7], "results": ["x"], "sync_token": {"a": 1}, "id": null, "labels": 5}']


@pytest.mark.parametrize("request_line", ["POST /sync", "POST /tasks", "GET /tasks", "GET /tasks/", "POST /tasks/"])
@pytest.mark.parametrize("body", STRANGE)
def test_an_answer_that_is_none_neither_decides_nor_counts_as_sent(
    world: World, account: FakeTodoist, request_line: str, body: str
) -> None:
    """An empty answer was an empty list: tasks were taken for deleted, or for sent, and a number in it ended the night."""
    if request_line != "POST /tasks":
        exchange(world)
        change_token(world, "expired")
        account.touch(account.find(SECOND), is_deleted=True)
        world.days = 1
        world.night()
        world.edit("The cache lives in Redis because", "The cache lives in Valkey because")
        world.night()
    account.strange = {request_line: body}
    exchange(world)
    assert account.strange == {}, "the request was sent"
    for day in (2, 3):
        world.days = day
        exchange(world)
    rejected = {key for key, status in world.statuses().items() if status == "rejected"}
    assert rejected == (set() if request_line == "POST /tasks" else {SECOND})
    assert len(account.open_titles()) == 3 - len(rejected)
    assert len(account.tasks) == 3


def test_a_task_that_its_owner_deletes_while_a_run_writes_is_not_made_again(world: World, account: FakeTodoist) -> None:
    exchange(world)
    world.edit("The cache lives in Redis because", "The cache lives in Valkey because")
    world.days = 1
    world.night()
    with world.run.lake.writing("test"):
        read_todoist(world.run)
        account.touch(account.find(THIRD), is_deleted=True)
        write_todoist(world.run)
    assert len(account.tasks) == 3
    world.days = 2
    assert exchange(world)[0]["rejected"] == 1
    assert world.statuses()[THIRD] == "rejected"


@pytest.mark.parametrize("status", [400, 403, 409, 413])
def test_a_task_that_todoist_refuses_keeps_no_other_from_it(world: World, account: FakeTodoist, status: int) -> None:
    account.refused = {"force-push": status}
    written = exchange(world)[1]
    assert (written["added"], written["failed"]) == (2, 1)
    assert f"HTTP {status}" in written["problems"][0]
    assert account.open_titles() == sorted(RULES[1:])


def test_a_token_of_changes_that_todoist_refuses_stops_no_later_night(world: World, account: FakeTodoist) -> None:
    exchange(world)
    account.touch(account.find(FIRST), checked=True)
    change_token(world, "damaged")
    account.refused = {"sync_token=damaged": 400}
    world.days = 1
    assert exchange(world)[0]["approved"] == 1


def test_a_title_edited_while_the_state_was_lost_or_on_another_machine_is_an_edit(world: World, account: FakeTodoist) -> None:
    """And a title that another machine sent before the line was edited elsewhere is none."""
    exchange(world)
    (world.run.lake.root / TODOIST_STATE_FILE).unlink()
    account.touch(account.find(FIRST), content="Never force-push to main or release")
    world.edit("The cache lives in Redis because", "The cache lives in Valkey because")
    world.days = 1
    world.night()
    assert exchange(world)[0]["edited"] == 1
    assert world.proposals()[FIRST]["text"] == "Never force-push to main or release"
    assert "The cache lives in Valkey because Postgres was too slow" in account.open_titles()
    assert "Never force-push to main or release" in account.open_titles()


def test_pages_of_tasks_without_end_end(world: World, account: FakeTodoist) -> None:
    exchange(world)
    (world.run.lake.root / TODOIST_STATE_FILE).unlink()
    answer = account.answer
    endless = {"results": [], "next_cursor": "1"}
    account.answer = lambda *request: (200, endless) if request[:2] == ("GET", "/tasks") else answer(*request)  # type: ignore[method-assign]
    world.days = 1
    assert exchange(world)[0]["failed"] == 1


@pytest.mark.parametrize("token", ["abc\ndef", "abc def", "“abc”", "a\tb"])
def test_a_token_that_no_header_can_carry_ends_no_night_and_is_quoted_nowhere(
    world: World, account: FakeTodoist, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, token)
    problem = exchange(world)[0]["problems"][0]
    assert "no single word" in problem
    assert token not in problem
    assert account.requests == []
    assert [check.level for check in check_todoist(world.run)] == ["wrong"]


def test_a_body_that_drips_is_left(world: World, account: FakeTodoist, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LONGEST_ANSWER_SECONDS", 0.3)

    class Dripping(QuietHandler):
        def do_POST(self) -> None:
            self.read_body()
            self.send_response(200)
            self.end_headers()
            for _ in range(40):
                try:
                    self.wfile.write(b" ")
                except OSError:
                    return
                time.sleep(0.05)

    with serving_on_loopback(Dripping) as port:
        began = time.monotonic()
        with pytest.raises(TodoistError, match="did not end in time"):
            TodoistClient(f"http://127.0.0.1:{port}", TOKEN, 0.01).read_changes("*")
        assert time.monotonic() - began < 3


def test_a_lost_state_finds_a_task_again_whose_label_was_taken_off(world: World, account: FakeTodoist) -> None:
    exchange(world)
    (world.run.lake.root / TODOIST_STATE_FILE).unlink()
    account.touch(account.find(FIRST), labels=["work"])
    world.days = 1
    assert exchange(world)[1]["added"] == 0
    account.touch(account.find(FIRST), checked=True)
    world.days = 2
    assert exchange(world)[0]["approved"] == 1


def test_words_on_the_page_count_for_a_task_that_is_completed_before_the_page_is_read(world: World, account: FakeTodoist) -> None:
    """The line was promoted in its former words, and those of the owner stood on a page that nobody read any more."""
    exchange(world)
    account.touch(account.find(FIRST), content="Never push by force", checked=True)
    account.touch(account.find(THIRD), checked=True)
    world.edit("Never force-push to main", "Never force-push to main or release")
    world.edit("The cache lives in Redis because", "The cache lives in Valkey because")
    world.days = 1
    assert exchange(world)[0]["promoted"] == 2
    assert "Never force-push to main or release" in world.memory()
    assert "The cache lives in Valkey because" in world.memory()
    assert "by force" not in world.memory()


@pytest.mark.parametrize("is_decided", [False, True])
def test_a_task_of_somebody_else_with_the_same_id_decides_nothing_and_stays(
    world: World, account: FakeTodoist, is_decided: bool
) -> None:
    """As in a project that two people share, or in the account of an owner with two lakes."""
    if is_decided:
        with world.run.lake.writing("test"):
            reject(world.run, [FIRST])
    before = world.proposals()[FIRST]["text"], world.statuses()[FIRST]
    other = {
        "id": "other",
        "content": "Deploy on Fridays",
        "description": f"Section: Rules\n2026-05-16: we deploy\nrecollect {FIRST}",
    }
    account.tasks["other"] = {**other, "labels": ["memory-review"], "checked": False, "is_deleted": False}
    account.touch("other")
    exchange(world)
    assert "Deploy on Fridays" in account.open_titles()
    account.touch("other", checked=True)
    world.days = 1
    exchange(world)
    assert (world.proposals()[FIRST]["text"], world.statuses()[FIRST]) == before
