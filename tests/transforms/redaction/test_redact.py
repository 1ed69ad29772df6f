from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Mapping
from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from tests.transforms.redaction.plain_redaction import redact_value
from transforms.reading.secret_prefilter import find_secret_candidates, find_spoken_candidates
from transforms.redaction.redact import (
    make_placeholder,
    redact,
)

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "_-"


def _text(rng: random.Random, alphabet: str, length: int) -> str:
    """Random characters, made sure to hold a digit, a lower and, where possible, an upper case letter."""
    body = "".join(rng.choice(alphabet) for _ in range(length - 3))
    upper = "Q" if "Q" in alphabet else "a" if "a" in alphabet else "7"
    return body[:2] + "7" + body[2:5] + ("b" if "b" in alphabet else "7") + body[5:] + upper


def _shape(prefix: str, alphabet: str, length: int, suffix: str = "") -> Callable[[random.Random], str]:
    return lambda rng: prefix + _text(rng, alphabet, length) + suffix


SHAPES: dict[str, Callable[[random.Random], str]] = {
    "anthropic": _shape("sk-" + "ant-api03-", URLSAFE, 93, "AA"),
    "openai-project": _shape("sk-" + "proj-", URLSAFE, 100),
    "openai-old": _shape("sk-", ALNUM, 48),
    "openrouter": _shape("sk-" + "or-v1-", HEX, 64),
    "google": _shape("AI" + "za", URLSAFE, 35),
    "google-secret": _shape("GOC" + "SPX-", URLSAFE, 28),
    "aws-id": _shape("AK" + "IA", string.ascii_uppercase + string.digits, 16),
    "azure": lambda rng: "Account" + "Key=" + _text(rng, ALNUM + "+/", 86) + "==",
    "azure-client": lambda rng: _text(rng, ALNUM, 3) + "8Q" + "~" + _text(rng, ALNUM, 34),
    "github": _shape("gh" + "p_", ALNUM, 36),
    "github-fine": _shape("github_" + "pat_", ALNUM + "_", 82),
    "gitlab": _shape("gl" + "pat-", URLSAFE, 20),
    "atlassian": _shape("ATA" + "TT3xFfGF0", URLSAFE, 60),
    "slack": lambda rng: "xo" + "xb-" + "".join(rng.choices(string.digits, k=12)) + "-" + _text(rng, ALNUM, 24),
    "slack-hook": lambda rng: "https://hooks.slack" + ".com/services/T0A/B0/" + _text(rng, ALNUM, 24),
    "discord": lambda rng: "M" + _text(rng, ALNUM, 23) + "." + _text(rng, ALNUM, 6) + "." + _text(rng, URLSAFE, 38),
    "discord-hook": lambda rng: "https://discord.com/api/" + "webhooks/12345678901234567/" + _text(rng, URLSAFE, 68),
    "telegram": lambda rng: "".join(rng.choices("123456789", k=10)) + ":" + "AA" + _text(rng, URLSAFE, 33),
    "stripe": _shape("sk_" + "live_", ALNUM, 24),
    "stripe-hook": _shape("wh" + "sec_", ALNUM, 32),
    "npm": _shape("np" + "m_", ALNUM, 36),
    "pypi": _shape("py" + "pi-AgEIcHlwaS5vcmc", URLSAFE, 120),
    "huggingface": _shape("h" + "f_", ALNUM, 34),
    "groq": _shape("gs" + "k_", ALNUM, 52),
    "xai": _shape("x" + "ai-", ALNUM, 80),
    "sendgrid": lambda rng: "S" + "G." + _text(rng, URLSAFE, 22) + "." + _text(rng, URLSAFE, 43),
    "twilio": _shape("S" + "K", HEX, 32),
    "mailgun": _shape("ke" + "y-", HEX, 32),
    "digitalocean": _shape("do" + "p_v1_", HEX, 64),
    "shopify": _shape("shp" + "at_", HEX, 32),
    "linear": _shape("lin_" + "api_", ALNUM, 40),
    "databricks": _shape("da" + "pi", HEX, 32),
    "vault": _shape("hv" + "s.", URLSAFE, 90),
    "docker": _shape("dckr_" + "pat_", URLSAFE, 27),
    "supabase": _shape("sb" + "p_", HEX, 40),
    "grafana": _shape("gls" + "a_", ALNUM, 41),
    "tailscale": lambda rng: "ts" + "key-auth-" + _text(rng, ALNUM, 12) + "-" + _text(rng, ALNUM, 32),
    "jwt": lambda rng: "ey" + "J" + _text(rng, ALNUM, 30) + ".ey" + "J" + _text(rng, URLSAFE, 60) + "." + _text(rng, URLSAFE, 43),
    "private-key": lambda rng: "-----BEGIN RSA " + "PRIVATE KEY-----\n"
    + "\n".join(_text(rng, ALNUM + "+/", 64) for _ in range(6)) + "\n-----END RSA " + "PRIVATE KEY-----",
}  # fmt: skip

