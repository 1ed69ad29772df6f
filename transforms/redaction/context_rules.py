"""Surroundings of secrets that neither their form nor an assignment tells: the words, the call or the file around them do."""

from __future__ import annotations

import re
from dataclasses import dataclass

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.secret_rules import RAW_BLANK

PASSWORD_WORDS = (
    "pass", "psk", "kennwort", "zugangsdaten", "contrase", "senha", "wachtwoord", "heslo", "jelsz", "parola", "salasana",
    "haslo", "hasło", "identified by", "mot de passe", "lösenord", "şifre",
    "пароль", "密码", "密碼", "口令", "パスワード", "비밀번호",
)  # fmt: skip
"""Beginnings of the word for a password in the languages of many keyboards, in lower case."""

SHORT_WORDS = compile_late(r"(?<![A-Za-z0-9+/])(?:pw|(?<![a-z]-)PW|Pw|mdp|MDP)(?![A-Za-z0-9+/])")


def _write_cases(*words: str) -> str:
    """Return the words in the cases that people write. Case-insensitive words are too many literals for Rust's fast search."""
    return "|".join(dict.fromkeys(case for word in words for case in (word, word.capitalize(), word.title(), word.upper())))


PASSWORD_HINT = _write_cases(
    "pass", "psk", "pwd", "kennwort", "zugang", "contrase", "clave", "senha", "wachtwoord", "heslo", "jelsz", "parol", "salasana",
    "haslo", "adgangskode", "sifre", "lozink", "zapork", "geheim", "segredo", "sekret", "identifiants", "creds", "identified by",
)  # fmt: skip
OTHER_PASSWORD_HINT = (
    r"(?:pw|PW|Pw|mdp|MDP|pin|PIN|Pin|otp|OTP)[^a-zA-Z]|hasł|Hasł|mot de passe|lösenord|şifre|парол|Парол|секрет|токен"
    "|密码|密碼|口令|令牌|密钥|秘密|パスワード|暗証|シークレット|トークン|비밀번호|암호|토큰|κωδικ|סיסמ|mật khẩu"
)
_TOKEN_NAMES = ("key", "token", "secret", "signature", "hmac")
_KEY_OWNERS = ("api", "access", "auth", "secret", "license", "unseal", "recovery", "root")


def _make_token_pattern(gap: str, between: str, quote: str, longest: int) -> str:
    """Return the pattern of a name and a long value behind it; `gap` and `between` match a character of the text between them."""
    return (
        rf"(?:{_write_cases(*_TOKEN_NAMES)})[s0-9]{{0,2}}{gap}{{1,{longest}}}"
        rf"(?:(?:(?i:is|ist|es|to|cdata)|string\([0-9]+\)|[0-9]:){gap}{{1,{longest}}})?(?:[a-z]+_[a-z]+_)?[A-Za-z0-9+/-]{{20}}"
        rf"|(?:{_write_cases(*_KEY_OWNERS)})[ _-]?(?i:key|token|secret)"
        rf"{between}{{1,40}}(?::|=|is) {quote}?[A-Za-z0-9+/-]{{24}}"
    )


_ESCAPE = r"\\(?:[bfrt\"]|u00[01][0-9a-f])"
TOKEN_HINT = _make_token_pattern(
    r"(?:[^A-Za-z0-9]|\\(?:[bfnrt]|u00[01][0-9a-f]))", rf"(?:[^\n\\]|{_ESCAPE})", r"(?:\\?[\"'`(])", 40
)
"""Rust regex over raw JSON, where line ends and control characters are escapes with letters in them."""
PEOPLE_HINT = _write_cases(
    "token", "secret", "credential", "schl", "chave", "llave", "klucz", "seed", "mnemonic", "phrase", "login"
)
"""Signs in a person's entry, beside the words for a password, however far the value may be from the word."""
TOKEN_WORDS = (*_TOKEN_NAMES, *_KEY_OWNERS)
"""Where TOKEN_PLACE can begin, in lower case."""
TOKEN_PLACE = compile_late(_make_token_pattern("[^A-Za-z0-9]", r"[^\n\\]", "[\"'`(]", 20))
"""What Python searches before it judges the surroundings."""

