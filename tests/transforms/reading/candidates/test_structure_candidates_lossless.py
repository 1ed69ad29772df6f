"""The cheap searches that select rows lose nothing that the full search of every text finds."""

import base64
import json
import string
from collections.abc import Callable
from random import Random

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.redaction.numbers.test_account_numbers import ISSUERS, make_card, make_iban, write_groups
from transforms.reading.secret_prefilter import find_secret_candidates
from transforms.redaction.command_secrets import find_command_secrets
from transforms.redaction.context import STRUCTURES
from transforms.redaction.numbers.access_codes import find_access_codes
from transforms.redaction.numbers.account_numbers import find_account_numbers
from transforms.redaction.seed_words import SEED_BEGINNINGS
from transforms.redaction.structures import find_structures
from transforms.redaction.table_secrets import find_table_secrets

HEX, LETTERS = "0123456789abcdef", string.ascii_letters + string.digits
SEED = sorted(SEED_BEGINNINGS)
CODES = ("PIN: {}", "the puk is {}", "the door code is {}", "cvv {}")
LONG_SEED = [word for word in SEED if len(word) == 4]


def draw(chance: Random, alphabet: str, count: int) -> str:
    return "".join(chance.choices(alphabet, k=count))


def join_draws(chance: Random, alphabet: str, size: int, count: int, joint: str) -> str:
    return joint.join(draw(chance, alphabet, size) for _ in range(count))


def make_numbers(chance: Random, joint: str) -> str:
    return joint.join(str(chance.randrange(256)) for _ in range(32))


def make_account(chance: Random) -> str:
    account = f"svc_{draw(chance, string.ascii_lowercase, 6)}:{draw(chance, LETTERS, 11)}"
    return base64.b64encode(account.encode()).decode()


def make_table(chance: Random) -> str:
    header = chance.choice(("password", "Passwort", "api key", "token", "PIN", "mot de passe", "contraseña", "secret"))
    value = draw(chance, string.ascii_lowercase, 5) + draw(chance, HEX, 9) + "7K"
    row = chance.choice(("| {} | {} |", "{},{}", '"{}","{}"', "{}\t{}", "{};{};", "{}          {}    ", "│ {} │ {} │"))
    return "\n".join(row.format(left, right) for left, right in (("login", header), ("ann", value), ("ben", value[::-1]))) + "\n"


def make_command(chance: Random) -> str:
    command = chance.choice(
        (
            "ipmitool -I lanplus -U ADMIN -P {}", "snmpget -v3 -u z -a SHA -A {} host", "net use Z: \\\\srv\\x {} /user:ann",
            "sqlplus -s app/{}@//db:1521/XE", "lftp -u web,{} ftp.example", "smbclient //nas/x -U ann%{}", "redis-cli -a {} ping",
            "curl -s --user 'ann:{}' https://a.example", "echo -n {} | cryptsetup open /dev/sdb1 x", "7z x -p{} a.7z",
            "echo {} | docker login -u a --password-stdin", "kinit <<< {}", "mysql -u root -p{} db", "docker login -u a -p {}",
            "printf '%s' {} | sudo chpasswd", "tailscale up --authkey={}", "htpasswd -b f ann {}", "npm publish --auth-token {}",
        )
    )  # fmt: skip
    return command.format("lantern" + draw(chance, HEX, 6) + "anchor")


def make_seed_phrase(chance: Random) -> str:
    words = chance.sample(SEED, 12)
    if chance.random() < 0.3:
        return "\n".join(f" {number}. {word:10}{number + 12}. {chance.choice(SEED)}" for number, word in enumerate(words, 1))
    return chance.choice((" ", ", ", "\n", '", "', " | ", "\r\n")).join(words)


