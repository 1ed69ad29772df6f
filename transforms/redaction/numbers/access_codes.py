"""Finds codes of few digits, and passphrases of words, that a noun of access introduces with a label or a copula."""

# ruff: noqa: E501 - a pattern is read best on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.patterns.literal_places import find_places
from transforms.redaction.context import lower_keeping_length
from transforms.redaction.context_rules import STATING_SIGN

_QUOTES = r"[\"'`“”„«»‘’*_(\[]{0,3}"
_CODE = r"(?P<secret>\d{2,5}[A-F]\d{0,4}(?![^\W_])|\d{3,6}[#*]\d{0,4}(?![\w#*])|\d{2,4}(?:[ -]\d{2,4}){1,3}|\d{4,10}|\d(?:[ -]\d){3,7})"
_END = r"(?![\w%$€£/]|[.,:-]\d|[ -]?(?:px|ms|kb|mb|gb|lines?|items?|bytes?|tests?)\b)"
_PIN = compile_late(
    r"(?<![\w./-])(?i:pin|puk|otp|passcode|pass code|cvv2?|cvc2?|digicode)"
    r"(?:(?:[ -]?(?i:code|nummer|number|num|no|nr|kod))?\d?(?![\w/(-])|[\u2e80-\uffef]{1,5}:?)"
    rf"(?:(?P<bare>{_QUOTES}\s{{0,2}})|[^\n\d.;!?]{{0,48}}?{STATING_SIGN}\s{{0,3}}(?:(?i:now|jetzt|still|set to)\s)?){_QUOTES}{_CODE}{_END}"
)
_LOCKED = (
    r"(?:[2m]fa|one[- ]?time|sms|login|sign[- ]?in|auth\w{0,12}|alarm|door|gate|garage|lock|safe|vault|sim|keypad|entry|entrance|access|security|secret|unlock|verification|confirmation|pairing|setup|panel"
    r"|t[üu]r|haust|ペアリング|認証|暗証|ドア|玄関|金庫|tor|tresor|schlie|zugang|sicherheit|best[äa]tigung|porte|portail|coffre|alarme|acc[eè]s|v[ée]rification|d[ée]verrou|immeuble|puerta"
    r"|port[aã]o|porta|cofre|acceso|acesso|verifica|seguran|cancello|cassaforte|sicurezza|kap[ıi]|kasa|g[üu]venlik|do[ğg]rulama|onay|wifi|building|meeting|zoom|arm|disarm|bike|locker)"
)
CODE_NOUN = r"(?:codes?|kod\w{0,3}|c[óo]digo|codice|コード|番号|combina(?:tion|ison|ci[óo]n)|kombination)"
_ACCESS_CODE = compile_late(
    rf"(?i)(?:(?<![^\W\d_\u2e80-\uffff]){_LOCKED}[^\n.;!?\d]{{0,28}}?{CODE_NOUN}(?!(?!は)[^\W\d_])|(?<![^\W\d_]){CODE_NOUN}\s[^\n.;!?\d]{{0,28}}?(?<![^\W\d_]){_LOCKED})"
    rf"(?:\s{{0,2}}|[^\n\d.;!?]{{0,48}}?{STATING_SIGN}\s{{0,3}}){_QUOTES}{_CODE}{_END}"
)
_CODE_BEFORE = compile_late(
    rf"(?i)(?<![\w.:/-]){_CODE}{_QUOTES}\s(?:as|is|ist|es|est|als|como|comme|è|jest)\s(?:[^\W\d_]{{2,14}}\s){{0,2}}(?:[^\W\d_]{{2,12}}-?)?(?:{CODE_NOUN}|pin|otp)(?![^\W\d_])"
)
"""A code before its noun."""
_UNLOCKS = compile_late(
    rf"(?i)(?<![^\W\d_])(?:unlock|disarm|entsperr|entriegel|d[ée]verrouill|desbloque|desbloquea|sblocc|odblok)\w{{0,6}}[^\n.;!?\d]{{0,40}}?\s(?:with|using|mit|avec|con|com|z)\s{_QUOTES}{_CODE}{_END}(?=\W{{0,3}}(?:\Z|[\n.,;:!?)]))"
)
"""What something is unlocked with."""
_UNLOCK_VERBS = ("unlock", "disarm", "entsperr", "entriegel", "deverrouill", "déverrouill", "desbloque", "sblocc", "odblok")
_PLAIN_LINK = compile_late(r"(?i)code(?: is|:)")
"""In texts that no person typed; the search for rows looks for it."""
_OTHER_CODE = compile_late(
    r"(?i)(?<![^\W\d_])(?:error|exit|status|return|http|zip|postal|area|country|response|result|promo|discount|fehler|postleit|postnummer|item|product|qr|line)"
)
_YEAR = compile_late(r"(?:19|20)\d\d\Z")

