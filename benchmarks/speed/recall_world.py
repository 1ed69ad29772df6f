"""A seeded lake of any size for measuring recall: turns and observations about a few hundred matters, with vectors.

Words follow Zipf's law over a vocabulary of plain words, identifiers and files; a matter prefers its own words, so that
questions have some documents to find among many. Vectors are the matter's own, embedded by the real model, with noise: their
neighbourhoods are what an index meets, at a thousandth of the cost of embedding every text.
"""

from __future__ import annotations

import random
import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from effects.embedding.embedder import open_embedder
from effects.store.lake import Lake
from transforms.recall.documents import split_pieces
from transforms.tables.ids import hash_text
from transforms.tables.schema import ENTRIES, OBSERVATIONS, build_frame

FIRST = date(2025, 1, 1)
DAYS, MATTERS, PROJECTS = 365, 400, 24
SYLLABLES = tuple(re.findall(r"\w+", "ba de fi ko lu ma ne po ra si tu va wo xe zi cra dro fle gri pla sto tri"))
PLAIN = tuple(
    re.findall(
        r"\w+",
        "queue retry worker token session cache index schema migration deploy branch commit test fixture timeout config "
        "header route handler database table column transaction lock thread process memory vector query result error "
        "log metric alert release version package lint type module import export script shell container image volume "
        "network port host proxy certificate user owner account password invoice payment order customer email template "
        "page button form layout colour font editor",
    )
)
KINDS = ("decision", "fix", "root_cause", "state_change", "completion", "file_change", "preference", "request", "error")
NOISE = 1.1
"""Length of the noise beside a matter's vector of length 1: cosine 0.45 within a matter, as between texts on one subject."""


class Voice:
    """Makes texts about matters."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        made = {"".join(self.random.choices(SYLLABLES, k=self.random.randint(2, 4))) for _ in range(14_000)}
        names = sorted(made)
        self.random.shuffle(names)
        files = [f"src/{name}.{ending}" for name, ending in zip(names[:600], ("ts", "py", "go") * 200, strict=True)]
        camel = [f"{word}{other.capitalize()}" for word, other in zip(PLAIN * 20, names[600:2600], strict=False)]
        self.vocabulary = [*PLAIN, *names, *files, *camel]
        weights = np.cumsum(1.0 / np.arange(3, len(self.vocabulary) + 3))
        self.weights = (weights / weights[-1]).tolist()
        self.own = [self.random.sample(self.vocabulary, 30) for _ in range(MATTERS)]

    def text(self, matter: int, size: float) -> str:
        """About `size` words, a third of them the matter's own."""
        count = max(4, int(self.random.lognormvariate(np.log(size), 0.6)))
        common = self.random.choices(self.vocabulary, cum_weights=self.weights, k=count)
        return " ".join(self.random.choice(self.own[matter]) if self.random.random() < 0.33 else word for word in common) + "."

    def question(self) -> str:
        """Return a question about a matter in a few of its words."""
        own = self.own[self.random.randrange(MATTERS)]
        asked = ("why did we choose {} for the {}?", "what did we decide about {} and {}?", "how was {} in {} fixed?")
        return self.random.choice(asked).format(*self.random.sample(own, 2)) + " " + self.random.choice(PLAIN)


