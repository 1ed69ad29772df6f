"""Measures who is taken for the owner: labelled entries through the step `attribute`, by weights that never saw their owner.

    python -m benchmarks.learning.speakers [SHARED]

Labelled are the entries of real owners in `bench/gold_owners` (messages of extensions included), in `bench/turns` and, by
`benchmarks/learning/real_turns.jsonl`, in `sessions/`, and the dialogues of `benchmarks/learning/voices`. The weights are fitted
once for each real owner and each fifth of the voices left out, always with the turns of the made-up people. Sessions whose
files are there are read as they are; of the others a session is made of the labelled turns, each with the agent's words
before it. Keys, for each set and owner:

    found, lost        others' entries that are not taken for the owner's, owners' entries that are not either: "n/all"
    formats            the same by formats alone (the majority, "all are the owner's", finds 0 and loses 0)
    words_kept         share of the owner's words in entries of several speakers that are the owner's part
    words_foreign      share of the owner's part of these entries that the owner did not write
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.arguments import add_shared, make_parser, report_missing
from benchmarks.learning.labels import LabelledTurn, read_labelled_turns, read_people_turns
from benchmarks.learning.train import REAL_OWNERS, fit_typed, measure_usual_rates
from effects.config.settings import Settings
from effects.distil.attribute_step import attribute
from effects.distil.stored_weights import load_turn_classifier
from effects.ingest.ingest_step import ingest
from effects.store.run import Run, open_run
from transforms.classify.turn_classifier import TurnClassifier
from transforms.conversation.entries import Entry, build_entries

AS_OF = datetime(2026, 12, 1, tzinfo=UTC)
VOICE_FOLDS = 5
START = datetime(2026, 1, 5, 9, tzinfo=UTC)

Place = tuple[str, int]
"""Name of a session's file, and a line."""


def main() -> int:
    """Run the benchmark; return 1 when a set is missing."""
    parser = make_parser(__doc__)
    add_shared(parser)
    shared: Path = parser.parse_args().shared
    if report_missing([shared / "bench" / "gold_owners", shared / "bench" / "turns", shared / "sessions"]):
        return 1
    turns, people = read_labelled_turns(shared / "bench"), read_people_turns()
    with tempfile.TemporaryDirectory() as temporary:
        places = write_sessions(turns, Path(temporary) / "made")
        run = open_lake(Path(temporary), [shared / "sessions", Path(temporary) / "made"])
        wanted = set(places.values()) | {place for place, _ in list_extension_messages(shared)}
        formats = read_entries(run, wanted)
        judged: dict[Place, Entry] = {}
        for left_out in list_folds(turns):
            fitted = [turn for turn in turns if turn.owner not in left_out] + people
            with run.lake.writing("speakers benchmark"):
                typed, usual_rates = fit_typed(fitted), measure_usual_rates(fitted)
                attribute(run, TurnClassifier(load_turn_classifier().act, typed, usual_rates=usual_rates))
            own = {places[row] for row, turn in enumerate(turns) if turn.owner in left_out}
            judged |= read_entries(run, own)
        injected = [(formats[place], is_owner) for place, is_owner in list_extension_messages(shared) if place in formats]
    print(json.dumps({"benchmark": "speakers", **score(turns, places, judged, formats, injected)}))
    return 0


def list_folds(turns: Sequence[LabelledTurn]) -> list[set[str]]:
    """Return the owners that are left out together: each real one alone, the voices in fifths."""
    voices = sorted({turn.owner for turn in turns} - set(REAL_OWNERS))
    return [{owner} for owner in REAL_OWNERS] + [set(voices[fold::VOICE_FOLDS]) for fold in range(VOICE_FOLDS)]


def open_lake(folder: Path, sessions: Sequence[Path]) -> Run:
    """Return a run over a lake that holds these sessions."""
    run = open_run(Settings(sessions=tuple(sessions), lake=folder / "lake", workspace=folder / "pages", timezone="UTC"), AS_OF)
    with run.lake.writing("speakers benchmark"):
        ingest(run)
    return run


def write_sessions(turns: Sequence[LabelledTurn], folder: Path) -> dict[int, Place]:
    """Write sessions of the turns that have no file; return the place of each turn by its number."""
    folder.mkdir()
    places = {row: turn.place for row, turn in enumerate(turns) if turn.place}
    sessions: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for row, turn in enumerate(turns):
        if not turn.place:
            sessions[turn.owner, turn.session].append(row)
    for (owner, session), rows in sorted(sessions.items()):
        path = folder / f"{owner}-{session}.jsonl"
        header = {"type": "session", "version": 3, "id": path.stem, "timestamp": START.isoformat(), "cwd": f"/work/{owner}"}
        lines: list[dict[str, Any]] = [header]
        for row in rows:
            if turns[row].before.strip():
                lines.append(_make_message(len(lines), "assistant", turns[row].before))
            places[row] = (path.name, len(lines))
            lines.append(_make_message(len(lines), "user", turns[row].text))
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return places


