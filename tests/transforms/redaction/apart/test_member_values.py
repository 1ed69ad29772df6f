"""Values whose name is the value of another member, the head of a block or the name of a list; drawn at run time."""

# ruff: noqa: E501 - a made text is read best on one line

from __future__ import annotations

import random

import orjson
import polars as pl
import pytest

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.reading.secret_prefilter import find_secret_candidates
from transforms.redaction.apart.member_values import find_member_values
from transforms.redaction.redact import redact

DRAW = random.Random(311)
WORD = DRAW.choice(("bucket", "copper", "lantern")) + str(DRAW.randint(100, 999))
KEY = "".join(DRAW.choices("abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQ23456789", k=27)) + "a7B"


@pytest.mark.parametrize("value", [WORD, KEY])
@pytest.mark.parametrize("frame", [
    '{"Key": "DB_PASS", "Type": "SecureString", "Value": "%s"}', 'variable "db_password" {\n  type = string\n  default = "%s"\n}',
    "- name: adminPassword\n  description: of the console\n  value: %s", "vault_password:\n  plain: %s\n  rotated: yes",
    '<key>AdminPassword</key>\n<string>%s</string>', "creds=(admin %s)", 'PASSWORDS=(\n  "%s"\n)', "passwords:\n  - %s\n  - %s",
    "password: >-\n  %s\n", "db_password: |\n    %s\n    %s",
])  # fmt: skip
def test_the_value_of_a_name_in_another_place_is_a_secret(frame: str, value: str) -> None:
    text = frame.replace("%s", value)
    assert value not in redact(text)
    assert 0 in find_secret_candidates(pl.Series([orjson.dumps({"text": text}).decode()]))


@each_case("text", [
    "secretKeyRef:\n  name: billing-db-credentials\n  key: password", '- name: PASSWORD_FILE\n  value: /run/secrets/db2',
    '- name: TOKEN_TTL\n  value: "3600"', '{"name": "password", "value": "{{ db_password2 }}"}', 'output "secret" {\n  value = aws_db.x2.arn\n}',
    "password: |\n  Choose a long one.\n  Use 12 characters.", "token: >-\n  ${{ secrets.DEPLOY2 }}",
    "secrets:\n  - db_password\n  - api_token_v2", 'tokens = ["hello2", "world3"]', "passwords:\n  - must have 8 characters\n  - must have a digit",
    '[{"name": "password"}, {"name": "port", "value": "db8080x"}]',
])  # fmt: skip
def test_names_of_secrets_references_and_other_members_stay(text: str) -> None:
    assert list(find_member_values(text)) == []


def test_many_names_cost_what_their_text_costs() -> None:
    assert grows_with_text(lambda text: list(find_member_values(text)), 'password: {"a": "b", ', 100)
