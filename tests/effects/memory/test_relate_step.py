"""A model relates new facts to earlier ones, once, within a night's limit; dedupe acts on it."""

from __future__ import annotations

import json
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import effects.memory.relate_step as step
from effects.config.settings import EngineSettings, Settings
from effects.engines.model_chain import NoAnswerError
from effects.judging.told_relations import read_changed_parts
from effects.memory.dedupe_step import dedupe
from effects.memory.relate_step import relate
from effects.store.lake import Lake
from effects.store.run import Run
from tests.effects.engines.model_server import Said, serving
from tests.effects.engines.reflecting_world import MODEL, MONDAY, observation
from tests.effects.recall_world import entry, write
from transforms.pages.fact_marks import make_memory_id
from transforms.pairing import new_facts
from transforms.tables.enums import OFFLINE
from transforms.tables.schema import OBSERVATIONS, RELATIONS, build_frame, read_rows

TEXTS = ("the frontend of the shop uses yew", "htmx renders the frontend of the shop", "never mail the shop customers at night")


def run_over(folder: Path, reflector: str = MODEL, url: str = "", day: int = 3) -> Run:
    """Return a run over three facts of one project, said on consecutive days."""
    settings = Settings(
        lake=folder / "lake", workspace=folder / "work", timezone="UTC", owner="joel",
        engine=EngineSettings(reflector=reflector, base_url=url or None, budget_day_usd=10, budget_run_usd=10),
    )  # fmt: skip
    run = Run(settings, Lake(settings.lake), datetime(2026, 3, day, 12, tzinfo=UTC))
    if not run.lake.read("observations").height:
        rows = [observation(at, text, "decision", "high", MONDAY) for at, text in enumerate(TEXTS)]
        with run.lake.writing("test"), run.lake.commit() as change:
            change.replace_days("observations", build_frame(OBSERVATIONS, rows), [MONDAY])
    return run


def read_relations(run: Run) -> tuple[Any, Any]:
    """Relate and dedupe; return the counts of the former, and id → successor."""
    with run.lake.writing("test"):
        counts = relate(run)
        dedupe(run)
    rows = run.lake.read("observations").select("observation_id", "superseded_by").iter_rows()
    return counts, dict(rows)


def replacing(prompt: str, _number: int) -> Said:
    """Tell that the fact about htmx replaces the one about yew."""
    new = 0
    for line in prompt.splitlines():
        if results := re.match(r"(\d+)\. NEW .*htmx", line):
            new = int(results[1])
        elif new and (below := re.match(r" +([a-p])\. .*yew", line)):
            return Said(json.dumps({"pairs": [{"pair": f"{new}{below[1]}", "relation": "replaces"}]}))
    return Said('{"pairs": []}')


def test_a_told_replacement_retires_the_earlier_fact_once(tmp_path: Path) -> None:
    """One request; the next run, and the next day, ask nothing and change nothing."""
    with serving(replacing) as server:
        counts, successors = read_relations(run_over(tmp_path, url=server.url))
        assert successors["o-0000"] == "o-0001"
        assert counts["relations"]["replaces"] == 1
        assert len(server.requests) == 1
        files = {path: path.read_bytes() for path in (tmp_path / "lake").rglob("*.parquet")}
        for day in (3, 4):
            assert read_relations(run_over(tmp_path, url=server.url, day=day))[0]["facts"] == 0
        assert {path: path.read_bytes() for path in (tmp_path / "lake").rglob("*.parquet")} == files
        assert len(server.requests) == 1


ASKED = "joel wants the customer export of the shop as CSV"
DONE = "the customer export of the shop writes CSV, 12 tests pass"


@pytest.mark.parametrize(("kind", "origin", "is_asked"), [
    ("completion", "tool", True), ("completion", "agent", True), ("fact", "tool", False), ("completion", "other", False),
])  # fmt: skip
def test_a_request_of_another_session_is_finished_by_what_a_command_showed(
    tmp_path: Path, kind: str, origin: str, is_asked: bool
) -> None:
    """A model reads off a passing test or a commit that work is done, so that fact is asked about; any other output is not."""
    run = run_over(tmp_path)
    asked = observation(10, ASKED, "request", "high", MONDAY) | {
        "engine": MODEL,
        "origin": "owner",
        "session_id": "s8",
        "window_id": "w8",
    }
    done = observation(11, DONE, kind, "medium", MONDAY) | {
        "engine": MODEL,
        "origin": origin,
        "session_id": "s9",
        "window_id": "w9",
    }
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace_days("observations", build_frame(OBSERVATIONS, [asked, done]), [MONDAY])

    def finishing(prompt: str, _number: int) -> Said:
        finished = '{"pairs": [{"pair": "1a", "relation": "finishes"}]}'
        return Said(finished if f"NEW 2026-03-02 [{kind}]" in prompt else '{"pairs": []}')

    with serving(finishing) as server:
        _, successors = read_relations(run_over(tmp_path, url=server.url))
    assert (successors["o-0010"] == "o-0011") is is_asked


