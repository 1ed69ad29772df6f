"""Tells values that name a secret instead of being one: the label of a field in any language, or a word to be replaced."""

from __future__ import annotations

from functools import cache, lru_cache

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.named_values import SECRET_NAMES
from transforms.redaction.names.name_words import NAME_WORDS
from transforms.redaction.names.translated_names import CODE, FIRST_UNSPACED

MOST_LABEL, MOST_ENDING, LEAST_STEM = 60, 3, 5
"""Characters of a label; letters of the ending of a word in it, and of the shortest word of ASCII that may have one."""
_WORDS = compile_late(r"[^\s_.:;,/()'\"@-]+")
_OTHER = compile_late(r"[0-9!#$%^&*?~+=|\\<>{}]")
_HANDED_OVER = compile_late(r"(?P<mark>@@|__)[^\W\d]+(?P=mark)\Z|\[[A-Za-z_ ]{2,40}\]\Z")
"""What a template or a log has in place of a value."""


def is_field_label(value: str) -> bool:
    """Whether a value of words names a secret: "Passwort", "TU_CONTRASEÑA_AQUI", "パスワード"."""
    return len(value) <= MOST_LABEL and _is_label(value)


@lru_cache(maxsize=4096)
def _is_label(value: str) -> bool:
    if _HANDED_OVER.match(value):
        return True
    return _OTHER.search(value) is None and any(map(_names_secret, _WORDS.findall(value.lower())))


def _names_secret(word: str) -> bool:
    names, unspaced = _list_names()
    if word in names or any(word[:-cut] in names for cut in range(1, MOST_ENDING + 1) if len(word) - cut >= LEAST_STEM):
        return True
    return word[-1] >= FIRST_UNSPACED and any(name in word for name in unspaced)


@cache
def _list_names() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the words for a password, a token and a key in all languages, and those of scripts without blanks.

    English ones are known elsewhere, all but that for a password.
    """
    known = (*SECRET_NAMES["password"], *SECRET_NAMES["secret"])
    words = {"password", "passphrase", "passwort", *(word for word in known if not word.isascii())}
    words.update(word for word in SECRET_NAMES["password"] if len(word) >= LEAST_STEM)
    for parts in NAME_WORDS.values():
        for kind, part in enumerate(parts.split("|")[:4]):
            words.update(part.split("/") if kind != CODE else ())
    spaced = {word for word in words if len(word) > 2 and " " not in word}
    return frozenset(spaced - {"token"}), tuple(sorted(word for word in spaced if word[0] >= FIRST_UNSPACED))