PROSE_VALUE = compile_late(r"[^\s\"'`“”„‘’<>\\,;()\[\]{}|\x1b]{6,200}")
LINKING_WORDS = compile_late(
    r"(?i)\b(?:is|ist|es|est|jest|to|auf|zu|now|jetzt|neu|new|was|war|as|of|for|für|on|at|the|de|do|del|be|encoding|base64|hex|cdata|string"
    r"|s|b|u|f|w|d|ord|wd|words?|phrase|code|word|e|by|field|value|\d{1,2})\b|\x1b\[[0-9;]*m|\(\d+\)|:\d+:|%5[BD]|%3[AD]|\S+@[\w.-]+"
)
"""Words and marks between a name and its value that make the name no less telling."""

_VERBS = "is|ist|lautet|are|was|war|est|c['’]est|it['’]s|es|era|é|è|jest|je|on|olarak|be"
STATING_SIGN = rf"(?:(?<![^\W\d_])(?:{_VERBS})(?![^\W\d_])|[:：=→は]|[-=]>|это|–)"
"""A verb or a mark that puts a value behind its name, in the languages of many keyboards."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A pattern whose group `secret` is a secret, if `is_mixed` of it or `is_certain`.

    `hint` is Rust's search in raw JSON. Hints of one `search` are joined: each begins with literals, or finds by itself as fast.
    `beginnings` are words in lower case with which every match begins.
    `blank` finds the last blank inside of every match, for a pattern that would try a run of characters from each of them.
    """

    family: str
    search: str
    hint: str
    pattern: re.Pattern[str]
    is_certain: bool = False
    blank: re.Pattern[str] | None = None
    beginnings: tuple[str, ...] = ()