UNTIL = "the shop stays on the fork of the export library until its release is out"
SHOWN = "npm ls shows the export library of the shop at its release 2.4.1"


def tell(relation: str, kind: str) -> Any:
    """Return a model that tells this relation of the first pair of the first new fact of a kind."""

    def relating(prompt: str, _number: int) -> Said:
        block = re.search(rf"(\d+)\. NEW \S+ \[{kind}\].*\n +([a-p])\. ", prompt)
        pairs = [{"pair": f"{block[1]}{block[2]}", "relation": relation}] if block else []
        return Said(json.dumps({"pairs": pairs}))

    return relating


def write_pair(folder: Path, *rows: dict[str, Any]) -> None:
    """Write facts of a model, each of a session of its own, in place of those of the run."""
    run = run_over(folder)
    told = [row | {"engine": MODEL, "session_id": f"s{at}", "window_id": f"w{at}"} for at, row in enumerate(rows)]
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace_days("observations", build_frame(OBSERVATIONS, told), [MONDAY])


@pytest.mark.parametrize(("kind", "shown_kind"), [("decision", "completion"), ("rule", "fact"), ("preference", "status")])
@pytest.mark.parametrize(
    ("relation", "mark"), [("replaces", f"perhaps over since {MONDAY}: {SHOWN} (o-0011)"), ("outdates", None)]
)
def test_the_output_of_a_command_retires_no_words_of_a_person_and_says_that_they_may_be_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, relation: str, mark: str | None, kind: str, shown_kind: str
) -> None:
    """Until the person says it again; what they were bound to is shown to be over by nothing but that output."""
    monkeypatch.setattr(step, "_align_vectors", lambda _run, compared: np.ones((len(compared), 1), np.float32))
    until = observation(10, UNTIL, kind, "high", MONDAY) | {"origin": "owner"}
    shown = observation(11, SHOWN, shown_kind, "medium", MONDAY) | {"origin": "tool"}
    write_pair(tmp_path, until, shown)
    with serving(tell(relation, shown_kind)) as server:
        run = run_over(tmp_path, url=server.url)
        assert read_relations(run)[1] == {"o-0010": None, "o-0011": None}
        assert len(server.requests) == 1
    assert {key: [part.describe() for part in parts] for key, parts in read_changed_parts(run).items()} == (
        {"o-0010": [mark]} if mark else {}
    )
    again = observation(12, UNTIL, kind, "high", MONDAY) | {"origin": "owner", "engine": MODEL, "session_id": "s7"}
    again |= {"said_at": shown["said_at"] + timedelta(hours=1)}
    with run.lake.writing("test"), run.lake.commit() as change:
        stored = read_rows(OBSERVATIONS, run.lake.read("observations"))
        change.replace_days("observations", build_frame(OBSERVATIONS, [*stored, again]), [MONDAY])
    with run.lake.writing("test"):
        dedupe(run)
    assert read_changed_parts(run) == {}


@pytest.mark.parametrize(
    ("said", "heir"), [("the release of the library is out, leave the fork", "o-0011"), ("and the weather?", None)]
)
def test_work_that_cites_its_owners_words_ends_what_they_said_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, heir: str | None
) -> None:
    """A model cites the output that shows the work first, and behind it who said that it is over."""
    monkeypatch.setattr(step, "_align_vectors", lambda _run, compared: np.ones((len(compared), 1), np.float32))
    until = observation(10, UNTIL, "decision", "high", MONDAY) | {"origin": "owner"}
    shown = observation(11, SHOWN, "completion", "medium", MONDAY) | {"origin": "tool"}
    write_pair(tmp_path, until, shown | {"entry_ids": ["00000001", "00000000"], "ordinals": [1, 0]})
    run = run_over(tmp_path)
    write(run, "entries", [entry("s1", 0, "user", said), entry("s1", 1, "toolResult", SHOWN)])
    with serving(tell("replaces", "completion")) as server:
        assert read_relations(run_over(tmp_path, url=server.url))[1]["o-0010"] == heir


