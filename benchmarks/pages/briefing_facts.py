"""Fit the weights by which a briefing orders what rules observed, or measure its pages with the person left out.

    python -m benchmarks.pages.briefing_facts

Makes the memory of twelve made-up people (`benchmarks.distil.people`), all sessions of each in one night, and the pages of their
projects. `row_labels.jsonl` has what readers think of the facts. A fact is good when its worth is 2 or more and it holds at the
end. Keys: `facts` (with a label), `good` (their share), `weights` (fitted on all people), and by size of the page and order:
`good` (share of the page's facts), `first` (of its first ten), `told` (share of the good facts of worth 3 that the page has),
`shown` (facts of all pages); means over people. Orders: `left_out` (weights that never saw the person), `shipped`, `newest`,
`priority` (then the newest), `binding` (rules, decisions and corrections, then the newest).
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from benchmarks.arguments import make_parser, read_jsonl
from benchmarks.distil.people import unpack_people
from benchmarks.learning.fit import fit_logistic, round_weights
from benchmarks.learning.rows import LABELS, hash_row
from effects.config.settings import Settings
from effects.opening.session_opening import BRIEFING_TABLES
from effects.pages.project_briefing import make_briefing, render_within_budget
from effects.store.forgotten import read_remembered
from effects.store.run import open_run
from flows.pipelines import NIGHTLY_STEPS
from flows.runner import name_step
from transforms.briefing.brief import LIMITS, MEDIUM, NO_LIMITS, UNJUDGED, BriefFact, Briefing, FactGroup
from transforms.briefing.fact_worth import WORTH_WEIGHTS, WorthWeights
from transforms.briefing.weigh_facts import measure_ages, weigh_facts

AS_OF = datetime(2026, 12, 1, tzinfo=UTC)
BUDGETS = (800, 1400, 2000)
USEFUL_WORTH, MOST_WORTH = 2, 3
FIRST_FACTS = 10
RIDGE = 1.0
"""The penalty on the weights."""
BINDING = ("rule", "preference", "decision", "correction", "convention")

Reader = Callable[[Sequence[FactGroup]], tuple[FactGroup, ...]]


@dataclass(frozen=True, slots=True)
class JudgedProject:
    """A project with its briefing, all facts that it has without limits, and what readers say of them, by id: worth, 0 of
    what is over; kind and priority of each."""

    person: str
    whole: Briefing
    facts: tuple[BriefFact, ...]
    worth: dict[str, float]
    kinds: dict[str, tuple[str, str]]


def read_projects(person: str, home: Path, folder: Path) -> list[JudgedProject]:
    """Return the projects of a person after one night over all sessions; the lake is made in `folder`."""
    labels = {(label["session"], label["row"]): label for label in read_jsonl(LABELS)}
    settings = Settings(sessions=(home / "sessions" / "owners",), lake=folder / "lake", workspace=folder / "ws", timezone="UTC")
    run = open_run(settings, AS_OF)
    names = [name_step(step) for step in NIGHTLY_STEPS]
    with run.lake.writing("briefings"):
        for step in NIGHTLY_STEPS[: names.index("render")]:
            step(run)
    frames = {table: read_remembered(run.lake, table) for table in BRIEFING_TABLES}
    rows = frames["observations"].select("observation_id", "session_id", "text", "kind", "priority", "project").rows()
    projects = []
    for project in sorted({row[-1] for row in rows}):
        own = [row for row in rows if row[-1] == project]
        judged = {key: labels[session, hash_row(text)] for key, session, text, *_ in own if (session, hash_row(text)) in labels}
        whole = make_briefing(run, frames, project, limits=LIMITS)
        everything = make_briefing(run, frames, project, limits=NO_LIMITS)
        projects.append(
            JudgedProject(
                person,
                whole,
                tuple(fact for _, facts in everything.groups for fact in facts),
                {key: mean(label["worth"]) * (label["truth"] == "ok") for key, label in judged.items()},
                {key: (kind, priority) for key, _, _, kind, priority, _ in own},
            )
        )
    return projects


def list_judged(project: JudgedProject) -> list[tuple[str, tuple[float, ...], bool]]:
    """Return person, features with the age, and whether it is good, of each fact that the page judges and a reader judged."""
    ages = measure_ages([fact for fact in project.facts if fact.features])
    return [
        (project.person, (*fact.features, age), project.worth[fact.observation_id] >= USEFUL_WORTH)
        for fact, age in ages.items()
        if fact.observation_id in project.worth
    ]


def fit_weights(judged: Sequence[tuple[str, tuple[float, ...], bool]]) -> WorthWeights:
    """Fit the weights by logistic regression; facts of a person with many count less."""
    features = np.array([features for _, features, _ in judged])
    truth = np.array([is_good for _, _, is_good in judged], dtype=np.float64)
    weights = fit_logistic(features, truth, RIDGE, [person for person, _, _ in judged])
    return WorthWeights(*round_weights(weights))


def order_by(key: Callable[[BriefFact], tuple[Any, ...]]) -> Reader:
    """Return the groups in another order: the facts that the page judges fill it by this key, the largest first."""

    def order(groups: Sequence[FactGroup]) -> tuple[FactGroup, ...]:
        """Give each fact its place as its weight."""
        judged = sorted({fact for _, facts in groups for fact in facts if fact.features and fact.rank <= UNJUDGED}, key=key)
        weight = {fact: float(place + 1) for place, fact in enumerate(judged)}
        return tuple(
            (
                heading,
                tuple(
                    replace(fact, rank=MEDIUM, weight=weight[fact]) if fact in weight else fact
                    for fact in sorted(facts, key=lambda fact: weight.get(fact, np.inf), reverse=True)
                ),
            )
            for heading, facts in groups
        )

    return order


def measure_pages(projects: Sequence[JudgedProject], orders: Callable[[JudgedProject], Reader], budget: int) -> dict[str, float]:
    """Return the figures of the pages of this size, each project in its order."""
    shares: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    shown_facts = 0
    for project in projects:
        page = render_within_budget(replace(project.whole, groups=orders(project)(project.whole.groups)), budget)
        places = {fact.observation_id: page.find(f"`{fact.observation_id[:10]}`") for fact in project.facts}
        shown = sorted((key for key, place in places.items() if place >= 0), key=lambda key: places[key])
        shown_facts += len(shown)
        good = [float(project.worth[key] >= USEFUL_WORTH) for key in shown if key in project.worth]
        best = [key for key in places if project.worth.get(key, 0) >= MOST_WORTH]
        of_person = shares[project.person]
        of_person["good"].append(mean(good))
        of_person["first"].append(mean(good[:FIRST_FACTS]))
        of_person["told"].append(mean(float(key in shown) for key in best))
    figures = {name: round(mean(mean(person[name]) for person in shares.values()), 3) for name in ("good", "first", "told")}
    return {**figures, "shown": shown_facts}


def _by_age(fact: BriefFact) -> tuple[Any, ...]:
    return (fact.day, fact.observation_id)


def _order_by_row(project: JudgedProject, is_first: Callable[[str, str], int]) -> Reader:
    return order_by(lambda fact: (is_first(*project.kinds[fact.observation_id]), *_by_age(fact)))


def main() -> int:
    """Measure; the weights fitted on all people are printed."""
    make_parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        projects = [
            project
            for person, home in unpack_people(Path(folder)).items()
            for project in read_projects(person, home, Path(folder) / "lakes" / person)
        ]
    judged = [row for project in projects for row in list_judged(project)]
    people = sorted({project.person for project in projects})
    without = {person: fit_weights([row for row in judged if row[0] != person]) for person in people}
    places = {"high": 2, "medium": 1, "low": 0}
    orders: dict[str, Callable[[JudgedProject], Reader]] = {
        "left_out": lambda project: lambda groups: weigh_facts(groups, without[project.person]),
        "shipped": lambda _: lambda groups: weigh_facts(groups, WORTH_WEIGHTS),
        "newest": lambda _: order_by(_by_age),
        "priority": lambda project: _order_by_row(project, lambda _, priority: places[priority]),
        "binding": lambda project: _order_by_row(project, lambda kind, _: kind in BINDING),
    }
    figures: dict[str, Any] = {
        "facts": len(judged),
        "good": round(mean(is_good for _, _, is_good in judged), 3),
        "weights": fit_weights(judged)._asdict(),
    }
    for budget in BUDGETS:
        figures[str(budget)] = {name: measure_pages(projects, order, budget) for name, order in orders.items()}
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
