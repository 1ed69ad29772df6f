"""The fast search of ingest takes out what the exact rules take out: texts are made from these rules, in all places."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import orjson

from tests.each_case import each_case
from tests.transforms.reading.candidates.test_structure_candidates_lossless import MAKERS
from tests.transforms.reading.pattern_samples import draw_text, make_value
from transforms.reading.redact_entries import clean_entries, is_agent_message, is_user_message
from transforms.redaction.context import BARE, BARE_PASSWORD, PRINTED, TRANSLATED
from transforms.redaction.context_rules import CODE_LISTS, PASSWORD_WORDS, SEED_PHRASE, SURROUNDINGS, TOKEN_PLACE
from transforms.redaction.named_values import SECRET_NAMES, SHORT_NAMES
from transforms.redaction.redact import EVERYTHING, redact_value
from transforms.redaction.secret_rules import ASSIGNMENT, BARE_TOKEN, BRIDGED, FLAG, SHAPES, SPOKEN

ENTRIES, SEEDS = 100, 5
PATTERNS = [
    *(shape.pattern.pattern for shape in SHAPES),
    *(each.pattern.pattern for each in SURROUNDINGS),
    *(
        rule.pattern
        for rule in (ASSIGNMENT, BRIDGED, FLAG, SPOKEN, BARE_TOKEN, BARE_PASSWORD, CODE_LISTS, SEED_PHRASE, TOKEN_PLACE)
    ),
    *[ASSIGNMENT.pattern, BRIDGED.pattern] * 8,
]
NAMES = [
    "password", "passwd", "pwd", "DB_PASSWORD", "secret", "api_key", "apiKey", "API-KEY", "token",
    "accessToken", "client_secret", "AUTH", "dsn", "pepper", "mailpass",
    "credentials", "passphrase", "pin", "webhook_url", "private_key",
    "MYSQL_ROOT_PASSWORD", "signingKey", "license.key", "api_hash", "x-api-key",
    *(word for words in SECRET_NAMES.values() for word in words), *SHORT_NAMES, *PASSWORD_WORDS,
]  # fmt: skip
SEPARATORS = [
    "=", " = ", ": ", ":", " ", "\t", " | ", "\n", ": |\n  ", "=>", " := ", '": "', '\\": \\"', '="', "：", "\u00a0", "=%22",
    " is ", "</b>: ",
    "\x1b[0m=", "\x1b[32m: \x1b[0m", "** : `", "=\n   ", "',  '", '("', "\r\n", "\x0b= ", "\f:", "&quot;:&quot;",
]  # fmt: skip
OPENINGS, CLOSINGS = ("", '"', "'", "`", '\\"', "b'", 'f"'), ("", '"', "'", "`", '\\"', ";", ",", ")", "'),")
FRAMES = (
    "log in as mara / {}",
    "try {}",
    "{} -> {}",
    "wifi_home: {}\nport: 80",
    "$ cat .env\nRELAY={}",
    "{}",
    "PIN: {}",
    "C:\\{}",
)
WRAPS: tuple[Callable[[str], str], ...] = (
    *[lambda text: text] * 5,
    lambda text: json.dumps({"inner": text}), lambda text: json.dumps({"a": json.dumps({"inner": text}, ensure_ascii=False)}),
    lambda text: f"https://x.example/a?b=c&{text}&d=e", lambda text: f"X-Header: {text}\r\nHost: a",
    lambda text: f"<a>{text}</a>",
    lambda text: f"env:\n  - {text}\n", lambda text: text.replace("\n", "\r\n"), lambda text: f"\x1b[1m{text}\x1b[0m",
    lambda text: f'"{text}"', lambda text: f"  12\t{text}", lambda text: f"密码 {text} 是",
)  # fmt: skip
WORDS = [
    "the",
    "build",
    "failed",
    "because",
    "we",
    "run",
    "it",
    "on",
    "node",
    "and",
    "then",
    "it",
    "said",
    "ok",
    "fix",
    "see",
    "log",
    "деплой",
    "сервера",
    "größe",
    "2024",
    "1.2.3",
]


def make_named(chance: Random) -> str:
    name = chance.choice(NAMES)
    name = chance.choice(("", "", "db_", "my ", "--", "export ", "x-", "  - ", '"')) + chance.choice(
        (name, name.upper(), name.title())
    )
    return name + chance.choice(SEPARATORS) + chance.choice(OPENINGS) + make_value(chance) + chance.choice(CLOSINGS)


def make_piece(chance: Random) -> str:
    kind = chance.random()
    if kind < 0.6:
        return draw_text(chance, chance.choice(PATTERNS), make_value)
    if kind < 0.8:
        return make_named(chance)
    if kind < 0.9:
        return MAKERS[chance.choice(list(MAKERS))](chance)
    return chance.choice(FRAMES).format(make_value(chance), make_value(chance))


def make_text(chance: Random) -> str:
    """Return one to four secrets, maybe in other notations and among many words."""
    pieces = [make_piece(chance) for _ in range(chance.choice((1, 1, 1, 2, 4)))]
    text = chance.choice((" ", "\n", "\n\n", ", ")).join(pieces)
    for _ in range(chance.choice((0, 1, 1, 2))):
        text = chance.choice(WRAPS)(text)
    before, after = (" ".join(chance.choices(WORDS, k=chance.choice((0, 1, 5, 200)))) for _ in range(2))
    return f"{before}{chance.choice((' ', chr(10), '(', ''))}{text}{chance.choice((' ', chr(10), '.', ''))}{after}"


def make_entry(chance: Random) -> dict[str, Any]:
    text, role = make_text(chance), chance.choice(("user", "assistant", "toolResult"))
    arguments = chance.choice(
        (
            {"command": text},
            {chance.choice(NAMES): make_value(chance)},
            {chance.choice(NAMES): [make_value(chance), text]},
            {text: 1},
        )
    )
    content: dict[str, Any] = {"type": "text", "text": text}
    if role == "assistant" and chance.random() < 0.5:
        content = {"type": "toolCall", "id": "c", "name": "bash", "arguments": arguments}
    return {"type": "message", "id": "e", "message": {"role": role, "content": [content]}}


def apply_exact_rules(entry: dict[str, Any]) -> Any:
    """Return the entry without what any rule for its writer takes out."""
    every = (TRANSLATED << 1) - 1
    searches = every & ~(PRINTED if is_user_message(entry) or is_agent_message(entry) else BARE)
    return redact_value(entry, is_user_message(entry), EVERYTHING, searches)[0]


def clean(entries: list[dict[str, Any]], write: Callable[[Any], bytes] = orjson.dumps) -> list[dict[str, Any]]:
    lines = [write(entry) for entry in entries]
    return clean_entries([orjson.loads(line) for line in lines], lines).entries


def test_of_a_hundred_entries_with_secrets_at_most_one_keeps_what_the_exact_rules_take_out() -> None:
    kept = held = 0
    for seed in range(SEEDS):
        chance = Random(seed)
        entries = [make_entry(chance) for _ in range(ENTRIES)]
        exact = [apply_exact_rules(entry) for entry in entries]
        write = chance.choice((orjson.dumps, lambda entry: json.dumps(entry).encode()))
        kept += sum(left != right for left, right in zip(clean(entries, write), exact, strict=True))
        held += sum(left != right for left, right in zip(entries, exact, strict=True))
    assert held > ENTRIES * SEEDS * 0.6
    assert kept * 100 <= held


DIGITS, WORD = "5727" + "1234", "a8Kd93" + "xQzz71bb"
LEAKS: dict[str, tuple[str, Any]] = {
    "digits in quotes": ("user", f"export DB_PASSWORD='{DIGITS}' and restart"),
    "digits": ("toolResult", f"DB_PASSWORD={DIGITS[:6]}"),
    "digits of a member": ("assistant", f"os.environ['PASSPHRASE'] = '{DIGITS[2:]}'"),
    "a blank that is no space": ("toolResult", "BASIC\t" + "dnQcWNyc8ad25Lrc2bP625bH"),
    "a mark first": ("toolResult", "{SSHA}" + "+MqW4pLr8xT2vK9zB3nD7fHs6yJ1cG5e"),
    "a tab before an account": ("toolResult", "nas 10.0.0.2\tmara@nas.example:" + "é#Kd93xQ7zz"),
    "the name of a member": ("assistant", {"pay to account IBAN DE89 3704 0044 " + "0532 0130 00 now": 1}),
    "a key in an address": ("toolResult", f"https://x.example/a?k=K9{'AB7C2D' * 8}E3 "),
    "base64 before a full stop": ("toolResult", "it is c3ZjX3RpdHhnaDpx" + "UmhsTVV3a3paSQ==."),
    "far behind its name": (
        "toolResult",
        'variable "db_password" {\n type = string\n description = "of the shop"\n default = "' + "6P6j" + 'D7d1"\n',
    ),
    "letters of other scripts": ("toolResult", "haslo: b'é码ж码密" + "к0216'"),
    "an at sign first": ("toolResult", f"ftp://mara:@@{WORD}@nas.example/x"),
    "an escaped token": ("toolResult", f"xoxb-%2D{WORD}"),
    "the rest of a wrapped value": ("toolResult", f"smbclient //nas/x -U ann%{WORD}\nPXtlXDfUkI" + "LaILVl2 end"),
}


@each_case("place", LEAKS)
def test_an_entry_keeps_no_secret_in_a_place_where_one_stayed(place: str) -> None:
    role, held = LEAKS[place]
    content = {"type": "text", "text": held} if isinstance(held, str) else {"type": "toolCall", "id": "c", "arguments": held}
    entry = {"type": "message", "id": "e", "message": {"role": role, "content": [content]}}
    assert clean([entry]) == [apply_exact_rules(entry)] != [entry]


def test_the_first_of_two_members_with_one_name_is_not_stored() -> None:
    line = b'{"type":"message","id":"e","message":{"role":"toolResult","content":"DB_PASSWORD=%s","content":"x"}}' % WORD.encode()
    raw_json = clean_entries([orjson.loads(line)], [line]).raw_json
    assert WORD not in raw_json[0]
