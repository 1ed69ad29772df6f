"""What is open stays, although it looks random: public keys, sums, key ids, places in lists."""

import base64
import hashlib
import random
import string

from tests.each_case import each_case
from transforms.redaction.formats.open_values import is_public_key
from transforms.redaction.redact import redact

RANDOM = random.Random(4)
HEX = hashlib.sha256(b"made up").hexdigest()
BASE64 = base64.b64encode(RANDOM.randbytes(32)).decode()
LETTERS = string.ascii_letters + string.digits


def make_word(size: int) -> str:
    """Return random letters and digits."""
    return "".join(RANDOM.choices(LETTERS, k=size))


def encode_der(head: str, size: int) -> str:
    """Return base64 of a DER structure with random bytes behind its head."""
    return base64.b64encode(bytes.fromhex(head) + RANDOM.randbytes(size)).decode()


PUBLIC = (
    encode_der("302a300506032b6570032100", 32),
    encode_der("3059301306072a8648ce3d020106082a8648ce3d030107034200", 65),
    encode_der("30820122300d06092a864886f70d01010105000382010f00", 270),
)
PRIVATE = (
    encode_der("302e020100300506032b657004220420", 32),
    encode_der("308204bd020100300d06092a864886f70d0101010500048204a7", 600),
    encode_der("3081a0305b06092a864886f70d01050d", 120),
)


@each_case("value", PUBLIC)
def test_a_public_key_is_told_by_its_der(value: str) -> None:
    assert is_public_key(value)


@each_case("value", [*PRIVATE, make_word(40), BASE64])
def test_a_private_key_and_random_letters_are_no_public_key(value: str) -> None:
    assert not is_public_key(value)


@each_case("text", [
    f"public_key = \"{HEX}\"", f"[Peer]\nPublicKey = {BASE64}", f'{{"pubkey": "{BASE64}"}}', f"checksum/secret: {HEX}",
    f"MD5 (password.txt) = {HEX[:32]}", f'{{"next_token": "{BASE64}"}}', f'{{"site_key": "{make_word(40)}"}}',
    f'{{"kty": "EC", "x": "{make_word(43)}", "crv": "P-256"}}', f"gpg: Signature made with RSA key {HEX[:40].upper()}",
    f"-----BEGIN CERTIFICATE-----\n{make_word(64)}\n{make_word(64)}\n-----END CERTIFICATE-----",
    f"password: ENC[AES256_GCM,data:{BASE64},iv:{BASE64},tag:{BASE64},type:str]",
    "token: ghp_" + "x" * 36, "AWS_ACCESS_KEY_ID=AKIA" + "X" * 16, "SECRET=" + "0123456789abcdef" * 2,
    "DB_PASSWORD=op://prod2/db/password", "amqp://guest:guest@rabbit:5672", "ssh -p 2222 deploy@host2.corp.example",
    "cargo test -p auth-core2 --features v2", "ansible-playbook --ask-become-pass site.yml", "auth0|" + HEX[:24],
    '{"keys":[{"kty":"RSA","use":"sig","kid":"EfJ3n5ZTXIypNXH9"}]}',
    'url="a" password="${db.password}" maxActive="20"',
    "rename passwd2 to password_v2", "thread 'auth::tests::key_v2' panicked",
])  # fmt: skip
def test_what_is_open_or_made_up_stays(text: str) -> None:
    assert redact(text, is_user=True) == text


def test_a_name_with_the_digest_of_what_it_is_a_version_of_stays_in_an_output() -> None:
    text = f"Cache restored from key: Linux-node-22-{HEX}"
    assert redact(text) == text
    assert redact(f"key: live-{HEX}") != f"key: live-{HEX}"


@each_case(("before", "secret"), [
    ("private_key = ", HEX), ("token: ghp_", make_word(36)), ("amqp://guest:", "t1ger" + make_word(6) + "@rabbit:5672"),
    ("mosquitto_pub -u sensor -P ", make_word(12)),
    ("-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----\nsecret = ", HEX),
])  # fmt: skip
def test_a_secret_beside_them_goes(before: str, secret: str) -> None:
    assert secret[:12] not in redact(before + secret, is_user=True)
