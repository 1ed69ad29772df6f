"""Values that have the form of a public name; random ones are drawn at run time."""

from __future__ import annotations

import random
import string

from tests.each_case import each_case
from transforms.redaction.bare.public_names import is_public_name
from transforms.redaction.redact import redact

NAMES = [
    "claude-haiku-4-5", "Qwen3-8B-Q4_K_M", "llama3.1:70b-instruct-q4_K_M", "DeepSeek-R1-Distill-Qwen-14B", "i-0a1b2c3d4e5f67890",
    "arn:aws:iam::123456789012:role/ci-deploy", "api-7d9f8b6c5d-x2k4q", "nginx:1.27.3-alpine3.20-slim", "v2.0.0-rc.1+build.77",
    "ENSG00000139618", "STM32F407VGT6", "ORD-2026-004512", "PO#4500098123", "parseISO8601", "createOAuth2TokenV2", "0x1F3FB",
    "toolu_01A09q90qw90lq917835lq9", "report_2026-08-11_v3-final.xlsx", "feature/AB-1247-add-oauth2", "libssl3t64",
]  # fmt: skip
FRAMES = (
    "{} please", "set it to {}", "which one is {}?", "it is {} now", "login fails on {}", "use {} for the login test",
    "the password field is filled from {}", "take {} as the default key",
)  # fmt: skip


@each_case("name", NAMES)
def test_models_hosts_parts_versions_ids_and_functions_are_public_names(name: str) -> None:
    assert is_public_name(name)


@each_case("name, frame", [(name, FRAMES[(number + shift) % 8]) for number, name in enumerate(NAMES) for shift in range(3)])
def test_a_public_name_that_no_name_of_a_secret_introduces_stays(name: str, frame: str) -> None:
    text = frame.format(name)
    assert redact(text, is_user=True) == text


@each_case("value", ["Harbor" + "2027$", "skog" + "@2169", "h@okr" + "GaYC!4Ert", "Tiger" + "Maria272-", "pass" + "wörd12"])
def test_marks_of_passwords_stand_in_no_public_name(value: str) -> None:
    assert not is_public_name(value)


def test_of_random_letters_and_digits_hardly_any_read_as_a_name() -> None:
    draw = random.Random(7)
    values = ["".join(draw.choices(string.ascii_letters + string.digits, k=draw.randrange(12, 40))) for _ in range(500)]
    assert sum(map(is_public_name, values)) <= 10
