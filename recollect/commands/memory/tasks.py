"""`recollect tasks`: the tasks of a project; agents change them through MCP, people here."""

from __future__ import annotations

import json
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from effects.system.errors import LockedError, RecollectError, UsageError
from recollect.arguments import add_as_of, add_example, add_json, parse_number, parse_words
from recollect.terminal import open_command_run, print_json, print_line, print_note, print_wrapped
from transforms.tables.enums import CloseReason, TaskStatus, TaskType
from transforms.tasks.change_tasks import LOWEST_PRIORITY, SUMMARY_CHARS, TITLE_CHARS

if TYPE_CHECKING:
    from effects.store.run import Run
    from transforms.tasks.task_json import TaskAnswer, TaskJson

LIST_COMMAND = "recollect tasks list --all"
HERE = "command-line"
"""Session of a claim that names none."""
SEARCH_TOOL = "memory_search"
"""Names the tool of a request, because `task_query` has an action `search`, too."""
Declare = Callable[[ArgumentParser], None]


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the actions and options."""
    parser.description = "List the tasks of a project that are not closed, in the order of work, or change them."
    _add_common(parser)
    parser.set_defaults(status=None, all=False)
    actions = parser.add_subparsers(title="actions", metavar="ACTION")
    for name, (function, summary, declare) in _ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=summary)
        action.set_defaults(run_command=function)
        _add_common(action, SUPPRESS)
        declare(action)
    add_example(parser, "recollect tasks", 'recollect tasks close t-1a2b3c4d --summary "Rows live in SQLite now"')


def run_command(arguments: Namespace) -> int:
    """Print the tasks of the project."""
    request = {"action": "list", "status": arguments.status}
    answer = _query(arguments, request)
    if not arguments.all and arguments.status is None:
        answer["tasks"] = [task for task in answer["tasks"] if task["status"] != "closed"]
    return _print_tasks(arguments, answer, "no task" if arguments.all else f"no {arguments.status or 'open'} task")


def search_tasks(arguments: Namespace) -> int:
    """Print the tasks that share words with the query, closed ones too."""
    answer = _query(arguments, {"action": "search", "query": arguments.query, "limit": arguments.limit})
    return _print_tasks(arguments, answer, "no task shares a word with it")


def show_task(arguments: Namespace) -> int:
    """Print one task with everything about it."""
    answer = _query(arguments, {"action": "show", "id": arguments.id})
    if arguments.json:
        print_json(answer)
        return 0
    task = answer["task"]
    print_line(_describe(task))
    named = (("description", task["description"]), ("claimed by", task["assignee"]), ("outcome", task["summary"]))
    for label, value in (*named, ("labels", ", ".join(task["labels"])), ("messages", len(task["linkedMessageIds"]) or "")):
        if value:
            print_line(f"  {label}: {value}")
    for other in answer["blockingTasks"]:
        print_line(f"  waits for: {_describe(other)}")
    return 0


def change_task(arguments: Namespace) -> int:
    """Make the change of an action and print the task after it."""
    options = {name: getattr(arguments, option) for name, option in arguments.request.items()}
    return _change(
        arguments, {"action": arguments.action, **{name: value for name, value in options.items() if value is not None}}
    )


def answer_request(arguments: Namespace) -> int:
    """Answer a JSON request of a client as the MCP tools do; a refused change is an answer, not a failure."""
    from recollect.task_tools import MUTATE_ACTIONS, mutate_tasks, query_tasks, search_past

    try:
        request = json.loads(arguments.request_json)
    except ValueError as error:
        raise UsageError(f"the request is not JSON: {error}", """recollect tasks call '{"action": "ready"}'""") from error
    if not isinstance(request, dict):
        raise UsageError("the request is not a JSON object", """recollect tasks call '{"action": "ready"}'""")
    run = open_command_run(arguments.as_of)
    if request.pop("tool", None) == SEARCH_TOOL:
        print_json(search_past(run, request, arguments.project, str(Path.cwd())))
    elif request.get("action") in MUTATE_ACTIONS:
        print_json(mutate_tasks(run, request, _find_project(run, arguments) or "", arguments.session or HERE))
    else:
        print_json(query_tasks(run, request, _find_project(run, arguments)))
    return 0


def _query(arguments: Namespace, request: Mapping[str, object]) -> TaskAnswer:
    from recollect.task_tools import query_tasks

    run = open_command_run(arguments.as_of)
    return _check(query_tasks(run, request, _find_project(run, arguments)))


def _change(arguments: Namespace, request: Mapping[str, object]) -> int:
    from recollect.task_tools import mutate_tasks, query_tasks

    run = open_command_run(arguments.as_of)
    project = _find_project(run, arguments)
    if project is None and request["action"] == "create":
        raise UsageError("a task belongs to one project; name it", "recollect tasks add TITLE --project P")
    answer = mutate_tasks(run, request, project or "", arguments.session or HERE, "owner")
    named = getattr(arguments, "id", None)
    is_known = not answer["success"] and named and query_tasks(run, {"action": "show", "id": named}, project)["success"]
    _check(answer, f"recollect tasks show {named}" if is_known else LIST_COMMAND)
    if arguments.json:
        print_json(answer)
    else:
        print_line(_describe(answer["task"]))
    return 0


def _check(answer: TaskAnswer, next_command: str = LIST_COMMAND) -> TaskAnswer:
    """Return an answer that is no failure. What the parser let through, another run or the tasks as they stand refused."""
    if answer.get("retryable"):
        raise LockedError(str(answer["error"]), "run the same command again in a minute")
    if not answer["success"]:
        raise RecollectError(str(answer["error"]), next_command)
    return answer


def _find_project(run: Run, arguments: Namespace) -> str | None:
    """Return the project that is meant; None for `all`."""
    from effects.projects.resolve_project import resolve_project

    if arguments.project == "all":
        return None
    return resolve_project(run, arguments.project, is_new_allowed=True)


def _print_tasks(arguments: Namespace, answer: TaskAnswer, without: str) -> int:
    """Print the tasks, or what is said `without` any."""
    if arguments.json:
        for task in answer["tasks"]:
            print_json(task)
        return 0
    for task in answer["tasks"]:
        print_wrapped(_describe(task))
    if not answer["tasks"]:
        print_note(f"{without}; a new one: recollect tasks add TITLE")
    return 0


def _describe(task: TaskJson) -> str:
    """Return a task in one line."""
    waits = [dependency["dependsOnId"] for dependency in task["dependencies"] if dependency["type"] == "blocks"]
    parts = [task["id"], f"P{task['priority']}", task["status"], task["type"], task["title"]]
    return "  ".join(parts) + (f"  (needs {', '.join(waits)})" if waits and task["status"] != "closed" else "")


def _add_common(parser: ArgumentParser, default: str | None = None) -> None:
    """Add the options that stand before or behind an action; behind it they have no default, so that both places count."""
    parser.add_argument(
        "--project",
        metavar="P",
        default=default,
        help="full path or last part of a project, or `all` (default: the project of this folder)",
    )
    parser.add_argument("--session", metavar="ID", default=default, help="the session that acts")
    if default is None:
        add_as_of(parser)
        add_json(parser)
    else:
        parser.add_argument("--as-of", metavar="TIME", default=default, help="logical time")
        add_json(parser, default=default)


def _parse_text(most_chars: int) -> Callable[[str], str]:
    """Return a reader of texts that complains about an empty one, and about one of more characters."""

    def parse(text: str) -> str:
        """Return the text as it is."""
        words = " ".join(text.split())
        if not words:
            raise ArgumentTypeError("it is empty")
        if len(words) > most_chars:
            raise ArgumentTypeError(f"it has at most {most_chars} characters, not {len(words)}")
        return text

    return parse


def _add_list(parser: ArgumentParser) -> None:
    parser.add_argument("--status", choices=get_args(TaskStatus), help="only tasks of this status")
    parser.add_argument("--all", action="store_true", help="include closed tasks")


def _add_search(parser: ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", help="words of a title, a description or an outcome")
    parser.add_argument("--limit", metavar="N", type=parse_number, default=10, help="number of tasks (default: 10)")


def _add_new(parser: ArgumentParser) -> None:
    names = {"title": "title", "description": "description", "priority": "priority", "type": "type", "labels": "labels"}
    parser.set_defaults(action="create", request=names | {"dependsOn": "needs"})
    parser.add_argument("title", metavar="TITLE", type=_parse_text(TITLE_CHARS), help="the work")
    parser.add_argument("--description", metavar="TEXT", help="details")
    priorities = range(LOWEST_PRIORITY + 1)
    parser.add_argument(
        "--priority", metavar="N", type=parse_number, choices=priorities, help="0 (most urgent) to 4 (default: 2)"
    )
    parser.add_argument("--type", choices=get_args(TaskType), help="type of work (default: task)")
    parser.add_argument("--labels", metavar="L,…", type=parse_words, help="labels")
    parser.add_argument("--needs", metavar="ID,…", type=parse_words, help="tasks that come first")


def _add_close(parser: ArgumentParser) -> None:
    _add_id(parser, "close", {"reason": "reason", "summary": "summary"})
    outcome = _parse_text(SUMMARY_CHARS)
    parser.add_argument("--summary", metavar="TEXT", required=True, type=outcome, help="the outcome; it becomes an observation")
    parser.add_argument(
        "--reason", choices=get_args(CloseReason), default="completed", help="why it is closed (default: completed)"
    )


def _add_dependency(parser: ArgumentParser) -> None:
    parser.set_defaults(action="dep", request={"taskId": "id", "dependsOn": "other", "add": "is_added"})
    parser.add_argument("id", metavar="ID", help="the task that waits")
    parser.add_argument("other", metavar="OTHER", help="the task that comes first")
    parser.add_argument("--remove", dest="is_added", action="store_false", help="remove the dependency")


def _add_link(parser: ArgumentParser) -> None:
    parser.set_defaults(action="link", request={"taskId": "id", "messageId": "message"})
    parser.add_argument("id", metavar="ID", help="a task")
    parser.add_argument("message", metavar="SESSION:ENTRY", help="a message")


def _add_request(parser: ArgumentParser) -> None:
    parser.add_argument(
        "request_json", metavar="JSON", help='a request as the MCP tools take it, for example {"action": "ready"}'
    )


def _add_id(parser: ArgumentParser, action: str, request: dict[str, str] | None = None) -> None:
    parser.set_defaults(action=action, request={"id": "id", **(request or {})})
    parser.add_argument("id", metavar="ID", help="a task; the beginning of its id is enough")


_ACTIONS: dict[str, tuple[Callable[[Namespace], int], str, Declare]] = {
    "list": (run_command, "List the tasks; also without an action.", _add_list),
    "search": (search_tasks, "List the tasks that share words with a query, closed ones too.", _add_search),
    "show": (show_task, "Show one task, what it waits for and what was said about it.", lambda parser: _add_id(parser, "show")),
    "add": (change_task, "Add a task.", _add_new),
    "claim": (change_task, "Take a task: it is in progress then.", lambda parser: _add_id(parser, "claim")),
    "release": (change_task, "Give a claimed task back.", lambda parser: _add_id(parser, "release")),
    "close": (change_task, "Close a task with its outcome.", _add_close),
    "needs": (change_task, "Let a task wait for another one.", _add_dependency),
    "link": (change_task, "Link a message to a task.", _add_link),
    "call": (answer_request, "Answer a request of a client in JSON.", _add_request),
}