MOST_BEFORE_BLANK = 90
"""Characters that a match with a `blank` has before its blanks, at most; they follow each other without one."""
_SIGN_IN = f"{_write_cases('auth', 'login', 'connect', 'credential', '__construct', 'handler')}|logIn|LogIn|PDO|pdo"
_QUOTE_MARK = r"\\{0,3}[\"'`]"
_SECRET_WORD = r"(?P<secret>[^\s\"'`<>\\,;()\[\]{}|]{6,120})"
SURROUNDINGS = (
    Surroundings(
        "password-hash", "dollar",
        r"\$(?:[1-7y]|2[abxy]|apr1|P|H|S|gy|sha1|md5|argon2i?d?|scrypt|pbkdf2[a-z0-9-]*|bcrypt[a-z0-9-]*)\$[\w./$=,+-]{12}",
        compile_late(
            r"(?<![\w$])(?P<secret>\$(?:[1-7y]|2[abxy]|apr1|P|H|S|gy|sha1|md5|argon2i?d?|scrypt|pbkdf2[a-z0-9-]*|bcrypt[a-z0-9-]*)"
            r"\$[\w./$=,+-]{12,240})"
        ),
        is_certain=True,
    ),
    Surroundings(
        "password-hash", "hash", r"\{(?:S?SHA|S?MD5|CRYPT)\d{0,3}\}[A-Za-z0-9+/=$.]{16}",
        compile_late(r"\{(?:S?SHA|S?MD5|CRYPT)\d{0,3}\}(?P<secret>[A-Za-z0-9+/=$.]{16,200})"), is_certain=True,
    ),
    Surroundings(
        "password-hash", "hash", r"(?:pbkdf2_sha[0-9]+|bcrypt_sha256|argon2|scrypt|sha1|sha256)[$:]",
        compile_late(r"(?<![\w$])(?P<secret>(?:pbkdf2_sha\d+|bcrypt_sha256|argon2|scrypt|sha1)\$[\w./$=,+-]{24,200})"),
        is_certain=True,
    ),
    Surroundings(
        "basic-auth", "call", rf"(?:[Bb]asic|BASIC|AUTH PLAIN|AUTH LOGIN){RAW_BLANK}+[A-Za-z0-9+/]{{12}}",
        compile_late(
            r"\b(?:[Bb]asic|BASIC|AUTH PLAIN|AUTH LOGIN)\s+(?P<secret>(?=[a-z0-9+/]{0,400}[A-Z])(?=[A-Z0-9+/]{0,400}[a-z])"
            r"(?=[A-Za-z+/]{0,400}\d)[A-Za-z0-9+/]{12,400}={0,2})(?![\w.-])"
        ),
        is_certain=True,
    ),
    Surroundings(
        "signed-url", "hash", rf"[?&;](?:{_write_cases('x-amz-s', 'x-goog-s', 'signature=', 'sig=')})",
        compile_late(
            rf"[?&;](?:(?:{_write_cases('x-amz-s', 'x-goog-s')})(?i:ignature|ecurity-token)="
            rf"|{_write_cases('signature=', 'sig=')})(?P<secret>[A-Za-z0-9%._~+/=-]{{24,2000}})"
        ),
        is_certain=True,
    ),
    Surroundings(  # a call that signs in: each of its quoted arguments
        "password", "call",
        rf"(?:{_SIGN_IN})\w{{0,13}}{RAW_BLANK}?=?{RAW_BLANK}?\(",
        compile_late(rf"(?:{_SIGN_IN})\w{{0,13}}\s?=?\s?\("),
        beginnings=("auth", "login", "connect", "credential", "pdo", "__construct", "handler"),
    ),
    Surroundings(  # a call that opens a place: its third argument behind an account
        "password", "call", r"(?:Open|_open)(?: ?\(| )\\?[\"'$]",
        compile_late(r"(?:Open|_open)(?:[ \t]?\(|[ \t])(?=[\"'$])"), is_certain=True,
    ),
    Surroundings(
        "session", "call", r"SESS[A-Z_]{0,4}ID=|connect\.sid=",
        compile_late(r"(?:[A-Z]{0,20}SESS[A-Z_]{0,4}ID|connect\.sid)=(?P<secret>(?=[^\d\s]{0,40}\d)(?![0-9a-f]{8}-)[A-Za-z0-9%._]{16,200})"),
        is_certain=True,
    ),
    Surroundings(
        "secret", "call", rf"(?:KEY|SALT|key|salt)\\*[\"'`]{RAW_BLANK}*,",
        compile_late(rf"(?:KEY|SALT|key|salt){_QUOTE_MARK}\s*,\s*{_QUOTE_MARK}(?P<secret>(?=[^\s\d]{{0,80}}\d)(?=[\w]{{0,60}}[^\w\s'\"])[^\s'\"]{{40,120}}|(?=(?:[^\n'\"]{{0,40}}?[!#$%^&*~|?<>{{}}+=]){{8}})[^\n'\"]{{60,70}}){_QUOTE_MARK}"),
        is_certain=True,
    ),
    Surroundings(
        "password", "call", "htpasswd",
        compile_late(rf"\bhtpasswd\s+-\w*b\w*\s+(?:-\w+\s+)*{_QUOTE_MARK}?[^\s'\"]+{_QUOTE_MARK}?\s+{_QUOTE_MARK}?[^\s'\"]+{_QUOTE_MARK}?\s+{_QUOTE_MARK}?{_SECRET_WORD}"),
    ),
    Surroundings(
        "password", "pipe", rf"\|{RAW_BLANK}*(?:sudo|chpasswd|passwd|kinit|docker|podman|gpg|openssl|cryptsetup)",
        compile_late(
            rf"(?:echo|printf)\s+(?:-\w+\s+)?{_QUOTE_MARK}?(?:[^\s'\":|]{{1,60}}:)?{_SECRET_WORD}{_QUOTE_MARK}?\s*\|\s*"
            r"(?:sudo|chpasswd|passwd|kinit|docker|podman|gpg|openssl|cryptsetup)"
        ),
    ),
    Surroundings(
        "password-hash", "hash", ":::", compile_late(r"(?i)(?<![0-9a-f])(?P<secret>[0-9a-f]{32}:[0-9a-f]{32})(?=:::)"),
        is_certain=True,
    ),
    Surroundings("password", "call", "WIFI:", compile_late(r"WIFI:[^\n]{0,120}?\bP:(?P<secret>[^;\s]{4,80})"), is_certain=True),
    Surroundings(
        "secret", "call", "otpauth", compile_late(r"otpauth://[^\s]{0,200}?secret=(?P<secret>[A-Za-z2-7]{12,80})"),
        is_certain=True,
    ),
    Surroundings(
        "password", "user", r"-U[\w\s.\"'\\-]+%",  # no limit: to count letters of all scripts makes Rust compile for .1 s
        compile_late(r"\s-U\s?[\"']?[\w.\\-]{1,60}%(?P<secret>[^\s\"']{4,80})"),
    ),
    Surroundings(
        "password", "call", rf"alias{RAW_BLANK}+set",
        compile_late(rf"\balias\s+set\s+\S+\s+\S+\s+\S+\s+{_QUOTE_MARK}?{_SECRET_WORD}"),
    ),
    Surroundings(  # host:port:database:user:password
        "password", "colon", r":(?:[0-9]{2,5}|\*):[a-zA-Z*][a-zA-Z0-9_*.-]{0,60}:[a-zA-Z][a-zA-Z0-9_.-]{0,60}:[^\s:\\\"']{4}",
        compile_late(r"(?<![\w.:-])[\w.*-]{1,80}:(?:[0-9]{2,5}|\*):[a-zA-Z*][a-zA-Z0-9_*.-]{0,60}:[a-zA-Z][a-zA-Z0-9_.-]{0,60}:(?P<secret>[^\s:\\\"']{4,100})"),
    ),
    Surroundings(  # user/password@host:port, and the service of a database
        "password", "at", r"@(?://)?[\w.-]{2}[\w.-]*:[0-9]{2,5}[:/]\w",
        compile_late(r"(?<![\w./@-])\w{1,40}/(?P<secret>[^\s/@\"'`]{4,100})@(?://)?[\w.-]{2,80}:[0-9]{2,5}[:/]\w"),
        is_certain=True,
    ),
    Surroundings(  # user:password@tcp(host:port)/database
        "password", "at", r"@(?:tcp|unix)\(",
        compile_late(r"(?<![^\s\"'`=(])[\w.-]{1,40}:(?P<secret>[^\s\"'`$%{}<>]{4,100})@(?:tcp|unix)\("), is_certain=True,
    ),
    Surroundings(  # host address:password
        "password", "at", r"@[\w.-]{2}[\w.-]*:[^\s\\/\"':]{6}",
        compile_late(
            r"[\w.\]-]{3,80}(?::\w{1,8})?[ \t]+[\w.+-]{1,60}@[\w.-]{2,80}:(?P<secret>[^\s\\/\"':]{6,100})(?=[\s\"\\]|\Z)"
        ),
        blank=compile_late(r"[ \t](?=[\w.+-]{1,60}@[\w.-]{2,80}:)"),
    ),
)  # fmt: skip


