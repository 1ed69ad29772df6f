"""Made outputs and files with secrets that no name tells, and the same forms with ids, hashes and public keys.

Every value is drawn at run time; a text has secrets, harmless values, or both.
"""

# ruff: noqa: E501, SIM905 - a form is read best on one line, a list of words as a text

from __future__ import annotations

import base64
import random
import string
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

_WORDS = (
    "maple otter lemon grove sunset tiger coffee winter harbor violet candle rocket pepper silver garden planet bottle "
    "jardin citron fenetre nuage plume sommer vogel kirsche wolke stein laub cielo piedra gato lluvia norte agua "
    "kawa zima kot slonce niebo deniz bulut kedi mavi elma neko sakura yama hoshi kitsune fiets molen kaas storm"
).split()
_SERVICES = (
    "nas router printer backup relay mailer staging live prod wiki forum shop billing monitoring camera doorbell broker queue cache "
    "search metrics alerts status deploy release runner mirror proxy tunnel vpn wifi garage heating solar weather maps sms voice "
    "video photos music chat bot push upload export import reports ledger payroll crm erp ftp smtp imap ldap redis mongo mysql "
    "postgres rabbit kafka minio grafana sentry github gitlab bitbucket jira slack discord telegram matrix twilio mailgun sendgrid "
    "stripe paypal mollie square openai cohere mistral together replicate wandb hetzner linode vultr ovh scaleway cloudflare fastly "
    "netlify vercel heroku render railway supabase firebase algolia mapbox spotify twitch trello notion asana airtable"
).split()
_OPEN_KEYS = (
    "id uuid guid sha digest integrity checksum hash commit etag ref rev revision tree parent build build_id request_id requestId "
    "trace_id span_id node node_id region zone account account_id tenant tenant_id client_id project_id workspace_id org_id team_id "
    "user_id device device_id serial mac fingerprint pubkey public_key publicKey site_key recipient recipients thumbprint keyid kid "
    "cursor nextPage page boundary address wallet txid tx block contract cid image image_id container version chunk asset bundle "
    "resolved source_map buildHash deployment deployment_id invoice order order_id tracking sku isbn model run_id job_id session_file "
    "snapshot volume disk partition vpc subnet instance instance_id ami arn lease revisionId messageId message_id thread_id event_id "
    "correlation_id x-request-id cf-ray nonce iv h1 bh b n x y modulus signature_hash cache-key artifact blob layer manifest config"
).split()
_SECRET_KEYS = (
    "value v val k p pp sess sid session code auth api app live prod main second new old current generated provisional temp shared signing "
    "upload master root admin owner guest service svc user1 door gate box relay_in relay_out phrase unlock shh x9 zz conf extra edit full rw"
).split()


@dataclass(frozen=True, slots=True)
class PrintedText:
    """A text with its secrets."""

    text: str
    secrets: list[str]


def make_printed_texts(seed: int) -> Iterator[PrintedText]:
    """Yield texts of every form, with and without secrets; the same seed gives the same ones."""
    for number, form in enumerate(_FORMS):
        for round_ in range(24):
            draw = random.Random(f"{seed}-{number}-{round_}")
            secrets: list[str] = []
            text = form(draw, secrets, round_ % 3 != 0)
            yield PrintedText(text, secrets)


def _draw_letters(draw: random.Random, size: int, letters: str = string.ascii_letters + string.digits) -> str:
    return "".join(draw.choice(letters) for _ in range(size))


def _draw_hex(draw: random.Random, size: int) -> str:
    return _draw_letters(draw, size, "0123456789abcdef")


def _draw_base64(draw: random.Random, size: int) -> str:
    return base64.b64encode(draw.randbytes(size)).decode()


