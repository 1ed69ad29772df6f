"""Values that may be secrets although no name stands near."""

import random
import string

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from tests.transforms.redaction.plain_redaction import redact_value
from transforms.redaction.bare.bare_judge import find_bare_secrets, may_be_secret
from transforms.redaction.redact import (
    redact,
)

DRAW = random.Random(11)
PASSWORD = "Kaffee" + "!Otter" + "4821"
TOKEN = "".join(DRAW.choices(string.ascii_letters + string.digits, k=32))


def list_found(text: str, is_user: bool) -> set[str]:
    return {text[start:end] for start, end, _ in find_bare_secrets(text, is_user)}


@each_case(
    "frame",
    ["log in as mara / {} please", "connecte-toi en admin avec {} , puis redémarre", "try {}", "entra no painel com ana / {}"],
)
def test_a_password_that_a_person_typed_needs_no_name(frame: str) -> None:
    text = frame.format(PASSWORD)
    assert PASSWORD in list_found(text, is_user=True)
    assert may_be_secret(PASSWORD, is_user=True)
    assert PASSWORD not in redact(text, is_user=True)


@each_case("frame", ["client.connect('db', 'app', '{}')", 'jwt.sign(user, "{}")'])
def test_a_token_that_an_agent_wrote_is_told_by_its_place(frame: str) -> None:
    assert TOKEN in list_found(frame.format(TOKEN), is_user=False)
    assert may_be_secret(TOKEN, is_user=False)


@each_case(
    "text",
    [
        "commit 43c285d9d48b09bec3125d66d21a63c132f40664",
        "docker run -p 8080:80 nginx:1.27",
        "see src/app/main.py:120",
        "id 3f2b8c9e-1d2a-4b5c-8e7f-0a1b2c3d4e5f",
        "upgrade to v2.14.0-rc1",
        "the base64Content of it",
        "[redacted:password:5742]",
        "claude-haiku-4-5-20251001",
        "wait 30*time.Second, chmod 0o600",
        "set E2E_AGENT and base64_cwd for test-e2e-binary",
        "yes, eu-north-1",
        "feat-search-2",
        "eu-north-1 or tfstate-prod-12?",
        "try Qwen3-8B-Q4_K_M again",
        "set it to claude-haiku-4-5",
        "ENSG00000141510 please",
    ],
    is_user=[True, False],
)
def test_hashes_ids_versions_and_names_are_none(text: str, is_user: bool) -> None:
    assert not list_found(text, is_user)


def test_the_judge_is_the_same_wherever_a_search_begins() -> None:
    text = f'jwt.sign(user, "{TOKEN}")'
    at = text.index(TOKEN)
    assert list(find_bare_secrets(text, False, at, at + len(TOKEN))) == list(find_bare_secrets(text, False))


def test_what_nobody_wrote_is_not_judged() -> None:
    text = f"try {PASSWORD}"
    assert redact(text) == text
    assert redact_value({"text": text})[0] == {"text": text}


def test_members_that_hold_ids_stay() -> None:
    entry = {"requestId": f"try {TOKEN[:18]}", "text": f"try {TOKEN[18::-1]}"}
    assert redact_value(entry, is_user=True)[0]["requestId"] == entry["requestId"]


@each_case("piece", ["Kaffee4821 ", "a1/", "x=1&", "--p4ss "])
def test_the_search_takes_linear_time(piece: str) -> None:
    assert grows_with_text(lambda text: list(find_bare_secrets(text, True)), piece, 100)


@each_case("number", ["nrf52840", "stm32h743", "mcp2515", "esp32s3", "BME280", "rtx4090", "lan9252"])
def test_what_a_person_types_about_a_chip_or_a_board_stays(number: str) -> None:
    """Letters of a maker and a number: such owners name little else."""
    for frame in ("target is {}", "{} please", "it's {}", "no, the {}"):
        assert redact(frame.format(number), is_user=True) == frame.format(number)


def test_a_random_token_that_a_person_types_goes_whatever_letters_it_has() -> None:
    draw = random.Random(63)
    tokens = ["".join(draw.choice(string.ascii_letters + string.digits) for _ in range(size)) for size in (20, 24, 28, 31) * 50]
    stayed = [token for token in tokens if token in redact(f"use this one instead: {token}", is_user=True)]
    assert len(stayed) <= 0.06 * len(tokens)  # letters alone read as words
