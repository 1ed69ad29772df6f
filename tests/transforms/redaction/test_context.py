"""Secrets that only their surroundings tell, by class; the values are drawn at run time."""

from __future__ import annotations

import random
import string

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.redaction.context import find_context_secrets
from transforms.redaction.redact import redact

RANDOM = random.Random(7)
LETTERS = string.ascii_letters + string.digits


def draw(length: int, alphabet: str = LETTERS) -> str:
    return "".join(RANDOM.choice(alphabet) for _ in range(length))


PASSWORD = "Otter" + draw(4, string.digits) + "!" + "x" + draw(2, string.ascii_uppercase) + "k"
KEY = draw(14) + "7aB" + draw(20)
HEX = draw(40, "0123456789abcdef")

TOLD = {
    "next cell": (f"| user | password |\n| mara | x |\nPassword\n{PASSWORD}\nPort\n993", PASSWORD),
    "next line after words": (f"Grafana admin password:\n{PASSWORD}\n\nplease add the data source", PASSWORD),
    "another language": (f"Zugang: Benutzer meyer, Kennwort {PASSWORD}", PASSWORD),
    "a sentence": (f"I changed the warehouse password yesterday, it's now {PASSWORD}, so update it", PASSWORD),
    "an element": (f'<User>web</User><Pass encoding="x">{PASSWORD}</Pass>', PASSWORD),
    "a serialized length": (f's:8:"password";s:12:"{PASSWORD}";', PASSWORD),
    "colours": (f"\x1b[1mpassword\x1b[0m: \x1b[38;5;208m{PASSWORD}\x1b[0m", PASSWORD),
    "an argument of a call": (f"requests.get(url, auth=('mara', '{PASSWORD}'))", PASSWORD),
    "a statement": (f"CREATE USER 'k'@'localhost' IDENTIFIED BY '{PASSWORD}';", PASSWORD),
    "a pipe": (f"echo 'web:{PASSWORD}' | chpasswd", PASSWORD),
    "a command's own order": (f"htpasswd -bc /etc/nginx/.htpasswd mara '{PASSWORD}'", PASSWORD),
    "a line of fields": (f"db.internal:5432:*:mara:{PASSWORD}", PASSWORD),
    "a sentence about a key": (f"Paste an API key from your profile and hit enter: {HEX}", HEX),
    "a dump": (f'["api_key"]=>\n  string(40) "{HEX}"', HEX),
    "a numbered key": (f"Unseal Key 1: {KEY}", KEY),
    "a hash of crypt": ("root:$6$" + draw(16) + "$" + (tail := draw(60)) + ":19812:0:", tail),
    "a signed address": (f"https://s3.example.org/a?X-Amz-Expires=60&X-Amz-Signature={HEX}", HEX),
    "a cookie": ("curl -b 'PHPSESSID=" + (cookie := "a1" + draw(24)) + "' https://example.org", cookie),
    "a flag behind the word": (f"kc password reset --new '{PASSWORD}'", PASSWORD),
    "what a file of passwords has": (f"cat secrets/db_password\n{PASSWORD}", PASSWORD),
    "recovery codes": ("GitHub recovery codes\n" + "\n".join(f"a1b{n}c-{n}d2e3" for n in range(6)), "a1b3c-3d2e3"),
    "recovery codes in a sentence": ("backup codes k3fp2-8sa0n, 16jnc-w3f44 and 4x7ok-7zhpu", "16jnc-w3f44"),
    "an account with its service": ("jdbc:oracle:thin:werk/" + (weak := "hamster" + "9926") + "@ora.example.test:1521:XE", weak),
    "a word in a YAML environment": ("environment:\n  DB_PASSWORD: " + "pepper" + "orchid\n", "pepper" + "orchid"),
    "a key of words": ('psk="' + "saddle umbrella nickel pigeon" + '"', "saddle umbrella nickel pigeon"),
    "a seed phrase": ("seed phrase: " + (words := " ".join(["apple", "river", "stone", "cloud"] * 3)), words),
}  # fmt: skip