def _make_message(number: int, role: str, text: str) -> dict[str, Any]:
    at = (START + timedelta(minutes=number)).isoformat()
    parent = f"{number - 1:08x}" if number > 1 else None
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return {"type": "message", "id": f"{number:08x}", "parentId": parent, "timestamp": at, "message": message}


def list_extension_messages(shared: Path) -> Iterator[tuple[Place, bool]]:
    """Yield the labelled messages that are not user entries, with whether they are the owner's."""
    for path in sorted((shared / "bench" / "gold_owners").glob("*.gold.json")):
        gold = json.loads(path.read_text(encoding="utf-8"))
        lines = (shared / "sessions" / "owners" / gold["file"]).read_text(encoding="utf-8").split("\n")
        for turn in gold["turns"]:
            if '"custom_message"' in lines[turn["line"]][:200]:
                yield (gold["file"], turn["line"]), turn["speaker"] == "owner"


def read_entries(run: Run, places: Iterable[Place]) -> dict[Place, Entry]:
    """Return the entries at these places as they are stored now."""
    wanted = set(places)
    lines = pl.DataFrame(sorted(wanted), schema={"name": pl.String, "line_no": pl.Int32}, orient="row")
    name = pl.col("source_path").str.split("/").list.last()
    rows = run.lake.scan("entries").with_columns(name=name).join(lines.lazy(), on=["name", "line_no"]).collect()
    names = {(row["session_id"], row["ordinal"]): (row["name"], row["line_no"]) for row in rows.iter_rows(named=True)}
    return {names[entry.session_id, entry.ordinal]: entry for entry in build_entries(rows)}


def score(
    turns: Sequence[LabelledTurn],
    places: dict[int, Place],
    judged: dict[Place, Entry],
    formats: dict[Place, Entry],
    injected: Sequence[tuple[Entry, bool]],
) -> dict[str, Any]:
    """Return the figures of each set, of all real owners together, and of each owner."""
    sets: defaultdict[str, list[int]] = defaultdict(list)
    missing = [row for row in places if places[row] not in judged]
    for row, turn in enumerate(turns):
        if places[row] in judged:
            name = "voices" if turn.owner not in REAL_OWNERS else "turns" if not turn.place else "sessions"
            sets[name].append(row)
            if turn.owner in REAL_OWNERS:
                sets["real owners"].append(row)
                sets[turn.owner].append(row)
            if turn.place and turn.owner in ("auth", "herdr", "pin", "raq"):
                sets["owners 2026"].append(row)
    detected = sum(entry.attribution.speaker != "owner" for entry, is_owner in injected if not is_owner)
    figures = {name: _score_set(turns, places, rows, judged, formats) for name, rows in sorted(sets.items())}
    return {**figures, "messages_of_extensions": f"{detected}/{len(injected)}", "not_read": len(missing)}


def _score_set(
    turns: Sequence[LabelledTurn],
    places: dict[int, Place],
    rows: Sequence[int],
    judged: dict[Place, Entry],
    formats: dict[Place, Entry],
) -> dict[str, Any]:
    others = [row for row in rows if not turns[row].is_owner]
    owners = [row for row in rows if turns[row].is_owner]
    detected, lost = (sum(_is_foreign(judged[places[row]]) for row in part) for part in (others, owners))
    found_by_format, lost_by_format = (sum(_is_foreign(formats[places[row]]) for row in part) for part in (others, owners))
    return {
        "found": f"{detected}/{len(others)}", "lost": f"{lost}/{len(owners)}",
        "found_share": round(detected / max(1, len(others)), 3), "lost_share": round(lost / max(1, len(owners)), 4),
        "formats": f"{found_by_format}/{len(others)}, {lost_by_format}/{len(owners)}",
        **_score_words([(turns[row], judged[places[row]]) for row in owners if turns[row].speaker == "mixed"]),
    }  # fmt: skip


def _is_foreign(entry: Entry) -> bool:
    return entry.attribution.speaker == "skill" or not entry.owner_words


def _score_words(mixed: Sequence[tuple[LabelledTurn, Entry]]) -> dict[str, float | None]:
    """Return how much of the owner's words in shared entries is kept, and how much of what is kept is foreign, by words."""
    kept = owned = ours = 0
    for turn, entry in mixed:
        if turn.typed is not None:
            theirs, owner_words = set("\n".join(turn.typed).lower().split()), entry.owner_words.lower().split()
            owned += len(theirs)
            kept += len(theirs & set(owner_words))
            ours += len(set(owner_words))
    if not owned:
        return {"words_kept": None, "words_foreign": None}
    return {"words_kept": round(kept / owned, 3), "words_foreign": round((ours - kept) / max(1, ours), 3)}


if __name__ == "__main__":
    sys.exit(main())
