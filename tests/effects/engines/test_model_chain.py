"""Asking models: a fault of the disk ends the step that asked; it is no answer, and nothing settles on it."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from effects.engines.call_store import CallStore
from effects.engines.circuit_breaker import CircuitBreaker
from effects.engines.model_chain import TRANSPORT_ATTEMPTS, Chain, Model, ModelTask, NoAnswerError, Unanswered, ask_or_explain
from effects.engines.requests import Reply, Request, Send
from effects.system.errors import LakeError
from tests.effects.engines.model_server import Said, serving
from tests.effects.engines.reflecting_world import MODEL, MONDAY, condensed, distillates, good_period, lake_with_days, run_at
from tests.effects.engines.world import distilled, run_on, windows
from transforms.condensing.period_answer import MIN_MODEL_TOKENS
from transforms.pairing.relations import RelationAnswer
from transforms.pricing.spend import BudgetLimits
from transforms.tables.periods import DAY


@pytest.fixture
def broken_disk(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Return the patch under which the record of requests cannot be read; `undo` mends the disk."""

    def fail(*_arguments: object) -> None:
        raise OSError(errno.EIO, "Input/output error", "model_calls")

    monkeypatch.setattr(CallStore, "find", fail)
    return monkeypatch


def test_a_period_is_asked_about_once_the_disk_is_whole(tmp_path: Path, broken_disk: pytest.MonkeyPatch) -> None:
    """Condensed offline instead, it would never be asked about again: only a waiting one is."""
    lake_with_days(tmp_path)
    with pytest.MonkeyPatch.context() as patched, serving(good_period) as server:
        patched.setitem(MIN_MODEL_TOKENS, DAY, 0)
        with pytest.raises(LakeError, match="Input/output"):
            condensed(run_at(tmp_path, base_url=server.url))
        broken_disk.undo()
        assert condensed(run_at(tmp_path, base_url=server.url))["by_models"] == 1
    assert distillates(run_at(tmp_path))[1, MONDAY]["engine"] == MODEL


def test_a_window_loses_no_attempt(tmp_path: Path, broken_disk: pytest.MonkeyPatch) -> None:
    with serving(lambda _prompt, _number: Said("{}")) as server:
        run = run_on(tmp_path, base_url=server.url)
        with pytest.raises(LakeError, match="Input/output"):
            distilled(run)
    assert [attempts for *_, attempts in windows(run)] == [0]


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left"), LakeError("damaged")], ids=str)
def test_a_fault_of_disk_or_lake_is_raised(tmp_path: Path, fault: Exception) -> None:
    def ask() -> None:
        raise fault

    with pytest.raises(type(fault)) as caught:
        ask_or_explain(tmp_path, ask)
    assert caught.value is fault


def test_any_other_failure_is_a_reason_and_only_a_fault_of_our_code_is_logged(tmp_path: Path) -> None:
    def wait() -> None:
        raise NoAnswerError("no budget", is_waiting=True)

    def break_down() -> None:
        raise KeyError("refs")

    log = tmp_path / "_logs" / "errors.log"
    assert ask_or_explain(tmp_path, wait) == Unanswered("no budget", is_asked=False, is_waiting=True)
    assert not log.exists()
    assert ask_or_explain(tmp_path, break_down) == Unanswered("KeyError: 'refs'", is_asked=True)
    assert "KeyError: 'refs'" in log.read_text(encoding="utf-8")
    assert ask_or_explain(tmp_path, lambda: 3) == 3


def test_a_busy_server_that_asks_for_a_negative_pause_costs_no_attempt(tmp_path: Path) -> None:
    """`sleep` refuses such a pause, which counted as a bad answer of the model: after three nights the window was lost."""
    with serving(lambda _prompt, _number: Said(status=429, headers={"retry-after": "-1"})) as server:
        run = run_on(tmp_path, base_url=server.url)
        distilled(run)
        [(status, reason, attempts)] = windows(run)
        assert (status, attempts, len(server.requests)) == ("failed", 0, TRANSPORT_ATTEMPTS)
    assert "HTTP 429" in reason


def test_a_fault_of_a_library_costs_no_attempt_and_the_next_model_is_asked(tmp_path: Path) -> None:
    """It is a ValueError like the fault that `read` finds in an answer, and only that one is the model's. It may be billed."""
    run = run_on(tmp_path)
    store = CallStore(run, BudgetLimits(10, 10))

    def break_down(_request: Request) -> Reply:
        raise ValueError("the library cannot read it")

    def refuse(_form: str, answer: str) -> str:
        if answer == "words":
            raise ValueError("it names no fact")
        return answer

    def ask(*sends: Send) -> str:
        models = tuple(Model("instructor", f"openai/gpt-{index}", send, CircuitBreaker()) for index, send in enumerate(sends))
        task = ModelTask(("llm/reask.md.j2",), RelationAnswer, lambda _form: ("system", "prompt"), refuse)
        with run.lake.writing("test"):
            return Chain(models, store, 0.0, 100).ask(task).result

    with pytest.raises(NoAnswerError, match="cannot read it") as caught:
        ask(break_down)
    assert not caught.value.is_asked
    assert store.spent.tokens > 0
    assert "cannot read it" in (tmp_path / "lake" / "_logs" / "errors.log").read_text(encoding="utf-8")
    assert ask(break_down, lambda _request: Reply("a fact")) == "a fact"
    with pytest.raises(NoAnswerError, match="names no fact") as caught:
        ask(lambda _request: Reply("words"))
    assert caught.value.is_asked


@pytest.mark.parametrize(("answer", "words"), [("word " * 200, 200), ("報告書は水曜日に送る" * 100, 187)])
def test_an_answer_that_was_cut_off_is_told_its_words_in_any_script(tmp_path: Path, answer: str, words: int) -> None:
    """A text without spaces was one word, so that the model was asked for at most one."""
    run, prompts = run_on(tmp_path), list[str]()

    def send(request: Request) -> Reply:
        prompts.append(request.prompt)
        return Reply(answer)

    def refuse(_form: str, _answer: str) -> str:
        raise ValueError("it stops before </period>")

    models = (Model("instructor", "openai/gpt-1", send, CircuitBreaker()),)
    task = ModelTask(("llm/reask.md.j2",), RelationAnswer, lambda _form: ("system", "prompt"), refuse)
    with run.lake.writing("test"), pytest.raises(NoAnswerError):
        Chain(models, CallStore(run, BudgetLimits(10, 10)), 0.0, 100).ask(task)
    assert f"after {words} words: at most {round(words * 0.8)} fit" in prompts[1]
