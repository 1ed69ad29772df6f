"""Budgets, cache and record, seen from outside: a run that is killed for good, and requests side by side."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from effects.config.engine_chain import parse_engine_chain
from effects.engines.call_store import BudgetError, CallResult, CallStore, ModelCall
from tests.effects.engines.model_server import Said, answer, serving
from tests.effects.engines.world import MODEL, calls, distilled, run_on, windows, written
from transforms.pricing.spend import BudgetLimits, Spend

HAIKU = "anthropic/claude-haiku-4-5"


def test_kill_9_in_the_middle_and_a_rerun_pay_nothing_twice(tmp_path: Path) -> None:
    """The command is killed while it waits for the third answer; the rerun sends only that request."""
    for name in ("one", "two", "three"):
        written(tmp_path, name)
    asked, hanging = threading.Event(), threading.Event()

    def script(prompt: str, number: int) -> Said:
        if number == 3:
            asked.set()
            return Said(answer(prompt), wait=hanging)
        return Said(answer(prompt))

    with serving(script) as server:
        environment = os.environ | {
            "RECOLLECT_SESSIONS": str(tmp_path / "sessions"), "RECOLLECT_LAKE": str(tmp_path / "lake"),
            "RECOLLECT_WORKSPACE": str(tmp_path / "work"), "RECOLLECT_TIMEZONE": "UTC", "RECOLLECT_OWNER": "joel",
            "RECOLLECT_ENGINE__OBSERVER": MODEL, "RECOLLECT_ENGINE__BASE_URL": server.url,
            "RECOLLECT_ENGINE__CONCURRENCY": "1", "NO_PROXY": "127.0.0.1",
                "RECOLLECT_DISTIL__SECOND_READING": "off",
        }  # fmt: skip
        command = [sys.executable, "-m", "recollect", "nightly", "--direct", "--as-of", "2026-06-01T00:00:00Z"]
        root = Path(__file__).parents[3]
        process = subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert asked.wait(60)
        process.send_signal(signal.SIGKILL)
        process.wait()
        hanging.set()
        paid = [body["messages"][1]["content"] for body in server.requests]
        run = run_on(tmp_path, base_url=server.url)
        assert {status for status, _, _ in windows(run)} == {"pending"}
        counts = distilled(run)
        again = [body["messages"][1]["content"] for body in server.requests][3:]
    assert (counts["distilled"], counts["cached"], counts["requests"]) == (3, 2, 1)
    assert again == paid[2:]
    assert len(calls(run)) == 3


def ledger(folder: Path, **limits: float) -> CallStore:
    run = run_on(folder, "offline")
    return CallStore(run, BudgetLimits(**{"run_usd": 1.0, "day_usd": 1.0, **limits}))  # type: ignore[arg-type]


def test_a_request_waits_for_money_that_is_only_set_aside(tmp_path: Path) -> None:
    """Four requests at once do not exhaust the budget by reserving more than they spend."""
    book = ledger(tmp_path, run_usd=0.06)
    first = book.reserve(HAIKU, 0, 10_000)
    got: list[Spend] = []
    other = threading.Thread(target=lambda: got.append(book.reserve(HAIKU, 0, 10_000)))
    other.start()
    book.release(first)
    other.join(10)
    assert got == [Spend(0.05, 10_000)]


def test_money_that_is_spent_is_not_waited_for(tmp_path: Path) -> None:
    """The refusal names the budget."""
    book = ledger(tmp_path, run_usd=0.06)
    with book.run.lake.writing("test"):
        book.record(ModelCall("k", "pi", HAIKU, "t"), book.reserve(HAIKU, 0, 10_000), CallResult("ok", "x", "", 0, 10_000))
    with pytest.raises(BudgetError, match="budget of the run"):
        book.reserve(HAIKU, 0, 10_000)


def test_failures_and_answers_of_one_request_are_rows_of_their_own(tmp_path: Path) -> None:
    """After compaction no cost is lost, and the answer is found."""
    book = ledger(tmp_path)
    call = ModelCall("k", "pi", HAIKU, "t", "one")
    with book.run.lake.writing("test"):
        for outcome in (
            CallResult("error", "", "timeout", 10, 0),
            CallResult("error", "", "timeout", 10, 0),
            CallResult("ok", "a", "", 5, 5),
        ):
            book.record(call, book.reserve(HAIKU, 10, 10), outcome)
        book.run.lake.compact("model_calls")
    assert [(row["call_no"], row["outcome"]) for row in calls(book.run)] == [(0, "error"), (1, "error"), (2, "ok")]
    stored_call = ledger(tmp_path).find("k")
    assert stored_call is not None
    assert stored_call.answer == "a"


def test_engines_are_named_in_chains() -> None:
    """A model without a prefix uses the engine of the model before it."""
    assert parse_engine_chain("offline") == ()
    assert parse_engine_chain("instructor:openai/a, openai/b,pi:anthropic/c") == (
        ("instructor", "openai/a"), ("instructor", "openai/b"), ("pi", "anthropic/c"),
    )  # fmt: skip
    assert parse_engine_chain("claude:claude-haiku-4-5,anthropic/claude-sonnet-5, codex:gpt-6-luna,pi:a/b") == (
        ("claude", "anthropic/claude-haiku-4-5"), ("claude", "anthropic/claude-sonnet-5"),
        ("codex", "openai/gpt-6-luna"), ("pi", "a/b"),
    )  # fmt: skip
    assert parse_engine_chain("instructor:ollama/qwen3:14b,openai/org/model") == (
        ("instructor", "ollama/qwen3:14b"), ("instructor", "openai/org/model"),
    )  # fmt: skip
    for wrong in (
        "", "openai/gpt", "instructor:gpt", "instructor:", "magic:a/b", "offline,pi:a/b", "pi:a/b,offline", "pi:a/b c",
        "claude:", "claude:openai/gpt", "codex:anthropic/x", "codex:a b", "pi:gpt",
    ):  # fmt: skip
        with pytest.raises(ValueError, match="is not an engine"):
            parse_engine_chain(wrong)
