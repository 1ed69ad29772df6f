"""Secrets in the columns of tables."""

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
