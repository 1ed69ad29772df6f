"""Words of tables and columns, as they stand in Parquet files and in DuckDB."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.dictionary.comments import COMMENT, annotate_schema, describe_table, hash_comments, list_comments
from transforms.tables.schema import TABLES


@each_case("name", TABLES)
def test_every_column_has_words_and_the_schema_of_its_files(name: str) -> None:
    table = TABLES[name]
    comments = list_comments(table)
    assert list(comments) == list(table.schema)
    assert all(comments.values())
    schema = annotate_schema(name)
    assert schema.remove_metadata() == table.make_empty().to_arrow().schema
    assert {field.name: field.metadata[COMMENT.encode()].decode() for field in schema} == comments


def test_a_comment_tells_unit_values_and_reference() -> None:
    comments = list_comments(TABLES["windows"])
    assert comments["token_count"].endswith("[tokens]")
    assert comments["session_id"].endswith("(→ sessions)")
    assert "`pending`" in comments["status"]
    assert describe_table(TABLES["coverage"]) == "One row is the window of an entry. Key: session_id, ordinal."


def test_tables_have_hashes_of_their_own() -> None:
    """So a file whose words are of an older version is known."""
    assert len({hash_comments(table) for table in TABLES.values()}) == len(TABLES)