MAKERS: dict[str, Callable[[Random], str]] = {
    "product key": lambda chance: join_draws(chance, string.ascii_uppercase + "0123456789", 5, 5, "-"),
    "numbers": lambda chance: join_draws(chance, string.digits, 6, 8, "-"),
    "address": lambda chance: f"https://a.example/private-{draw(chance, HEX, 24)}/ics",
    "uuid": lambda chance: "-".join(draw(chance, HEX, size) for size in (8, 4, 4, 4, 12)) + ":fx",
    "bech32": lambda chance: "nsec1" + draw(chance, "023456789acdefghjklmnpqrstuvwxyz", 58),
    "wallet": lambda chance: "K9" + draw(chance, string.ascii_uppercase[:8] + "123456789", 50) + " ",
    "block": lambda chance: f"-----BEGIN OpenVPN Static key V1-----\n{join_draws(chance, HEX, 32, 4, chr(10))}\n",
    "paper": lambda chance: f" 12: {join_draws(chance, HEX, 6, 6, ' ')} - {draw(chance, HEX, 2)}\n",
    "bytes": lambda chance: f"key = [{make_numbers(chance, chance.choice((', ', ',', ',' + chr(10))))}]",
    "byte lines": lambda chance: "secret:\n" + "".join(f"  - {chance.randrange(256)}\n" for _ in range(20)),
    "hex": lambda chance: f"Key: {join_draws(chance, HEX, 2, 16, chance.choice(' :'))} ",
    "account hash": lambda chance: f"{draw(chance, HEX, 32)}:{draw(chance, HEX.upper(), 32)}:[U          ]:",
    "doubled": lambda chance: f"$$2y$$10$${draw(chance, LETTERS, 53)}",
    "cracked": lambda chance: f"{draw(chance, HEX, chance.choice((32, 40, 64)))}:{draw(chance, LETTERS, 9)}x",
    "inserted": lambda chance: f"INSERT INTO users VALUES (1, 'ann', '{draw(chance, HEX, 32)}');",
    "codes": lambda chance: "\n".join(f"{draw(chance, HEX, 4)}7-a{draw(chance, HEX, 4)}" for _ in range(6)),
    "numbered codes": lambda chance: "\n".join(
        f" {number}. {draw(chance, HEX, 4)}7-a{draw(chance, HEX, 4)}" for number in range(1, 9)
    ),
    "account": make_account,
    "seed phrase": make_seed_phrase,
    "card": lambda chance: write_groups(make_card(chance, *chance.choice(ISSUERS)), chance.choice(" -")),
    "iban": lambda chance: make_iban(chance, chance.choice(("DE", "GB", "FR"))),
    "code": lambda chance: chance.choice(CODES).format(chance.randrange(3000, 1900000)),
    "phrase": lambda chance: f"the passphrase is '{' '.join(chance.sample(LONG_SEED, 5))}'",
    "table": make_table,
    "command": make_command,
}  # fmt: skip


def is_found(text: str) -> bool:
    """Whether the full search of a text finds a structure; groups with blanks count only where a person typed."""
    found = [
        *find_structures(text, False),
        *find_table_secrets(text),
        *find_command_secrets(text),
        *find_account_numbers(text),
        *find_access_codes(text, False),
    ]
    return any(family != "password" or len(text[start:end].split(" ")) < 4 for start, end, family in found)


@settings(max_examples=25, deadline=None)
@given(
    chance=st.randoms(use_true_random=False),
    before=st.text(max_size=40),
    after=st.text(max_size=40),
    joint=st.sampled_from(" \n\t"),
)
def test_a_row_that_is_left_out_holds_no_structure(chance: Random, before: str, after: str, joint: str) -> None:
    """One of each kind is searched at once."""
    texts = ["nothing", *(f"{before}{joint}{make(chance)}\n{after}" for make in MAKERS.values())]
    candidates = find_secret_candidates(pl.Series([json.dumps({"text": text}, ensure_ascii=False) for text in texts]))
    chosen = {row for row, (_, bits) in candidates.items() if bits & STRUCTURES}
    assert [text for row, text in enumerate(texts) if row and row not in chosen and is_found(text)] == []


@each_case("maker", MAKERS)
def test_the_made_texts_hold_structures(maker: str) -> None:
    assert sum(is_found(f"first\n{MAKERS[maker](Random(number))}\nlast") for number in range(20)) >= 10


def test_only_a_row_with_a_structure_is_written_anew() -> None:
    words = " ".join(word for word in SEED if len(word) == 4)[:34] + " and then nothing of that kind at all"
    rows = pl.Series([json.dumps({"text": words, "cost": 0.000005})])
    assert find_secret_candidates(rows) == {}
