"""Finds the rows that may merge with, retire or be retired by some rows, from the numbers of `comparison_keys` alone.

What two rows must have in common to be decided together are conditions on sets (`transforms.memory.claim_clauses`,
`transforms.language.similarity`), here asked of all rows of a history at once. A row too many costs its analysis; none is missed.
"""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from transforms.exchanges.replaced_values import MAX_UNEXPLAINED
from transforms.language.similarity import EXTRA_NEAR
from transforms.memory.claim_clauses import NEGATIVE, NUMBERED
from transforms.memory.supersession import RETIRED_BY, may_retire, must_say_change
from transforms.memory.supersession_candidates import RETIRING
from transforms.merging import comparison_keys as keys
from transforms.merging.compared_row import STANDING_KIND, STATED_KINDS

_RATIO = 1 + EXTRA_NEAR + 1e-6
"""Content words of the longer of two texts that say the same, as a multiple of those of the shorter one."""
_CLAUSES = 1 << 20
"""More than the clauses of any row."""
_PAIR = ("older", "newer")


class ComparisonIndex:
    """The keys of all rows, to be searched for the partners of some."""

    def __init__(self, rows: pl.DataFrame) -> None:
        """`rows` have observation_id, project, kind and compared_keys."""
        described = rows.select("observation_id", "project", "kind").with_row_index("row")
        place, clause = pl.col("key") // (1 << keys.HASH_BITS), 1 << keys.TYPE_BITS
        exploded = rows.with_row_index("row").select("row", key="compared_keys").explode("key").drop_nulls("key")
        self._keys = exploded.select(
            "row",
            clause=pl.col("row").cast(pl.Int64) * _CLAUSES + place // clause,
            type=(place % clause).cast(pl.UInt8),
            hash=(pl.col("key") % (1 << keys.HASH_BITS)).cast(pl.UInt32),
        )
        quotes = self._keys.filter(pl.col("type") == keys.IS_QUOTE)["row"].unique()
        is_quote = pl.col("row").is_in(quotes.implode())
        standing = self._keys.filter(pl.col("type") == keys.IS_STANDING)["row"].unique()
        stated = pl.when(is_quote).then(pl.col("kind").replace(STATED_KINDS)).otherwise(pl.col("kind"))
        stated = pl.when(pl.col("row").is_in(standing.implode())).then(pl.lit(STANDING_KIND)).otherwise(stated)
        self._rows = described.with_columns(kind=stated)

    def find_partners(self, names: Collection[str]) -> set[str]:
        """Return the ids of all rows that may be decided together with one of the rows `names`."""
        rows = self._rows.filter(pl.col("observation_id").is_in(list(names))).select("row")
        own = self._keys.join(rows, on="row", how="semi")
        partners = [
            *self._find_same(own),
            self._find_claims(self._keys, own, "newer"),
            self._find_claims(own, self._keys, "older"),
        ]
        return set(self._rows.join(pl.concat(partners).unique(), on="row", how="semi")["observation_id"])

    def _find_same(self, own: pl.DataFrame) -> list[pl.DataFrame]:
        """Return rows whose content words contain those of an own row or are contained in them, with its class and values, and
        those that give a name of the code a value, too."""
        contents, own_contents = _pick_keys(self._keys, "row", keys.CONTENT), _pick_keys(own, "row", keys.CONTENT)
        sizes = contents.group_by("row").len("size")
        own_contents = own_contents.join(sizes, on="row")
        rare = _rank_by_rarity(own_contents, contents, "row").filter(
            pl.col("rank") < pl.col("size") - (pl.col("size") / _RATIO).cast(pl.Int64)
        )
        pairs = _join_keys(contents, rare, "row").filter(pl.col("older") != pl.col("newer"))
        groups, own_groups = _pick_keys(self._keys, "row", keys.GROUP), _pick_keys(own, "row", keys.GROUP)
        pairs = pairs.join(_join_keys(groups, own_groups, "row"), on=_PAIR, how="semi")
        common = _count_common(pairs, contents, own_contents.select("row", "hash"), "row", "common")
        sized = common.join(sizes.rename({"row": "older", "size": "first"}), on="older")
        sized = sized.join(sizes.rename({"row": "newer", "size": "second"}), on="newer")
        less, more = pl.min_horizontal("first", "second"), pl.max_horizontal("first", "second")
        nested = sized.filter((pl.col("common") >= less) & (more <= less * _RATIO))
        empty = _join_keys(_pick_keys(self._keys, "row", keys.EMPTY), _pick_keys(own, "row", keys.EMPTY), "row")
        given = _join_keys(_pick_keys(self._keys, "row", keys.GIVEN_NAME), _pick_keys(own, "row", keys.GIVEN_NAME), "row")
        return [frame.select(row="older") for frame in (nested, empty, given)]

    def _find_claims(self, older: pl.DataFrame, newer: pl.DataFrame, own: str) -> pl.DataFrame:
        """Return the other rows of pairs of which the newer one may retire the older one; `own` is the side of the own rows."""
        old_clauses, new_clauses = _describe_clauses(older, keys.IS_OLDER), _describe_clauses(newer, keys.IS_NEWER)
        named = self._keep_retiring(_list_named(older, newer), old_clauses, new_clauses)
        named = _count_common(
            named, _pick_keys(older, "clause", keys.START), _pick_keys(newer, "clause", keys.NAMED_START), "clause", "common",
        )  # fmt: skip
        is_explained = pl.col("older_starts") - pl.col("common") <= MAX_UNEXPLAINED
        named = named.filter(is_explained | _has("newer", keys.NAMES_NO_SUBJECT))
        met = self._list_met(older, newer, own)
        met = self._keep_retiring(met, old_clauses, new_clauses).filter(~pl.col("must_say") | _has("newer", keys.IS_EXPLICIT))
        changed = _keep_possible_changes(met, older, newer)
        other = "older" if own == "newer" else "newer"
        return pl.concat([frame.select(row=(pl.col(other) // _CLAUSES).cast(pl.UInt32)) for frame in (named, changed)]).unique()

    def _list_met(self, older: pl.DataFrame, newer: pl.DataFrame, own: str) -> pl.DataFrame:
        """Return pairs of clauses with a rare word, a kind or a name in common: `is_kind_common` holds for the last two."""
        old_words, new_words = (_pick_keys(side, "clause", keys.CORE, keys.SUBJECT) for side in (older, newer))
        own_side = newer if own == "newer" else older
        sizes = own_side.filter(pl.col("type") == keys.SIZES).select("clause", size=_read_size(pl.col("hash"), 3))
        own_words = (new_words if own == "newer" else old_words).join(sizes, on="clause")
        everything = old_words if own == "newer" else new_words
        rare = _rank_by_rarity(own_words, everything, "clause").filter(
            pl.col("rank") < pl.col("size") - _compute_min_overlap(pl.col("size")) + 1
        )
        by_word = _join_keys(*((old_words, rare) if own == "newer" else (rare, new_words)), "clause")
        by_kind = _join_keys(_pick_keys(older, "clause", keys.KIND), _pick_keys(newer, "clause", keys.KIND), "clause")
        by_name = _join_keys(_pick_keys(older, "clause", keys.OLD_NAME), _pick_keys(newer, "clause", keys.NEW_NAME), "clause")
        met = [
            frame.with_columns(has_kind=pl.lit(has_kind), has_name=pl.lit(has_name))
            for frame, has_kind, has_name in ((by_word, False, False), (by_kind, True, False), (by_name, False, True))
        ]
        return pl.concat(met).group_by(_PAIR).agg(pl.col("has_kind", "has_name").any())

    def _keep_retiring(self, pairs: pl.DataFrame, old_clauses: pl.DataFrame, new_clauses: pl.DataFrame) -> pl.DataFrame:
        """Return the pairs of clauses whose kinds and projects let the newer one retire the older one, with what both are."""
        described = pairs.join(old_clauses, left_on="older", right_on="clause")
        described = described.join(new_clauses, left_on="newer", right_on="clause", suffix="_right")
        for side in _PAIR:
            place = pl.col("row").cast(pl.Int64).alias(f"{side}_row")
            rows = self._rows.select(place, pl.col("project", "kind").name.prefix(f"{side}_"))
            described = described.with_columns((pl.col(side) // _CLAUSES).alias(f"{side}_row")).join(rows, on=f"{side}_row")
        described = described.filter(pl.col("older_row") != pl.col("newer_row"))
        described = described.with_columns(is_same_project=pl.col("older_project") == pl.col("newer_project"))
        return described.join(_RETIRING_KINDS, on=("older_kind", "newer_kind", "is_same_project"))


_RETIRING_KINDS = pl.DataFrame(
    [
        (older, newer, is_same, must_say_change(newer, is_same_project=is_same))
        for older in sorted(RETIRED_BY)
        for newer in sorted(RETIRING)
        for is_same in (False, True)
        if may_retire(older, newer, is_same_project=is_same)
    ],
    schema={"older_kind": pl.String, "newer_kind": pl.String, "is_same_project": pl.Boolean, "must_say": pl.Boolean},
    orient="row",
)


def _pick_keys(rows: pl.DataFrame, place: str, *types: int) -> pl.DataFrame:
    return rows.filter(pl.col("type").is_in(types)).select(place, "hash")


def _join_keys(older: pl.DataFrame, newer: pl.DataFrame, place: str) -> pl.DataFrame:
    """Return the pairs of rows or clauses that have a key in common."""
    sides = (older.select("hash", older=place), newer.select("hash", newer=place))
    return sides[0].join(sides[1], on="hash").select(_PAIR).unique()


def _rank_by_rarity(own: pl.DataFrame, everything: pl.DataFrame, place: str) -> pl.DataFrame:
    """Return the own keys with their rank in the row or clause: the rarest of all is 0."""
    seen = everything.join(own.select("hash").unique(), on="hash", how="semi").group_by("hash").len("seen")
    ranked = own.join(seen, on="hash", how="left").with_columns(pl.col("seen").fill_null(0)).sort(place, "seen", "hash")
    return ranked.with_columns(rank=pl.int_range(pl.len()).over(place))


def _count_common(pairs: pl.DataFrame, older: pl.DataFrame, newer: pl.DataFrame, place: str, name: str) -> pl.DataFrame:
    """Return the pairs with the number of keys that both have."""
    numbered = pairs.with_row_index("pair")
    common = (
        numbered.select("pair", *_PAIR)
        .join(newer.rename({place: "newer"}), on="newer")
        .join(older.rename({place: "older"}), on=("older", "hash"), how="semi")
        .group_by("pair")
        .len(name)
    )
    return numbered.join(common, on="pair", how="left").with_columns(pl.col(name).fill_null(0).cast(pl.Int64)).drop("pair")


def _describe_clauses(rows: pl.DataFrame, role: int) -> pl.DataFrame:
    """Return the clauses that have a role in pairs, with their flags and sizes, named by that role."""
    side = "older" if role == keys.IS_OLDER else "newer"
    flags = rows.filter((pl.col("type") == keys.FLAGS) & (pl.col("hash") & role != 0)).select("clause", flags="hash")
    sizes = rows.filter(pl.col("type") == keys.SIZES).select(
        "clause",
        *(_read_size(pl.col("hash"), at).alias(name) for at, name in enumerate(("starts", "values", "core", "subject"))),
    )
    return flags.join(sizes, on="clause").rename(lambda name: name if name == "clause" else f"{side}_{name}")


def _read_size(sizes: pl.Expr, place: int) -> pl.Expr:
    return (sizes // (1 << keys.SIZE_BITS * place) % (1 << keys.SIZE_BITS)).cast(pl.Int64)


def _compute_min_overlap(size: pl.Expr) -> pl.Expr:
    """The same as `transforms.memory.claim_clauses.compute_min_overlap`, of a column."""
    return pl.max_horizontal(1, pl.min_horizontal((size + 1) // 2, size - 2))


def _has(side: str, flag: int) -> pl.Expr:
    return pl.col(f"{side}_flags") & flag != 0


def _list_named(older: pl.DataFrame, newer: pl.DataFrame) -> pl.DataFrame:
    """Return pairs of clauses of which the newer one may name a value of the older one as replaced."""
    starts = _pick_keys(older, "clause", keys.START)
    return _join_keys(starts, _pick_keys(newer, "clause", keys.REPLACED_START), "clause")


def _keep_possible_changes(pairs: pl.DataFrame, older: pl.DataFrame, newer: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs that `is_worth_comparing` and `is_change_possible` let through."""
    values = _pick_keys(older, "clause", keys.VALUE), _pick_keys(newer, "clause", keys.VALUE)
    pairs = _count_common(pairs, *values, "clause", "values")
    pairs = pairs.filter(pl.col("older_values") - pl.col("values") <= 1)
    subjects = [_pick_keys(side, "clause", keys.CORE, keys.SUBJECT) for side in (older, newer)]
    cores = [_pick_keys(side, "clause", keys.CORE) for side in (older, newer)]
    pairs = _count_common(pairs, subjects[0], subjects[1], "clause", "subject")
    pairs = _count_common(pairs, cores[0], subjects[1], "clause", "old_core")
    pairs = _count_common(pairs, subjects[0], cores[1], "clause", "new_core")
    either, both = pl.col("older_flags") | pl.col("newer_flags"), pl.col("older_flags") & pl.col("newer_flags")
    contradicts = (either & NEGATIVE != 0) | (both & (NEGATIVE * 2 - 1) != 0)
    size = pl.max_horizontal("older_subject", "newer_subject")
    is_met = (contradicts & (pl.col("subject") >= _compute_min_overlap(size))) | pl.col("has_kind") | pl.col("has_name")
    is_numbered = (both & NUMBERED != 0) & (pl.col("subject") > 0)
    is_open = (pl.col("old_core") >= pl.col("older_core")) | (
        pl.col("newer_core") - pl.col("new_core") <= _has("newer", keys.IS_EXPLICIT).cast(pl.Int64)
    )
    is_same_value = (pl.col("values") >= pl.col("older_values")) & is_open
    return pairs.filter(is_met & (_has("older", keys.HAS_PURPOSE) | is_numbered | is_same_value | pl.col("has_name")))