NAMED: dict[str, Callable[[str], str]] = {
    "env": lambda value: f"DATABASE_PASSWORD={value}",
    "export": lambda value: f'export MY_SERVICE_TOKEN="{value}"',
    "json": lambda value: json.dumps({"client_secret": value, "port": 1}),
    "json-in-json": lambda value: json.dumps(json.dumps({"apiKey": value})),
    "yaml": lambda value: f"auth:\n  password: {value}\n",
    "code": lambda value: f"const apiKey = '{value}';",
    "python": lambda value: f'client = Client(api_key="{value}")',
    "bearer": lambda value: f"curl -H 'Authorization: Bearer {value}' https://x.example",
    "header": lambda value: f"x-api-key: {value}",
    "url": lambda value: f"postgres://admin:{value}@db.example.com:5432/app",
    "query": lambda value: f"https://api.example.com/v1?access_token={value}&limit=3",
    "flag": lambda value: f"deploy --auth-token {value} --verbose",
    "curl-user": lambda value: f"curl -u admin:{value} https://x.example",
    "sql-connection": lambda value: f"jdbc:postgresql://h/db?user=a&password={value}&ssl=true",
    "coloured": lambda value: f"\x1b[32mAPI_TOKEN\x1b[0m=\x1b[33m{value}\x1b[0m",
    "html": lambda value: f"{{&quot;clientSecret&quot;: &quot;{value}&quot;}}",
    "dotted": lambda value: f"app.aws.secret.access.key={value}",
    "suffixed": lambda value: f"STRIPE_API_KEY_LIVE={value}",
    "aligned": lambda value: f"DB_PASSWORD            = {value}",
    "mysql": lambda value: f"mysql -u root -p'{value}' shop",
    "redis-cli": lambda value: f"redis-cli -h cache -a {value} ping",
    "curl-lines": lambda value: f"curl -X POST https://x.example \\\n  -u admin:{value}",
    "header-list": lambda value: json.dumps(["Authorization", "Basic " + value]),
    "ado": lambda value: f"Server=db;Database=app;User Id=sa;Password={value};",
}

