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
PAIRS_AT_ONCE = 4_000_000
"""Pairs that could be there while some rows are looked at: what pairs share is counted in frames that hold each of them."""
_Keys = dict[int, pl.DataFrame]
"""The keys of rows by their type: hashes with the row, or with the clause, that has them."""
_SUBJECT = 0
"""All words of a clause's subject, those that name no alternative and the others."""


class ComparisonIndex:
    """The keys of all rows, to be searched for the partners of some."""

    def __init__(self, rows: pl.DataFrame) -> None:
        """`rows` have observation_id, project, kind and compared_keys."""
        self._keys = _sort_keys(rows.select("compared_keys"))
        self._sizes = self._keys[keys.CONTENT].group_by("row").len("size")
        self._seen = {type_: self._keys[type_].group_by("hash").len("seen") for type_ in (keys.CONTENT, _SUBJECT)}
        self._older, self._newer = (_describe_clauses(self._keys, role) for role in (keys.IS_OLDER, keys.IS_NEWER))
        is_quote, is_standing = (
            pl.col("row").is_in(self._keys[type_]["row"].unique().implode()) for type_ in (keys.IS_QUOTE, keys.IS_STANDING)
        )
        stated = pl.when(is_quote).then(pl.col("kind").replace(STATED_KINDS)).otherwise(pl.col("kind"))
        stated = pl.when(is_standing).then(pl.lit(STANDING_KIND)).otherwise(stated)
        self._rows = rows.select("observation_id", "project", "kind").with_row_index("row").with_columns(kind=stated)

    def find_partners(self, names: Collection[str]) -> set[str]:
        """Return the ids of all rows that may be decided together with one of the rows `names`.

        Some of these are looked at, then the next ones: what one row has in common with others depends on no third one.
        """
        rows = self._rows.filter(pl.col("observation_id").is_in(list(names)))["row"]
        own, size = _select_rows(self._keys, rows), max(1, PAIRS_AT_ONCE // max(1, self._rows.height))
        parts = (rows.slice(start, size) for start in range(0, len(rows), size))
        partners = [rows.clear(), *(self._find_partner_rows(_select_rows(own, part)) for part in parts)]
        return set(self._rows.filter(pl.col("row").is_in(pl.concat(partners).unique().implode()))["observation_id"])

    def _find_partner_rows(self, own: _Keys) -> pl.Series:
        partners = [
            *self._find_same(own),
            self._find_claims(self._keys, own, "newer"),
            self._find_claims(own, self._keys, "older"),
        ]
        return pl.concat(partners)["row"].unique()

    def _find_same(self, own: _Keys) -> list[pl.DataFrame]:
        """Return rows whose content words contain those of an own row or are contained in them, with its class and values, and
        those that give a name of the code a value, too."""
        contents, sizes = self._keys[keys.CONTENT], self._sizes
        own_contents = own[keys.CONTENT].join(sizes, on="row")
        rare = _rank_by_rarity(own_contents, self._seen[keys.CONTENT], "row").filter(
            pl.col("rank") < pl.col("size") - (pl.col("size") / _RATIO).cast(pl.Int64)
        )
        pairs = _join_keys(contents, rare, "row").filter(pl.col("older") != pl.col("newer"))
        sized = pairs.join(sizes.rename({"row": "older", "size": "first"}), on="older")
        sized = sized.join(sizes.rename({"row": "newer", "size": "second"}), on="newer")
        less, more = pl.min_horizontal("first", "second"), pl.max_horizontal("first", "second")
        sized = sized.filter(more <= less * _RATIO)
        beside = _count_common(sized, self._keys[keys.GROUP], own[keys.GROUP], "row", "groups").filter(pl.col("groups") > 0)
        nested = _count_common(beside, contents, own[keys.CONTENT], "row", "common").filter(pl.col("common") >= less)
        empty = _join_keys(self._keys[keys.EMPTY], own[keys.EMPTY], "row")
        given = _join_keys(self._keys[keys.GIVEN_NAME], own[keys.GIVEN_NAME], "row")
        return [frame.select(row="older") for frame in (nested, empty, given)]

    def _find_claims(self, older: _Keys, newer: _Keys, own: str) -> pl.DataFrame:
        """Return the other rows of pairs of which the newer one may retire the older one; `own` is the side of the own rows."""
        named = self._keep_retiring(_join_keys(older[keys.START], newer[keys.REPLACED_START], "clause"))
        named = _count_common(named, older[keys.START], newer[keys.NAMED_START], "clause", "common")
        is_explained = pl.col("older_starts") - pl.col("common") <= MAX_UNEXPLAINED
        named = named.filter(is_explained | _has("newer", keys.NAMES_NO_SUBJECT))
        met = self._keep_retiring(self._list_met(older, newer, own)).filter(~pl.col("must_say") | _has("newer", keys.IS_EXPLICIT))
        changed = _keep_possible_changes(met, older, newer)
        other = "older" if own == "newer" else "newer"
        return pl.concat([frame.select(row=(pl.col(other) // _CLAUSES).cast(pl.UInt32)) for frame in (named, changed)]).unique()

    def _list_met(self, older: _Keys, newer: _Keys, own: str) -> pl.DataFrame:
        """Return pairs of clauses with a rare word, a kind or a name in common: `is_kind_common` holds for the last two."""
        side = newer if own == "newer" else older
        own_words = side[_SUBJECT].join(side[keys.SIZES].select("clause", size=_read_size(pl.col("hash"), 3)), on="clause")
        rare = _rank_by_rarity(own_words, self._seen[_SUBJECT], "clause").filter(
            pl.col("rank") < pl.col("size") - _compute_min_overlap(pl.col("size")) + 1
        )
        by_word = _join_keys(*((older[_SUBJECT], rare) if own == "newer" else (rare, newer[_SUBJECT])), "clause")
        by_kind = _join_keys(older[keys.KIND], newer[keys.KIND], "clause")
        by_name = _join_keys(older[keys.OLD_NAME], newer[keys.NEW_NAME], "clause")
        met = [
            frame.with_columns(has_kind=pl.lit(has_kind), has_name=pl.lit(has_name))
            for frame, has_kind, has_name in ((by_word, False, False), (by_kind, True, False), (by_name, False, True))
        ]
        return pl.concat(met).group_by(_PAIR).agg(pl.col("has_kind", "has_name").any())

    def _keep_retiring(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Return the pairs of clauses whose kinds and projects let the newer one retire the older one, with what both are."""
        described = pairs.join(self._older, left_on="older", right_on="clause")
        described = described.join(self._newer, left_on="newer", right_on="clause", suffix="_right")
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


def _sort_keys(rows: pl.DataFrame) -> _Keys:
    """Return the keys of rows by type; a row is named by its position."""
    place = pl.col("key") // (1 << keys.HASH_BITS)
    number = pl.col("row").cast(pl.Int64) * _CLAUSES + place // (1 << keys.TYPE_BITS)
    exploded = rows.with_row_index("row").explode("compared_keys").rename({"compared_keys": "key"}).drop_nulls("key")
    typed = exploded.with_columns(type=(place % (1 << keys.TYPE_BITS)).cast(pl.UInt8))
    sorted_keys: _Keys = {}
    for type_ in range(keys.CONTENT, keys.IS_STANDING + 1):
        at = pl.col("row") if type_ in keys.ROW_TYPES else number.alias("clause")
        own_hash = (pl.col("key") % (1 << keys.HASH_BITS)).cast(pl.UInt32).alias("hash")
        sorted_keys[type_] = typed.filter(pl.col("type") == type_).select(at, own_hash)
    sorted_keys[_SUBJECT] = pl.concat([sorted_keys[keys.CORE], sorted_keys.pop(keys.SUBJECT)])
    return sorted_keys


def _select_rows(sorted_keys: _Keys, rows: pl.Series) -> _Keys:
    """Return the keys of these rows."""
    selected: _Keys = {}
    for type_, frame in sorted_keys.items():
        row = pl.col("row") if "row" in frame.columns else (pl.col("clause") // _CLAUSES).cast(pl.UInt32)
        selected[type_] = frame.filter(row.is_in(rows.implode()))
    return selected


def _join_keys(older: pl.DataFrame, newer: pl.DataFrame, place: str) -> pl.DataFrame:
    """Return the pairs of rows or clauses that have a key in common."""
    sides = (older.select("hash", older=place), newer.select("hash", newer=place))
    return sides[0].join(sides[1], on="hash").select(_PAIR).unique()


def _rank_by_rarity(own: pl.DataFrame, seen: pl.DataFrame, place: str) -> pl.DataFrame:
    """Return the own keys with their rank in the row or clause: the rarest of all is 0."""
    ranked = own.join(seen, on="hash", how="left").with_columns(pl.col("seen").fill_null(0)).sort(place, "seen", "hash")
    return ranked.with_columns(rank=pl.int_range(pl.len()).over(place))


def _count_common(pairs: pl.DataFrame, older: pl.DataFrame, newer: pl.DataFrame, place: str, name: str) -> pl.DataFrame:
    """Return the pairs with the number of keys that both have."""
    numbered = pairs.with_row_index("pair")
    older, newer = (
        frame.rename({place: side}).join(pairs.select(side).unique(), on=side, how="semi")
        for side, frame in zip(_PAIR, (older, newer), strict=True)
    )
    common = numbered.select("pair", *_PAIR).join(newer, on="newer").join(older, on=("older", "hash"), how="semi")
    counted = common.group_by("pair").len(name)
    return numbered.join(counted, on="pair", how="left").with_columns(pl.col(name).fill_null(0).cast(pl.Int64)).drop("pair")


def _describe_clauses(rows: _Keys, role: int) -> pl.DataFrame:
    """Return the clauses that have a role in pairs, with their flags and sizes, named by that role."""
    side = "older" if role == keys.IS_OLDER else "newer"
    flags = rows[keys.FLAGS].filter(pl.col("hash") & role != 0).rename({"hash": "flags"})
    sizes = rows[keys.SIZES].select(
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


def _keep_possible_changes(pairs: pl.DataFrame, older: _Keys, newer: _Keys) -> pl.DataFrame:
    """Return the pairs that `is_worth_comparing` and `is_change_possible` let through."""
    pairs = _count_common(pairs, older[keys.VALUE], newer[keys.VALUE], "clause", "values")
    pairs = pairs.filter(pl.col("older_values") - pl.col("values") <= 1)
    pairs = _count_common(pairs, older[_SUBJECT], newer[_SUBJECT], "clause", "subject")
    pairs = _count_common(pairs, older[keys.CORE], newer[_SUBJECT], "clause", "old_core")
    pairs = _count_common(pairs, older[_SUBJECT], newer[keys.CORE], "clause", "new_core")
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
