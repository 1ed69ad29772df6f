"""A backfill in a provider's batches: half the price, resumed after a kill, and whole when parts of it fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import effects.batches.prefetch as batches
from effects.distil.distil_step import distil
from effects.store.run import Run
from tests.effects.batches.batch_server import BatchServer, serving_batches
from tests.effects.engines.model_server import Said, answer, good
from tests.effects.engines.world import calls, run_on, windows, written

MODELS = {"openai": "instructor:openai/gpt-4o-mini", "anthropic": "instructor:anthropic/claude-haiku-4-5"}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "POLL_S", 0.01)
    monkeypatch.setattr(batches.prefetch, "__defaults__", (0.01,))
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def run_with(folder: Path, server: BatchServer, provider: str = "openai", **engine: Any) -> Run:
    if not (folder / "sessions").exists():
        for name in ("one", "two", "three"):
            written(folder, name)
    url = f"{server.url}/v1" if provider == "openai" else server.url
    return run_on(folder, MODELS[provider], base_url=url, batch="backfill", **engine)


def distilled(run: Run) -> dict[str, Any]:
    with run.lake.writing("test"):
        return distil(run, in_batches=True)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_batch_answers_every_window_at_half_the_price(tmp_path: Path, provider: str) -> None:
    """No request goes out by itself, and the record has what was charged."""
    with serving_batches(good) as server:
        run = run_with(tmp_path, server, provider)
        distilled(run)
        assert (server.submitted, server.direct) == (3, 0)
    assert [row[0] for row in windows(run)] == ["distilled"] * 3
    prices = {"openai": (1000 * 0.15 + 200 * 0.6) / 1e6, "anthropic": (1000 + 200 * 5) / 1e6}
    assert [row["cost_usd"] for row in calls(run)] == pytest.approx([prices[provider] / 2] * 3)
    assert not list((tmp_path / "lake" / "_batches").glob("*.json"))


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_what_failed_or_expired_in_a_batch_is_asked_by_itself(tmp_path: Path, provider: str) -> None:
    """The rest of the batch counts."""
    with serving_batches(good) as server:
        server.fails = (1,)
        run = run_with(tmp_path, server, provider)
        distilled(run)
        assert (server.submitted, server.direct) == (3, 1)
    assert [row[0] for row in windows(run)] == ["distilled"] * 3


def test_an_expired_batch_costs_nothing_and_every_window_is_asked(tmp_path: Path) -> None:
    """OpenAI returns no file when nothing was done in time."""
    with serving_batches(good) as server:
        server.ends_as = "failed"
        run = run_with(tmp_path, server)
        distilled(run)
        assert server.direct == len(calls(run)) == 3


def kill(run: Run, dies_at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Distil, and die while waiting for the batch, or between the submission and the note of its id."""
    real = getattr(batches, dies_at)

    def die(*arguments: Any) -> Any:
        if dies_at == "_write_note" and not arguments[1]:
            return real(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(batches, dies_at, die)
        with pytest.raises(KeyboardInterrupt):
            distilled(run)


@pytest.mark.parametrize("dies_at", ["_wait", "_write_note"])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_killed_run_finds_its_batch_again(tmp_path: Path, provider: str, dies_at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when it died between the submission and the note of the batch's id, and the batch still runs."""
    with serving_batches(good) as server:
        kill(run_with(tmp_path, server, provider), dies_at, monkeypatch)
        again = run_with(tmp_path, server, provider)
        distilled(again)
        assert (len(server.batches), server.submitted, server.direct) == (1, 3, 0)
    assert len(calls(again)) == 3


def test_without_a_batch_interface_the_windows_wait(tmp_path: Path) -> None:
    """The owner asked for half the price: nothing is sent at the full one."""
    with serving_batches(good) as server:
        server.accepts = False
        run = run_with(tmp_path, server)
        counts = distilled(run)
        assert server.direct == 0
    assert "not accepted" in next(iter(counts["waiting"]))
    assert [row[0] for row in windows(run)] == ["pending"] * 3


def test_the_budget_holds_for_batches(tmp_path: Path) -> None:
    """What does not fit is neither submitted nor asked."""
    with serving_batches(lambda prompt, _number: Said(answer(prompt), billed=(1000, 8000))) as server:
        run = run_with(tmp_path, server, budget_day_usd=0.006)
        distilled(run)
        assert server.submitted + server.direct < 3
    assert "pending" in [row[0] for row in windows(run)]


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_batch_whose_acceptance_was_lost_is_not_submitted_again(tmp_path: Path, provider: str) -> None:
    """The submission is sent once, and the next run looks for its batch."""
    with serving_batches(good) as server:
        server.loses = 9
        counts = distilled(run_with(tmp_path, server, provider))
        assert "not known" in next(iter(counts["waiting"]))
        server.loses = 0
        run = run_with(tmp_path, server, provider)
        distilled(run)
        assert (len(server.batches), server.submitted, server.direct) == (1, 3, 0)
    assert len(calls(run)) == 3
    assert not list((tmp_path / "lake" / "_batches").glob("*.json"))


def test_a_running_batch_of_another_program_is_left_alone_once_it_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anthropic's batches have no names, and this one has as many requests: only its results tell that they are another's."""
    with serving_batches(good) as server:
        run = run_with(tmp_path, server, "anthropic")
        kill(run, "_write_note", monkeypatch)
        (own,) = server.batches.values()
        foreign = [item | {"custom_id": f"other-{number}"} for number, item in enumerate(own["items"])]
        server.batches = {"batch-9": {"items": foreign, "asked": 0, "metadata": None}, **server.batches}
        distilled(run)
        assert (len(server.batches), server.direct) == (2, 0)
    assert len(calls(run)) == 3


def test_a_batch_at_a_former_provider_holds_up_no_batch_at_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its note names its address; its answers are taken when they are there."""
    with serving_batches(good) as former, serving_batches(good) as server:
        former.waits = 99
        kill(run_with(tmp_path, former), "_wait", monkeypatch)
        run = run_with(tmp_path, server, "anthropic")
        distilled(run)
        assert [row[0] for row in windows(run)] == ["distilled"] * 3
        assert (server.submitted, server.direct, former.direct) == (3, 0, 0)
        assert len(list((tmp_path / "lake" / "_batches").glob("*.json"))) == 1
        former.waits = 1
        written(tmp_path, "four")
        distilled(run_with(tmp_path, server, "anthropic"))
    assert len(calls(run)) == 3 + 1 + 3
    assert not list((tmp_path / "lake" / "_batches").glob("*.json"))