def join_hints(first_bit: int) -> dict[str, list[tuple[str, int]]]:
    """Return the joined hints of SURROUNDINGS with the hints that each joins and their bits, from `first_bit` on."""
    searches: dict[str, list[tuple[str, int]]] = {}
    for bit, surroundings in enumerate(SURROUNDINGS):
        searches.setdefault(surroundings.search, []).append((surroundings.hint, first_bit << bit))
    return {"|".join(f"(?:{hint})" for hint, _ in hints): hints for hints in searches.values()}


CODE_LIST_WORDS = ("recovery", "backup", "rescue", "scratch", "2fa", "mfa", "wiederherstellungs")
CODE_LISTS = compile_late(
    rf"(?:{_write_cases(*CODE_LIST_WORDS)})[ -]?(?i:codes?|keys?|schlüssel)[^\n]{{0,60}}\n"
    r"(?P<list>(?:[ \t>|*•.)-]{0,6}[A-Za-z0-9]{3,8}(?:[ -][A-Za-z0-9]{3,8}){0,3}[ \t]*(?:\n|\Z)){3,24})"
)
CODE_LIST_NAME = compile_late(rf"(?:{_write_cases(*CODE_LIST_WORDS)})[ -]?(?i:codes?|schlüssel)(?![^\W\d_])")
INLINE_CODE = compile_late(r"(?<![\w/.:@=-])(?=[\w-]{0,35}[0-9])[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,3}(?![\w/@=-]|[.:]\w)")
"""Codes behind their name in one line, and their form: groups of letters and digits."""
MOST_INLINE = 160
"""Characters behind the name in which they stand."""
SEED_PHRASE_WORDS = ("seed", "mnemonic", "recovery", "secret", "backup", "wallet")
_SEED_NAME = (
    rf"(?:{_write_cases('seed', 'recovery', 'secret', 'backup', 'wallet')})[ _-]?(?i:phrase|word|key)|{_write_cases('mnemonic')}"
)
SEED_PHRASE = compile_late(
    rf"(?:{_SEED_NAME})[^\n]{{0,30}}[\s\"':=`](?P<secret>(?:[a-z]{{3,8}}[ ,]{{1,2}}){{11,23}}[a-z]{{3,8}}\b)"
)
"""BIP-39: 12 to 24 words of three to eight letters."""
LIST_HINT = rf"(?:{_write_cases(*CODE_LIST_WORDS)})[ _-]?(?i:code|key|schl)|{_SEED_NAME}"
"""Rust regex: it finds something in every row in which CODE_LISTS or SEED_PHRASE does."""
