"""Patterns over raw JSON that find every row in which a structure may tell a secret, and cheap ones that come before them."""

from __future__ import annotations

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.formats.known_formats import FORMAT_HINT
from transforms.redaction.numbers.account_numbers import NUMBER_HINT

WORD_CHARS = r"!#$%&*+\-./:=@A-Z^_a-z~?0-9"
LONG_WORD, MOST_WORD_CHARS = compile_late(rf"[{WORD_CHARS}]{{16,}}"), 420
"""A word whose structure may tell a secret is no shorter and no longer."""
WORD_HINT = compile_late(
    r"(?:[A-Z0-9]{5}-){3}[A-Z0-9]{5}|(?:[0-9]{6}-){7}|(?:[A-Za-z0-9]{4}-){3}[A-Za-z0-9]{4}[.,]?$|[0-9a-f]{12}:fx|/private-[0-9a-f]{20}|nsec1|_sk1|AGE-SECRET|[xyztuv]prv[1-9]"
    r"|(?:^[nrt]?|[^A-Za-z0-9_])[KL5][1-9A-HJ-NP-Za-km-z]{50}|\$\$(?:2[abxy]|apr1|[156y])\$\$|^n?[0-9a-fA-F]{32,64}:[^\s:]{4}"
)
"""Tells the structure of a single word with digits."""
GROUPS = compile_late(r"[A-Za-z0-9]{4} [A-Za-z0-9]{4} [A-Za-z0-9]{4} [A-Za-z0-9]{4}|[0-9]{4} ?[0-9]{4}[ ]*\\n")
"""Groups with blanks, in words that a person typed."""

_BLANK, _NUMBER = r"(?:\s|\\[nrt])*", "[0-9]{1,3}"
_NUMBERS = rf"\[{_BLANK}{_NUMBER}(?:{_BLANK},{_BLANK}{_NUMBER}){{15}}"
_BYTE_ROWS = rf"(?:- {_NUMBER}[ ]*\\n[ ]*){{8}}|(?:[0-9A-Fa-f]{{2}}[ :]){{8}}"
_CODE_LINES = r"(?:\\n[ \t>|*•]{0,4}(?:[0-9]{1,2}[.)] ?)?[a-z0-9]{4,6}(?:[- ][a-z0-9]{4,6}){1,2}[ \t]*){3}"
_BLOCKS = r"-----BEGIN [^-\\]{0,40}[kK][eE][yY][^-]{0,20}-----|334 UGFz|:\[[A-Z ]{8}|- [0-9a-f]{2}\\n|INSERT INTO .{0,80}VALUES"
_KEY_GROUPS = r"(?:[a-z2-7]{4} ){6}[a-z2-7]{4}|(?:[A-Z2-7]{4} ){6}[A-Z2-7]{4}"
"""A key in base32 as a page shows it to type it in: groups of four."""
BLOCK_HINTS = (
    compile_late(_KEY_GROUPS),
    compile_late(_BLOCKS),
    compile_late(
        rf"{_NUMBERS}|(?:[kK]ey|KEY|PSK|PMK|[sS]eed|[sS]ecret)[A-Za-z_]{{0,12}}\\{{0,2}}[\"']? ?(?::|=){_BLANK}(?:{_BYTE_ROWS})"
    ),
    compile_late(_CODE_LINES),
)
"""One finds something in every row with a block or list."""

_PRINTED = r"[I-Za-f][C-HS-Xi-ny-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589]"
"""Base64 of three printed characters of ASCII, the last one without its end."""
STRUCTURE_HINT = "|".join(
    (
        r"-[A-Z0-9]{5}-[A-Z0-9]{5}-",
        r"-[0-9]{6}-[0-9]{6}-",
        rf"-[A-Za-z0-9]{{4}}-[A-Za-z0-9]{{4}}-[A-Za-z0-9]{{4}}[.,]?(?:[^{WORD_CHARS}]|$)",
        r":fx|/private-[0-9a-f]{20}|nsec1|_sk1|AGE-SECRET|[xyztuv]prv[1-9]|\$\$(?:2[abxy]|apr1|[156y])\$\$",
        r"(?:[^A-Za-z0-9_]|\\[nrt])[KL5][1-9A-HJ-NP-Za-km-z]{50}",
        r"(?:\"|\\n)[0-9a-fA-F]{32}(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{32})?:[^\s:\"]{4}",
        rf"(?:[^A-Za-z0-9+/_-]|\\[nrt])(?:{_PRINTED}[A-Za-z0-9+/]){{3}}{_PRINTED}",
        _BLOCKS,
        rf"{_NUMBERS}|(?::|=){_BLANK}(?:{_BYTE_ROWS})",
        _CODE_LINES,
        _KEY_GROUPS,
        NUMBER_HINT,
        FORMAT_HINT,
    )
)
"""Rust regex: it finds something in every row in which WORD_HINT, base64 of an account, a BLOCK_HINT or NUMBER_HINT tells a
secret."""
SEED_HINT = r"(?:[^a-zA-Z]|\\[nrt])(?:[a-z]{3,8}(?:[\s,|'\[\].):0-9]|\\[nrt\"])+){11,}[a-z]{3,8}"
"""Rust regex: it finds every run of at least twelve words that may be of a seed phrase."""
