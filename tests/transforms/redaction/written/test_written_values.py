"""Nothing of a value stays that a syntax's own writer wrote behind the name of a secret."""

import configparser
import csv
import io
import json
import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import polars as pl
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.patterns.folding import fold_signs
from transforms.reading.secret_prefilter import find_secret_candidates
from transforms.redaction.redact import redact, redact_value
from transforms.redaction.value_forms import PLACEHOLDER, is_harmless

LEFT = 4
"""Characters in a row of which none of a value may stay."""
Write = Callable[[str], str]


def write_settings(value: str, joint: bool = True) -> str:
    parser = configparser.RawConfigParser()
    parser["db"] = {"host": "db1.local", "port": "5432", "password": value, "user": "app"}
    file = io.StringIO()
    parser.write(file, space_around_delimiters=joint)
    return file.getvalue()


def write_table(value: str, mark: str) -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=mark).writerows([["user", "password", "host"], ["bob", value, "db1.local"]])
    return file.getvalue()


def escape_mark(value: str, mark: str) -> str:
    return mark + value.replace("\\", "\\\\").replace(mark, "\\" + mark) + mark


def double_mark(value: str, mark: str) -> str:
    return mark + value.replace(mark, mark * 2) + mark


MEMBERS: dict[str, Write] = {
    "JSON": lambda value: json.dumps({"host": "db1", "password": value, "port": 1}),
    "JSON in UTF-8": lambda value: json.dumps({"dbPassword": value, "port": 1}, ensure_ascii=False),
    "JSON in JSON": lambda value: json.dumps({"body": json.dumps({"password": value, "a": 1})}),
    "Python": lambda value: f"connect(host='a', password={value!r}, port=1)",
    "C": lambda value: f"const char *password = {escape_mark(value, chr(34))};\n",
    "Java": lambda value: f"private static final String PASSWORD = {escape_mark(value, chr(34))};\n",
    "Go": lambda value: f"password := {escape_mark(value, chr(34))}\n",
    "PHP": lambda value: f"$password = {escape_mark(value, chr(39))};\n",
    "C#": lambda value: f"var password = @{double_mark(value, chr(34))};\n",
    "PowerShell": lambda value: f"$password = {double_mark(value, chr(39))}\n",
    "SQL": lambda value: f"CREATE USER 'web'@'%' IDENTIFIED BY {double_mark(value, chr(39))};",
    "SQL of a role": lambda value: f"ALTER ROLE web WITH LOGIN PASSWORD {double_mark(value, chr(39))};",
    "a constant of PHP": lambda value: f"define( 'DB_PASSWORD', {escape_mark(value, chr(39))} );\n",
    "XML": lambda value: f"<server><id>a</id><password>{escape(value)}</password></server>",
    "an attribute": lambda value: f'<db host="a" password={quoteattr(value)} port="1"/>',
    "a variable of a shell": lambda value: f"PGPASSWORD={shlex.quote(value)} psql -h db1 -U app",
    "a flag": lambda value: f"tool login --password {shlex.quote(value)} --host db1",
    "an argument": lambda value: f"sshpass -p {shlex.quote(value)} ssh admin@10.0.0.2",
}
LINES: dict[str, Write] = {
    "YAML": lambda value: yaml.safe_dump({"host": "db1", "password": value, "port": 5432}, sort_keys=False, allow_unicode=True),
    "settings": write_settings,
    "settings without blanks": lambda value: write_settings(value, False),
}
PAIRS: dict[str, Write] = {
    "a row of settings": lambda value: (
        f"INSERT INTO s VALUES (1,'host','a'),(2,'smtp_pass',{escape_mark(value, chr(39))}),(3,'b','c');"
    ),
    "a field of a page": lambda value: f"await page.getByLabel('Password').fill({escape_mark(value, chr(39))});",
    "a field by its id": lambda value: f'cy.get("#password").type({escape_mark(value, chr(34))});',
}
TABLES: dict[str, Write] = {
    name: lambda value, mark=mark: write_table(value, mark) for name, mark in (("commas", ","), ("semicolons", ";"))
}
ARGUMENTS: dict[str, Write] = {
    "data of a request": lambda value: f"curl -sS --data-urlencode {shlex.quote('password=' + value)} https://a.example",
    "a property": lambda value: f"mvn deploy -Dgpg.passphrase={shlex.quote(value)} -DskipTests",
}
MARKED: dict[str, Write] = {
    marks: lambda value, marks=marks: f"config.password{' = ' if marks[0] == '%' else ' '}{marks[:-1]}{value}{marks[-1]}\n"
    for marks in ("%q{}", "%q()", "%Q[]", "%q||", "«»", "„“", "「」")
}

