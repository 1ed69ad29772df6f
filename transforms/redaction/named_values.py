"""Finds values that may be secrets near the name of one, in any notation and many languages, and describes it for the judge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from transforms.patterns.late_pattern import compile_late
from transforms.patterns.literal_places import find_places
from transforms.redaction.formats.open_values import is_public_key

SECRET_NAMES: dict[str, tuple[str, ...]] = {
    "password": (
        "pass", "pwd", "psk", "kennwort", "losungswort", "contrase", "clave", "senha", "wachtwoord", "heslo", "jelsz",
        "parol", "salasana",
        "hasło", "hasła", "haslo", "mot de passe", "lösenord", "losenord", "adgangskode", "şifre", "sifre", "lozink", "zapork",
        "identified by", "kata sandi", "κωδικ", "парол", "סיסמ", "密码", "密碼", "口令",
        "パスワード", "暗証", "비밀번호", "암호", "mật khẩu",
    ),
    "secret": (
        "secret", "token", "credential", "creds", "bearer", "geheim", "segredo", "sekret", "секрет", "токен", "令牌", "秘密",
        "シークレット",
        "トークン", "토큰", "zugang", "identifiants", "logowania", "cookie", "jeton",
    ),
    "key": ("key", "schlüssel", "schluessel", "clé", "chave", "llave", "sleutel", "klucz", "nyckel", "ключ", "密钥", "鍵"),
    "weak": (
        "auth", "signature", "hmac", "salt", "pepper", "webhook", "lizenz", "unlock", "seed", "mnemonic", "phrase", "login",
        "logon",
        "community",
    ),
    "flag": (),
}  # fmt: skip
"""Classes of names, strongest first, in lower case; each begins anywhere in a word, because identifiers are made of words."""
CERTAIN_CLASSES = frozenset({"password", "secret", "key"})
"""Classes of names that say by themselves that their value is secret."""
SHORT_NAMES = {
    "pw": "password",
    "mdp": "password",
    "pin": "weak",
    "puk": "weak",
    "otp": "weak",
    "totp": "weak",
    "sig": "weak",
    "dsn": "weak",
    "sas": "weak",
}
"""Names that count as whole words only."""
_FLAG_BEGINNINGS = ("-p", "-w", "-a", "/p", "-storepass", "-keypass")
NAME_LITERALS = tuple(
    dict.fromkeys(
        case
        for word in (*(word for words in SECRET_NAMES.values() for word in words), *SHORT_NAMES,
                     *(blank + flag for blank in (" ", r"\n", r"\t") for flag in _FLAG_BEGINNINGS))
        for case in ((word,) if word.isascii() else (word, word.capitalize(), word.title(), word.upper()))
    )
)  # fmt: skip
"""Where a name may begin in raw JSON, in any case of ASCII letters; that of a flag is behind the blank."""
_VERDICT = compile_late(r"pass(?:e[ds]|ing)?(?![a-z0-9_])(?!\W{0,2}[:=>][\s\"']{0,3}[a-z0-9])")
"""A test that passes, or something that is passed on."""
TEST_RESULT = "--- "
"""What Go writes before `PASS:` and the name of a test."""
_HEX_HASH = compile_late(r"[0-9a-f]{7,64}\Z")
_OF_GIT = compile_late(r"(?i)(?:commit|revision|tree|parent|head|sha\d*|digest|checksum|hash)\W{1,6}\Z")
MIXED_VALUE = (
    r"(?:[^\s\"'`<>\\,;()\[\]{}|A-Za-z]*[A-Za-z][^\s\"'`<>\\,;()\[\]{}|0-9]*[0-9]+(?:[^\s\"'`<>\\,;()\[\]{}|0-9]|[0-9]{4})"
    r"|[^\s\"'`<>\\,;()\[\]{}|A-Za-z]*[0-9][^\s\"'`<>\\,;()\[\]{}|A-Za-z]*[A-Za-z])"
)
"""Letters and digits, and more than words with a number at the end, which only the name of a password makes a secret."""
_MIXED = compile_late(MIXED_VALUE)
_KEY_ID = compile_late(r"(?:0x)?[0-9A-F]{8,40}\Z")
_OF_PUBLIC_KEY = compile_late(
    r"(?i)(?<![a-z])(?:rsa\d*|dsa|ecdsa|eddsa|ed25519|pgp|gpg|openpgp|public|host):? ?key(?:[ -]?id|[ -]fingerprint)?\W{1,4}\Z"
)
"""What stands before the id of a key that signs."""
_OPEN_KEY = compile_late(
    r"(?:public|cache|primary|foreign|sort|partition|idempotency|object|row|shard|dedupe|translation)[ _-]?\Z"
)
"""Keys that open nothing."""
_OTHER_WORD = compile_late(r"pass(?!w|phrase|code|key|e[ds]?(?![a-z])|ing|s?(?![a-z]))[a-z]{2}")
"""A word that begins as the one for a password does: passport, passive, passage."""
_FLAG = compile_late(r"(?<=\s)(?:-[pPwa]|/p(?:ass(?:word)?)?:|-pw(?=\s)|-storepass|-keypass)[ =]?(?=[\"'\w!#$%&*?@+])")
"""Flags behind which commands take a password; `mkdir -p` is left to the judge."""
_NAME = compile_late("|".join(f"(?P<{name}>{'|'.join(map(re.escape, words))})" for name, words in SECRET_NAMES.items() if words))
_NAME_WORDS = tuple(word for words in SECRET_NAMES.values() for word in words)
_FLAG_STARTS = ("-p", "-P", "-w", "-a", "/p", "-storepass", "-keypass")
_SHORT = compile_late(rf"(?<![^\W_])(?:{'|'.join(SHORT_NAMES)})(?![^\W_])")
_NAMED_VALUE = compile_late(r"[^\s\"'`“”„‘’«»<>\\,;()\[\]{}|\x1b│]{5,400}")
COLOUR_END = compile_late(r"\x1b\[[0-9;]*m\Z")
_LOWER_RUN = compile_late(r"(?:\b|_|-)[a-zäöüß]{3,20}\Z")
"""Letters of one word before a name: `mailpass`, `Datenbankpasswort`."""
_REST = compile_late(r"\w{0,400}(?!\w)")
"""The rest of the word that a name begins; a longer one is no word, and reading on from each name in it took quadratic time."""
_LEADING = compile_late(r"^(?:[=:>]+|[*_~]{2}|&?\w{1,20}=(?=\S))")
_TRAILING = compile_late(r"[.,:;?)\]*_]+$|!+$(?<=!!)")
_PLAIN_VALUE = compile_late(
    r"(?:[A-Z]?[a-zäöüßéèñçąęłó]+(?:[A-Z][a-z]+)*(?:[-_./:@#][A-Za-z][a-z]*)*|[A-Z]+(?:[-_.][A-Z]+)*|[\d.,:+-]+)[.,:;?!]?\Z"
)
"""Words, names of words, numbers and versions; `\\Z` is the end that the caller gives."""
_TELLING = compile_late(r"[0-9!#$%&*?@^~+]|[A-Z][^A-Z]?[A-Z]|[a-z][A-Z]")
"""One of these is in every value that is judged: a password of small letters alone looks like a word."""
_ID = compile_late(
    r"(?:(?:toolu|call|msg|req|resp|chatcmpl|fc|rs|run|thread|asst|file|item|cus|evt|in|pi|prod|price|sub|srvtoolu|ws|BOT)[_-]"
    r"|[A-Z]{1,4}_k[wg]DO|MDQ6|AAAA[BCE][23]N|MII[A-Za-z]|iVBORw0KGgo|R0lGOD|/9j/|UEsDB|PD94b|PHN2Z|h1:|arn:|pk\.eyJ|phc_"
    r"|[sS][hH][aA]-?\d{1,3}[-:]|--?[a-z])"
)
_BLOB = compile_late(r"[A-Za-z0-9+/]{60,}")
_OWN_LABEL = compile_late(r"\n[ \t>*-]*[\w.-]{1,40}[ \t]?[:=][ \t]*[\"'`]?\Z")
"""The label of a value on a line after the name's."""
BLOB_CHARS = 400
NEAR_CHARS, MOST_VALUES, MOST_LINES, LEAST_VALUE, MOST_CHARS = 110, 7, 3, 5, 400
MARK_CHARS = 30
"""Characters before a name in which a placeholder says that it has its value already."""
LEAST_KEY = 8
"""Characters of a value behind a name that is not a password's."""


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value near a name: where both are, and how many values stand between them."""

    start: int
    end: int
    name: str
    name_start: int
    name_end: int
    rank: int


def list_named_values(text: str, lower: str) -> Iterator[NamedValue]:
    """Yield the values that stand near the name of a secret, nearest first for each name; plain words and ids are not values.

    `lower` is the text in lower case, of the same length.
    """
    for start, stop, name in find_names(text, lower):
        yield from list_values_near(text, start, stop, name)


def list_values_near(text: str, start: int, stop: int, name: str) -> Iterator[NamedValue]:
    """Yield the values that stand near the name from `start` to `stop`, which is of class `name`, nearest first."""
    if name != "flag" and (not _begins_word(text, start) or _is_in_blob(text, start, stop)):
        return
    if name == "flag":
        end = stop
    elif rest := _REST.match(text, stop):
        end = rest.end()
    else:
        return
    is_strong = name in ("password", "flag")
    limit = end + NEAR_CHARS
    rank = lines = 0
    position = end
    for value in _NAMED_VALUE.finditer(text, end, limit + MOST_CHARS):
        first, last = value.span()
        if first > limit:
            return
        lines += text.count("\n", position, first)
        if lines > MOST_LINES or text.startswith("redacted:", first):  # it has its value already
            return
        if lines and not is_strong and _is_of_other_label(text, (start, end), first):
            return
        position = last
        if _TELLING.search(text, first, last):
            first, last = _trim(text, first, last)
            if last - first < LEAST_VALUE:
                continue
            if (
                (is_strong or (_MIXED.match(text, first, last) and last - first >= LEAST_KEY))
                and _TELLING.search(text, first, last)
                and not _is_ordinary(text, first, last)
            ):
                yield NamedValue(first, last, name, start, end, rank)
        rank += 1
        if rank == MOST_VALUES:
            return


@lru_cache(maxsize=8)
def find_names(text: str, lower: str) -> tuple[tuple[int, int, str], ...]:
    """Return where names begin and end, with their class; of names at one place the strongest counts.

    Several searches ask for those of one text, one after the other.
    """
    places = set(find_places(lower, *_NAME_WORDS))
    places.update(place for place in find_places(lower, *SHORT_NAMES) if _SHORT.match(lower, place))
    places.update(place for place in find_places(text, *_FLAG_STARTS) if _FLAG.match(text, place))
    return tuple((position, *name) for position in sorted(places) if (name := find_name_at(text, lower, position)))


def find_name_at(text: str, lower: str, position: int) -> tuple[int, str] | None:
    """Return where the name that begins at `position` ends, and its class; None when none begins there."""
    if lower.rfind("[redacted:", max(0, position - MARK_CHARS), position) >= 0 or _is_place(text, position):
        return None
    if (match := _NAME.match(lower, position)) and (name := _classify_name(lower, position, match[0], str(match.lastgroup))):
        return match.end(), name
    if match := _FLAG.match(text, position):
        return match.end(), "flag"
    return (match.end(), SHORT_NAMES[match[0]]) if (match := _SHORT.match(lower, position)) else None


def _is_place(text: str, position: int) -> bool:
    """Whether `PW` is a region behind a language: `en-PW`."""
    return (
        text.startswith("PW", position) and text[position - 1 : position] == "-" and text[position - 2 : position - 1].islower()
    )


def _is_of_other_label(text: str, name: tuple[int, int], value_start: int) -> bool:
    """Whether a value stands on a later line behind a label of its own, while the name is a word of prose: "All tests
    pass.\\nagentId: aec3…" names an agent. In "name: API_KEY\\n  value: …" the name is no prose, and "Keys:" introduces the next
    lines. A label that names a secret is judged by itself."""
    line_end = text.find("\n", name[1], value_start)
    before, after = text[max(0, name[0] - MARK_CHARS) : name[0]].rstrip(" \t\"'`"), text[name[1] : line_end].rstrip(" \t\r\"'`")
    is_prose = not before.endswith((":", "=")) and not after.endswith((":", "="))
    return is_prose and bool(_OWN_LABEL.search(text, line_end, value_start))


def _classify_name(lower: str, position: int, word: str, name: str) -> str | None:
    """Return the class of a name in its place, None when it is a part of another word or a key that opens nothing."""
    if word == "pass":
        is_other = lower.endswith(TEST_RESULT, 0, position) or _OTHER_WORD.match(lower, position)
        return None if is_other else "weak" if _VERDICT.match(lower, position) else name
    if word == "auth" and lower[position + len(word) : position + len(word) + 1].isdigit():  # a protocol or a service
        return None
    return None if word == "key" and _OPEN_KEY.search(lower, max(0, position - 14), position) else name


def is_id(value: str) -> bool:
    """Whether a value is an id of a client or service, a public key, the beginning of a picture, a checksum or a flag."""
    return bool(_ID.match(value)) or is_public_key(value)


def is_git_hash(text: str, start: int, end: int) -> bool:
    """Whether a value is hexadecimal behind a word for what git and checksums name so, or the id of a key that signs."""
    if _KEY_ID.match(text, start, end) and _OF_PUBLIC_KEY.search(text, max(0, start - 32), start):
        return True
    return bool(_HEX_HASH.match(text, start, end) and _OF_GIT.search(text, max(0, start - 24), start))


def _is_ordinary(text: str, start: int, end: int) -> bool:
    """Whether a value is made of words or numbers, an id, or a part of code."""
    value = text[start:end]
    if is_git_hash(text, start, end):
        return True
    if (
        text.startswith("::", start - 2)
        or value.startswith("::")
        or ("://" in value and "@" not in value and "=" not in value)
        or "EXAMPLE" in value
    ):
        return True
    return bool(_PLAIN_VALUE.match(text, start, end)) or is_id(text[start:end]) or _is_code(text, start, end)


def _is_code(text: str, start: int, end: int) -> bool:
    """Whether a value is called or indexed, a variable that a shell puts in its place, or the name of the next attribute."""
    if text[end - 1 : end] == "=" and text[end : end + 1] in ('"', "'", "{") and text[start - 1 : start].isspace():
        return True
    return text[end : end + 1] in ("(", "[") or text[start - 2 : start] == "${" or text[start : start + 1] == "$"


def _is_in_blob(text: str, start: int, end: int) -> bool:
    """Whether a place is inside of a long run of base64, which spells any name sooner or later."""
    if start and text[start - 1] not in "+/" and not text[start - 1].isalnum():
        return False
    return any(
        blob.start() < start and blob.end() > end for blob in _BLOB.finditer(text, max(0, start - BLOB_CHARS), end + BLOB_CHARS)
    )


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while lead := _LEADING.match(text[start:end]):
        start += lead.end()
    if trail := _TRAILING.search(text, start, end):
        end = trail.start() if trail.end() == end else end
    return start, end


def _begins_word(text: str, position: int) -> bool:
    """Whether a word begins at `position`, in `dbPassword` and `db_password`, too, and not inside of random letters."""
    if (
        position == 0
        or not text[position - 1].isalnum()
        or not text[position].isascii()
        or COLOUR_END.search(text, max(0, position - 12), position)
    ):
        return True
    if (
        text[position - 1].isdigit()
        or text[position - 2 : position - 1].isdigit()
        or ("/" in text[position - 12 : position] and "+" in text[position - 30 : position + 30])
    ):
        return False
    if text[position].isupper() and text[position - 1].islower() and text[position + 1 : position + 3].islower():
        return True
    return text[position : position + 3].islower() and bool(_LOWER_RUN.search(text, max(0, position - 24), position))
