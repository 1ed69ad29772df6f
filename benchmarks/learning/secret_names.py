"""Writes `transforms/redaction/names/name_words.py` and `recovery_phrases.py`: how languages name secrets, from the translations
of two packages.

    pip install --no-deps django==5.2.19 django-allauth==65.22.1 --target FOLDER
    PYTHONPATH=FOLDER python -m benchmarks.learning.secret_names

Django (BSD) and django-allauth (MIT) ask for passwords, codes and tokens in some 80 languages; nothing that is installed needs
them, so they stay out of the lock. A language's word for a code stands in several of its messages, and what stands beside it
there says what kind of code it is: so no word is chosen by hand.
"""

from __future__ import annotations

import gettext
import importlib.util
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from unicodedata import normalize

from benchmarks.arguments import ROOT
from transforms.language.sentences import is_unspaced

MODULE = ROOT / "transforms" / "redaction" / "names" / "name_words.py"
RECOVERY_MODULE = MODULE.with_name("recovery_phrases.py")
CATALOGUES = ("django.contrib.auth", "allauth")
WIDTH = 115
HEAD = '''"""How languages name secrets.

Written by `benchmarks/learning/secret_names.py` from the translations of Django and django-allauth. Of each language: the words
for a password; for a code; for a token; for a key; and the words that stand beside the last three and say that they open
something ("verification", "access", "secret"). "|" separates these five, "/" words; all are in small letters.
"""

# fmt: off
NAME_WORDS: dict[str, str] = {
'''

RECOVERY_HEAD = '''"""What languages call recovery codes.

Written by `benchmarks/learning/secret_names.py` from the translations of django-allauth; all in small letters.
"""

# fmt: off
'''

PASSWORD, CODE, TOKEN, KEY = ("Password", "password"), ("Code",), ("Token", "token"), ("Key", "key")
CODE_PHRASES = ("Authorization code", "Authenticator code", "Sign-In Code", "Recovery codes")
CODE_REQUESTS = ("Enter Email Verification Code", "Enter Phone Verification Code")
OTHER_REQUESTS = ("Enter Password Reset Code", "Enter Sign-In Code")
CODE_SENTENCES = (*CODE_REQUESTS, *2 * ("A verification code has been sent to %(phone)s.",))
TOKEN_SENTENCES = (
    'No access token saved for "%s".',
    'Invalid response while obtaining access token from "%s".',
    *2 * ('"oauth_token" (OAuth1) or access token (OAuth2)',),
)
KEY_PHRASES = ("secret key",)
"""Messages in English, by which the catalogues know them; those that say little else count twice."""
RECOVERY = ("Recovery codes", "Recovery Codes")
MOST_REQUESTS = 3
"""Of the four requests ("Enter …") a word that stands in as many says "enter"."""
ENGLISH = frozenset("token key code secret access password authenticator api".split())  # noqa: SIM905
"""Left in translations; the rules of English know them."""
LEAST_PHRASE = 3
LEAST_LETTERS, LEAST_SIGNS = 4, 3
"""Letters of a word beside a name: shorter ones are prepositions. In scripts without capitals vowels are not written."""
ARTICLE = "\u0627\u0644"
"""The article of Arabic, which the search allows before any word."""
FIRST_UNSPACED = "\u0e00"
_VARIABLE = re.compile(r'%\(\w+\)s|%s|\{\w+\}|"[^"]*"|\(oauth\d\)')
_WORD = re.compile(r"[^\s\d\"“”「」«»().,:;!?。：，%{}…]+")
_HIRAGANA = re.compile(r"[\u3041-\u3096]")
Messages = dict[str, list[str]]


def main() -> int:
    """Write the modules."""
    lines, written = [HEAD], set[str]()
    codes = set[str]()
    for language, messages in read_catalogues():
        codes.update(" ".join(split_words(text)) for text in _list_texts(messages, RECOVERY))
        names = "|".join("/".join(words) for words in describe_names(messages))
        if set(names) != {"|"} and names not in written:
            written.add(names)
            lines.append(write_line(language, names))
    MODULE.write_text("".join([*lines, "}\n"]), encoding="utf-8")
    table = _write_tuple("RECOVERY_PHRASES", sorted(code for code in codes if len(code) >= LEAST_PHRASE))
    RECOVERY_MODULE.write_text(RECOVERY_HEAD + table, encoding="utf-8")
    return 0


def read_catalogues() -> Iterator[tuple[str, Messages]]:
    """Yield each language with its translations in small letters, by the English message."""
    folders = [Path(str(importlib.util.find_spec(name).origin)).parent / "locale" for name in CATALOGUES]  # type: ignore[union-attr]
    for language in sorted({path.name for folder in folders for path in folder.iterdir() if not path.name.startswith("en")}):
        messages: Messages = {}
        for folder in folders:
            path = folder / language / "LC_MESSAGES" / "django.mo"
            if path.exists():
                with path.open("rb") as file:
                    catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
                for message, text in catalogue.items():
                    if isinstance(message, str) and text:
                        messages.setdefault(message, []).append(normalize("NFKC", text).lower().replace("’", "'"))
        yield language, messages