@each_case("name", TOLD)
def test_a_secret_that_its_surroundings_tell_is_taken_out(name: str) -> None:
    text, secret = TOLD[name]
    assert secret not in redact(text)


@each_case(
    "text",
    [
        "--- PASS: TestSessionStart (0.02s)\n=== RUN   TestPassesThrough2Times",
        "--- PASS: TestEnsureTranscriptWithModifiedBase64Encoding", "PASSWORD: SecretStr\nDB_PASSWORD: database password",
        "recovery code for node-2024 and app-v2-1", "docker pull shop/app@registry.test:5000/app",
        "all 48 tests pass in ./internal/v2Handler",
        "All 29 tests pass. Two commits created as requested.\nagentId: aec3c3ba0ede61017 (use SendMessage to continue)",
        "the method signatures (no changes needed)\nagentId: ac1de30ccf7717576 (use SendMessage to continue)",
        'password = os.environ["DB_PASSWORD"]', "const passwordField = document.getElementById('login-form-v2')",
        "kubectl get secret pg-creds -o jsonpath='{.data.password}' | base64 -d", "the token count is 182344 of 200000",
        'secretKeyRef:\n  name: pg-creds-2024\n  key: password', "passport.authenticate('google-oauth20', { scope: ['email'] })",
        "cache key: build-linux-x64-node20-v3", "primary key (user_id, created_at)",
        "password reset link sent to mara@example.org",
        "connect('mongodb', 'parcel-db', retries=3)", "see docs/password-reset.v2.md and src/auth/login2.ts",
        "The DSN: `sslmode=disable` now", "DSN: statement_cache_mode=describe",
        "VAULT_PASSWORD_FILE=~/.vault_pass_2026 ansible-playbook site.yml --limit 'all:!db-01'",
        "RESTIC_PASSWORD_FILE=/etc/restic.pw restic backup --exclude='var/!cache-01' /srv",
    ],
)  # fmt: skip
def test_code_and_prose_about_passwords_stay(text: str) -> None:
    assert redact(text) == text


def test_a_setting_behind_the_name_of_a_connection_is_judged_by_its_own_name() -> None:
    """What is random, or named for a password, goes whatever stands before it."""
    value = draw(24)
    for label, name, kept in (
        ("DSN", "password", "swordfish"), ("DSN", "session", value), ("API_TOKEN", "team", "horse.battery.staple99"),
        ("AUTH_TOKEN", "user", "alice2024xy"), ("dsn", "user", "alice2024xy"),
    ):  # fmt: skip
        assert kept not in redact(f"{label}: {name}={kept}")
    assert "hunter2" not in redact("my password is hunter2:~/dir$", is_user=True)


@each_case(
    "piece", ["password ", "token ", "pw: ", "connect(", "a:1:b:c:", "$6$aaaa", "seed phrase ", "recovery codes\n", "secret_"]
)
def test_the_search_takes_linear_time(piece: str) -> None:
    """A page of one repeated word must not stop a night."""
    end = draw(30)
    assert grows_with_text(lambda text: list(find_context_secrets(text + end)), piece, 500)


@each_case("frame", ["log in as mara / {} please", "({}).", "'{}'", "{}", "mara:{} works", "neu: {}\nund weiter"])
def test_a_typed_password_without_a_word_for_one_is_taken_out(frame: str) -> None:
    cleaned = redact(frame.format(PASSWORD), is_user=True)
    assert PASSWORD not in cleaned
    assert redact(cleaned, is_user=True) == cleaned
    assert redact(frame.format(PASSWORD)) == frame.format(PASSWORD)


@each_case(
    "text",
    ["t.Wait(4*time.Minute)", "see page?id=12&x=3", "HEAD~3 and main^2", "user77@example.org", "a%20b%2F12x", "^1.2.3-beta!",
     "&#39;12ab&#39;", "option?.value2.name?.x1", "docs/v2/*.md", "echo $HOME/x2!", "#a1b2c3", "50% of 12 files",
     "berth1:~$ ps -o rss", "root@berth-03:/etc/app2# ls"],
)  # fmt: skip
def test_typed_code_and_addresses_stay(text: str) -> None:
    assert redact(text, is_user=True) == text
