"""The sessions of twelve made-up people who work with pi, each by a writer who had not seen the program, and the keys to them.

    python -m benchmarks.distil.people FOLDER

`people.tar.xz` has per person five or six sessions (`sessions/owners`), what a memory should have kept (`bench/gold_owners`:
facts, questions, traps, the speaker of every turn) and questions asked weeks later (`questions.json`). Everybody and everything
in it is invented: nine type English, a Norwegian, a Pole, a Ukrainian and a Brazilian among them, one each French, Spanish
and Korean; one dictates, one reviews, one tells stories.
"""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path

from benchmarks.arguments import make_parser

ARCHIVE = Path(__file__).with_name("people.tar.xz")


def unpack_people(folder: Path) -> dict[str, Path]:
    """Unpack the archive into `folder` and return the folder of each person by name, in order of their names."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return {path.name: path for path in sorted((folder / "people").iterdir())}


def main() -> int:
    """Unpack the archive and print the folders."""
    parser = make_parser(__doc__)
    parser.add_argument("folder", type=Path, help="where the folder `people` is made")
    for name, path in unpack_people(parser.parse_args().folder).items():
        print(f"{name}  {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
