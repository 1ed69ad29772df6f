"""The dedupe step: marks observations that newer ones absorbed or retired, as if all had been compared at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from effects.store.content_key import compute_search_key, find_settled, settle
from effects.store.forgotten import read_forgotten
from effects.store.run import Counts, Run
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.language.similarity import compute_cosine
from transforms.memory.normalise_claim import identify_wording
from transforms.merging.group_restatements import FindCosine, Relations
from transforms.merging.update_merges import MergeUpdate, enter_keys, update_merges
from transforms.pairing.candidates import LINE_ID
from transforms.tables.enums import APART_KINDS, Relation
from transforms.tables.ids import hash_fields, hash_text
from transforms.tables.rows import ObservationRow

_COMPARED_COLUMNS = (
    "observation_id", "kind", "project", "priority", "said_at", "session_id", "ordinals", "entry_ids", "text", "engine",
    "window_id",
)  # fmt: skip
_ACTED_ON = ("replaces", "restates", "outdates", "finishes")
_KEPT_APART = ("unrelated", "exception", "other_scope", "replaces_part", "perhaps_over")
"""What a model says of a pair of which both hold on: words alone retire neither."""
_TOLD_COLUMNS = ("observation_id", "retires")
_DECIDED_COLUMNS = ("superseded_by", "merged_count", "also", "rests_on", "compared_keys")
_WRITTEN_COLUMNS = (*_DECIDED_COLUMNS, "compared_with")
_COUNTED_COLUMNS = ("superseded_by", "merged_count")
_DAYS_AT_ONCE = 30
WITHOUT_VECTOR = "words"
"""Mark of a row in `compared_with` that was compared by its words alone."""
DEDUPE_VERSION = 20
"""Raised by hand when the same rows are decided otherwise: all rows are then compared again."""


def dedupe(run: Run) -> Counts:
    """Compare allowed observations, rewrite the days on which something changed, and return counts.

    The rows hold every decision, its basis (`compared_with`, `rests_on`) and what a comparison looks at (`compared_keys`). So a
    run compares rows that are new, newly embedded or without a row that they rested on with those that they can have anything to
    do with, and analyses no others.
    """
    lake = run.lake
    key = compute_search_key(run, ("observations", "embeddings", "relations", "tombstones"), str(DEDUPE_VERSION))
    if (settled_counts := find_settled(run, "dedupe", key)) is not None:
        return settled_counts
    relations, apart = _read_told_by_engines(run) | _read_relations(run), _read_kept_apart(run)
    stored = lake.scan("observations").filter(pl.col("verdict") == "allow")
    columns = (*_COMPARED_COLUMNS, "day", *_WRITTEN_COLUMNS)
    allowed = drop_forgotten_rows(stored.select(columns).collect(), read_forgotten(lake))
    model, wanted = _fingerprint_comparison(run, allowed, relations, apart)
    allowed = allowed.with_columns(project=pl.col("project").fill_null(""), wanted=wanted)
    run.progress("observations", 0, allowed.height)
    settled = set(allowed.filter(pl.col("compared_with") == pl.col("wanted"))["observation_id"])
    compared = allowed.select(*_COMPARED_COLUMNS, *_DECIDED_COLUMNS)
    watch = partial(run.progress, "observations")
    update = update_merges(compared, settled, partial(_make_cosine, run, model), run.settings.owner, relations, apart, watch)
    written = _write_decisions(run, allowed, update)
    standing = pl.concat([allowed.filter(~_is_decided(update)).select(_COUNTED_COLUMNS), written.counted])
    kept_count, merged_count = standing["superseded_by"].null_count(), int((standing["merged_count"] - 1).sum())
    counts: Counts = {
        "read": allowed.height,
        "kept": kept_count,
        "merged": merged_count,
        "retired": allowed.height - kept_count - merged_count,
        "without_vector": allowed.filter(_lacks_vector()).height,
        "compared": update.compared,
        "days_rewritten": len(written.days),
    }
    if not update.compared:
        settle(run, "dedupe", key, counts)
    return counts


def _lacks_vector() -> pl.Expr:
    return pl.col("wanted").str.ends_with(f" {WITHOUT_VECTOR}") & ~pl.col("kind").is_in(sorted(APART_KINDS))


def _read_relations(run: Run) -> dict[tuple[str, str], Relation]:
    """Return the relations of facts that a model told and that change something."""
    is_line = pl.col("older_id").str.starts_with(LINE_ID)
    rows = run.lake.scan("relations").filter(pl.col("relation").is_in(_ACTED_ON) & ~is_line)
    columns = ("older_id", "newer_id", "relation")
    return {(older, newer): relation for older, newer, relation in rows.select(columns).collect().iter_rows()}


def _read_kept_apart(run: Run) -> frozenset[tuple[str, str]]:
    """Return the pairs of facts that a model saw and did not call replaced."""
    is_line = pl.col("older_id").str.starts_with(LINE_ID) | (pl.col("older_id") == "")
    rows = run.lake.scan("relations").filter(pl.col("relation").is_in(_KEPT_APART) & ~is_line)
    return frozenset(rows.select("older_id", "newer_id").collect().iter_rows())


def _read_told_by_engines(run: Run) -> dict[tuple[str, str], Relation]:
    """Return which earlier facts of its session a fact replaces, finishes or answers, as the engine of its window said."""
    is_telling = (pl.col("verdict") == "allow") & (pl.col("retires").fill_null([]).list.len() > 0)
    rows = run.lake.scan("observations").filter(is_telling).select(_TOLD_COLUMNS).collect()
    return {(older, newer): "replaces" for newer, older in rows.explode("retires").iter_rows()}


def _fingerprint_comparison(
    run: Run, rows: pl.DataFrame, relations: Relations, apart: Collection[tuple[str, str]]
) -> tuple[str | None, pl.Series]:
    """Return the model that most texts have a vector of, and the basis of a comparison of each row now.

    That is the version, the owner and the project, a model's relations of the row to others that are there, the earlier ones that
    it is kept apart from, and the model of its vector, or `words`.
    """
    texts = rows["text"]
    verdicts_of: defaultdict[str, list[str]] = defaultdict(list)
    present = set(rows["observation_id"])
    for (older, newer), relation in sorted(item for item in relations.items() if present.issuperset(item[0])):
        verdicts_of[older].append(f"{relation} {newer}")
        verdicts_of[newer].append(f"{relation} {older}")
    for older, newer in sorted(pair for pair in apart if present.issuperset(pair)):
        verdicts_of[newer].append(f"apart {older}")  # the later fact came last: with it both are compared again
    marks = [f"{hash_fields(*verdicts_of[name], size=8)} " if name in verdicts_of else "" for name in rows["observation_id"]]
    embedded = run.lake.scan("embeddings").select("text_hash", "model").unique().collect()
    hashes = pl.DataFrame({"text_hash": [hash_text(text) for text in texts]}, schema={"text_hash": pl.String})
    model = _pick_model(embedded.join(hashes.unique(), on="text_hash", how="semi"))
    known = set(embedded.filter(pl.col("model") == model)["text_hash"]) if model else set()
    projects = rows["project"].fill_null("")
    places = {project: hash_fields(run.settings.owner, project, size=4) for project in projects.unique()}
    bases = [
        f"{DEDUPE_VERSION} {places[project]} {mark}{model if name in known else WITHOUT_VECTOR}"
        for project, mark, name in zip(projects, marks, hashes["text_hash"], strict=True)
    ]
    return model, pl.Series(bases, dtype=pl.String)


def _pick_model(embedded: pl.DataFrame) -> str | None:
    """Return the model with vectors of most texts; ties by name."""
    counted = embedded.group_by("model").len().sort(["len", "model"], descending=[True, False])
    return str(counted["model"][0]) if counted.height else None


def _apply_decisions(rows: pl.DataFrame, update: MergeUpdate) -> pl.DataFrame:
    decisions = [update.decisions[name] for name in rows["observation_id"]]
    return enter_keys(rows, update.keys).with_columns(
        pl.Series("superseded_by", [decision.superseded_by for decision in decisions], pl.String),
        pl.Series("merged_count", [decision.merged_count for decision in decisions], pl.Int32),
        pl.Series("also", [list(decision.also) for decision in decisions], pl.List(pl.String)),
        pl.Series("rests_on", [list(decision.rests_on) for decision in decisions], pl.List(pl.String)),
        compared_with=pl.col("wanted"),
    )


class _Written(NamedTuple):
    """The days that were rewritten, and of each row that was decided again what is counted."""

    days: list[date]
    counted: pl.DataFrame


def _is_decided(update: MergeUpdate) -> pl.Expr:
    return pl.col("observation_id").is_in(list(update.decisions))


def _write_decisions(run: Run, before: pl.DataFrame, update: MergeUpdate) -> _Written:
    """Rewrite the days with a changed row in one commit: a survivor and the rows that it absorbed may lie on different days.

    The keys of a history are large, so only those of some days are joined with their rows at once.
    """
    written = _Written([], before.clear().select(_COUNTED_COLUMNS))
    if not update.decisions:
        return written
    decided_days = sorted(set(before.filter(_is_decided(update))["day"]))
    counted = [written.counted]
    with run.lake.commit() as change:
        for start in range(0, len(decided_days), _DAYS_AT_ONCE):
            former = before.filter(pl.col("day").is_in(decided_days[start : start + _DAYS_AT_ONCE])).filter(_is_decided(update))
            decided = _apply_decisions(former, update)
            counted.append(decided.select(_COUNTED_COLUMNS))
            decided = decided.select("observation_id", "day", *_WRITTEN_COLUMNS)
            for day in _list_changed_days(former, decided):
                frame = run.lake.read("observations", [day]).drop("schema_version")
                frame = frame.update(decided.drop("day"), on="observation_id", include_nulls=True)
                change.replace("observations", frame, day)
                written.days.append(day)
    return written._replace(counted=pl.concat(counted))


def _list_changed_days(former: pl.DataFrame, decided: pl.DataFrame) -> list[date]:
    """Return the days of the rows that were decided otherwise, or on another basis, than before."""
    before = former.select("observation_id", *(pl.col(name).alias(f"{name} before") for name in _WRITTEN_COLUMNS))
    is_changed = pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name} before")) for name in _WRITTEN_COLUMNS)
    return sorted(set(decided.join(before, on="observation_id").filter(is_changed)["day"]))


@dataclass(frozen=True, slots=True)
class TextVectors:
    """Vectors of one model, as float16 (Python floats would need ten times the memory); `rows` are the hashes of their texts."""

    rows: Mapping[str, int]
    matrix: NDArray[np.float16]

    def find(self, text: str) -> NDArray[Any] | None:
        """Return the vector of a text; None when it has none yet."""
        row = self.rows.get(hash_text(text))
        return None if row is None else self.matrix[row]


def read_text_vectors(run: Run, texts: Collection[str]) -> TextVectors:
    """Return the vectors of these texts by the one model that most of them have."""
    stored = _scan_vectors(run, texts)
    return _collect_vectors(stored, _pick_model(stored.unique(["text_hash", "model"]).select("text_hash", "model").collect()))


def _scan_vectors(run: Run, texts: Collection[str]) -> pl.LazyFrame:
    wanted = pl.LazyFrame({"text_hash": [hash_text(text) for text in {*texts}]}, schema={"text_hash": pl.String})
    return run.lake.scan("embeddings").join(wanted, on="text_hash", how="semi")


def _collect_vectors(stored: pl.LazyFrame, model: str | None) -> TextVectors:
    own = stored.filter(pl.col("model").eq_missing(pl.lit(model, pl.String)))
    frame = own.select("text_hash", "vector").unique("text_hash").collect(engine="streaming")  # the other one holds files twice
    rows = {name: index for index, name in enumerate(frame["text_hash"])}
    return TextVectors(
        rows, frame["vector"].explode().to_numpy().astype(np.float16, copy=False).reshape(len(rows), -1 if rows else 0)
    )


def _make_cosine(run: Run, model: str | None, texts: Collection[str]) -> FindCosine:
    """Return a function for the cosine of two of these texts, None when one of them has no vector of the model yet.

    Vectors are read when the first pair asks.
    """

    @cache
    def read_once() -> TextVectors:
        """Return the vectors of the texts, read at the first use."""
        return _collect_vectors(_scan_vectors(run, texts), model)

    def find_cosine(first: str, second: str) -> float | None:
        """Return the cosine of two texts."""
        vectors = read_once()
        return compute_cosine(vectors.find(first), vectors.find(second))

    return find_cosine


def count_wordings(run: Run, rows: Collection[ObservationRow]) -> dict[str, int]:
    """Return the id of each observation → in how many wordings it was said, those of the rows that were merged into it included.

    Words that are sent again are a prompt, other words are a restatement. A merged row that is no longer there counts as one more
    wording.
    """
    wordings = {row["observation_id"]: {identify_wording(row["text"])} for row in rows if row["also"]}
    missing = {row["observation_id"]: set(row["also"]) for row in rows if row["also"]}
    columns = ("superseded_by", "session_id", "entry_ids", "text")
    below = run.lake.scan("observations").filter(pl.col("superseded_by").is_in(sorted(missing))).select(columns).collect()
    for heir, session_id, entry_ids, text in below.iter_rows():
        cited = {f"{session_id}:{entry}" for entry in entry_ids or ()}
        if missing[heir] & cited:  # one that was replaced is not cited
            wordings[heir].add(identify_wording(text))
            missing[heir] -= cited
    counts = {key: len(texts) + bool(missing[key]) for key, texts in wordings.items()}
    return {row["observation_id"]: counts.get(row["observation_id"], 1) for row in rows}