def _draw_password(draw: random.Random) -> str:
    first, second = draw.choice(_WORDS), draw.choice(_WORDS)
    mark = draw.choice("!?*#&+@-_.%$")
    return draw.choice(
        (
            f"{first.title()}{second}{draw.randint(10, 9999)}{mark}",
            f"{first}{mark}{second}{draw.randint(10, 9999)}",
            f"{first}-{second}-{draw.randint(10, 9999)}",
            f"{first}_{second}{draw.randint(10, 99)}",
            f"{first.title()}{mark}{draw.randint(10, 9999)}{second}",
            f"{draw.randint(10, 99)}{first.upper()}{mark}{second}",
            first.title().replace("o", "0").replace("a", "4") + str(draw.randint(10, 99)) + mark,
            _draw_letters(draw, draw.randint(9, 18)),
            _draw_letters(draw, draw.randint(10, 22), string.ascii_letters + string.digits + "!#%&*+?@^_"),
        )
    )


def _draw_token(draw: random.Random) -> str:
    return draw.choice(
        (
            _draw_letters(draw, draw.choice((20, 22, 24, 27, 30, 32, 36, 40, 43, 48, 64))),
            _draw_letters(draw, draw.choice((24, 32, 40, 44)), string.ascii_lowercase + string.digits),
            base64.urlsafe_b64encode(draw.randbytes(draw.choice((18, 24, 32, 48)))).decode().rstrip("="),
            _draw_base64(draw, draw.choice((16, 24, 32, 48))),
            _draw_letters(draw, draw.choice((3, 4)), string.ascii_lowercase)
            + "-"
            + _draw_letters(draw, draw.choice((24, 32, 40))),
        )
    )


def _draw_long_hex(draw: random.Random) -> str:
    value = _draw_hex(draw, draw.choice((32, 32, 40, 40, 48, 64)))
    return value.upper() if draw.random() < 0.2 else value


def _draw_secret(draw: random.Random, secrets: list[str], is_key_telling: bool = True) -> str:
    chance = draw.random()
    value = (
        _draw_password(draw) if chance < 0.4 else _draw_long_hex(draw) if is_key_telling and chance < 0.5 else _draw_token(draw)
    )
    secrets.append(value)
    return value


def _draw_open(draw: random.Random) -> str:
    """Return an id, a hash or something public."""
    size = draw.choice((8, 12, 16, 20, 24))
    return draw.choice(
        (
            str(uuid.UUID(int=draw.getrandbits(128), version=4)),
            _draw_hex(draw, draw.choice((7, 12, 16, 32, 40, 40, 64, 64))),
            "sha256:" + _draw_hex(draw, 64),
            "sha512-" + _draw_base64(draw, 64),
            "h1:" + _draw_base64(draw, 32),
            _draw_base64(draw, 32),
            draw.choice(("msg", "req", "run", "evt", "ord", "inv", "usr", "prj", "dep", "img", "sub", "acc"))
            + "_"
            + _draw_letters(draw, size + 8),
            _draw_letters(draw, size),
            _draw_letters(draw, size, string.ascii_uppercase + string.digits),
            f"{draw.choice(_WORDS)}-{_draw_hex(draw, 9)}-{_draw_letters(draw, 5, string.ascii_lowercase + string.digits)}",
            f"{draw.choice(_WORDS)}-{draw.choice(_WORDS)}-{draw.randint(1000, 99999)}",
            f"index-{_draw_letters(draw, 8)}.js",
            f"v{draw.randint(0, 9)}.{draw.randint(0, 20)}.{draw.randint(0, 20)}-{draw.choice(('rc1', 'beta.2', 'alpine3.19'))}",
            f"{draw.choice(_WORDS)}_{draw.randint(1, 99)}@{draw.choice(_WORDS)}.example",
            f"{draw.randint(2020, 2026)}-{draw.randint(10, 12)}-{draw.randint(10, 28)}T{draw.randint(10, 23)}:{draw.randint(10, 59)}:{draw.randint(10, 59)}Z",
        )
    )


