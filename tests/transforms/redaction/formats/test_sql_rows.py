"""Values of rows whose statement names their columns."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.redaction.formats.sql_rows import find_row_secrets
from transforms.redaction.redact import redact

VALUES = st.builds(
    "{}{}{}".format, st.sampled_from(("Möwe", "lech", "Kolo!")), st.text("abc-_!;", max_size=8), st.integers(10, 99)
)


def copy_rows(columns: tuple[str, ...], row: tuple[str, ...]) -> str:
    fields = (field.replace("\\", "\\\\").replace("\t", "\\t") for field in row)
    return f"COPY public.accounts ({', '.join(columns)}) FROM stdin;\n{chr(9).join(fields)}\n2\t\\N\t\\N\n\\.\n"


def insert_rows(columns: tuple[str, ...], row: tuple[str, ...]) -> str:
    fields = ("'" + field.replace("'", "''") + "'" for field in row)
    return f"INSERT INTO `accounts` ({', '.join(columns)}) VALUES (1, NOW(), 'b'), ({', '.join(fields)});\n"


@pytest.mark.parametrize("write", [copy_rows, insert_rows])
@given(VALUES, st.uuids(version=4))
def test_the_value_of_a_column_that_holds_secrets_goes(write: object, value: str, key: uuid.UUID) -> None:
    assert callable(write)
    assert value not in redact(write(("id", "name", "password"), ("1", "ann", value)))
    assert str(key) not in redact(write(("id", "name", "api_key"), ("1", "ann", str(key))))


@each_case("text", [
    copy_rows(("id", "name", "note"), ("1", "ann", "lech12 boats")), copy_rows(("id", "name", "password"), ("1", "ann", "\\N")),
    insert_rows(("id", "kind", "name"), ("1", "a'b", "lech12")), "INSERT INTO a (id, password_hint) VALUES (1, 'the 2 boats');",
])  # fmt: skip
def test_other_columns_and_missing_values_stay(text: str) -> None:
    assert redact(text) == text


@each_case(
    "part", ["COPY a (b, password) FROM stdin;\nx\ty\n", "insert into a (b, password) values (1, 'b'), ", "insert into a ("]
)
def test_the_search_takes_linear_time(part: str) -> None:
    assert grows_with_text(lambda text: list(find_row_secrets(text)), part, 60)