def make_lake(lake: Lake, observations: int, turns: int, seed: int) -> None:
    """Write sessions, entries, observations and embeddings; the caller holds the lake's lock."""
    voice = Voice(seed)
    space = Space(voice, seed)
    per_day = -(-turns // DAYS)
    facts_per_day = -(-observations // DAYS)
    made_turns = made_facts = 0
    for number in range(DAYS):
        day = FIRST + timedelta(days=number)
        add_day(lake, voice, space, day, (min(per_day, turns - made_turns), min(facts_per_day, observations - made_facts)))
        made_turns, made_facts = min(made_turns + per_day, turns), min(made_facts + facts_per_day, observations)


def add_day(lake: Lake, voice: Voice, space: Space, day: date, sizes: tuple[int, int]) -> None:
    """Add a day with so many turns and observations; the caller holds the lake's lock."""
    entries, facts = _entries(voice, space, day, sizes[0]), _facts(voice, space, day, sizes[1])
    with lake.commit() as change:
        if entries:
            change.append("entries", build_frame(ENTRIES, entries), day)
            change.append("sessions", _sessions(entries, day), day)
        if facts:
            change.append("observations", build_frame(OBSERVATIONS, facts), day)
        change.append("embeddings", space.drained())


class Space:
    """Vectors of texts by their matter, written once per text."""

    def __init__(self, voice: Voice, seed: int) -> None:
        embedder = open_embedder()
        self.key = embedder.key
        self.matters = embedder.embed_documents([" ".join(own[:12]) for own in voice.own])
        self.noise = np.random.default_rng(seed)
        self.known: set[str] = set()
        self.waiting: dict[str, int] = {}

    def add(self, text: str, matter: int, is_whole: bool = False) -> None:
        for piece in [text] if is_whole else split_pieces(text):
            key = hash_text(piece)
            if key not in self.known:
                self.known.add(key)
                self.waiting[key] = matter

    def drained(self) -> pl.DataFrame:
        rows = self.matters[list(self.waiting.values())]
        noise = self.noise.standard_normal(rows.shape, dtype=np.float32)
        vectors = rows + noise * np.float32(NOISE / np.sqrt(rows.shape[1]))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        frame = pl.DataFrame(
            {"text_hash": list(self.waiting), "vector": pl.Series(vectors.astype(np.float16)).cast(pl.List(pl.Float16))},
            schema={"text_hash": pl.String, "vector": pl.List(pl.Float16)},
        )
        self.waiting = {}
        return frame.with_columns(model=pl.lit(self.key))


def _entries(voice: Voice, space: Space, day: date, count: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for number in range(count):
        session, ordinal = divmod(number, 120)
        if ordinal % 12 == 0:
            matter = voice.random.randrange(MATTERS)
        role = "assistant" if ordinal % 2 else "user"
        text = voice.text(matter, 30)
        space.add(text, matter)
        name = f"session-{day.isoformat()}-{session}"
        at = datetime(day.year, day.month, day.day, 8, tzinfo=UTC) + timedelta(seconds=40 * number)
        row = {"session_id": name, "entry_id": f"{ordinal:08x}", "ordinal": ordinal, "line_no": ordinal + 1, "role": role}
        row |= {"entry_type": "message", "turn_kind": None if ordinal % 2 else "typed", "text": text, "is_error": False}
        rows.append(row | {"said_at": at, "flags": [], "raw_json": "{}", "day": day})
    return rows


def _facts(voice: Voice, space: Space, day: date, count: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for number in range(count):
        matter = voice.random.randrange(MATTERS)
        text = voice.text(matter, 18)
        space.add(text, matter, is_whole=True)
        row = {"observation_id": f"o-{day.isoformat()}-{number:05d}", "session_id": f"session-{day.isoformat()}-0"}
        row |= {"project": f"/home/mara/code/p{matter % PROJECTS}", "segment_id": "s-1", "window_id": "w-1", "day": day}
        row |= {"said_at": datetime(day.year, day.month, day.day, 9, tzinfo=UTC), "kind": voice.random.choice(KINDS)}
        row |= {
            "priority": voice.random.choice(("high", "medium", "low")),
            "verdict": "allow",
            "text": text,
            "also": [],
            "engine": "made",
        }
        rows.append(
            row | {"category": "operations", "ordinals": [number % 100], "entry_ids": [f"{number % 100:08x}"]} | {"lines": [1]}
        )
    return rows


def _sessions(entries: list[dict[str, Any]], day: date) -> pl.DataFrame:
    names = sorted({entry["session_id"] for entry in entries})
    projects = [f"/home/mara/code/p{(number + day.toordinal()) % PROJECTS}" for number in range(len(names))]
    columns = {"session_id": names, "project": projects, "day": [day] * len(names)}
    return pl.DataFrame(columns, schema={"session_id": pl.String, "project": pl.String, "day": pl.Date})
