"""Lives through a season in a folder of its own: sessions, nights, and an oracle who reviews on most days."""

from __future__ import annotations

import contextlib
import json
import random
import time
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.distil.planting.transcript import Transcript
from benchmarks.memory.season_voice import ALL, SeasonFact, Turn, Voice, mentions
from effects.config.settings import EmbeddingSettings, EngineSettings, FrictionSettings, ReviewSettings, Settings, TierSettings
from effects.health.sample_sessions import FAMILIES, fake_secret
from effects.memory.friction_step import friction
from effects.memory.review_step import review
from effects.pages.render_step import render
from effects.store.run import Run, open_run
from flows.pipelines import NIGHTLY_STEPS
from flows.runner import name_step
from transforms.memory.same_claim import is_same_claim
from transforms.pages.memory_md import add_bullet, parse_memory
from transforms.pages.review.read_review import read_rendered_lines
from transforms.tables.rows import ProposalRow
from transforms.tables.schema import PROPOSALS, read_rows

FIRST_DAY = date(2026, 1, 5)
MISSED_NIGHT, AWAY_WEEK = 0.08, 0.15
"""Shares: nights that do not run, weeks without review."""
MIN_TURNS = 7
"""Typed turns of a session, distractions included: fewer are not distilled."""
BY_HAND = 4
"""Lines that the person writes into MEMORY.md by hand, of facts that are replaced later."""
SECRET = "<secret>"


