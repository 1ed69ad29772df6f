"""Secrets below the command that asked for them."""

# ruff: noqa: E501

import random
import string

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.redaction.formats.command_answers import find_command_answers
from transforms.redaction.redact import redact

TOKEN = "".join(random.Random(22).choices(string.ascii_letters + string.digits, k=24))
WORDS = "kaffee-otter-regen-lampe"
ASKING = ["pass show mail/work", "op read op://team/db/password", "cat /run/secrets/app", "openssl rand -base64 18", "pwgen -s 24 1",
          "kubectl get secret app -o jsonpath='{.data.x}' | base64 -d", "nmcli -s -g 802-11-wireless-security.psk connection show home",
          "security find-generic-password -w -s mail", "terraform output -raw admin_token"]  # fmt: skip
OTHER = [
    "git rev-parse HEAD",
    "cat key.pub",
    "ssh-keygen -lf key",
    "grep -c password app.py",
    "ls secrets",
    "uuidgen",
    "show version",
]


@each_case("secret", [TOKEN, WORDS], command=ASKING)
def test_the_line_below_is_taken_out(command: str, secret: str) -> None:
    text = f"mara@nas:~$ {command}\n{secret}\nmara@nas:~$ ls\n"
    assert [text[start:end] for start, end, _ in find_command_answers(text)] == [secret]
    assert secret not in redact(text)


@each_case("command", OTHER)
def test_other_commands_ask_for_nothing(command: str) -> None:
    assert list(find_command_answers(f"$ {command}\n{TOKEN}\n$ ")) == []


@each_case("answer", ["Opaque", "enabled", "12", "/etc/app/key", "no such file or directory", "error: not found\nsee help"])
def test_messages_are_no_secrets(answer: str) -> None:
    assert list(find_command_answers(f"$ cat /run/secrets/app\n{answer}\n$ ")) == []


@each_case("piece", ["$ pass show x\n", "$ cat key ", "# ", "$ pass show x\nabcdefgh1\n"])
def test_the_search_takes_linear_time(piece: str) -> None:
    assert grows_with_text(lambda text: list(find_command_answers(text)), piece, 200)