def test_a_pair_that_rules_found_in_the_same_night_is_the_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules run first; a model that is asked about the same pair has the last word, and the table has the pair once."""
    by_rules: Any = {
        "older_id": "o-0000", "newer_id": "o-0001", "relation": "changed_number", "engine": OFFLINE, "template_hash": "",
        "asked_on": MONDAY, "reports_asked_on": None, "keeps": [], "older_source": None, "newer_source": None,
    }  # fmt: skip
    run = run_over(tmp_path)
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace("relations", build_frame(RELATIONS, [by_rules]))
    with serving(replacing) as server:
        run = run_over(tmp_path, url=server.url)
        assert read_relations(run)[1]["o-0000"] == "o-0001"
    told = run.lake.read("relations").select("older_id", "newer_id", "relation").rows()
    assert [row for row in told if row[:2] == ("o-0000", "o-0001")] == [("o-0000", "o-0001", "replaces")]


@pytest.mark.parametrize(("relation", "heir"), [("finishes", "o-0011"), ("replaces", None), ("restates", None)])
def test_a_request_for_another_project_is_finished_by_the_work_that_was_done_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, relation: str, heir: str | None
) -> None:
    monkeypatch.setattr(step, "_align_vectors", lambda _run, compared: np.ones((len(compared), 1), np.float32))
    asked = observation(10, "joel wants both certificates in the image of the firmware", "request", "high", MONDAY) | {
        "origin": "owner"
    }
    done = observation(11, "both certificates are in the image, the build is signed", "completion", "medium", MONDAY)
    write_pair(tmp_path, asked, done | {"origin": "tool", "project": "/code/firmware"})
    with serving(tell(relation, "completion")) as server:
        assert read_relations(run_over(tmp_path, url=server.url))[1] == {"o-0010": heir, "o-0011": None}


def test_words_of_a_replaced_fact_that_go_on_to_hold_are_said_beside_the_newer_one(tmp_path: Path) -> None:
    """The relation stores where they stand, and no word of them."""
    kept = "and no customer pays for delivery"
    run = run_over(tmp_path)
    older = observation(0, f"{TEXTS[0]}, {kept}", "decision", "high", MONDAY)
    newer = observation(1, TEXTS[1], "decision", "high", MONDAY)
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace_days("observations", build_frame(OBSERVATIONS, [older, newer]), [MONDAY])
    told = json.dumps({"pairs": [{"pair": "1a", "relation": "replaces", "keeps": kept}]})
    with serving(lambda _prompt, _number: Said(told)) as server:
        run = run_over(tmp_path, url=server.url)
        assert read_relations(run)[1]["o-0000"] == "o-0001"
    (row,) = (row for row in read_rows(RELATIONS, run.lake.read("relations")) if row["older_id"] == "o-0000")
    assert kept not in str(row)
    (part,) = read_changed_parts(run)["o-0001"]
    assert part.describe() == f"still, from {older['said_at']:%Y-%m-%d}: {kept} (o-0000)"


REPORTS = (
    ("fix", "trunk serve starts the yew frontend of the shop"),
    ("root_cause", "the yew frontend was slow because of debug builds"),
)


def add_reports(run: Run) -> None:
    """Add reports of work from before the facts to their project."""
    rows = [observation(10 + at, text, kind, "medium", MONDAY) for at, (kind, text) in enumerate(REPORTS)]
    early = [row | {"said_at": row["said_at"] - timedelta(hours=2)} for row in rows]
    with run.lake.writing("test"), run.lake.commit() as change:
        stored = read_rows(OBSERVATIONS, run.lake.read("observations"))
        change.replace_days("observations", build_frame(OBSERVATIONS, [*stored, *early]), [MONDAY])


def is_about_reports(prompt: str) -> bool:
    return "trunk serve" in prompt and "the frontend of the shop uses yew" not in prompt


def outdating_trunk(prompt: str) -> Said:
    """Tell that the report about trunk is outdated."""
    letters = re.findall(r"^ +([a-p])\. .*trunk", prompt, re.M)
    return Said(json.dumps({"pairs": [{"pair": f"1{letter}", "relation": "outdates"} for letter in letters]}))


def test_a_report_that_went_by_a_replaced_fact_is_retired_and_a_lesson_stays(tmp_path: Path) -> None:
    """A second request, in the same night, shows the reports near the replaced fact."""
    add_reports(run_over(tmp_path))

    def relating(prompt: str, number: int) -> Said:
        return outdating_trunk(prompt) if is_about_reports(prompt) else replacing(prompt, number)

    with serving(relating) as server:
        counts, successors = read_relations(run_over(tmp_path, url=server.url))
        asked = len(server.requests)
        assert read_relations(run_over(tmp_path, url=server.url, day=4))[0]["facts"] == 0
        assert len(server.requests) == asked == 2
    assert counts["relations"]["outdates"] == 1
    assert successors == {"o-0000": "o-0001", "o-0001": None, "o-0002": None, "o-0010": "o-0001", "o-0011": None}


@pytest.mark.parametrize("fault", ["a bad answer", "no budget"])
def test_reports_near_a_replaced_fact_are_asked_about_in_a_later_night_when_the_first_gave_no_answer(
    tmp_path: Path, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The replacement is stored and acted on at once; a night later the replaced fact is retired, and its reports are found."""
    add_reports(run_over(tmp_path))
    is_failing, ask = [True], step._ask

    def relating(prompt: str, number: int) -> Said:
        if not is_about_reports(prompt):
            return replacing(prompt, number)
        return Said("no idea") if is_failing else outdating_trunk(prompt)

    def ask_without_budget(run: Run, judge: Any, groups: Any) -> Any:
        if is_failing and any("trunk" in pair.older.text for group in groups for pair in group):
            raise NoAnswerError("budget of the day", is_waiting=True)
        return ask(run, judge, groups)

    if fault == "no budget":
        monkeypatch.setattr(step, "_ask", ask_without_budget)
    with serving(relating) as server:
        counts, successors = read_relations(run_over(tmp_path, url=server.url))
        assert counts["waiting"]
        assert (successors["o-0000"], successors["o-0010"]) == ("o-0001", None)
        is_failing.clear()
        counts, successors = read_relations(run_over(tmp_path, url=server.url, day=4))
        assert counts["relations"]["outdates"] == 1
        assert "waiting" not in counts
        assert successors["o-0010"] == "o-0001"
        asked = len(server.requests)
        assert read_relations(run_over(tmp_path, url=server.url, day=5))[0]["facts"] == 0
        assert len(server.requests) == asked