_PIN_NOUNS = ("pin", "puk", "otp", "passcode", "pass code", "cvv", "cvc", "digicode")
_CODE_NOUNS = ("code", "kod", "código", "codigo", "codice", "コード", "番号", "combina", "kombina")
_PHRASE_NOUNS = (
    "pass",
    "psk",
    "wachtwoord",
    "kennwort",
    "lösenord",
    "phrase de passe",
    "mot de passe",
    "contraseña",
    "senha",
    "frase",
    "phrase",
)
"""The beginnings of the names in the patterns, in lower case."""
BEFORE_NOUN, AFTER_NOUN = 48, 160
"""Characters around a noun for a code in which the lock and the code stand."""

_PHRASE_NAME = r"(?i:pass[ -]?phrases?|pass[ -]?words?|passwort|psk|phrase de passe|mot de passe|contraseña|senha|frase)"
_QUOTED_PHRASE = compile_late(
    rf"{_PHRASE_NAME}[^\n.;!?\"'`“„«]{{0,40}}?(?:{STATING_SIGN}|(?<=phrase)\s)\s{{0,2}}(?P<quote>[\"'`“„«])(?P<secret>[^\n\"'`“”„«»<>{{}}$]{{8,120}}?)[\"'`”“»]"
)
_BARE_PHRASE = compile_late(
    rf"(?i:(?:pass|wachtwoord|passwort|kennwort|lösenord)s?(?:[ -]?phrases?|zin|satz|sats|fras)|(?<!pass)(?<!pass[ -])(?:phrase|frase)(?:\s[^\W\d_]{{2,12}}){{0,2}})[^\n.;!?\d]{{0,40}}?{STATING_SIGN}\s{{1,2}}(?P<secret>[a-zäöüßéèñçąęłó]{{3,12}}(?:[ -][a-zäöüßéèñçąęłó]{{3,12}}){{3,9}})(?=[.,;!?]|\s*(?:\n|\Z))"
)
_SMALL_WORDS = compile_late(
    r"(?i)(?:the|and|for|not|but|you|your|our|are|was|were|with|that|this|from|into|have|has|had|will|would|should|can|could|must|may"
    r"|needs?|which|what|when|where|then|than|only|also|still|never|always|just|its|they|them|there|here|required|stored"
    r"|der|die|das|und|ist|nicht|mit|für|eine?|les|des|est|pas|une|pour|dans|por|para|una|que|los|las)\Z"
)
"""Words that sentences are built with."""
LEAST_PHRASE_WORDS = 4
_PHRASE_WORD = compile_late(r"(?i)phrase|frase")
PIN_DIGITS = (4, 6)
CODE_LITERALS = ("code is", "code:", "cvv", "cvc", "digicode")
"""Beginnings of a name with its value, in lower case, beside those in `named_values.NAME_LITERALS`."""
CODE_VALUE = (
    r"(?i)^(?:(?:pin|puk|otp|pass ?code|cvv|cvc|digicode)(?:[ -]?(?:code|nummer|number|num|no|nr|kod))?2?[^a-z][^0-9]{0,60}[0-9]"
    r"|code(?: is|:)[^0-9]{0,60}[0-9]"
    r"|(?:pass ?phrase|password|passwort|phrase|psk)[^.;!?]{0,60}[\"'`“„«][^ ]{2,40}(?: [^ ]{2,40}){3})"
)
"""Regex of the text from such a name on, in Rust and Python: it finds something where a code or a quoted phrase may follow."""
CODE_HINT = r"(?i:code|kode|kod[a-z]{0,3}|c[óo]digo|codice|コード|番号|pin|puk|otp|cvv|cvc|combina|kombina|unlock|disarm|entsperr|entriegel|verrouill|desbloque|sblocc|odblok)[^0-9\"]{0,70}[0-9]"
"""Rust regex: it finds something in every text of a person with a code; names of passphrases are hints of `context_rules`."""


