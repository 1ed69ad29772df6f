"""A window's facts are read a second time: one request per window, within the budgets, paid once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from effects.distil import second_reading
from tests.each_case import each_case
from tests.effects.engines.model_server import Said, answer, references, serving
from tests.effects.engines.world import calls, distilled, facts, run_on, windows
from transforms.distil.engine_result import Fact
from transforms.pricing.spend import BudgetLimits, find_dear_reading
from transforms.tables.ids import make_observation_id

TRUE = {"text": "The user asked to build the importer with care.", "kind": "request", "priority": "high"}
LIE = {"text": "The agent asked the user to build the importer.", "kind": "fact", "priority": "high"}
DOUBTED = {"text": "The importer was asked for 4711 times.", "kind": "fact", "priority": "high"}
ROLE = {"verdict": "wrong", "fault": "role", "why": "the user asked"}
READING = json.dumps(
    {"facts": [{"fact": number, "verdict": "supported"} | (ROLE if number == 3 else {}) for number in range(1, 5)]}
)


def script(prompt: str, _number: int) -> Said:
    return Said(READING if "Judge facts" in prompt else answer(prompt, TRUE, LIE, DOUBTED))


def test_a_wrong_fact_is_held_and_a_doubted_one_let_through(tmp_path: Path) -> None:
    """The reason says what is wrong, the counts say how often."""
    with serving(script) as server:
        run = run_on(tmp_path, base_url=server.url, second_reading="auto")
        counts = distilled(run)
    assert facts(run)[LIE["text"]] == ("hold", "second reading: role: the user asked")
    assert facts(run)[TRUE["text"]] == facts(run)[DOUBTED["text"]] == ("allow", "")
    reading = counts["second_reading"]
    assert (reading["read"], reading["wrong"], reading["cleared"], reading["faults"]) == (4, 1, 1, {"role": 1})
    assert len(server.requests) == 2


def test_of_a_partly_wrong_fact_the_words_that_hold_stay_under_its_id_and_what_it_said_is_kept(tmp_path: Path) -> None:
    """A fact is not lost for one false clause; id, kind and citations are those of the whole fact."""
    whole = {
        "text": "The user asked to build the importer, because the tables were locked.",
        "kind": "request",
        "priority": "high",
    }
    holds = "The user asked to build the importer."
    reading = {"fact": 2, "verdict": "partly", "fault": "cause", "why": "nobody named a cause", "holds": holds}
    said = json.dumps({"facts": [{"fact": 1, "verdict": "supported"}, reading]})

    def read(prompt: str, _number: int) -> Said:
        return Said(said if "Judge facts" in prompt else answer(prompt, whole))

    with serving(read) as server:
        run = run_on(tmp_path, base_url=server.url, second_reading="auto")
        counts = distilled(run)
    rows = {row["verdict_reason"]: row for row in run.lake.read("observations").to_dicts()}
    row = rows[f"second reading, in part: cause: nobody named a cause; noted: {whole['text']}"]
    assert (row["text"], row["verdict"], row["kind"]) == (holds, "allow", "request")
    assert row["observation_id"] == make_observation_id(row["segment_id"], "request", str(whole["text"]))
    assert (counts["second_reading"]["shortened"], counts["second_reading"]["wrong"]) == (1, 0)


def test_a_reader_is_told_on_which_days_the_excerpts_were_said(tmp_path: Path) -> None:
    """In the owner's zone, as the dates of facts are."""
    with serving(script) as server:
        run = run_on(tmp_path, base_url=server.url, second_reading="auto")
        distilled(run)
    prompt = server.requests[-1]["messages"][-1]["content"]
    (started,) = run.lake.read("windows")["started_at"].to_list()
    assert prompt.startswith(f"Said on {started.astimezone(run.zone).date()}")


def test_without_a_reading_the_word_checks_decide(tmp_path: Path) -> None:
    """Nonsense and silence cost no fact that the checks believe, and are counted."""
    with serving(lambda prompt, number: Said("fine!") if "Judge facts" in prompt else script(prompt, number)) as server:
        run = run_on(tmp_path, base_url=server.url, second_reading="auto")
        counts = distilled(run)
    assert facts(run)[LIE["text"]] == ("allow", "")
    assert facts(run)[DOUBTED["text"]][0] == "hold"
    assert sum(counts["second_reading"]["unread"].values()) == 4
    assert [row[0] for row in windows(run)] == ["distilled"]


def test_of_a_reading_that_is_always_cut_off_the_verdicts_that_stand_whole_count(tmp_path: Path) -> None:
    """Nothing of it was read before, so that the lie went on."""
    cut = READING[: READING.rindex("}, {")]

    def read(prompt: str, number: int) -> Said:
        return Said(cut, stop="length") if "Judge facts" in prompt else script(prompt, number)

    with serving(read) as server:
        run = run_on(tmp_path, base_url=server.url, second_reading="auto")
        distilled(run)
    assert facts(run)[LIE["text"]] == ("hold", "second reading: role: the user asked")
    assert facts(run)[TRUE["text"]] == ("allow", "")
    assert windows(run) == [("distilled", "", 1)]


