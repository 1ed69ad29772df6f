"""`recollect ask` without cyclopts and pydantic, which a cold question would wait for longer than for its answer.

`asked` takes the usual command lines; for anything else it says None, and the whole command line knows what is meant or wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.terminal import parse_day, say_json, tell

if TYPE_CHECKING:
    from effects.store.run import Run
    from transforms.recall.types import Answer, Filters

TEXTS = {"--in": "within", "--project": "project", "--since": "since", "--until": "until", "--kind": "kind"}
TEXTS |= {"--priority": "priority"}
NUMBERS = {"-k": "k", "--max-tokens": "max_tokens"}

_PLURALS = ("observations", "distillates", "segments", "turns")


def asked(arguments: Sequence[str]) -> int | None:
    """Answers `ask QUESTION [--json] [--project …] …` and returns the exit code; None for a command line that is not plain.

    Raises:
        RecollectError: as `recollect ask` does.
    """
    parsed = _parsed(arguments)
    if parsed is None:
        return None
    from effects.config.configuration import load_settings

    settings = load_settings()
    if settings.engine.reflector != "offline":
        return None
    question, options, is_json = parsed
    from effects.recall.ask import ask, open_recall
    from effects.store.run import open_run
    from recollect.terminal import written_before

    run = written_before(open_run(settings))
    filters = filters_of(options)
    put(run, [ask(open_recall(run), question, filters)], filters, is_json)
    return 0


def filters_of(narrowed: Mapping[str, Any]) -> Filters:
    """What the options of `ask` mean (by the names of `recollect.recall.Narrowed`); those left out are as usual.

    Raises:
        UsageError: for a day that is none.
    """
    from transforms.recall.types import SOURCES, Filters

    given = {name: value for name, value in narrowed.items() if value is not None}
    usual = Filters()
    return Filters(
        sources=_listed(given.get("within", "")) or SOURCES,
        project=given.get("project"),
        cwd=str(Path.cwd()),
        since=parse_day(given["since"]) if given.get("since") else None,
        until=parse_day(given["until"]) if given.get("until") else None,
        kinds=_listed(given.get("kind", "")),
        priorities=_listed(given.get("priority", "")),
        k=given.get("k", usual.k),
        max_tokens=given.get("max_tokens"),
    )


def put(run: Run, answers: Iterable[Answer], filters: Filters, is_json: bool) -> None:
    """Prints the answers as they come."""
    for answer in answers:
        if is_json:
            say_json(answer.row())
        else:
            _print(answer, run, filters)


def _print(answer: Answer, run: Run, filters: Filters) -> None:
    from recollect.answer_page import print_answer

    print_answer(answer, run.zone, run.today)
    if answer.note:
        tell(f"recollect: {answer.note}")
    if not answer.hits and filters.project is None:
        tell("recollect: nothing found here; `--project all` looks everywhere")


def _parsed(arguments: Sequence[str]) -> tuple[str, dict[str, str | int], bool] | None:
    """Question, options by name, and whether --json is there; None when there is anything else."""
    question: str | None = None
    options: dict[str, str | int] = {}
    is_json = False
    rest = iter(arguments)
    for argument in rest:
        name = TEXTS.get(argument) or NUMBERS.get(argument)
        value = next(rest, "") if name else ""
        if argument == "--json" and not is_json:
            is_json = True
        elif name in options or (name and value.lower() in ("none", "null")):
            return None
        elif argument in TEXTS and value[:1] not in ("", "-"):
            options[TEXTS[argument]] = value
        elif argument in NUMBERS and value.isascii() and value.isdecimal():
            options[NUMBERS[argument]] = int(value)
        elif question is None and argument[:1] not in ("", "-"):
            question = argument
        else:
            return None
    return None if question is None else (question, options, is_json)


def _listed(text: str) -> tuple[str, ...]:
    """`observations,turns` → (`observation`, `turn`): the plural of the contract and the singular of the rows."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return tuple(part.removesuffix("s") if part in _PLURALS else part for part in parts)
