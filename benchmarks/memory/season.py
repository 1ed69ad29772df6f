"""Simulates seasons: nights over months of sessions in the voices of several people, and an oracle who reviews on most days.

    python -m benchmarks.memory.season [FOLDER] [--days 150] [--voices N] [--seed 1] [--embed] [--night-every 1]
                                       [--questions FOLDER] [--weekly] [--lines] [--model-answers FOLDER]

FOLDER holds files of voices (or is one): a person's facts over 150 days on two projects, with the dialogues in which they were
said, replaced and repeated, traps and distractions. Without it `benchmarks/memory/season/authors` is played, whose voice is by
the authors of the rules: for development, not for proof. Each day has a session in each project (300 in 150 days); some nights
do not run, some weeks have no review, and the person writes a few lines into MEMORY.md by hand. The oracle ticks a proposal
that states a lasting fact as it is then, or that takes a stale line away, and strikes every other one.

With `--model-answers FOLDER` a model does all that a model can do: each request waits in FOLDER/VOICE/requests until a reader,
who knows neither rules nor truth, has written its answer (`benchmarks/model/waiting_server.py`), however long that takes.
Answers stay, so a later play asks only what has changed. The home is FOLDER/VOICE/home. More keys: `requests` by kind, `tokens`,
`stages` (lasting facts that reach each stage), and by reason what was stopped, held and dropped. The offline engine beside it is
a call without this argument. `--night-every 4` keeps the week's limit of proposals; with 7 half of it is lost.

Keys: means over the voices. `accepted_share` of proposals; `in_memory`, `in_memory_or_briefing`: share of the lasting facts that
hold at the end; `stale`, `contradictory`, `traps` (lines of MEMORY.md with words of a trap), `stale_over_a_week` (of reviewed
nights), `hand_stale_left` of `hand_stale` (lines by hand that were replaced since), `leaked` (facts of one project on the
briefing of the other), `retired` of `replaced_in_tier_0` (earlier states whose statements are all superseded), `by_a_state` and
`by_their_end` (states that another one replaced, or that ended without a word; `…_gone`: shown no more), `wrongly_retired`,
`restated_merged` of `restated`, `recall_by_tier`, `sections` (kind of fact, section), `night_s_first`, `night_s` (the last),
`questions` (see `season_questions.py`), `line_share` (ticked of the proposals other than friction).
`typed_recall`, `typed_stale`: the baseline that keeps every typed line. Yesterday's code: run these files in its checkout.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.arguments import ROOT, make_parser, report_missing
from benchmarks.memory.season_life import Life
from benchmarks.memory.season_model import build_engine, count_losses, count_stages
from benchmarks.memory.season_questions import read_questions, score_questions
from benchmarks.memory.season_scores import Scores, score_end, score_week
from benchmarks.memory.season_voice import LENGTH, Voice, read_voices
from benchmarks.model.waiting_server import Waiting, serve_waiting
from effects.config.settings import EngineSettings
from effects.store.run import Run, open_run

FOLDER = ROOT / "benchmarks" / "memory" / "season" / "authors"
AGREED_KEYS = {
    "proposals": "proposed",
    "accepted": "ticked",
    "contradictory_lines": "contradictory",
    "stale_lines": "stale",
    "night_s_last": "night_s",
}
"""Names by which others read some of the figures, and ours."""


def main() -> int:
    """Run the benchmark."""
    parser = make_parser(__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER, help="folder of voices")
    parser.add_argument("--days", type=int, default=LENGTH, help="days of the season; the files are for 150")
    parser.add_argument("--voices", type=int, default=None, help="only the first N voices")
    parser.add_argument("--seed", type=int, default=1, help="of order, missed nights and weeks without review")
    parser.add_argument("--embed", action="store_true", help="with vectors of the bundled model")
    parser.add_argument("--questions", type=Path, default=None, help="folder of questions, a file per voice")
    parser.add_argument("--night-every", type=int, default=1, help="run every N-th night only, to save time")
    parser.add_argument("--weekly", action="store_true", help="print the table of weeks to stderr")
    parser.add_argument("--lines", action="store_true", help="print struck and ticked lines and the last MEMORY.md to stderr")
    parser.add_argument(
        "--per-week", type=int, default=10, help="proposals of a week; 150 days played in 45 have the facts of three"
    )
    parser.add_argument("--model-answers", type=Path, default=None, help="folder in which a reader answers as the model")
    arguments = parser.parse_args()
    if report_missing([arguments.folder]):
        return 1
    results = []
    for voice in read_voices(arguments.folder)[: arguments.voices]:
        with _open_home(arguments.model_answers, voice) as (home, engine, waiting):
            life = Life(
                home, voice, arguments.days, arguments.seed, is_embedding=arguments.embed, night_every=arguments.night_every,
                engine=engine, per_week=arguments.per_week,
            )  # fmt: skip
            scores, weeks = play_season(life)
            last = open_run(life.settings, life.find_night(arguments.days - 1))
            asked = score_questions(life, last, arguments.days - 1, read_questions(arguments.questions, voice.name))
            results.append(scores | {"questions": asked} | _count_model(life, last, arguments.days - 1, waiting))
            if arguments.weekly:
                print_weeks(voice.name, weeks)
            if arguments.lines:
                print_lines(life)
    scores = average(results)
    agreed = {name: scores[key] for name, key in AGREED_KEYS.items()}
    print(json.dumps({"voices": len(results), "days": arguments.days, **scores, **agreed}))
    return 0


@contextlib.contextmanager
def _open_home(answers: Path | None, voice: Voice) -> Iterator[tuple[Path, EngineSettings, Waiting | None]]:
    """Yield the folder of a season and its engine, with the server that waits for the reader when there is one."""
    if answers is None:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder), EngineSettings(), None
        return
    folder = answers / voice.name
    shutil.rmtree(folder / "home", ignore_errors=True)
    with serve_waiting(folder) as waiting:
        yield folder / "home", build_engine(waiting.url), waiting


def _count_model(life: Life, run: Run, day: int, waiting: Waiting | None) -> Scores:
    if waiting is None:
        return {}
    tokens = {"read": waiting.tokens_read, "written": waiting.tokens_written}
    counts = {"requests": dict(sorted(waiting.requests.items())), "tokens": tokens}
    return counts | {"stages": count_stages(life, run, day), **count_losses(run)}


def play_season(life: Life) -> tuple[Scores, list[Scores]]:
    """Live through a season; return the figures of its end and of each week."""
    weeks: list[Scores] = []
    run = None
    for day in range(life.days):
        run = life.live(day) or run
        if day % 7 == 6:
            weeks.append(dict(score_week(life, day)))
    assert run is not None
    return score_end(life, run, life.days - 1), weeks


def average(results: list[Scores]) -> Scores:
    """Return the mean of each figure over the voices; counts of nested figures are added up, shares of tiers averaged."""
    merged: dict[str, Any] = {}
    for key, value in results[0].items():
        values = [result[key] for result in results]
        if key in ("recall_by_tier", "questions"):
            tiers = sorted({tier for number in values for tier in number})
            merged[key] = {tier: _mean([number[tier] for number in values if tier in number]) for tier in tiers}
        elif isinstance(value, dict):
            merged[key] = dict(sorted(sum((Counter(number) for number in values), Counter()).items()))
        else:
            merged[key] = _mean(values)
    return merged


def print_weeks(name: str, weeks: list[Scores]) -> None:
    """Print the table of weeks."""
    print(name, file=sys.stderr)
    print(" | ".join(weeks[0]), file=sys.stderr)
    for week in weeks:
        print(" | ".join(str(value) for value in week.values()), file=sys.stderr)


def print_lines(life: Life) -> None:
    """Print the ticked and the struck lines, and MEMORY.md at the end."""
    for mark, lines in (("x", life.ticked), ("-", life.struck)):
        for proposal_id, text in lines.items():
            print(f"[{mark}] {proposal_id} {life.operations[proposal_id]}: {text}", file=sys.stderr)
    print((life.settings.workspace / "MEMORY.md").read_text(encoding="utf-8"), file=sys.stderr)


def _mean(values: list[float]) -> float:
    return round(sum(values) / len(values), 3)


if __name__ == "__main__":
    raise SystemExit(main())