def _draw_secret_key(draw: random.Random) -> str:
    service = draw.choice(_SERVICES)
    other = draw.choice((*_SERVICES, *_SECRET_KEYS))
    return draw.choice(
        (service, service, f"{service}_{other}", draw.choice(_SECRET_KEYS), f"{service}-{draw.choice(_SECRET_KEYS)}")
    )


def _draw_open_key(draw: random.Random) -> str:
    key = draw.choice(_OPEN_KEYS)
    return f"{draw.choice(_SERVICES)}_{key}" if draw.random() < 0.25 else key


def _draw_plain(draw: random.Random) -> tuple[str, str]:
    """Return a key with a value that nobody would take for a secret."""
    return draw.choice(
        (
            ("host", f"{draw.choice(_SERVICES)}.{draw.choice(_WORDS)}.example"),
            ("port", str(draw.randint(20, 65000))),
            ("user", draw.choice(_WORDS)),
            ("enabled", "true"),
            ("url", f"https://{draw.choice(_SERVICES)}.example/{draw.choice(_WORDS)}"),
            ("path", f"/srv/{draw.choice(_WORDS)}/{draw.choice(_WORDS)}"),
            ("timeout", "30s"),
            ("name", f"{draw.choice(_WORDS)} {draw.choice(_WORDS)}"),
            ("log_level", "info"),
            ("email", f"{draw.choice(_WORDS)}@{draw.choice(_WORDS)}.example"),
        )
    )


def _draw_pairs(draw: random.Random, secrets: list[str], is_secret: bool) -> list[tuple[str, str]]:
    pairs = [_draw_plain(draw) for _ in range(draw.randint(1, 4))]
    if is_secret:
        pairs += [(_draw_secret_key(draw), _draw_secret(draw, secrets)) for _ in range(draw.choice((1, 1, 2, 3)))]
    if not is_secret or draw.random() < 0.5:
        pairs += [(_draw_open_key(draw), _draw_open(draw)) for _ in range(draw.choice((1, 2, 4)))]
    draw.shuffle(pairs)
    return pairs


def _write_env(draw: random.Random, secrets: list[str], is_secret: bool) -> str:
    prefix = draw.choice(("", "export ", "set "))
    lines = [f"{prefix}{key.upper().replace('-', '_')}={value}" for key, value in _draw_pairs(draw, secrets, is_secret)]
    return draw.choice(("", "$ cat .env\n", "# .env.local\n", "$ env | sort\n")) + "\n".join(lines)


def _write_yaml(draw: random.Random, secrets: list[str], is_secret: bool) -> str:
    quote = draw.choice(("", '"', "'"))
    return f"{draw.choice(_SERVICES)}:\n" + "\n".join(
        f"  {key}: {quote}{value}{quote}" for key, value in _draw_pairs(draw, secrets, is_secret)
    )


def _write_toml(draw: random.Random, secrets: list[str], is_secret: bool) -> str:
    pad = draw.choice((0, 12))
    return f"[{draw.choice(_SERVICES)}]\n" + "\n".join(
        f'{key:<{pad}} = "{value}"' for key, value in _draw_pairs(draw, secrets, is_secret)
    )


def _write_json(draw: random.Random, secrets: list[str], is_secret: bool) -> str:
    blank = draw.choice(("\n  ", " ", ""))
    return (
        "{"
        + ",".join(f'{blank}"{key}": "{value}"' for key, value in _draw_pairs(draw, secrets, is_secret))
        + blank.rstrip(" ")
        + "}"
    )


def _write_xml(draw: random.Random, secrets: list[str], is_secret: bool) -> str:
    is_attribute = draw.random() < 0.5
    rows = [
        f'  <entry name="{key}" value="{value}"/>' if is_attribute else f"  <{key}>{value}</{key}>"
        for key, value in _draw_pairs(draw, secrets, is_secret)
    ]
    return "<config>\n" + "\n".join(rows) + "\n</config>"


