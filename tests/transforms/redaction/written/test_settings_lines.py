"""A line of settings has its value to its end when the lines around it are settings, too."""

import re

from tests.each_case import each_case
from transforms.redaction.written.settings_lines import read_setting


@each_case(
    "text, value",
    [
        ("host=db1.local\npassword=tri kremrole a caj\n", "tri kremrole a caj"),
        ("[db]\npassword = ab;cd(ef\n", "ab;cd(ef"),
        ("host: db1.local\npassword: ab cd\nport: 1\n", "ab cd"),
        (
            "DB_HOST:  db1\nDB_PASSWORD:      carrot;Stew;x\nKEY:   <set to the key 'a' in secret 'b'>  Optional\n",
            "carrot;Stew;x",
        ),
        ("[options]\nadmin_password = kettle-of-Stock\nworkers = 4\n", "kettle-of-Stock"),
        ("user a@b.example\npassword srun jsbm qngg\nport 587\n", "srun jsbm qngg"),
        ("host=db1.local\nport=5432\npassword=Kolo000、&10\nuser=app\n", "Kolo000、&10"),
    ],
)
def test_the_value_goes_to_the_end_of_the_line(text: str, value: str) -> None:
    name = re.search(r"\w*password", text, re.IGNORECASE)
    assert name is not None
    setting = read_setting(text, *name.span())
    assert setting is not None
    assert text[setting.start : setting.end] == value


@each_case(
    "text",
    [
        "password reset flow\nis broken again\n",
        "login=Enter your name\npassword=Enter your password\n",
        "host: str\npassword: str | None\nport: 1\n",
        "host: 'a1',\npassword: get('b', 'c'),\n",
        "PGPASSWORD=abc psql -h db1\n./run.sh\n",
        "user=Name\npassword=dein Passwort\n",
    ],
)
def test_prose_types_code_and_texts_for_people_are_no_settings(text: str) -> None:
    begin = text.lower().index("password")
    assert read_setting(text, begin, begin + len("password")) is None


@each_case("text", [
    "[security]\nadmin_user = admin\nadmin_password = {}\n", "host: db1.local\nport: 5432\npassword: {}\n",
    "smtp_host = mail.a.example\nsmtp_user = ann\nsmtp_pw = {}\n", "bind 10.0.0.3\nport 6379\nrequirepass {}\n",
])  # fmt: skip
def test_a_word_is_a_password_in_a_file_of_settings_that_names_a_place(text: str) -> None:
    word = "ParcDe" + "LaTete"
    name = re.search(r"\w*(?:password|_pw|pass)\b", text)
    assert name is not None
    setting = read_setting(text.format(word), *name.span())
    assert setting is not None
    assert setting.plain == word


@each_case("text", [
    "PASS: TestSessionStart\nFAIL: TestSessionEnd-2\nPASS: TestSessionStop\n", "name: Nombre\nemail: Correo\npassword: Ingresa\n",
    "user: User\nhost: Host\npassword: Passwort\n", "password: encodedValue,\nport: 1\n",
    "password: string\nport: 5432\nhost: a.b\n",
])  # fmt: skip
def test_verdicts_labels_types_and_code_are_no_settings_of_a_word(text: str) -> None:
    name = re.search(r"password|PASS", text)
    assert name is not None
    assert read_setting(text, *name.span()) is None