SHAPES |= {
    "cloudflare": _shape("cf" + "ut_", URLSAFE, 40),
    "gitlab-mail": _shape("gl" + "imt-", URLSAFE, 25),
    "hubspot": lambda rng: "pat-" + "na1-" + "-".join(_text(rng, HEX, size) for size in (8, 4, 4, 4, 12)),
    "bedrock": _shape("AB" + "SK", ALNUM, 128),
    "gemini": _shape("AQ" + ".Ab8R", URLSAFE, 45),
    "neon": _shape("np" + "g_", ALNUM, 12),
    "resend": lambda rng: "re" + "_" + _text(rng, ALNUM, 8) + "_" + _text(rng, ALNUM, 24),
    "sonar": _shape("sq" + "p_", HEX, 40),
    "nuget": _shape("oy" + "2", string.ascii_lowercase + string.digits, 43),
    "brevo": lambda rng: "xkey" + "sib-" + _text(rng, HEX, 64) + "-" + _text(rng, ALNUM, 16),
    "slack-client": lambda rng: "xo" + "xc-123456789012-" + _text(rng, HEX, 64),
    "meta": _shape("EA" + "A", ALNUM, 170),
    "url-marks": lambda rng: "postgres://app:" + "p$w*" + _text(rng, ALNUM, 16) + "@db.example.com/app",
    "cookie": lambda rng: "Cookie: theme=dark; session=" + _text(rng, ALNUM, 40),
    "scheme": lambda rng: "Authorization: SS" + "WS " + _text(rng, URLSAFE, 42),
}  # fmt: skip

BRIDGED: dict[str, Callable[[str], str]] = {
    "typed": lambda value: f"const accessToken: string = '{value}';",
    "rust": lambda value: f'let api_token = String::from("{value}");',
    "go": lambda value: f'var apiToken string = "{value}"',
    "default": lambda value: f"process.env.API_TOKEN || '{value}'",
    "getenv": lambda value: f'os.getenv("API_TOKEN", "{value}")',
    "pair": lambda value: json.dumps([{"name": "API_TOKEN", "value": value}]),
    "kubernetes": lambda value: f'env:\n  - name: API_TOKEN\n    value: "{value}"\n',
    "table": lambda value: f"| API_TOKEN | {value} |",
    "markup": lambda value: f"<apiToken>{value}</apiToken>",
    "set": lambda value: f"setx API_TOKEN {value}",
    "bytes": lambda value: f'SIGNING_KEY = b"{value}"',
    "user of a URL": lambda value: f"https://{value}@git.example.com/o/r.git",
    "camel": lambda value: json.dumps({"supabaseServiceRoleKey": value}),
}  # fmt: skip

PLACES: dict[str, Callable[[str], str]] = {
    "alone": lambda text: text,
    "prose": lambda text: f"please use {text} for the deployment",
    "dotenv": lambda text: f"PORT=3000\nSOME_VALUE={text}\nDEBUG=1",
    "quoted": lambda text: f'{{"value": "{text}"}}',
    "coloured": lambda text: f"\x1b[1m\x1b[33m{text}\x1b[0m",
    "behind-an-escape": lambda text: json.dumps({"out": f"é{text}"}),
    "log": lambda text: f"2026-01-01 10:00:00 INFO started with {text}\n2026-01-01 10:00:01 INFO ready",
}


def _entry(text: str, place: str) -> dict[str, object]:
    if place == "tool-argument":
        part = {"type": "toolCall", "id": "call_1", "name": "bash", "arguments": {"command": f"run '{text}'"}}
        return {"type": "message", "id": "a", "message": {"role": "assistant", "content": [part]}}
    if place == "tool-result":
        return {"type": "message", "id": "a", "message": {"role": "toolResult", "content": [{"type": "text", "text": text}]}}
    return {"type": "message", "id": "a", "message": {"role": "user", "content": text}}


def _core(secret: str) -> str:
    """Return the part of a secret that must not be seen anywhere."""
    return max(secret.replace("=", "/").replace("\n", "/").split("/"), key=len)[-16:]


@each_case("family", SHAPES)
def test_a_secret_with_a_known_form_never_survives(family: str) -> None:
    """In no place of a text and of an entry; the fast search over the column must not miss it either."""
    places = [*enumerate(PLACES), (7, "tool-argument"), (7, "tool-result")]
    secrets = {place: SHAPES[family](random.Random(seed * 1000 + len(place))) for seed, place in places}
    texts = {place: PLACES.get(place, lambda given: given)(secret) for place, secret in secrets.items()}
    assert [place for place, secret in secrets.items() if _core(secret) in redact(texts[place])] == []
    entries = {place: _entry(text, place) for place, text in texts.items()}
    assert _find_missed(entries) == []
    cleaned = {place: redact_value(entry) for place, entry in entries.items()}
    assert [place for place, (value, count) in cleaned.items() if not count or _core(secrets[place]) in json.dumps(value)] == []


