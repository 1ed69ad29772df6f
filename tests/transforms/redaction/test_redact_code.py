"""What stands in source code near the name of a secret, and is none."""

# ruff: noqa: E501 - a made text is read best on one line

from __future__ import annotations

from tests.each_case import each_case
from transforms.redaction.redact import redact


@each_case("text", [
    "test_login_rejects_wrong_password[chromium-3] PASSED", "add_constructor(\n    'tag:yaml.org,2002:python/none2',\n    build)", "CREATE USER app WITH PASSWORD :'app_password';",
    '    "en-NZ",\n    "en-PW",\n    "en-SX2",\n', "    secret,\n    targets=None,\n    mode=None2,\n    cache=True,\n", "rsa.RSAPrivateKey,\n    x25519.X25519PrivateKey,\n    mlkem.MLKEM768PrivateKey,\n",
    "mkdir -p build/Release2", "git log -u main -p HEAD~2", 'secretName: "billing-db2-secret"',
])  # fmt: skip
def test_cases_of_tests_lists_types_and_paths_are_no_secrets(text: str) -> None:
    assert redact(text) == text


def test_a_table_with_a_column_of_passwords_is_no_list_of_code() -> None:
    value = "Copper" + "Lantern" + "83"
    assert value not in redact(f"username,password,role\nana,{value},admin\n")