def _write_code(draw: random.Random, secrets: list[str], is_secret: bool) -> str:
    name = _draw_secret_key(draw).replace("-", "_") if is_secret else _draw_open_key(draw).replace("-", "_")
    value = _draw_secret(draw, secrets) if is_secret else _draw_open(draw)
    call = draw.choice(_SERVICES)
    return draw.choice(
        (
            f'{name} = "{value}"\nclient = {call.title()}({name})\nclient.send("hello")',
            f"const {name} = '{value}'; // TODO move to the environment\nawait {call}.connect({name});",
            f"define('{name.upper()}', '{value}');\n$table = 'wp_';",
            f'{call}.init("{draw.choice(_WORDS)}", "{value}")\nreturn {call}.ok()',
            f"-  {name}: '{value}',\n+  {name}: process.env.{name.upper()},",
            f'if (s.equals("{value}")) {{\n  return true;\n}}',
            f"export default {{\n  {name}: '{value}',\n  mode: 'live',\n}}",
        )
    )


def _write_prompt(draw: random.Random, secrets: list[str], is_secret: bool) -> str:
    if is_secret:
        command = draw.choice(("pwgen -s 20 1", "openssl rand -base64 24", "pass show {}", "cat /run/secrets/{}", "op read op://team/{}/pw", "apg -n 1", "secret-tool lookup service {}", "docker exec {} cat /data/initial", "kubectl get secret {} -o jsonpath={{.data.x}} | base64 -d", "head -c 18 /dev/urandom | base64", "cat ~/.{}", "terraform output -raw {}", "heroku config:get {}", "gopass -o {}", "security find-generic-password -w -s {}"))  # fmt: skip
        value = _draw_secret(draw, secrets)
    else:
        command = draw.choice(("git rev-parse HEAD", "uuidgen", "sha256sum {}", "docker ps -q", "git stash create", "docker build -q .", "cat .git/refs/heads/main", "ipfs add -q {}", "ssh-keygen -lf {}", "kubectl get pod -o name", "aws sts get-caller-identity", "mktemp", "cat /etc/machine-id", "git log -1 --format=%H", "npm view {} dist.integrity", "hostname", "wg pubkey < {}", "cat {}.pub", "gh run list", "systemd-id128 new", "blkid -s UUID -o value /dev/sda1"))  # fmt: skip
        value = _draw_open(draw)
    prompt = draw.choice(("$ ", "# ", "> ", "me@host:~$ "))
    return f"{prompt}{command.replace('{}', draw.choice(_SERVICES))}\n{value}" + draw.choice(
        ("", f"\n{prompt}", f"\n{prompt}ls\nREADME.md")
    )


def _write_login(draw: random.Random, secrets: list[str], is_secret: bool) -> str:
    user, host = draw.choice(_WORDS), f"{draw.choice(_SERVICES)}.example"
    value = _draw_secret(draw, secrets, is_key_telling=False) if is_secret else _draw_open(draw)
    if not is_secret:
        return draw.choice((f"{host} / build {value}", f"uploaded as {value} by {user}", f"{user} pushed {value} to {host}", f"assigned {value} to {user}", f"{host} -> deployment {value}", f"{user}: see {value} for details", f"Device {value} joined {host}", f"{user} | {host} | request {value}"))  # fmt: skip
    return draw.choice((f"{host}: {user} / {value}", f"login as {user}, then {value}", f"{user} -> {value}", f"- {host} — {user} — {value}", f"ssh {user}@{host} ({value})", f"{user}:{value}", f"{host}\n{user}\n{value}", f"{user} | {host} | {value}", f"Benutzer {user}, dann {value} eingeben", f"utilisateur {user}, puis {value}", f"tried {user} with {value}: ok", f"* {host} ({user}, {value})", f"send \"{user}\\r\"\nexpect \"*:\"\nsend \"{value}\\r\"", f"user {user} on >{value} ~* +@all", f'createUser {user} SHA "{value}" AES', f'<login user="{user}" code="{value}"/>'))  # fmt: skip