def _check_values(make_text: Callable[[str], str], values: list[str]) -> None:
    """No value survives in a message, an argument or an output of a tool."""
    texts = {(value, place): make_text(value) for value in values for place in ("user", "tool-argument", "tool-result")}
    entries = {case: _entry(text, case[1]) for case, text in texts.items()}
    assert _find_missed(entries) == []
    assert [case for case, entry in entries.items() if case[0] in json.dumps(redact_value(entry)[0])] == []


@each_case("name", NAMED)
def test_a_value_that_its_name_gives_away_never_survives(name: str) -> None:
    values = [_text(random.Random(seed), ALNUM, 12 + 6 * seed) for seed in range(6)]
    _check_values(NAMED[name], values)
    assert [value for value in values if value in redact(NAMED[name](value))] == []


@each_case("shape", ["anthropic", "aws-id", "google"])
def test_a_secret_that_is_the_name_of_a_member_is_taken_out(shape: str) -> None:
    secret = SHAPES[shape](random.Random(7))
    value, count = redact_value({"arguments": {"env": {secret: "on", "x": [{f"Bearer {secret}": 1}]}, "text": secret}})
    assert count == 1
    assert secret not in json.dumps(value)
    assert value["arguments"]["env"][value["arguments"]["text"]] == "on"


@each_case("name", BRIDGED)
def test_a_random_value_further_behind_its_name_never_survives(name: str) -> None:
    _check_values(BRIDGED[name], ["k7" + "".join(random.Random(seed).sample(ALNUM, 38)) for seed in range(4)])


@each_case("prefix", ["> ", "│ ", "-", "+", "  12  "])
def test_a_private_key_is_found_in_a_diff_a_quotation_and_a_table(prefix: str) -> None:
    lines = SHAPES["private-key"](random.Random(3)).split("\n")
    cleaned = redact("\n".join(prefix + line for line in lines) + "\nand then the words go on")
    assert not any(line in cleaned for line in lines[1:-1])


def test_a_key_that_begins_like_a_path_is_a_key() -> None:
    secret = "/MLMf6eOGDC5QeozQHF9m4OEuRrY" + "ttlRxfd8s1g7"
    assert secret not in redact(f"AWS_SECRET_ACCESS_KEY={secret}")
    assert redact("TOKEN_FILE=/run/secrets/token") == "TOKEN_FILE=/run/secrets/token"


def test_letters_without_digits_are_a_secret_unless_they_are_words() -> None:
    secret = "qXbTzRkWpLm" + "VnGhJdFsC"
    assert secret not in redact(json.dumps({"MISTRAL_API_KEY": secret}))
    assert redact('{"API_TOKEN": "getAccessTokenFromEnvironment"}') == '{"API_TOKEN": "getAccessTokenFromEnvironment"}'


@each_case("part", ["re_", "rnd_", "pk_1", "token,", "key: [", "token{", "secret |", "\x1b[3"])
def test_a_part_that_repeats_costs_no_more_than_it_is_long(part: str) -> None:
    assert grows_with_text(redact, part, 1_250)


@each_case("part", ["sk-", "_key=", "secret_", "bearer ", "Authorization: x"])
def test_beginnings_of_secrets_that_repeat_are_searched_in_time(part: str) -> None:
    """With the whole rest looked at from each of them, 8,000 of them took 14 to 70 seconds."""
    assert grows_with_text(lambda text: find_secret_candidates(pl.Series("raw_json", [text])), part, 500)
    assert grows_with_text(redact, part, 500)