def test_a_request_about_reports_that_always_fails_holds_up_no_new_fact(tmp_path: Path) -> None:
    add_reports(run_over(tmp_path))

    def relating(prompt: str, number: int) -> Said:
        return Said("no idea") if is_about_reports(prompt) else replacing(prompt, number)

    with serving(relating) as server:
        read_relations(run_over(tmp_path, url=server.url))
        run = run_over(tmp_path)
        new = observation(30, "the shop serves coffee", "decision", "high", MONDAY + timedelta(days=1))
        with run.lake.writing("test"), run.lake.commit() as change:
            change.replace_days("observations", build_frame(OBSERVATIONS, [new]), [MONDAY + timedelta(days=1)])
        counts = read_relations(run_over(tmp_path, url=server.url, day=4))[0]
    assert counts["waiting"]
    assert run.lake.read("relations").filter(newer_id="o-0030").height


def test_a_statement_of_one_project_retires_one_of_another_only_when_a_model_says_so(tmp_path: Path) -> None:
    """Both projects are compared then; a restatement in another project joins nothing but rules and preferences."""
    run = run_over(tmp_path)
    elsewhere = observation(20, "the frontend of every shop uses yew", "decision", "high", MONDAY) | {"project": "/code/other"}
    elsewhere |= {"said_at": elsewhere["said_at"] - timedelta(hours=2)}
    with run.lake.writing("test"), run.lake.commit() as change:
        stored = read_rows(OBSERVATIONS, run.lake.read("observations"))
        change.replace_days("observations", build_frame(OBSERVATIONS, [*stored, elsewhere]), [MONDAY])
    for relation, successor in (("restates", None), ("replaces", "o-0001")):

        def relating(prompt: str, _number: int, relation: str = relation) -> Said:
            block = re.search(r"(\d+)\. NEW [^\n]*htmx.*?([a-p])\. \S+ \[decision\] other: ", prompt, re.S)
            pairs = [{"pair": f"{block[1]}{block[2]}", "relation": relation}] if block else []
            return Said(json.dumps({"pairs": pairs}))

        folder = tmp_path / relation
        shutil.copytree(tmp_path / "lake", folder / "lake")
        with serving(relating) as server, pytest.MonkeyPatch.context() as patch:
            patch.setattr(step, "_align_vectors", lambda _run, compared: np.ones((len(compared), 1), np.float32))
            successors = read_relations(run_over(folder, url=server.url))[1]
        assert successors["o-0020"] == successor


