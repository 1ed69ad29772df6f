"""Declares a table of the lake: a `TypedDict` with annotated columns, and the place of its rows on disk.

Names of columns: `<noun>_id`; `<verb>_at` is a UTC datetime; `day` is a calendar date in the owner's zone; `is_` and `has_`
are booleans; a unit stands in the name (`duration_s`) or in the column's definition. Modules that declare rows do not defer
their annotations, so that nothing has to be evaluated when the schema is derived.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from types import NoneType
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar, get_args, get_origin, is_typeddict

if TYPE_CHECKING:
    import polars as pl

RowT = TypeVar("RowT", bound=Mapping[str, Any])
Layout = Literal["state", "append"]


class Column(NamedTuple):
    """Metadata of a column: its meaning in a few words, its unit, the table whose rows it names, and a number's size in bits."""

    meaning: str
    unit: str = ""
    references: str = ""
    bits: int = 64


class ColumnType(NamedTuple):
    """A column as derived from its annotation. `value_type` is the element's type in a list; `choices` the enum's values.

    A `value_type` that is a `TypedDict` of annotated columns is a struct of them.
    """

    value_type: type
    is_list: bool
    is_nullable: bool
    choices: tuple[str, ...]
    column: Column


@dataclass(frozen=True)
class Table(Generic[RowT]):
    """One table. The docstring of `row` completes the sentence "one row is …".

    `layout` "state": one file per partition, rewritten whole. "append": part files named by their content, compacted later.
    `is_daily` tables are partitioned by `day`. `made_by` names the modules that write rows.
    """

    name: str
    row: type[RowT]
    key: tuple[str, ...]
    made_by: tuple[str, ...]
    layout: Layout
    is_daily: bool

    @cached_property
    def columns(self) -> Mapping[str, ColumnType]:
        """The columns of a row in order, `schema_version` left out."""
        return {name: derive_column(annotation) for name, annotation in self.row.__annotations__.items()}

    @cached_property
    def row_schema(self) -> pl.Schema:
        """The polars schema of a row, without `schema_version`."""
        import polars as pl

        return pl.Schema({name: _find_polars_type(column) for name, column in self.columns.items()})

    @cached_property
    def schema(self) -> pl.Schema:
        """The polars schema of every file of this table, `schema_version` last."""
        import polars as pl

        return pl.Schema({**self.row_schema, "schema_version": pl.Int16()})

    def make_empty(self) -> pl.DataFrame:
        """Return a frame of this table without rows."""
        return self._no_rows.clone()

    @cached_property
    def _no_rows(self) -> pl.DataFrame:
        """The frame that is copied: to build one takes as long as to read a small file."""
        return self.schema.to_frame()


def derive_column(annotation: Any) -> ColumnType:
    """Return the column that `Annotated[type, Column(…)]` declares. The type may be a list or `Literal`, each also with None."""
    value_type, column = annotation.__origin__, annotation.__metadata__[0]
    variants = get_args(value_type) if NoneType in get_args(value_type) else ()
    if variants:
        value_type = next(variant for variant in variants if variant is not NoneType)
    is_list = get_origin(value_type) is list
    if is_list:
        value_type = get_args(value_type)[0]
    choices = get_args(value_type) if get_origin(value_type) is Literal else ()
    return ColumnType(type(choices[0]) if choices else value_type, is_list, bool(variants), choices, column)


def _find_polars_type(column: ColumnType) -> pl.DataType:
    import polars as pl

    if is_typeddict(column.value_type):
        members = {name: _find_polars_type(derive_column(member)) for name, member in column.value_type.__annotations__.items()}
        return pl.List(pl.Struct(members)) if column.is_list else pl.Struct(members)
    number = f"{'Int' if column.value_type is int else 'Float'}{column.column.bits}"
    plain: dict[type, pl.DataType] = {
        str: pl.String(), bool: pl.Boolean(), date: pl.Date(), datetime: pl.Datetime("us", "UTC"),
    }  # fmt: skip
    value_type = plain.get(column.value_type) or getattr(pl, number)()
    return pl.List(value_type) if column.is_list else value_type
