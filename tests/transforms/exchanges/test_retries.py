"""Retries: a program that failed in one form and worked in another, and nothing else that failed before something worked."""

from __future__ import annotations

from typing import Any

import pytest

from tests.transforms.conversations import agent, call, conversation, edited, ran, result
from transforms.exchanges.retries import find_retries
from transforms.offline.engine import OfflineEngine

NO_MODULE = "Exit code 1\npattern ./a/...: directory prefix a does not contain main module\nFAIL"
FAILED = ran("go test ./a/... -run Load", NO_MODULE, "c1", is_error=True)
WORKED = ran("cd /w/a && GOFLAGS=-v go test ./... 2>&1 | tail", "ok", "c2")


def pairs(*parts: Any) -> list[tuple[str, str]]:
    return [(retry.failed, retry.worked) for retry in find_retries(conversation(*parts))]


def test_the_same_program_in_another_folder_is_a_retry_with_the_line_that_tells_why() -> None:
    (retry,) = find_retries(conversation(FAILED, WORKED))
    assert retry.reason == "pattern ./a/...: directory prefix a does not contain main module"
    assert (retry.failed, retry.worked) == ("go test ./a/... -run Load", "cd /w/a && GOFLAGS=-v go test ./... 2>&1 | tail")
    assert retry.ordinals == (0, 1, 2)


def test_a_name_in_full_after_a_part_of_it_is_a_retry() -> None:
    wrong = [agent("", call("Skill", "s1", skill="commit")), result("s1", "Unknown skill: commit", is_error=True)]
    right = [agent("", call("Skill", "s2", skill="tools:commit")), result("s2", "Launching skill")]
    other = [agent("", call("Skill", "s2", skill="review")), result("s2", "Launching skill")]
    assert pairs(wrong, right) == [("commit", "tools:commit")]
    assert pairs(wrong, other) == []


@pytest.mark.parametrize(
    "worked",
    [
        ran("go test ./a/... -run Load", "ok", "c2"),
        ran("go build ./a", "ok", "c2"),
        ran("go generate ./a && go test ./...", "ok", "c2"),
        ran("go test ./a", "undefined: x", "c2", is_error=True),
        [*edited("a/load.go", "x", "y", "c3"), *WORKED],
    ],
    ids=["the same again", "another program", "two programs", "failed again", "after an edit"],
)
def test_what_did_not_differ_in_form_alone_is_no_retry(worked: list[dict[str, Any]]) -> None:
    assert pairs(FAILED, worked) == []


def test_a_search_that_found_nothing_and_a_report_of_failed_tests_are_no_retries() -> None:
    assert pairs(ran("rg -n one .", "", "c1", is_error=True), ran("rg -n two .", "a.py:1: two", "c2")) == []
    assert pairs(ran("go test ./a", "FAIL: TestLoad\n" * 60, "c1", is_error=True), WORKED) == []


def test_the_offline_engine_keeps_a_retry_as_an_error_with_both_calls() -> None:
    entries = conversation(FAILED, WORKED, agent("The tests of the loader pass."))
    distilled = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 1_000)
    (text,) = [fact.text for segment in distilled.segments for fact in segment.facts if fact.kind == "error"]
    assert "does not contain main module; what worked: `cd /w/a" in text
