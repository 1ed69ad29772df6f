"""Values in outputs and files that may be secrets although no name stands near."""

import random
import string

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from tests.transforms.redaction.plain_redaction import redact_value
from transforms.redaction.bare.printed_judge import MOST_DISTINCT, find_printed_secrets
from transforms.redaction.bare.printed_values import BLOCK_CHARS, cut_blocks
from transforms.redaction.context import PRINTED

DRAW = random.Random(23)
PASSWORD = "Kaffee" + "+Otter" + "4821!"
TOKEN = "".join(DRAW.choices(string.ascii_letters + string.digits, k=40))


def list_found(text: str) -> set[str]:
    return {text[start:end] for start, end, _ in find_printed_secrets(text)}


@each_case("value", [TOKEN, PASSWORD])
def test_a_setting_without_a_telling_name(value: str) -> None:
    text = f"host: nas.example\nwifi_home: {value}\nport: 8080\n"
    assert list_found(text) == {value}
    assert value not in str(redact_value({"text": text}, shapes=0, assigned=PRINTED)[0])


def test_a_token_in_code() -> None:
    assert list_found(f"export default {{\n  shh: '{TOKEN}',\n  mode: 'live',\n}}") == {TOKEN}


@each_case(
    "text",
    [
        "commit 43c285d9d48b09bec3125d66d21a63c132f40664\nAuthor: Mara",
        "id: 3f2b8c9e-1d2a-4b5c-8e7f-0a1b2c3d4e5f",
        '"integrity": "sha512-RkhPPp2zrqDAQAxyzzzzzzzzzzzAAAAbbbbCCCC1234567890abcdefghijklmnop=="',
        "web-7d4b9c6f5-x2x9k   1/1   Running   0   3m",
        "see src/app/main.py:120 and v2.14.0-rc1",
        "Digest: sha256:612eb0d445ba8bef196449df2c7697559909fae2a7b90c2141e14337288f257f",
        'workspaceHash := "' + "abcd1234" * 4 + '"',
        "[redacted:password:5742]",
    ],
)
def test_hashes_ids_and_names_are_none(text: str) -> None:
    assert not list_found(text)


def test_many_values_together_are_ids() -> None:
    rows = ["".join(DRAW.choices(string.ascii_letters + string.digits, k=40)) for _ in range(MOST_DISTINCT + 1)]
    assert not list_found("\n".join(f"app: {row}" for row in rows))


def test_blocks_cover_the_text_and_end_with_lines() -> None:
    text = "\n".join("x" * (number % 97) for number in range(400))
    blocks = list(cut_blocks(text))
    assert "".join(text[start:end] for start, end in blocks) == text
    assert all(end - start <= BLOCK_CHARS and (text[end - 1] == "\n" or end == len(text)) for start, end in blocks)


@each_case("piece", ["a1-", "key: aB3dE5fG7h\n", "https://a.b/c1d2e3f4g5?x=", "Ab1+", "$ a1b2c3d4e5\n", 'name="a1b2c3d4"'])
def test_the_search_takes_linear_time(piece: str) -> None:
    assert grows_with_text(lambda text: list(find_printed_secrets(text)), piece, 150)
