"""`recollect rebuild --redistil`: what models wrote, written again on request, within the budget, and nothing lost on the way."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from effects.distil.redistil import estimate_costs, find_stale_windows, redistil
from effects.store.run import Run
from recollect.cli import run
from tests.effects.engines.model_server import Said, answer, good, serving
from tests.effects.engines.world import MODEL, calls, distilled, kept, run_on, set_environment, written

pytestmark = pytest.mark.usefixtures("quick_retries")

OTHER = "instructor:openai/gpt-5-mini"
SINCE = date(2026, 1, 1)


def again(run: Run, since: date = SINCE) -> dict[str, object]:
    with run.lake.writing("test"):
        return redistil(run, since)


def better(prompt: str, _number: int) -> Said:
    return Said(answer(prompt, {"text": "The importer locks its tables.", "kind": "decision", "priority": "high"}))


def engines(run: Run) -> set[str]:
    return set(run.lake.read("windows")["engine"])


def test_another_model_writes_again_what_was_paid_for_and_a_second_time_nothing_is_due(tmp_path: Path) -> None:
    """Rows of the windows are replaced whole."""
    for name in ("one", "two"):
        written(tmp_path, name)
    with serving(good) as server:
        distilled(run_on(tmp_path, base_url=server.url))
        server.script = better
        run = run_on(tmp_path, OTHER, base_url=server.url)
        assert distilled(run)["due"] == 0
        counts = again(run)
        assert (counts["due"], counts["distilled"], len(server.requests)) == (2, 2, 4)
        assert again(run) == {"due": 0}
    assert engines(run) == {OTHER}
    assert "The importer locks its tables." in kept(run)["text"].to_list()


def test_going_back_costs_nothing(tmp_path: Path) -> None:
    """The former request is answered from the record, and gives the former rows."""
    with serving(good) as server:
        first = run_on(tmp_path, base_url=server.url)
        distilled(first)
        before = first.lake.read("observations")
        server.script = better
        again(run_on(tmp_path, OTHER, base_url=server.url))
        assert not before.equals(first.lake.read("observations"))
        again(run_on(tmp_path, base_url=server.url))
        assert len(server.requests) == 2
    assert before.equals(first.lake.read("observations"))


@pytest.mark.parametrize("reply", [Said("no"), Said(status=503), Said(refusal="no")], ids=["useless", "down", "refused"])
def test_a_failed_window_keeps_its_former_rows(tmp_path: Path, reply: Said) -> None:
    """Its rows and its block on the pages stay, and the same command tries again."""
    with serving(good) as server:
        run = run_on(tmp_path, base_url=server.url)
        distilled(run)
        tables = {name: run.lake.read(name) for name in ("windows", "segments", "observations")}
        server.script = lambda _prompt, _number: reply
        other = run_on(tmp_path, OTHER, base_url=server.url)
        counts = again(other)
        assert counts.get("distilled") is None
        assert all(frame.equals(run.lake.read(name)) for name, frame in tables.items())
        assert find_stale_windows(other, SINCE).height == 1


def test_the_budget_holds_and_the_same_command_goes_on(tmp_path: Path) -> None:
    """The budget allows one window a day."""
    for name in ("one", "two"):
        written(tmp_path, name)
    with serving(lambda prompt, _number: Said(answer(prompt), billed=(1000, 8_000))) as server:
        distilled(run_on(tmp_path, base_url=server.url))
        run = run_on(tmp_path, OTHER, base_url=server.url, as_of=run_day(2), budget_day_usd=0.03)
        assert again(run)["distilled"] == 1
        assert find_stale_windows(run, SINCE).height == 1
        assert engines(run) == {MODEL, OTHER}
        again(run_on(tmp_path, OTHER, base_url=server.url, as_of=run_day(3), budget_day_usd=0.03))
    assert engines(run) == {OTHER}


def run_day(day: int):  # type: ignore[no-untyped-def]
    from tests.effects.engines.world import AS_OF

    return AS_OF.replace(day=day)


def test_only_windows_of_the_day_and_later_are_done_again(tmp_path: Path) -> None:
    """Sessions of the tests are of March 2026."""
    with serving(good) as server:
        distilled(run_on(tmp_path, base_url=server.url))
        run = run_on(tmp_path, OTHER, base_url=server.url)
        assert again(run, date(2027, 1, 1)) == {"due": 0}


def test_offline_rows_become_a_models_and_the_other_way_round(tmp_path: Path) -> None:
    """An owner who buys a model may want it for last week too."""
    with serving(better) as server:
        distilled(run_on(tmp_path, "offline"))
        model = run_on(tmp_path, base_url=server.url)
        assert distilled(model)["due"] == 0
        assert again(model)["distilled"] == 1
        assert engines(model) == {MODEL}
        assert again(run_on(tmp_path, "offline"))["distilled"] == 1
    assert engines(model) == {"offline"}


def test_the_costs_are_an_upper_bound(tmp_path: Path) -> None:
    """The estimate is at least the tokens that are then billed."""
    for name in ("one", "two", "three"):
        written(tmp_path, name)
    with serving(good) as server:
        distilled(run_on(tmp_path, base_url=server.url))
        run = run_on(tmp_path, OTHER, base_url=server.url)
        [cost] = estimate_costs(run, SINCE)
        paid = len(calls(run))
        again(run)
    assert (cost.subject, cost.model, cost.requests) == ("windows", "openai/gpt-5-mini", 3)
    from transforms.tables.tokens import count_tokens

    sent = [sum(count_tokens(message["content"]) for message in body["messages"]) for body in server.requests[paid:]]
    assert sum(sent) <= cost.input_tokens <= 2 * sum(sent)
    assert cost.usd is not None
    assert cost.usd > 0


def test_the_command_says_what_it_costs_and_does_the_rest_of_the_night(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """--dry-run sends nothing; the real one ends with pages and index of the new rows."""
    with serving(better) as server:
        distilled(run_on(tmp_path, "offline"))
        set_environment(monkeypatch, tmp_path, server.url)
        assert run(["rebuild", "--redistil", "--since", "2026-01-01", "--dry-run"]) == 0
        dry = capsys.readouterr().out
        assert "1 windows and 0 condensed periods" in dry
        assert "1 windows with openai/gpt-4o-mini: at most" in dry
        assert server.requests == []
        assert run(["rebuild", "--redistil", "--since", "2026-01-01", "--dry-run", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["requests"] == 1
        assert run(["rebuild", "--redistil", "--since", "2026-01-01", "--json"]) == 0
        done = capsys.readouterr()
        assert "the budget of the day is 0.50 USD" in done.err
        counts = json.loads(done.out)["counts"]
        assert counts["redistil"]["distilled"] == 1
        assert {"embed_kept", "dedupe", "consolidate", "review", "render", "rebuild"} <= set(counts)
        assert "reflect" not in counts
        for wrong in (["--redistil"], ["--since", "2026-01-01"], ["--dry-run"]):
            assert run(["rebuild", *wrong]) == 2
    pages = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "work" / "memory").glob("*.md"))
    assert "The importer locks its tables." in pages