def _write_table(draw: random.Random, secrets: list[str], is_secret: bool) -> str:
    header = (
        draw.choice(("value (shown once)", "access", "phrase", "login", "initial", "code", "Zugang", "acces"))
        if is_secret
        else draw.choice(_OPEN_KEYS)
    )
    rows = [
        (draw.choice(_WORDS), _draw_secret(draw, secrets) if is_secret else _draw_open(draw))
        for _ in range(draw.choice((1, 2, 3, 4) if is_secret else (2, 4, 8)))
    ]
    mark = draw.choice((" | ", "  ", ",", "\t"))
    return "\n".join(mark.join(row) for row in (("name", header), *rows))


def _write_link(draw: random.Random, secrets: list[str], is_secret: bool) -> str:
    host = f"{draw.choice(_SERVICES)}.{draw.choice(_WORDS)}.example"
    if is_secret:
        value = _draw_token(draw)
        secrets.append(value)
        return draw.choice((f"Reset link: https://{host}/reset/{value}", f"Join with https://{host}/invite/{value}", f"wget -q https://{host}/update.php?{value}", f"curl -fsS https://{host}/ping/{value}", f"https://{host}/hooks/{value}", f"magic link: https://{host}/login?t={value}", f"https://{host}/calendar/private/{value}/basic.ics", f"feed: https://{host}/rss?u=1&s={value}"))  # fmt: skip
    value = _draw_open(draw)
    return draw.choice((f"https://{host}/commit/{value}", f"GET https://{host}/items/{value} 200", f"https://{host}/document/d/{value}/edit", f"https://{host}/watch?v={_draw_letters(draw, 11)}", f"resolved https://{host}/pkg/-/pkg-1.0.tgz#{value}", f"https://{host}/assets/{value}.png", f"Deployed to https://{value}.example", f"see https://{host}/runs/{value}"))  # fmt: skip


def _write_log(draw: random.Random, secrets: list[str], is_secret: bool) -> str:
    time = f"2026-03-{draw.randint(10, 28)} {draw.randint(10, 23)}:{draw.randint(10, 59)}:{draw.randint(10, 59)}"
    if is_secret:
        value = _draw_secret(draw, secrets, is_key_telling=False)
        line = draw.choice((f"first start, admin account created: {value}", f"setup finished, initial login is admin with {value}", f"DEBUG connect(host='db', user='app', {value!r})", f"invalid user {value} from 10.0.0.{draw.randint(2, 99)} port 51882", f"bash: {value}: command not found", f'read(4, "{value}\\n", 1023) = {len(value) + 1}', f"Copy it now, it is shown only once: {value}", f"login failed for user 'eva' (tried {value})", f"session opened, cookie sid={value}", f"generated {value} for root"))  # fmt: skip
    else:
        value = _draw_open(draw)
        line = draw.choice((f"request {value} finished in {draw.randint(3, 900)} ms", f"digest: {value} size: 1570", f"pulled image {value}", f"restored cache from {value}", f"worker {value} started", f"trace={value} level=info", f"commit {value}", f"assigned order {value}", f"job {value} queued", f"verified fingerprint {value}", f"node {value} joined", f"created snapshot {value}", f"public key {value} added", f"recipient {value}", f"id={value} status=ok", f"wrote chunk {value}", f"peer {value} connected", f"HEAD is now at {value}"))  # fmt: skip
    return (
        "\n".join(draw.sample((f"{time} INFO start", f"{time} {line}", f"{time} INFO listening on :{draw.randint(80, 9000)}"), 3))
        if draw.random() < 0.6
        else line
    )


_FORMS = (_write_env, _write_env, _write_yaml, _write_toml, _write_json, _write_xml, _write_code, _write_code, _write_prompt, _write_login, _write_login, _write_table, _write_link, _write_log, _write_log)  # fmt: skip