def test_a_tool_argument_called_password_is_taken_out_and_its_copies_in_the_same_entry_too() -> None:
    secret = "hunter" + "22xyz"
    entry = {
        "type": "message",
        "message": {"content": [{"arguments": {"password": secret}}, {"text": f"I will type {secret} now"}]},
    }
    cleaned, count = redact_value(entry)
    assert secret not in json.dumps(cleaned)
    assert count == 1


@each_case(
    "text",
    [
        "my password is " + "tr0ub4dor&3",
        "the token is: " + "a8f3k2l9d8s7",
        "密码是" + "abc12345",
        "GK-" + "wEdH7-ihetAQkz5UdPcZZJU9YvthLrVusYj8qUQy5Zs3tD98WqFG",
        "use " + "wEdH7ihetAQkz5UdPcZZJU9YvthLrVusYj8qUQy5Zs3tD9 for it",
    ],
)
def test_what_a_person_types_is_searched_for_spoken_and_bare_secrets(text: str) -> None:
    assert "[redacted:" in redact(text, is_user=True)


@each_case(
    "text",
    [
        "see commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad and 9f8a6af",
        "session 01a1fb95-4d22-70ed-9426-65502c9703b2 in /Users/me/sessions/--Users-me--/2025-12-08T23-22-21-320Z_0db2eb3b.jsonl",
        '"integrity": "sha512-' + "Zx9" * 28 + '=="',
        "sha256:" + "ab12" * 16,
        "theme tokens: accent = '#8abeb7', token: \"accent\", tokens: 124769",
        "const token = await getToken();  const password = process.env.DB_PASSWORD;",
        "interface Options { apiKey: string; password?: string; token: string | undefined }",
        "the password must be at least 12 characters; password: required",
        'if (!apiKey) throw new Error("API key missing");',
        "totalTokens: 124769, maxTokens: 16384, MAX_TOKENS=8192",
        "toolu_019tYDrbzifrra2KYzmYqWvk and req_011CVvAQm5gLufA1cDeHobKh",
        "OPENAI_API_KEY=your-key-here ANTHROPIC_API_KEY=<key> TOKEN=${TOKEN} API_KEY=$API_KEY PASSWORD=********",
        "http://localhost:3000/a?token= and https://user@example.com/x and git@github.com:a/b.git",
        "packages/coding-agent/src/modes/interactive/components/ThinkingSelectorComponent.ts",
        "x-api-key: $KEY, Authorization: Bearer <token>",
        'text.startswith("-----BEGIN " + "PRIVATE KEY-----")',
        'publicKey: options.key, "cacheKey": "user-settings-panel-v2-2024", sort_key="created_at", cache_key=v1-deps-linux-'
        + "ab12" * 16,
        '{"password": "Passwort vergessen?", "invalidPassword": "Wrong password", "authToken": "color-accent-500-hover-v2"}',
        "Authorization: Token authentication is required; dsn = 'postgresql://localhost:5432/test'",
        "curl -u username:password https://user:pass@example.com and AKIAIOSFODNN7" + "EXAMPLE",
        'const token: string = await getToken(options); os.getenv("API_KEY", ""); | API_KEY | The key of the service |',
        "localStorage.getItem('refresh_token', fallbackTokenProvider); <password>****</password>; **Token:** a short-lived value",
        'click.prompt("Password", hide_input=True) and Pass `capture_output=False` with {ARROW_KEY: _BLOB_V2_EXTENSION_NAME}',
        "the author: Somebody, authority = highest, tokenizer: tiktoken, keyboard: qwertz",
        "看看当前的代码你分析分析看看呢",
        "task-list-item-with-a-rather-long-name and sk-learn-contrib-project-name-here",
        "connect(user=name, password=encoded_json_str)",
        "ssl_keyfile_password=ssl_keyfile_password,",
        "login(token=api_token, secret=self.client_secret)",
    ],
)
def test_hashes_ids_paths_code_and_prose_survive(text: str) -> None:
    assert redact(text, is_user=True) == text
    assert redact_value({"message": {"role": "user", "content": text}}, is_user=True) == (
        {"message": {"role": "user", "content": text}},
        0,
    )