WORDS = st.sampled_from(("Kolo", "lech", "Ginger", "ducks", "Harbour", "vrba", "otter", "tins"))
PRINTED = st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" "), min_size=4, max_size=24)
VALUES = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(("Kolo", "Lech", "xq", "Žába")),
    PRINTED,
    st.sampled_from("\"'\\;,&<| "),
    st.integers(10, 99),
)
"""Any printed characters between a word and a number, and one that syntax knows: with letters, marks and digits a value is a
password, wherever it ends. Whether a word such as `xq_0` is one is another question."""

MARKS_AND_SLASHES = st.builds(
    "{}{}{}".format,
    st.sampled_from(("Kolo", "Lech", "xq")),
    st.text("\\\\'\"`;a0 ", min_size=3, max_size=8).filter(lambda text: text.count("\\") < 4),
    st.integers(10, 99),
)
"""Values of the signs that languages escape each in their way; a long row of backslashes would be a made-up one."""
FOLLOWED: dict[str, Write] = {
    f"{name}, then more marks": lambda value, write=write: write(value).rstrip("\n") + "  # it's 'a b' and \"c\""
    for name, write in MEMBERS.items()
}


def make_entry(text: str) -> dict[str, Any]:
    return {"type": "message", "message": {"role": "toolResult", "content": [{"type": "text", "text": text}]}}


def clean(texts: Iterable[str]) -> list[str]:
    """Return what is stored of the texts of outputs: only what the search for rows chooses is searched."""
    entries = [make_entry(text) for text in texts]
    bits = find_secret_candidates(pl.Series("json", [json.dumps(entry) for entry in entries]))
    stored = [redact_value(entry, False, *bits[row])[0] if row in bits else entry for row, entry in enumerate(entries)]
    return [PLACEHOLDER.sub("", json.dumps(entry, ensure_ascii=False)) for entry in stored]


def list_left(value: str, stored: str, without: str) -> list[str]:
    pieces = (json.dumps(value[start : start + LEFT], ensure_ascii=False)[1:-1] for start in range(len(value) - LEFT + 1))
    return [piece for piece in pieces if piece in stored and piece not in without]


def check(writes: Mapping[str, Write], value: str) -> None:
    """Write one value, if it is a password anywhere, in each syntax; nothing of it stays in any of them."""
    read = fold_signs(value)  # as rules read it: "a［1" is a place in a list, too
    assume(not any(map(is_harmless, (value, value.replace("\\", ""), read, read.replace("\\", "")))))
    assume(not any(code in value for code in ("${", "{{", "#{", "<%", "%(", "$(", "://", "[redacted")))
    assert find_left(writes, value) == {}


def find_left(writes: Mapping[str, Write], value: str) -> dict[str, list[str]]:
    """Return what stays of a value, by the syntaxes in which anything does."""
    texts = {name: write(value) for name, write in writes.items()}
    left = {
        name: list_left(value, stored, "".join(json.dumps(make_entry(writes[name](other))) for other in ("Z9z!", "")))
        for name, stored in zip(texts, clean(texts.values()), strict=True)
    }
    return {f"{name}: {texts[name]}": pieces for name, pieces in left.items() if pieces}


@given(VALUES)
def test_nothing_of_a_value_between_its_marks_stays(value: str) -> None:
    check(MEMBERS, value)


@given(MARKS_AND_SLASHES)
def test_nothing_of_a_value_stays_whose_backslashes_are_escapes_in_one_language_and_signs_in_another(value: str) -> None:
    check(MEMBERS | FOLLOWED, value)


@given(VALUES)
def test_nothing_of_a_value_to_the_end_of_its_line_stays(value: str) -> None:
    assume(not any(code in value for code in (" = ", " | ")))
    check(LINES, value)


@given(VALUES.map(lambda value: value.replace(" ", "")))
def test_nothing_of_a_cell_stays(value: str) -> None:
    check(TABLES, value)


@given(st.builds("{} {} {}{}".format, WORDS, st.sampled_from("&+'\"-"), WORDS, st.integers(10, 99)))
def test_nothing_of_the_words_of_an_argument_behind_a_name_stays(value: str) -> None:
    check(PAIRS, value)