def test_without_an_answer_the_facts_wait(tmp_path: Path) -> None:
    """The words decide until a model can be asked."""
    with serving(lambda _prompt, _number: Said("no idea")) as server:
        counts, successors = read_relations(run_over(tmp_path, url=server.url))
        assert counts["waiting"]
        assert set(successors.values()) == {None}
        server.script = replacing
        assert read_relations(run_over(tmp_path, url=server.url, day=4))[1]["o-0000"] == "o-0001"


def test_a_night_asks_about_few_pairs_and_the_next_about_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run of the same day does not go on."""
    monkeypatch.setattr(new_facts, "MAX_PAIRS", 1)
    monkeypatch.setattr(new_facts, "MAX_BACKLOG_PAIRS", 1)
    with serving(replacing) as server:
        first = read_relations(run_over(tmp_path, url=server.url))[0]
        assert read_relations(run_over(tmp_path, url=server.url))[0]["facts"] == 0
        second = read_relations(run_over(tmp_path, url=server.url, day=4))[0]
    assert first["facts"] < 3
    assert second["facts"] > 0


def test_offline_nothing_is_asked(tmp_path: Path) -> None:
    """The step is there, and does nothing."""
    run = run_over(tmp_path, "offline")
    assert read_relations(run)[0] == {}
    assert run.lake.read("relations").height == 0


def test_lines_of_memory_are_asked_about_too_and_change_no_fact(tmp_path: Path) -> None:
    """A line by hand rests on no fact, so it has pairs of its own; its relation is kept for reflection. A page may repeat it."""
    run = run_over(tmp_path)
    run.settings.workspace.mkdir()
    line = "- The frontend of the shop is written in yew\n"
    page = f"# Memory\n\n## System Architecture\n\n{line}- (2026-03-09) The shop has tea\n{line}"
    (run.settings.workspace / "MEMORY.md").write_text(page, encoding="utf-8")

    def replacing_line(prompt: str, _number: int) -> Said:
        assert prompt.count("The frontend of the shop is written in yew") == 1
        assert "has tea" not in prompt  # written after the facts
        (mark,) = re.findall(r"^(m\d+)\. The frontend", prompt, re.M)
        (new,) = re.findall(r"^(\d+)\. NEW .*htmx", prompt, re.M)
        return Said(json.dumps({"pairs": [{"pair": f"{new}{mark}", "relation": "replaces"}]}))

    with serving(replacing_line) as server:
        successors = read_relations(run_over(tmp_path, url=server.url))[1]
    relations = read_rows(RELATIONS, run.lake.read("relations").filter(relation="replaces"))
    line = make_memory_id("The frontend of the shop is written in yew")
    assert [(row["older_id"], row["newer_id"]) for row in relations] == [(line, "o-0001")]
    assert set(successors.values()) == {None}


def test_a_fact_in_the_words_of_an_earlier_one_is_merged_and_nobody_is_asked(tmp_path: Path) -> None:
    """Case and punctuation are no words; in another project the same words are another fact."""
    run = run_over(tmp_path)
    again = observation(7, "The frontend of the shop uses yew.", "state_change", "high", MONDAY + timedelta(days=3))
    other = observation(8, TEXTS[0], "decision", "high", MONDAY + timedelta(days=3)) | {"project": "/code/other"}
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace_days("observations", build_frame(OBSERVATIONS, [again, other]), [MONDAY + timedelta(days=3)])
    asked: list[str] = []

    def answer(prompt: str, _number: int) -> Said:
        asked.append(prompt)
        return Said('{"pairs": []}')

    with serving(answer) as server:
        counts, successors = read_relations(run_over(tmp_path, url=server.url, day=6))
    assert counts["relations"]["restates"] == 1
    assert not any("uses yew." in prompt for prompt in asked)
    assert successors["o-0000"] == "o-0007" or successors["o-0007"] == "o-0000"
    assert successors["o-0008"] is None