@dataclass
class Life:
    """A season in progress: the decisions of the person, and the duration of the nights."""

    root: Path
    voice: Voice
    days: int
    seed: int = 1
    is_embedding: bool = False
    night_every: int = 1
    engine: EngineSettings = field(default_factory=EngineSettings)
    per_week: int = 10
    ticked: dict[str, str] = field(default_factory=dict)
    struck: dict[str, str] = field(default_factory=dict)
    operations: dict[str, str] = field(default_factory=dict)
    reproposed: int = 0
    by_hand: dict[str, str] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    stale_nights: dict[str, int] = field(default_factory=dict)
    """Lines of MEMORY.md that were stale after a review, and for how many nights; a night that runs stands for those left out."""
    typed: list[str] = field(default_factory=list)
    decks: dict[str, list[list[Turn]]] = field(default_factory=dict)
    """Ordinary dialogues by project that have not been told since the deck was shuffled."""

    def __post_init__(self) -> None:
        self.rng = random.Random(f"{self.seed} {self.voice.name}")
        self.plan = self.voice.plan(self.days, self.rng)
        self.secret = fake_secret(sorted(FAMILIES)[0])
        tiers = (3, 10, 25, 40) if self.days <= 60 else (3, 14, 60, 120)
        embedding = EmbeddingSettings(turn_minutes=0.0) if self.is_embedding else EmbeddingSettings(model=str(self.root / "none"))
        (self.root / "sessions").mkdir(parents=True)
        self.settings = Settings(
            sessions=(self.root / "sessions",), lake=self.root / "lake", workspace=self.root / "workspace", timezone="UTC",
            owner="mara", tiers=TierSettings(after_days=tiers), friction=FrictionSettings(min_observations=50),
            embedding=embedding, engine=self.engine, review=ReviewSettings(per_week=self.per_week),
        )  # fmt: skip
        changing = [fact for fact in self.voice.facts if fact["lasting"] and len(fact["states"]) > 1]
        self.written_later = changing[::2][:BY_HAND]

    def live(self, day: int) -> Run | None:
        """Live through a day: sessions, perhaps a night, perhaps a review. Return the run of the night if there was one."""
        self.write_sessions(day)
        self._write_by_hand(day)
        is_missed = self.rng.random() < MISSED_NIGHT or day % self.night_every
        if is_missed and day != self.days - 1:
            return None
        run = self._run_night(day)
        if self.rng.random() > 0.1 and day // 7 not in self._away_weeks():
            self._review(day)
        if self.night_every > 1 and day == self.days - 1:
            run = self._apply_last_review(run)
        return run

    def write_sessions(self, day: int) -> None:
        """Write the sessions of a day, one in each project."""
        for number, project in enumerate(self.voice.projects):
            self._write_session(day, number, project)

    def find_night(self, day: int) -> datetime:
        """Return the moment of the night after a day."""
        return datetime.combine(FIRST_DAY, datetime.min.time(), UTC) + timedelta(days=day + 1, hours=3, minutes=30)

    def memory_lines(self) -> list[str]:
        """Return the bullets of MEMORY.md."""
        path = self.settings.workspace / "MEMORY.md"
        return [bullet.text for bullet in parse_memory(path.read_text(encoding="utf-8")).bullets] if path.exists() else []

    def is_stale(self, line: str, day: int) -> bool:
        """Whether a line states a replaced or ended state of a fact, and not its present one."""
        return any(self.states_past(fact, line, day) for fact in self._list_facts_of(line))

    def holds(self, line: str, day: int) -> SeasonFact | None:
        """Return the lasting fact that a line states as it is on a day, if the line says nothing stale and no trap."""
        return next(iter(self._list_held(line, day)), None)

    def _list_held(self, line: str, day: int) -> list[SeasonFact]:
        if self.is_stale(line, day) or any(mentions(line, trap["keys"]) for trap in self.voice.traps):
            return []
        states = [(fact, self.voice.find_state(fact, day, self.days)) for fact in self._list_facts_of(line) if fact["lasting"]]
        return [fact for fact, state in states if state and mentions(line, state["keys"])]

    def _list_facts_of(self, line: str) -> list[SeasonFact]:
        """Return the facts of the projects that a line names, or all: a number of one project says nothing about the other's."""
        named = [project for project in self.voice.projects if project.lower() in line.lower()]
        return [fact for fact in self.voice.facts if not named or any(belongs_to(fact, project) for project in named)]

    def states_past(self, fact: SeasonFact, line: str, day: int) -> bool:
        """Whether a line states a fact as it was, and not as it is."""
        now = self.voice.find_state(fact, day, self.days)
        past = self.voice.list_past_states(fact, day, self.days)
        return any(mentions(line, state["keys"]) for state in past) and not (now and mentions(line, now["keys"]))

    def _away_weeks(self) -> set[int]:
        rng = random.Random(f"away {self.seed} {self.voice.name}")
        return {week for week in range(self.days // 7 + 1) if rng.random() < AWAY_WEEK}

    def _write_session(self, day: int, number: int, project: str) -> None:
        at = datetime.combine(FIRST_DAY, datetime.min.time(), UTC) + timedelta(days=day, hours=9 + 5 * number)
        transcript = Transcript(self.rng, f"/work/{project}", at)
        dialogues: list[list[Turn]] = [self._take_distraction(project), *self.plan.pop((day, project), [])]
        while sum(turn["who"] == "owner" for dialogue in dialogues for turn in dialogue) < MIN_TURNS:
            dialogues.insert(self.rng.randrange(len(dialogues) + 1), self._take_distraction(project))
        for dialogue in dialogues:
            for turn in dialogue:
                self._add_turn(transcript, turn)
            transcript.pause(3)
        transcript.write(self.root / "sessions")

    def _take_distraction(self, project: str) -> list[Turn]:
        """Return an ordinary dialogue; none comes again before all others were: what repeats by chance looks like friction."""
        deck = self.decks.setdefault(project, [])
        if not deck:
            deck += [distraction["dialogue"] for distraction in self.voice.distractions if distraction["project"] == project]
            self.rng.shuffle(deck)
        return deck.pop()

    def _add_turn(self, transcript: Transcript, turn: Turn) -> None:
        text = turn["text"].replace(SECRET, self.secret)
        if turn["who"] == "owner":
            transcript.user(text)
            self.typed += [line for line in text.splitlines() if line.strip()]
        elif turn["who"] == "agent":
            transcript.agent(text)
        else:
            name, arguments = _read_call(turn.get("command", "").replace(SECRET, self.secret))
            transcript.tool("", name, arguments, text, bool(turn.get("is_error")))

    def _write_by_hand(self, day: int) -> None:
        """Write the first state of some facts into MEMORY.md, as a person does who does not wait for proposals."""
        path = self.settings.workspace / "MEMORY.md"
        for fact in self.written_later:
            state = self.voice.find_state(fact, day, self.days)
            if fact["id"] in self.by_hand or state is None or not path.exists():
                continue
            self.by_hand[fact["id"]] = state["line"]
            if any(mentions(line, state["keys"]) for line in self.memory_lines()):
                continue
            text = path.read_text(encoding="utf-8")
            section = {"rule": "Hard Rules", "preference": "Mara"}.get(fact["kind"], "System Architecture")
            path.write_text(add_bullet(text, section, "- " + state["line"], ()), encoding="utf-8")

    def _run_night(self, day: int) -> Run:
        run, start = open_run(self.settings, self.find_night(day)), time.perf_counter()
        with run.lake.writing("season"):
            for step in NIGHTLY_STEPS:
                # The oracle means it when it strikes most of a page.
                review(run, is_confirmed=True, is_night=True) if name_step(step) == "review" else step(run)
            friction(run)
        self.seconds.append(time.perf_counter() - start)
        return run

    def _apply_last_review(self, run: Run) -> Run:
        """Carry the last decisions to MEMORY.md: a night that was left out to save time would have done it."""
        later = open_run(self.settings, run.as_of + timedelta(days=1))
        with later.lake.writing("season"):
            review(later, is_confirmed=True)
            render(later)
        return later

    def _review(self, day: int) -> None:
        """Tick lines that hold and removals of stale lines; strike the rest."""
        page = self.settings.workspace / "REVIEW.md"
        text = page.read_text(encoding="utf-8")
        run = open_run(self.settings, datetime.now(UTC))
        rows = {row["proposal_id"]: row for row in read_rows(PROPOSALS, run.lake.read("proposals"))}
        for proposal_id, line in read_rendered_lines(text).items():
            if proposal_id not in rows:
                continue
            is_fix = proposal_id.startswith("f-")
            self.operations[proposal_id] = "friction" if is_fix else rows[proposal_id]["op"]
            is_good = self._is_good(rows[proposal_id], line.text, day)
            if proposal_id not in self.ticked and proposal_id not in self.struck:
                self.reproposed += not is_fix and any(is_same_claim(line.text, old) for old in self._list_struck_lines())
                (self.ticked if is_good else self.struck)[proposal_id] = line.text
            text = text.replace(f"- [ ] `{proposal_id}`", f"- [{'x' if is_good else '-'}] `{proposal_id}`")
        page.write_text(text, encoding="utf-8")
        for line in self.memory_lines():
            if self.is_stale(line, day):
                self.stale_nights[line] = self.stale_nights.get(line, 0) + self.night_every

    def _list_struck_lines(self) -> list[str]:
        return [text for proposal_id, text in self.struck.items() if not proposal_id.startswith("f-")]

    def _is_good(self, row: ProposalRow, line: str, day: int) -> bool:
        if row["op"] == "remove":
            return self.is_stale(row["old_text"] or "", day)
        return self.holds(line, day) is not None and not (row["old_text"] and self._loses_something(row["old_text"], line, day))

    def _loses_something(self, old: str, new: str, day: int) -> bool:
        """Whether a replacement takes away a fact that holds and that it does not state itself."""
        kept = self._list_held(new, day)
        return any(fact not in kept for fact in self._list_held(old, day))


def _read_call(command: str) -> tuple[str, dict[str, Any]]:
    """Return the tool and the arguments of a turn: writers put questions of an agent as `ask_user_question {…}`; else a shell."""
    name, _, rest = command.partition(" ")
    with contextlib.suppress(ValueError):
        asked = json.loads(rest) if name.startswith("ask_") else None
        if isinstance(asked, dict):
            return name, asked if "questions" in asked else {"questions": [asked]}
    return "bash", {"command": command}


def belongs_to(fact: SeasonFact, project: str) -> bool:
    """Whether a fact holds in a project."""
    return fact["project"] in (ALL, project)