def test_a_reading_is_paid_for_once(tmp_path: Path) -> None:
    """A night that dies before it stores its rows finds both answers again."""
    with serving(script) as server:
        run = run_on(tmp_path, base_url=server.url, second_reading="auto")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("effects.distil.distil_step._commit_batch", _die)
            with pytest.raises(KeyboardInterrupt):
                distilled(run)
        distilled(run_on(tmp_path, base_url=server.url, second_reading="auto"))
    assert len(server.requests) == len(calls(run)) == 2
    assert facts(run)[LIE["text"]][0] == "hold"


def _die(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("setting", "observer", "asked"),
    [
        ("off", "instructor:openai/gpt-4o-mini", ["openai/gpt-4o-mini"]),
        ("auto", "instructor:openai/gpt-6.1-sol", ["openai/gpt-6.1-sol", "openai/gpt-6.1-sol"]),
        ("instructor:openai/gpt-5-nano", "instructor:openai/gpt-4.1", ["openai/gpt-4.1", "openai/gpt-5-nano"]),
    ],
)
def test_who_reads_is_a_setting(tmp_path: Path, setting: str, observer: str, asked: list[str]) -> None:
    """By default the observer reads where that costs little; another model can be named."""
    with serving(script) as server:
        run = run_on(tmp_path, observer, base_url=server.url, second_reading=setting)
        counts = distilled(run)
    assert sorted(row["model"] for row in calls(run)) == sorted(asked)
    assert bool(counts["second_reading"]["engine"])


@each_case(
    ("model", "is_dear"),
    [
        ("anthropic/claude-haiku-4-5", False),
        ("ollama/qwen3:14b", False),
        ("anthropic/claude-opus-4-1", True),
        ("who/knows", True),
    ],
)
def test_a_dear_model_reads_only_when_it_is_asked_to(model: str, is_dear: bool) -> None:
    """The bound is a price per window; the note names the setting."""
    note = find_dear_reading(model, BudgetLimits(1, 1))
    assert bool(note) == is_dear
    assert is_dear == ("RECOLLECT_DISTIL__SECOND_READING" in note)


def test_the_offline_engine_is_not_read(tmp_path: Path) -> None:
    """It quotes, and nothing may leave the machine."""
    run = run_on(tmp_path, "offline", second_reading="auto")
    assert "second_reading" not in distilled(run)
    assert calls(run) == []


@pytest.mark.parametrize(
    ("kind", "told", "kept"),
    [
        ("decision", "request", ("request", "high", "allow")),
        ("decision", "file_change", ("file_change", "medium", "allow")),
        ("decision", "rule", ("decision", "high", "allow")),
        ("request", "progress", ("request", "high", "allow")),
        ("decision", "decree", ("decision", "high", "allow")),
    ],
)
def test_a_fact_of_which_only_the_kind_claims_too_much_goes_on_under_the_one_that_it_is(
    tmp_path: Path, kind: str, told: str, kept: tuple[str, ...]
) -> None:
    """Its words are true, so it is not lost; nothing becomes binding or done by a reading, and nothing open is closed."""
    said = {"text": "The user wants the importer built with care.", "kind": kind, "priority": "high"}
    reading = json.dumps({"facts": [{"fact": 1, "verdict": "supported"}, {"fact": 2, "verdict": "supported", "kind": told}]})

    def read(prompt: str, _number: int) -> Said:
        return Said(reading if "Judge facts" in prompt else answer(prompt, said))

    with serving(read) as server:
        run = run_on(tmp_path, base_url=server.url, second_reading="auto")
        distilled(run)
    row = next(row for row in run.lake.read("observations").to_dicts() if row["text"] == said["text"])
    assert (row["kind"], row["priority"], row["verdict"]) == kept
    assert row["observation_id"] == make_observation_id(row["segment_id"], kind, said["text"])
    assert row["verdict_reason"] == (f"second reading: {told}, noted as {kind}" if row["kind"] != kind else "")


def test_a_supported_correction_that_nobody_typed_goes_on_as_a_finding(tmp_path: Path) -> None:
    """What a check showed of another agent's claim is true; its owner never said it, so it binds nothing."""
    said = {"text": "Nothing of what was reported is there.", "kind": "correction", "priority": "medium"}
    reading = json.dumps({"facts": [{"fact": 1, "verdict": "supported"}, {"fact": 2, "verdict": "supported"}]})

    def read(prompt: str, _number: int) -> Said:
        return Said(reading if "Judge facts" in prompt else answer(prompt, said | {"refs": references(prompt)[-1:]}))

    for setting, kept in (("auto", ("fact", "allow")), ("off", ("correction", "hold"))):
        with serving(read) as server:
            run = run_on(tmp_path / setting, base_url=server.url, second_reading=setting)
            distilled(run)
        row = next(row for row in run.lake.read("observations").to_dicts() if row["text"] == said["text"])
        assert (row["kind"], row["verdict"]) == kept


@each_case(("count", "sizes"), [(0, []), (24, [24]), (25, [25]), (40, [40]), (41, [24, 17]), (64, [24, 40])])
def test_few_facts_that_are_left_join_the_request_before_them(count: int, sizes: list[int]) -> None:
    """Excerpts and instructions are most of a request."""
    facts = [Fact(text=f"fact {at}", ordinals=(at,), kind="fact", priority="low", category="projects") for at in range(count)]
    parts = second_reading.split_facts(facts)
    assert [len(part) for part in parts] == sizes
    assert [fact for part in parts for fact in part] == facts