@given(st.lists(WORDS, min_size=2, max_size=5), st.integers(10, 99), st.sampled_from("&+=#"))
def test_words_in_one_argument_with_their_name_go_whole(words: list[str], number: int, mark: str) -> None:
    check(ARGUMENTS, f"{words[0]} {mark} {' '.join(words[1:])} {number}")


@given(WORDS, WORDS, st.integers(10, 99))
def test_a_value_between_other_marks_goes_whole(first: str, last: str, number: int) -> None:
    check(MARKED, f"{first}+{last}{number}")


def test_a_value_that_stays_in_one_of_many_syntaxes_is_seen() -> None:
    """Or the tests above would prove nothing."""
    (left,) = find_left(MEMBERS | {"a note": lambda value: f"the ducks said {value} to me"}, "Kolo a b&12")
    assert left.startswith("a note: ")


@each_case(
    "text",
    [
        'password: "can\'t be blank"',
        'password = input("Password: ")',
        "password: str | None = None",
        "An entry is uniquely identified by `(user_id, media_id2)`.",
        "html += '<input name=\"password\" value=\"' + value2 + '\">'",
        "password: 'Your password can\\'t be the same'",
        "host: str\npassword: str | None\nurl: yarl.URL\n",
        'password="${DB_PASSWORD:-x1}"',
        "<password>${env.PASSWORD1}</password>",
        "prompt('Password: ', -e => '*1');",
        "t('password', 'must be at least 8 characters')",
        'echo "password=${X1} and more"',
        "expect(page.getByLabel('Password').getAttribute('data-x1'))",
        "The password is read from host1.\nSee the docs of v2.\n",
    ],
)
def test_messages_types_and_code_behind_such_names_stay(text: str) -> None:
    assert redact(text) == text


@each_case(
    "text, value",
    [
        ("token: >-\n      eyJhbGciOiJSUzI1NiIs\n      ImtpZCI6Ii4pS2WAMvCr\nnext: 1", "eyJhbGciOiJSUzI1NiIs"),
        ("auth on\nuser a.b@c.example\npassword srun jsbm qngg qngo\nfrom a.b@c.example\n", "qngg"),
        ("[wifi-security]\nkey-mgmt=wpa-psk\npsk=tri kremrole a caj\n", "kremrole"),
        ('password = """mak#ovy;kolac#"""\n', "kolac"),
        ('<password>Lech b" ";\\84</password>', "Lech b"),
    ],
)  # fmt: skip
def test_a_block_a_phrase_of_settings_and_a_value_in_three_marks_go_whole(text: str, value: str) -> None:
    assert value not in redact(text)


@each_case("text", [
    "MQTT_PW={}", "Environment=A=b WIKI_PW={}", "tool --db-pw={} run", "<password>{}</password>",
    "ALTER ROLE x WITH PASSWORD '{}';",
    'psk="{}"',
])  # fmt: skip
def test_a_word_is_a_password_where_nothing_but_a_value_can_stand(text: str) -> None:
    word = "lemon" + "kettle"
    assert word not in redact(text.format(word))


@each_case("text", [
    "PGPASSWORD='{}' psql -h x", "mount -o username=b,password='{}' //n/s /m", '[cookie]\nsecret = "{} twice"\ndomain = "x"\n',
])  # fmt: skip
def test_a_phrase_is_a_password_where_nothing_but_a_value_can_stand(text: str) -> None:
    phrase = "Sommer in " + "Kufstein"
    assert phrase not in redact(text.format(phrase))


@each_case("text", [
    "<password>Passwort</password>", "tool --password=PASSWORD run", "password='Enter a value.'",
    "print(secret = \"one two three\")",
    "<password>string</password>", "NEW_PASS=$OLD", '"password": "Mindestens acht Zeichen"',
])  # fmt: skip
def test_labels_placeholders_and_messages_in_such_places_stay(text: str) -> None:
    assert redact(text) == text


def test_a_long_key_of_printed_characters_is_taken_with_its_blanks() -> None:
    key = "6:=;Vme!XZi%X7W%JmEm iDDAj@vWaJRch" + "af_idcpTTNu|JQ5nyvRdGxdeupAr+W"
    assert key[-20:] not in redact(f"define( 'AUTH_KEY',   '{key}' );")
    assert redact("define('API_KEY', 'This is the text that explains what the key is used for');").count("redacted") == 0


def test_the_next_setting_below_a_secret_is_no_rest_of_a_wrapped_token() -> None:
    assert "SECRET_KEY=changeme" in redact("REDIS_PW=lemon" + "kettle\nSECRET_KEY=changeme\n")