def describe_names(messages: Messages) -> tuple[list[str], ...]:
    """Return the words for a password, a code, a token and a key, and those beside the last three."""
    passwords = [" ".join(split_words(text)) for text in _list_texts(messages, PASSWORD)]
    phrases = [split_words(text) for text in _list_texts(messages, CODE_PHRASES)]
    named = _list_single_words(messages, (*CODE, *TOKEN))
    codes = [word for word in named if any(is_form(word, other) for words in phrases for other in words)]
    codes += [word for words in phrases for word in words if len(word) > 2 and sum(word in others for others in phrases) > 2]
    if any(map(is_unspaced, _list_single_words(messages, CODE))):
        codes = _list_single_words(messages, CODE)
    tokens = [word for word in _list_single_words(messages, TOKEN) if word not in codes]
    keys = _list_single_words(messages, KEY)
    names = [*codes, *tokens, *keys]
    beside = [
        *(word for words in phrases for word in _list_others(words, codes)),
        *_list_shared(messages, CODE_SENTENCES, codes),
        *_list_shared(messages, TOKEN_SENTENCES, names),
        *(word for text in _list_texts(messages, KEY_PHRASES) for word in _list_others(split_words(text), keys)),
    ]
    asked = Counter(word for text in _list_texts(messages, (*CODE_REQUESTS, *OTHER_REQUESTS)) for word in set(split_words(text)))
    modifiers = [word for word in beside if asked[word] < MOST_REQUESTS and not any(is_form(name, word) for name in names)]
    whole = [word for words in phrases if len(words) == 1 and is_unspaced(words[0]) for word in words]
    codes += [word.removeprefix(start) for word in whole for start in modifiers if word.startswith(start) and word != start]
    groups = (passwords, codes, tokens, keys, modifiers)
    return tuple(
        [word for word in dict.fromkeys(words) if word not in ENGLISH and (len(word) > 1 or is_unspaced(word))]
        for words in groups
    )


def _write_tuple(name: str, words: Sequence[str]) -> str:
    rows = [""]
    for word in words:
        if sum(1 + (char >= FIRST_UNSPACED) for char in rows[-1] + word) > WIDTH:  # wide signs take two columns
            rows.append("")
        rows[-1] += f'"{word}", '
    return "\n".join([f"{name}: tuple[str, ...] = (", *(f"    {row.rstrip()}" for row in rows), ")\n"])


def is_form(name: str, word: str) -> bool:
    """Whether two words share all letters but the last."""
    least = min(len(name), len(word))
    shared = next((place for place in range(least) if name[place] != word[place]), least)
    return shared >= min(3, least) and shared >= least - 1 and abs(len(name) - len(word)) < 4


def split_words(text: str) -> list[str]:
    """Return the words of a message without its variables."""
    words = (word.strip("-'") for word in _WORD.findall(_VARIABLE.sub("  ", text)))
    return [word.removeprefix(ARTICLE) if len(word) > LEAST_LETTERS else word for word in words if word]


def write_line(language: str, names: str) -> str:
    """Return the line of a language in the module; several where it is long."""
    pieces = [""]
    for part in re.split(r"(?<=[/|])", names):
        if len(pieces[-1]) + len(part) > WIDTH:
            pieces.append("")
        pieces[-1] += part
    if len(pieces) == 1:
        return f'    "{language}": "{pieces[0]}",\n'
    return "".join([f'    "{language}": (\n', *(f'        "{piece}"\n' for piece in pieces), "    ),\n"])


def _list_texts(messages: Messages, names: Iterable[str]) -> list[str]:
    return [text for name in names for text in messages.get(name, ())]


def _list_single_words(messages: Messages, names: Iterable[str]) -> list[str]:
    words = [split_words(text) for text in _list_texts(messages, names)]
    return list(dict.fromkeys(some[0] for some in words if len(some) == 1))


def _list_others(words: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield the long words of a phrase that has a name, and what a name is compounded with."""
    for word in words:
        yield from (word.removesuffix(name).strip("-") for name in names if word.endswith(name) and len(word) > len(name) + 1)
    if any(is_form(name, word) for word in words for name in names):
        yield from (word for word in words if _is_long(word))


def _list_beside(words: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield the long words beside a name."""
    places = [place for place, word in enumerate(words) if any(is_form(name, word) for name in names)]
    yield from (word for place, word in enumerate(words) if _is_long(word) and any(abs(place - other) == 1 for other in places))


def _is_long(word: str) -> bool:
    least = 2 if is_unspaced(word) else LEAST_SIGNS if word.lower() == word.upper() else LEAST_LETTERS
    return len(word) >= least


def _list_shared(messages: Messages, sentences: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the words beside a name that two of the sentences have; in a script without blanks, what all have before it."""
    texts = _list_texts(messages, sentences)
    named = [text for text in texts if any(name in text for name in names)]
    if len(texts) > 1 and any(map(is_unspaced, names)) and not any(" " in text for text in texts[:1]):
        texts = named if len(named) > 1 else texts
        shared = max((part for part in _list_pieces(texts[0]) if all(part in text for text in texts)), key=len, default="")
        before = split_words(_HIRAGANA.sub(" ", re.split("|".join(map(re.escape, names)), shared)[0]))
        return [word for word in before[-1:] if _is_long(word)]
    beside = [set(_list_beside(split_words(text), names)) for text in texts]
    counts = Counter(word for words in beside for word in sorted(words))
    return [word for word, count in counts.items() if count > 1]


def _list_pieces(text: str) -> Iterator[str]:
    return (text[start:end] for start in range(len(text)) for end in range(start + 1, len(text) + 1))


if __name__ == "__main__":
    raise SystemExit(main())