def test_the_same_secret_has_the_same_placeholder_and_others_have_others() -> None:
    item, other = "gh" + "p_" + "a1" * 18, "gh" + "p_" + "b2" * 18
    first, second, third = redact(f"{item} {other} {item}").split()
    assert first == third != second
    assert first.startswith("[redacted:github-token:")


def test_the_end_of_a_private_key_whose_beginning_was_cut_off_is_found() -> None:
    body = "\n".join("MIIEpAIBAAKCAQEA" + "x7Q" * 16 for _ in range(4))
    text = f"[truncated]\n{body}\n-----END RSA " + "PRIVATE KEY-----\nnext"
    assert "MIIE" not in redact(text)
    assert redact(text).endswith("next")


@given(st.text(max_size=300))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text, is_user=True)
    assert redact(once, is_user=True) == once


@each_case("name", NAMED)
def test_a_redacted_text_is_left_alone(name: str) -> None:
    once = redact(NAMED[name]("S3cr3tV4lue77xQ9"))
    assert redact(once) == once


def _find_missed(entries: Mapping[Any, object]) -> list[Any]:
    """Return the keys of the entries that the fast search over their column leaves out, all together or the first one alone."""
    rows = [json.dumps(entry, ensure_ascii=False) for entry in entries.values()]
    candidates = find_secret_candidates(pl.Series("raw_json", rows))
    missed = [key for row, key in enumerate(entries) if row not in candidates]
    return missed or [key for key in [*entries][:1] if not find_secret_candidates(pl.Series("raw_json", rows[:1]))]


def test_a_plain_word_that_is_a_password_somewhere_stays_a_word_elsewhere() -> None:
    entry = {"data": {"password": "unreserved", "note": "an unreserved seat"}}
    assert redact_value(entry)[0]["data"]["note"] == "an unreserved seat"
    assert "unreserved" not in redact_value(entry)[0]["data"]["password"]


WORDS = st.sampled_from(
    [
        "the",
        "password",
        "PIN",
        "is",
        ":",
        "Kx8rTq2Lm9v" + "Wp4Zs7NdYb3Hc",
        "密码",
        "是",
        "\n",
        '"',
        "\\",
        "/",
        "x" * 30,
        "aB3" * 9,
    ]
)


@given(st.lists(WORDS, max_size=12), st.sampled_from(["", " "]))
def test_a_text_that_holds_nothing_told_is_not_changed_as_a_persons_words(words: list[str], between: str) -> None:
    text = between.join(words)
    if not find_spoken_candidates(pl.Series([json.dumps(text, ensure_ascii=False)])):
        assert redact(text, is_user=True) == redact(text)


def test_no_rule_changes_a_placeholder_of_another() -> None:
    """A typed address lost host and database, because `url-password:` in the placeholder was read as a spoken password."""
    address = "postgresql://facturo:" + "Xk9vTq2m" + "Lp4Wz@db.internal:5432/facturo"
    cleaned = redact(address, is_user=True)
    assert cleaned.endswith("]@db.internal:5432/facturo")
    assert redact(f"it is {cleaned}", is_user=True) == f"it is {cleaned}"
    placeholders = [
        f"[redacted:{family}:0a1b]" for family in ("password", "token", "secret", "spoken", "url-password", "api-key")
    ]
    for placeholder in placeholders:
        for text in (
            f"{placeholder}@db7.internal:5432/x1",
            f"my {placeholder}, Xk9 {placeholder}/5432-aB",
            f"{placeholder}=7aB3xQ9k",
        ):
            assert redact(text, is_user=True).startswith(text[: text.index("]") + 1])
    assert redact("password: 3600", is_user=True) == f"password: {make_placeholder('pin', '3600')}"
