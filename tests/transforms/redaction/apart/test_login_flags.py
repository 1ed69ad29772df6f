"""Passwords among the arguments of any command; drawn at run time."""

# ruff: noqa: E501 - a made text is read best on one line

from __future__ import annotations

import random

import orjson

from tests.each_case import each_case
from transforms.reading.redact_entries import clean_entries
from transforms.redaction.apart.login_flags import find_login_flags

DRAW = random.Random(45)
WORD = DRAW.choice(("magnet", "copper", "lantern")) + DRAW.choice(("Kettle", "Harbor")) + str(DRAW.randint(10, 99))


def clean(text: str) -> str:
    entry = {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}
    return str(clean_entries([entry], [orjson.dumps(entry)]).raw_json[0])


@each_case("frame", [
    "someftp -u web -p {} host /www", "tool --user bob -p '{}' push", "rclone obscure {}", "curl -su 'ana:{}' https://x.example",
    "echo -n '{}' | base64", "printf '%s\\n' '{}' '{}' | passwd deploy", "ConvertTo-SecureString '{}' -AsPlainText -Force",
    "davmount -u mara:{} https://d.example", "sync-tool --user=mara:{} now", "stockctl add_user mara {}", "shopd user create mara '{}'",
    "metrics-cli admin reset-admin-password root {}",
])  # fmt: skip
def test_a_password_behind_a_user_or_before_a_hash_is_one_in_any_command(frame: str) -> None:
    assert WORD not in clean(frame.replace("{}", WORD))


@each_case("text", [
    "docker run -u node2 -p 3000:3000 -w /app2 img", "rsync -u src1 -p dst2", "git log -u main -p HEAD~2", "docker run -u node:node2 img", "useradd -m ada wheel2",
    "kubectl get pods --user system:serviceaccount:ci:runner2", "manage create_user ada platform2", "grep -u root -P 'pass\\d+' file2.txt",
    "curl -sSLu https://x.example/install2.sh", "run passwd-check2.sh now", "hash-password.ts exports it", "tar -pxzf b2024.tgz && mkdir -p build/Release2",
])  # fmt: skip
def test_ports_paths_and_files_behind_such_flags_stay(text: str) -> None:
    assert list(find_login_flags(text)) == []
    assert "redacted" not in clean(text)
