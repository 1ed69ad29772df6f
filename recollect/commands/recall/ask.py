"""`recollect ask`: an answer from memory, with citations."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from effects.config.stated_times import parse_day
from effects.system.errors import EXIT_USAGE, SourceError, UsageError
from recollect.arguments import add_example, complete_files, parse_number, parse_words
from recollect.terminal import open_reading_run, print_json, print_note

if TYPE_CHECKING:
    from effects.store.run import Run
    from transforms.recall.types import Answer, Filters

DEFAULT_HITS = 10
"""Hits of an answer, unless `-k` says otherwise."""
AGENT_TOKENS, AGENT_LINE_CHARS = 800, 400
"""Tokens of an answer for an agent, unless `--max-tokens` says otherwise, and characters of a hit's text in it."""
SHOW_COMMAND = "`recollect show ID` has the whole of one, with the original words."
PLURALS = ("observations", "distillates", "segments", "turns")
"""Sources as `--in` takes them; their rows have the singular."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect ask` to its parser, with help and examples."""
    question = parser.add_mutually_exclusive_group(required=True)
    question.add_argument("question", metavar="QUESTION", nargs="?", help="a question in your own words")
    complete_files(
        question.add_argument("--batch", metavar="FILE", help="a file of JSON lines {id, question, project?}; - is stdin")
    )
    parser.add_argument(
        "--in", metavar="SOURCES", dest="sources", type=parse_words, default=(),
        help="sources to search: memory,observations,distillates,segments,turns",
    )  # fmt: skip
    parser.add_argument(
        "--project", metavar="P", help="full path or last part of a project, or `all` (default: the project of this folder)"
    )
    parser.add_argument("--since", metavar="DAY", type=parse_day, help="only statements from this day on")
    parser.add_argument("--until", metavar="DAY", type=parse_day, help="only statements up to this day, included")
    parser.add_argument(
        "--kind", metavar="KINDS", type=parse_words, default=(), help="only these kinds of facts: decision,rule,…"
    )
    parser.add_argument("--priority", metavar="P", type=parse_words, default=(), help="only these priorities: high,medium,low")
    parser.add_argument(
        "-k", metavar="N", type=parse_number, default=DEFAULT_HITS, help=f"number of hits (default: {DEFAULT_HITS})"
    )
    parser.add_argument("--max-tokens", metavar="N", type=parse_number, help="most tokens for answer and hits together")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object per line")
    form.add_argument("--lines", action="store_true", help=f"for agents: one line per hit, within --max-tokens ({AGENT_TOKENS})")
    add_example(
        parser, 'recollect ask "what did we decide about cache TTLs?"', 'recollect ask "why Redis?" --project all --json -k 3'
    )


def run_command(arguments: Namespace) -> int:
    """Print the answer, or an answer for every line of the batch."""
    run = open_reading_run()
    from effects.recall.ask import ask, ask_batch, open_recall

    filters, recall = read_filters(arguments), open_recall(run)
    batch = Batch(arguments.batch, as_json=arguments.json) if arguments.batch else None
    answers = ask_batch(recall, batch.read(), filters) if batch else iter([ask(recall, arguments.question, filters)])
    answers = _word_answers(run, answers, filters)
    if arguments.json:
        from effects.recall.cited_lines import add_cited_lines

        answers = add_cited_lines(run.lake, answers)
    for answer in answers:
        if arguments.json:
            print_json(answer.as_json())
        elif arguments.lines:
            _print_lines(answer, run, arguments.max_tokens or AGENT_TOKENS)
        else:
            _print_answer(answer, run, filters)
    return EXIT_USAGE if batch and batch.faults else 0


def read_filters(arguments: Namespace) -> Filters:
    """Return the filters of the search from the options of `ask`."""
    from transforms.recall.types import DOCUMENT_SOURCES, Filters

    sources = tuple(source.removesuffix("s") if source in PLURALS else source for source in arguments.sources)
    return Filters(
        sources=sources or DOCUMENT_SOURCES,
        project=arguments.project,
        cwd=str(Path.cwd()),
        since=arguments.since,
        until=arguments.until,
        kinds=arguments.kind,
        priorities=arguments.priority,
        k=arguments.k,
        is_folder_only=arguments.lines,  # an agent in a new folder gets no other project's words, as by the server
        max_tokens=None if arguments.lines else arguments.max_tokens,  # lines are shortened, not left out
        spare=0 if arguments.json or (arguments.max_tokens and not arguments.lines) else arguments.k,
    )


def _word_answers(run: Run, answers: Iterator[Answer], filters: Filters) -> Iterator[Answer]:
    """Return the answers in the words of a model when a reflector is set; without one no engine is imported."""
    from transforms.tables.enums import OFFLINE

    if run.settings.engine.reflector.strip() == OFFLINE:
        return answers
    from effects.engines.answerer import build_answerer

    answerer = build_answerer(run)
    return (answerer.word_answer(answer, filters.max_tokens) for answer in answers)


def _print_lines(answer: Answer, run: Run, max_tokens: int) -> None:
    from transforms.answers.hit_lines import render_answer
    from transforms.pages.visible_text import make_visible

    lines = render_answer(answer, run.zone, max_tokens, line_chars=AGENT_LINE_CHARS, next_command=SHOW_COMMAND)
    print(make_visible(lines))


def _print_answer(answer: Answer, run: Run, filters: Filters) -> None:
    from recollect.answer_page import print_answer

    print_answer(answer, run.zone, run.today)
    if answer.note:
        print_note(f"recollect: {answer.note}")
    if not answer.hits and filters.project is None:
        print_note("recollect: nothing found here; `--project all` looks everywhere")


class Batch:
    """The questions of a file of JSON lines. A line that asks nothing is told where it stands, and those behind it are asked."""

    def __init__(self, name: str, *, as_json: bool) -> None:
        """`name` is the path of the file, or - for stdin; with `as_json` a line that asks nothing gets an object on stdout."""
        self._name = name
        self._as_json = as_json
        self.faults = 0
        """Lines that asked nothing, so far."""

    def read(self) -> Iterator[dict[str, object]]:
        """Yield the questions, each with an id: its own, or its number among the lines with text.

        Raises:
            SourceError: when the file cannot be read as text.
        """
        try:
            text = sys.stdin.read() if self._name == "-" else Path(self._name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            problem = getattr(error, "strerror", None) or error
            raise SourceError(f"{self._name} cannot be read: {problem}", "recollect ask --batch FILE") from error
        lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
        for place, (number, line) in enumerate(lines, 1):
            row, problem = _parse_question(line)
            own = row.get("id")
            row["id"] = str(place) if own is None else own
            if problem:
                self._tell(number, row["id"], problem)
            else:
                yield row

    def _tell(self, number: int, own: object, problem: str) -> None:
        self.faults += 1
        error = UsageError(f"line {number} of {self._name} {problem}", 'one object per line: {"id": "1", "question": "…"}')
        if self._as_json:
            print_json({"id": own, "line": number, **error.make_envelope()})
        else:
            print_note(f"recollect: {error.message}")


def _parse_question(line: str) -> tuple[dict[str, object], str]:
    """Return a line of a batch as a question, and what keeps it from being one."""
    import orjson

    try:
        row = orjson.loads(line)
    except ValueError:
        return {}, "is not JSON"
    if not isinstance(row, dict):
        return {}, "has no `question`"
    question = row.get("question")
    if not isinstance(question, str):
        return row, "has no `question`"
    return row, "" if question.strip() else "has an empty `question`"
