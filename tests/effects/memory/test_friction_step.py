"""Friction: what keeps going wrong over sessions is proposed once, with its evidence, its target and the exact change."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from effects.config.settings import EmbeddingSettings, EngineSettings, FrictionSettings, ReviewSettings, Settings
from effects.memory.forget_targets import ForgetRequest, find_scope
from effects.memory.friction_step import friction
from effects.memory.review_step import review
from effects.pages.render_step import render
from effects.recall.ask import ask, open_recall
from effects.store.run import Run, open_run
from effects.system.errors import NotFoundError
from tests.each_case import each_case
from tests.effects.engines.model_server import ModelServer, Said, Script, serving
from tests.effects.engines.reflecting_world import MODEL
from tests.season import STEPS, night
from transforms.friction.command_runs import CommandRun
from transforms.friction.cures import Cure
from transforms.friction.patterns import SessionLog, find_failures, find_missing_skills
from transforms.recall.types import Filters

FIRST = datetime(2026, 3, 2, 9, tzinfo=UTC)
RELEASE = ("make changelog", "git tag v1.0.0", "git push --tags origin")
PIP_ERROR = "error: externally-managed-environment"


class Desk:
    """Writes sessions of a project and runs nights."""

    def __init__(self, root: Path, **friction_settings: Any) -> None:
        self.root = root
        (root / "sessions").mkdir()
        limits = FrictionSettings(**({"min_days": 0, "min_observations": 0} | friction_settings))
        self.settings = Settings(
            sessions=(root / "sessions",), lake=root / "lake", workspace=root / "ws", timezone="UTC", owner="mara",
            friction=limits, review=ReviewSettings(per_week=20), embedding=EmbeddingSettings(model=str(root / "none")),
        )  # fmt: skip
        self.count = 0
        self.steps = tuple(name for name in STEPS if name != "index")  # friction reads the lake alone

    def session(self, day: int, *turns: tuple[str, str] | tuple[str, str, str, int], project: str = "/work/shop") -> str:
        """Write a session of typed turns with answers, or of commands (`$`, command, output, exit code)."""
        self.count += 1
        name, at = f"session-{self.count}", FIRST + timedelta(days=day)
        lines: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": name, "timestamp": _iso(at), "cwd": project}]

        def add(message: dict[str, Any]) -> None:
            number = len(lines)
            parent = f"e{number - 1}" if number > 1 else None
            stamp = _iso(at + timedelta(minutes=number))
            lines.append({"type": "message", "id": f"e{number}", "parentId": parent, "timestamp": stamp, "message": message})

        for turn in turns:
            if turn[0] == "$":
                _, command, output, code = turn  # type: ignore[misc]
                call = {"type": "toolCall", "id": f"c{len(lines)}", "name": "bash", "arguments": {"command": command}}
                add({"role": "assistant", "content": [call]})
                words = output + (f"\n\nCommand exited with code {code}" if code else "")
                text = [{"type": "text", "text": words}]
                add({"role": "toolResult", "toolCallId": call["id"], "toolName": "bash", "content": text, "isError": bool(code)})
            else:
                add({"role": "user", "content": [{"type": "text", "text": turn[0]}]})
                add({"role": "assistant", "content": [{"type": "text", "text": turn[1]}]})
        talk = "".join(json.dumps(line) + "\n" for line in lines)
        (self.root / "sessions" / f"{name}.jsonl").write_text(talk, encoding="utf-8")
        return name

    def night(self, day: int) -> Run:
        night(self.settings, FIRST + timedelta(days=day, hours=18), self.steps)
        return open_run(self.settings, FIRST + timedelta(days=day, hours=22))

    def look(self, day: int) -> dict[str, Any]:
        run = self.night(day)
        with run.lake.writing("test"):
            review(run)
            counts = friction(run)
            render(run)
        return counts

    def proposals(self) -> list[dict[str, Any]]:
        rows = open_run(self.settings, FIRST).lake.read("proposals").rows(named=True)
        return [row for row in rows if row["kind"] == "friction"]


def _build_run(session: str, command: str, error: str = "") -> CommandRun:
    return CommandRun(session, 1, ("e1",), (1,), FIRST, command, bool(error), int(bool(error)), error, whole=command)


def _build_failing_logs(error: str) -> list[SessionLog]:
    """Return two sessions with the same failure, which another command cured in the first of them."""
    logs = [SessionLog(name, "/work/shop", [_build_run(name, "make check", error)]) for name in ("s1", "s2")]
    logs[0].cures.append(Cure(logs[0].runs[0], _build_run("s1", "make setup"), is_other_command=False))
    return logs


def _iso(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


SMALL_TALK = tuple((f"Please look at part {n} of the importer", f"Part {n} is fine.") for n in range(5))
PIP = ("$", "pip install requests", f"{PIP_ERROR}\n× This environment is externally managed", 1)
UV = ("$", "uv pip install requests", "Installed 1 package", 0)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_misused_tool_is_proposed_with_sessions_target_and_change(desk: Desk) -> None:
    """The same failure in two sessions, and what worked instead: the line goes into AGENTS.md of the project."""
    sessions = [desk.session(day, *SMALL_TALK, PIP, UV) for day in (0, 2)]
    desk.look(3)
    (changes,) = desk.proposals()
    assert changes["proposal_id"] == "f-20260306-001"
    assert (changes["pattern"], changes["target"], changes["op"]) == (
        "tool misuse",
        "/work/shop/AGENTS.md",
        "add",
    )
    assert changes["text"] == (
        "Run `pip install requests` as `uv pip install requests`: without `uv` it fails here with “" + PIP_ERROR + "”"
    )
    assert {name.partition(":")[0] for name in changes["evidence_ids"]} == set(sessions)
    assert changes["severity"] >= 2
    page = (desk.root / "ws" / "REVIEW.md").read_text(encoding="utf-8")
    assert "## Friction Fixes" in page
    assert "Tool misuse, severity" in page
    assert page.count(PIP_ERROR) >= 3  # the line and its two sources


def test_one_session_is_not_enough_evidence(desk: Desk) -> None:
    """However often it failed there."""
    desk.session(0, *SMALL_TALK, PIP, UV, PIP, UV)
    desk.session(1, *SMALL_TALK)
    counts = desk.look(2)
    assert counts["proposed"] == 0
    assert counts["note"].startswith("no friction: nothing went wrong in the same way in two sessions (1 session of")


def test_it_is_silent_before_there_is_enough_history(tmp_path: Path) -> None:
    """14 days and 100 observations by default; both are named."""
    desk = Desk(tmp_path, min_days=14, min_observations=100)
    for day in (0, 2):
        desk.session(day, *SMALL_TALK, PIP, UV)
    counts = desk.look(3)
    assert counts["reason"] == "too_little_history"
    assert counts["note"].startswith("too little history to look for friction: 4 of 14 days and ")
    assert desk.proposals() == []


def test_after_eight_weeks_few_facts_suffice(tmp_path: Path) -> None:
    """Whoever works little has few facts after months; before, what lacks is named alone."""
    limits = FrictionSettings()
    desk = Desk(tmp_path, min_days=limits.min_days, min_observations=limits.min_observations)
    for day in (0, 40, 53, 55):
        desk.session(day, *SMALL_TALK, PIP, UV)
    note = desk.look(41)["note"]
    assert note.startswith("too little history to look for friction: ")
    assert note.endswith("of 100 facts")
    assert desk.look(56)["proposed"] == 1


@pytest.mark.parametrize("mark", ["x", "-"])
def test_nothing_is_proposed_twice(desk: Desk, mark: str) -> None:
    """Neither in the next run nor after a decision, although it happens again."""
    for day in (0, 2):
        desk.session(day, *SMALL_TALK, PIP, UV)
    desk.look(3)
    desk.look(4)
    assert len(desk.proposals()) == 1
    page = desk.root / "ws" / "REVIEW.md"
    page.write_text(page.read_text(encoding="utf-8").replace("- [ ] `f-", f"- [{mark}] `f-"), encoding="utf-8")
    desk.session(5, *SMALL_TALK, PIP, UV)
    desk.look(6)
    assert [row["status"] for row in desk.proposals()] == ["approved" if mark == "x" else "rejected"]


def test_the_patterns_are_found_and_nothing_else(desk: Desk) -> None:
    """Each seeded in two sessions (a sequence of commands in three), among ordinary work. The line that the owner contradicts is
    offered for replacement by the reflection of the night before, so no friction offers it once more."""
    memory = desk.root / "ws" / "MEMORY.md"
    desk.night(0) if desk.session(0, *SMALL_TALK) else None
    memory.write_text("# Memory\n\n## System Architecture\n\n- (2026-03-01) The API listens on port 9477\n", encoding="utf-8")
    docker = ("$", "docker compose up -d", "Error response from daemon: network shop_net not found", 1)
    network = ("$", "docker network create shop_net", "created", 0)
    up = ("$", "docker compose up -d", "started", 0)
    lint = ("$", "npm run check:types", "error TS6053: File 'env.d.ts' not found", 2)
    types, linted = ("$", "npm run generate:env", "written", 0), ("$", "npm run check:types", "ok", 0)
    release = (("$", "make changelog", "ok", 0), ("$", "git tag v1.0.0", "ok", 0), ("$", "git push --tags origin", "ok", 0))
    for day in (1, 2, 3):
        desk.session(day, *SMALL_TALK, *release)
    for day in (1, 3):
        desk.session(day, *SMALL_TALK, PIP, UV)
        desk.session(day, *SMALL_TALK, docker, network, up)
        desk.session(day, *SMALL_TALK, lint, *((types, linted) if day == 1 else ()))
        again = "Never use force push on the main branch!!" if day == 1 else "No, never use force push on the main branch, i said"
        desk.session(day, (again, "Understood."), *SMALL_TALK)
        desk.session(day, ("The API listens on port 9500 now", "Noted: port 9500."), *SMALL_TALK)
    desk.look(4)
    desk.look(5)
    changes = {row["pattern"]: row for row in desk.proposals()}
    assert set(changes) == {
        "tool misuse", "configuration drift", "recurring failure", "missing skill", "repeated correction",
    }  # fmt: skip
    assert "docker network create shop_net" in changes["configuration drift"]["text"]
    assert changes["recurring failure"]["text"] == (
        "When `npm run check:types` fails with “error TS6053: File 'env.d.ts' not found”, run `npm run generate:env`, "
        "which cured it before"
    )
    assert "git tag v1.0.0" in changes["missing skill"]["text"]
    assert changes["missing skill"]["target"].endswith("SKILL.md")
    assert "force push" in changes["repeated correction"]["text"]
    rows = open_run(desk.settings, FIRST).lake.read("proposals").rows(named=True)
    assert [(row["kind"], row["op"], row["old_text"]) for row in rows if row["old_text"]] == [
        ("memory", "replace", "- (2026-03-01) The API listens on port 9477")
    ]


def test_three_commands_twice_are_not_a_skill_yet() -> None:
    logs = [SessionLog(name, "/work/shop", [_build_run(name, command) for command in RELEASE]) for name in ("s1", "s2", "s3")]
    assert find_missing_skills(logs[:2]) == []
    assert [friction.sessions for friction in find_missing_skills(logs)] == [("s1", "s2", "s3")]


@each_case(
    ("error", "count"),
    [
        ("error: could not connect to db.internal:5432: refused", 1),
        ("fatal: http://ci.example.com:8080/job not found", 1),
        ("src/shop/cart.ts(12,5): error TS2345", 0),
        ("main.go:77:9: error: ineffectual assignment", 0),
        ("SyntaxError: invalid syntax (rates.py, line 3)", 0),
    ],
)
def test_a_line_of_a_file_is_not_a_port_of_a_host(error: str, count: int) -> None:
    assert len(find_failures(_build_failing_logs(error))) == count


def test_a_failure_that_nothing_cured_names_no_change() -> None:
    """However many sessions it has: there is nothing that an owner could approve."""
    logs = _build_failing_logs("fatal: no route to db.internal")
    assert [friction.pattern for friction in find_failures(logs)] == ["recurring failure"]
    for log in logs:
        log.cures.clear()
    assert find_failures(logs) == []


def test_a_cure_answers_the_question_about_its_error(desk: Desk) -> None:
    """The command that cured an error is a fact of its own, with both exit codes, also after months."""
    desk.steps = STEPS
    desk.session(0, *SMALL_TALK, PIP, UV)
    for day in (1, 30, 90, 200):
        run = desk.night(day)
    cures = [row["text"] for row in run.lake.read("observations").rows(named=True) if row["kind"] == "cure"]
    assert cures == [
        f"`pip install requests` failed (exit 1: {PIP_ERROR}); `uv pip install requests` works instead (exit 0)"
    ]  # fmt: skip
    answer = ask(open_recall(run), "how do I fix externally-managed-environment?", Filters(project="all"))
    assert "uv pip install requests" in (answer.answer or "")


def _ask(desk: Desk, script: Script, day: int) -> tuple[dict[str, Any], ModelServer]:
    """Run a night with the offline engine, then look for friction with a model behind the script."""
    desk.night(day)
    with serving(script) as server:
        engine = EngineSettings(reflector=MODEL, base_url=server.url, budget_day_usd=10, budget_run_usd=10)
        run = open_run(replace(desk.settings, engine=engine), FIRST + timedelta(days=day, hours=22))
        with run.lake.writing("test"):
            counts = friction(run)
        return counts, server


def _correct_twice(desk: Desk, project: str = "/work/shop") -> None:
    desk.session(0, *SMALL_TALK, ("no, the comments in the parser must be english", "Sorry, translated."), project=project)
    desk.session(
        2, *SMALL_TALK, ("not german again, I want english docstrings in the parser module", "Translated."), project=project
    )


def _naming(prompt: str, _number: int) -> Said:
    refs = [int(number) for number in re.findall(r"^#(\d+) .*(?:english|german)", prompt, re.M)]
    item = {"pattern": "repeated correction", "text": "Comments in the parser are english, never german", "refs": refs}
    return Said(json.dumps({"items": [item]}))


def test_a_model_joins_a_correction_that_was_said_in_other_words(desk: Desk) -> None:
    """Rules compare words and find nothing; the model names the rows, and the next look offers the line no more."""
    project = desk.root / "shop"
    project.mkdir()
    rules = "# Rules\n\n- Commits are small\n- the password of staging is Quarz-Lampe-7719\n"
    (project / "AGENTS.md").write_text(rules, encoding="utf-8")
    _correct_twice(desk, str(project))
    assert desk.look(3)["proposed"] == 0
    counts, server = _ask(desk, _naming, 3)
    (found,) = desk.proposals()
    assert counts["proposed"] == 1
    assert found["pattern"] == "repeated correction"
    assert {row.split(":")[0] for row in found["evidence_ids"]}
    assert found["target"] == str(project / "AGENTS.md")
    assert len(server.requests) == 1
    assert f"## {project / 'AGENTS.md'}\n- Commits are small" in server.prompts()[0]
    assert "Quarz-Lampe-7719" not in server.prompts()[0]
    again, asked = _ask(desk, _naming, 4)
    assert again["proposed"] == 0
    assert found["text"] in asked.prompts()[0]  # it is told what was offered before


@pytest.mark.parametrize(("status", "proposed"), [("pending", 1), ("rejected", 0), ("expired", 1), ("approved", 1)])
def test_what_was_refused_for_memory_is_not_offered_as_friction(desk: Desk, status: str, proposed: int) -> None:
    """A no stays a no; what waits is told to the model; what the owner approved and has to say again is friction."""
    _correct_twice(desk)
    run = desk.night(3)
    said = run.lake.read("observations").filter(pl.col("text").str.contains("english|german"))
    line = {
        "proposal_id": "p-20260501-001", "kind": "memory", "op": "add", "section": "Patterns", "text": "No German anywhere",
        "target": "MEMORY.md", "evidence_ids": said["observation_id"].to_list(), "status": status, "said_at": run.as_of,
        "first_shown_at": run.as_of, "created_at": run.as_of,
    }  # fmt: skip
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace("proposals", pl.DataFrame([line]))
    counts, server = _ask(desk, _naming, 3)
    assert counts["proposed"] == proposed
    assert ("- No German anywhere" in server.prompts()[0]) is (status == "pending")


def test_rules_judge_where_no_model_answers_and_the_counts_say_why(desk: Desk) -> None:
    for day in (0, 2):
        desk.session(day, *SMALL_TALK, PIP, UV)
    counts, _server = _ask(desk, lambda _prompt, _number: Said("no idea"), 3)
    assert counts["proposed"] == 1
    assert counts["offline_instead"]


def test_nothing_is_sent_about_one_session(desk: Desk) -> None:
    desk.session(0, *SMALL_TALK, ("no, the comments in the parser must be english", "Sorry, translated."))
    counts, server = _ask(desk, _naming, 1)
    assert counts["proposed"] == 0
    assert not server.requests


def test_a_line_that_memory_has_is_not_offered_for_it_again(desk: Desk) -> None:
    def naming(prompt: str, number: int) -> Said:
        answer = json.loads(_naming(prompt, number).text)
        answer["items"][0]["target"] = "memory"
        return Said(json.dumps(answer))

    _correct_twice(desk)
    desk.look(3)
    (desk.root / "ws" / "MEMORY.md").write_text("# Memory\n\n## Patterns\n\n- Comments in the parser are english, never german\n")
    assert _ask(desk, naming, 3)[0]["proposed"] == 0


def test_forgetting_one_of_its_sessions_or_its_label_leaves_a_proposal(tmp_path: Path) -> None:
    """The others still show it, and nobody said the words of its label."""
    desk = Desk(tmp_path)
    names = [desk.session(day, *SMALL_TALK, PIP, UV) for day in (0, 1, 2)]
    desk.look(3)
    (row,) = desk.proposals()
    run = open_run(desk.settings, FIRST + timedelta(days=4))
    with pytest.raises(NotFoundError, match="nothing in memory"):
        find_scope(run, ForgetRequest(match=row["pattern"]))
    for request in (ForgetRequest(session=names[0]), ForgetRequest(record_id=row["evidence_ids"][0])):
        assert row["proposal_id"] not in find_scope(run, request).targets