def find_access_codes(text: str, is_user: bool) -> Iterator[tuple[int, int, str]]:
    """Yield where codes and passphrases begin and end, and their family; they may be yielded twice.

    "PIN: 4711" is one anywhere; "the alarm code is 4711" too, because a word for what is locked stands beside the code.
    A phrase without quotation marks counts in a person's words only.
    """
    lower = lower_keeping_length(text)
    for start in find_places(lower, *_PIN_NOUNS):
        if (match := _PIN.match(text, start)) and _is_pin(match, is_user):
            yield *match.span("secret"), "pin"
    for start in find_places(lower, *_CODE_NOUNS):
        match = _ACCESS_CODE.search(text, max(0, start - BEFORE_NOUN), start + AFTER_NOUN)
        is_plain = match is not None and (is_user or _PLAIN_LINK.search(text, *match.span()) is not None)
        if match and is_plain and not _OTHER_CODE.search(text, max(0, match.start() - 16), match.start("secret")):
            yield *match.span("secret"), "pin"
    for match in _CODE_BEFORE.finditer(text) if is_user else ():
        if not _OTHER_CODE.search(text, match.end("secret"), match.end()):
            yield *match.span("secret"), "pin"
    for start in find_places(lower, *_UNLOCK_VERBS) if is_user else ():
        if match := _UNLOCKS.match(text, start):
            yield *match.span("secret"), "pin"
    for start in find_places(lower, *_PHRASE_NOUNS):
        for pattern in (_QUOTED_PHRASE, _BARE_PHRASE) if is_user else (_QUOTED_PHRASE,):
            if (match := pattern.match(text, start)) and (is_phrase(match["secret"]) or (is_user and _is_quoted_phrase(match))):
                yield *match.span("secret"), "passphrase"


def _is_quoted_phrase(match: re.Match[str]) -> bool:
    """Whether words between marks are what the word for a passphrase introduces in a person's words, whatever they are."""
    is_named = (
        "quote" in match.re.groupindex and _PHRASE_WORD.search(match.string, match.start(), match.start("quote")) is not None
    )
    return is_named and len(match["secret"].split()) >= LEAST_PHRASE_WORDS


def _is_pin(match: re.Match[str], is_user: bool) -> bool:
    """Whether a number behind the noun is no pin of a connector and no year: a label or a verb, or the noun in capitals, tells.

    Pins of connectors have fewer digits than the four or six that a person's have.
    """
    noun, between = match[0][:3], match.string[match.start() : match.start("secret")]
    if match["bare"] is not None and noun.lower() == "pin" and noun != "PIN" and "code" not in between.lower():
        return is_user and len(match["secret"]) in PIN_DIGITS and match["secret"].isdigit() and not _YEAR.match(match["secret"])
    return not _YEAR.match(match["secret"]) or re.search(r"[:=]\s*\S?\Z", between) is not None


def is_phrase(words: str, least: int = LEAST_PHRASE_WORDS) -> bool:
    """Whether words are a passphrase: at least `least`, and none that sentences are built with."""
    parts = re.split(r"[ .,_-]+", words.strip())
    return len(parts) >= least and not any(is_small_word(part) or len(part) < 2 for part in parts)


def is_small_word(word: str) -> bool:
    """Whether a word is one of those that sentences are built with."""
    return _SMALL_WORDS.match(word) is not None
