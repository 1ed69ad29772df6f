"""Secrets in the columns of tables."""

import csv
import io

from tests.each_case import each_case
from transforms.redaction.table_secrets import find_table_secrets

VALUE = "zebra" + "71x"


@each_case(
    "table",
    [
        "name,login,password,note\nshop,ann,{},\n",
        "nom;identifiant;mot de passe initial\nAnn;aa;{}\n",
        "| user | PW |\n|---|---|\n| ann | {} |\n",
        "Shop\tUser\tParola\nA\tann\t{}\n",
        "client    server  secret\nann       *       {}\n",
        "| 氏名 | ID | 初期PW |\n|---|---|---|\n| 田中 | t01 | {} |\n",
    ],
)
def test_the_values_below_a_header_that_names_a_secret_are_secrets(table: str) -> None:
    text = table.format(VALUE)
    assert VALUE in {text[start:end] for start, end, _ in find_table_secrets(text)}


@each_case(
    "table",
    ["badge\tdoor_pin\tstart\n7\t{}\t2025-09-01\n", "| system | credentials |\n|---|---|\n| Zabbix | {} |\n"],
)
def test_pins_and_credentials_are_headers(table: str) -> None:
    value = "6027" + "4"
    text = table.format(value)
    assert value in {text[start:end] for start, end, _ in find_table_secrets(text)}


def test_a_cell_between_marks_may_be_words_and_the_name_of_a_row_is_no_header() -> None:
    file = io.StringIO()
    value = f'boxes, "{VALUE}" and vans'
    csv.writer(file, lineterminator="\n").writerows([["url", "username", "password"], ["https://a.test", "ann", value]])
    text = file.getvalue()
    assert {text[start:end] for start, end, _ in find_table_secrets(text)} == {value.replace('"', '""')}
    listed = f"mail-credentials   Opaque    2    311d\n{VALUE}-blue    other/v1  1    12d\n"
    assert list(find_table_secrets(listed)) == []


@each_case(
    "table",
    [
        "| Token | Purpose |\n|---|---|\n| accent | borders |\n",
        "login | password\n------+---------\nann | ********\n",
        "403pw|  open();\n404zl|  close();\n",
        "column,type\npassword,string\ntoken,string\n",
        "key    value\nname   app-17\n",
    ],
)
def test_masks_words_and_code_are_no_secrets(table: str) -> None:
    assert list(find_table_secrets(table)) == []


WORD = "zebra" + "carriage"


@each_case("table", [
    '"url","username","password"\n"https://a.example","ann","{}"\n', "mail;password\nann@a.example;{}\n",
    "user,password,since\nann,{},2026-11-29\n",
])  # fmt: skip
def test_a_word_below_password_is_one_in_a_file_of_data_that_names_an_account(table: str) -> None:
    text = table.format(WORD)
    assert WORD in {text[start:end] for start, end, _ in find_table_secrets(text)}


@each_case("table", [
    "apt\tbase-passwd\t3.6.7\napt\t{}\t2.44-3\n", "| field | password |\n|---|---|\n| ann@a.example 12 | {} |\n",
    "field,password\nhint,{}\n", "mail,password\nann@a.example,password\n",
])  # fmt: skip
def test_a_word_below_the_name_of_a_package_in_prose_or_beside_nothing_stays(table: str) -> None:
    assert list(find_table_secrets(table.format(WORD))) == []
