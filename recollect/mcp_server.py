"""The MCP server: memory as six tools for any client that speaks the Model Context Protocol, over stdin and stdout.

Searching, showing, briefing and `task_query` read. `memory_remember` writes proposals for the owner's review, `task_mutate`
changes tasks. The lake, the index and the model are opened with the first question, not when the client starts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from inspect import cleandoc
from json import dumps
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, Literal, ParamSpec

from pydantic import Field

from effects.system.errors import LakeError, RecollectError
from effects.system.version import read_product_version
from recollect.error_lines import find_damage_behind
from recollect.task_server import TaskTools
from transforms.pages.visible_text import make_visible
from transforms.patterns.late_pattern import compile_late
from transforms.tables.json_object import JsonObject
from transforms.tables.surrogates import replace_surrogates_within
from transforms.tables.tokens import BRIEFING_TOKENS

if TYPE_CHECKING:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.tools import Tool
    from mcp.types import ToolAnnotations
    from pydantic import ValidationError

    from effects.config.settings import Settings
    from effects.recall.ask import Recall
    from effects.store.run import Run

P = ParamSpec("P")

INSTRUCTIONS = """Long-term memory of this person's coding sessions: decisions, preferences, root causes, events and their dates.
Search before asking the person about anything that may have been said before, and before repeating an investigation.
Every hit has an id; memory_show has the original words. A memory was true on its date: `superseded by` names its
successor, and files may have changed since. `by the agent` marks what the person did not say. memory_remember only
proposes: the person decides. Work that outlives this conversation is a task: task_query shows what is ready, task_mutate
creates, claims and closes it."""

SEARCH_TOKENS, SHOW_TOKENS = 800, 1500
"""Tokens of a result when the client names no bound: ten hits of one line, a fact with its entries, a whole briefing."""
HITS, LINE_TOKENS = 10, 50
"""Hits of a search; more when there is room for more lines of this size."""

MOST_QUERY_CHARS, MOST_MESSAGE_CHARS = 8000, 600
"""Characters of a question that are searched for, and of the problem in an error."""

MOST_VALUE_CHARS = 60
"""Characters that an error quotes of an argument that a tool cannot take."""
FORMS = {"string": "a text", "integer": "a whole number", "boolean": "true or false", "array": "a list of texts"}
"""Types of JSON in words."""

ALL_COMMAND = "`recollect briefing --all`"
"""What a page says of the facts that it has no room for."""
TAG = "recollect-memory"
TAG_TOKENS = 12
_MEMORY_TAGS = compile_late(rf"<(\s*/?\s*{TAG})", re.IGNORECASE)
"""Tokens of the two tags around a result."""

Query = Annotated[str, Field(description="A question, words, names, paths, error texts.")]
SearchedProject = Annotated[
    str | None, Field(description="Name, path or `all`. Default: this folder's, and what holds everywhere.")
]
Since = Annotated[str | None, Field(description="YYYY-MM-DD.")]
Until = Annotated[str | None, Field(description="Last day, included.")]
Kinds = Annotated[
    list[str] | None,
    Field(description="preference, rule, decision, root_cause, fix, …"),
]
Limit = Annotated[int | None, Field(description="Most hits.", ge=1)]
Action = Annotated[Literal["search"], Field(description="search")]
AsJson = Annotated[bool, Field(description="With tasks.")]
Details = Annotated[bool, Field(description="Full texts with sources.")]
Bound = Annotated[int, Field(description="Most tokens of the result.", ge=100)]
Id = Annotated[str, Field(description="From a search or a briefing (o-, s-, d-, …), a session, or session:entry.")]
BriefedProject = Annotated[str | None, Field(description="Name or path. Default: this folder's.")]
Everywhere = Annotated[bool, Field(description="In all projects.")]
Text = Annotated[str, Field(description="One fact in a sentence that is understood without this conversation; no secrets.")]
MemorySection = Annotated[
    str | None,
    Field(description="Hard Rules, System Architecture, Patterns. Default: the person's own."),
]


COMMAND_TOOLS = {
    "ask": "memory_search", "show": "memory_show", "briefing": "memory_briefing", "remember": "memory_remember",
    "tasks": "task_query",
}  # fmt: skip
"""The tools that do what a command does: a client has no shell, or should not need one."""
_COMMAND = compile_late(rf"\brecollect (?P<name>{'|'.join(COMMAND_TOOLS)})\b")
_OPTION = compile_late(r"(?<![\w-])--(?P<name>[a-z][a-z-]*)")


def build_server(settings: Settings, make: Callable[..., MCPServer] | None = None) -> MCPServer:
    """Return the server with its six tools; `make` builds it in place of the library's own class."""
    from mcp.server import MCPServer
    from mcp.types import ToolAnnotations

    reads = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    adds = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    memory, tasks = Memory(settings), TaskTools(settings)
    tools: tuple[tuple[str, Callable[..., str], ToolAnnotations], ...] = (
        ("memory_search", memory.search, reads),
        ("memory_show", memory.show, reads),
        ("memory_briefing", memory.briefing, reads),
        ("memory_remember", memory.remember, adds),
        ("task_query", tasks.query, reads),
        ("task_mutate", tasks.mutate, adds),
    )
    return (make or MCPServer)(
        "recollect", version=read_product_version(), instructions=INSTRUCTIONS, log_level="WARNING",
        tools=[_make_tool(name, call, hints) for name, call, hints in tools],
    )  # fmt: skip


def _make_tool(name: str, call: Callable[..., str], hints: ToolAnnotations) -> Tool:
    """Return a tool that refuses arguments that it does not have: "since_date" was passed over, and all days were searched."""
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.tools import Tool
    from pydantic import ValidationError

    class CheckedTool(Tool):
        """A tool that says in our words what is wrong with its arguments."""

        async def run(self, arguments: JsonObject, *others: Any, **named: Any) -> Any:
            """Run the tool; ToolError with the next step for arguments that it cannot take."""
            try:
                return await super().run(replace_surrogates_within(arguments), *others, **named)
            except ToolError as error:
                if not isinstance(error.__cause__, ValidationError):
                    raise
                raise ToolError(_word_faults(self.name, self.parameters["properties"], error.__cause__)) from error

    tool = CheckedTool.from_function(
        report_errors(call), name=name, description=cleandoc(call.__doc__ or ""), annotations=hints, structured_output=False
    )
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)  # the schema that clients read stays as short as it was
    for form in (tool.parameters, *tool.parameters["properties"].values()):
        form.pop("title", None)  # the name once more
    return tool


def _word_faults(tool: str, forms: Mapping[str, Any], error: ValidationError) -> str:
    """Return what is wrong with the arguments of a call, and the next step; `forms` are the arguments as clients read them."""
    faults, wanted = list[str](), list[str]()
    for fault in error.errors(include_url=False, include_context=False):
        name = str(fault["loc"][0])
        if fault["type"] == "missing":
            faults.append(f"{tool} needs `{name}`")
        elif name not in forms:
            faults.append(f"{tool} has no argument `{make_visible(name)[:MOST_VALUE_CHARS]}`")
        else:
            value = dumps(fault["input"], ensure_ascii=False, default=str)
            shown = value if len(value) <= MOST_VALUE_CHARS else f"{value[:MOST_VALUE_CHARS]}…"
            faults.append(f"`{name}` of {tool} cannot be {make_visible(shown)}")
        wanted.append(
            f"`{name}` as {_word_form(forms[name])}" if name in forms else f"no other arguments than {', '.join(forms)}"
        )
    return f"{'; '.join(dict.fromkeys(faults))}. Next: call {tool} again with {', and '.join(dict.fromkeys(wanted))}."


def _word_form(form: Mapping[str, Any]) -> str:
    """Return which values an argument takes: `a whole number from 1 (Most hits.)`."""
    kinds = [kind for kind in form.get("anyOf", (form,)) if kind.get("type") != "null"]
    words = " or ".join(FORMS.get(str(kind.get("type")), "a value") for kind in kinds)
    listed = [choice for kind in kinds for choice in (*kind.get("enum", ()), *((kind["const"],) if "const" in kind else ()))]
    choices = " or ".join(f'"{choice}"' for choice in listed)
    least = next((f" from {kind['minimum']}" for kind in kinds if "minimum" in kind), "")
    return f"{choices or words}{least} ({form['description']})" if "description" in form else words


def _word_hint(hint: str) -> str:
    """Return a hint in words that a client can follow: a tool where there is one, else a command for the person.

    An option of a command is an argument of its tool.
    """
    worded = _COMMAND.sub(lambda match: COMMAND_TOOLS[match["name"]], hint)
    if worded.startswith("recollect "):
        return f"ask the person to run `{worded}`"
    return _OPTION.sub(lambda match: match["name"].replace("-", "_"), worded)


def _tag(text: str) -> str:
    """Put a result in tags, by which `transforms/conversation/message_spans.py` knows memory's own words and skips them."""
    inside = _MEMORY_TAGS.sub(r"‹\1", make_visible(text)).strip()
    return f"<{TAG}>\n{inside}\n</{TAG}>"


class Memory:
    """The tools, and the lake that they read; they answer one question at a time."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.recall: Recall | None = None
        self.version_token: tuple[int, int] | None = None
        self.lock = Lock()

    def search(  # noqa: PLR0913, PLR0917  the arguments are the schema that clients see
        self,
        query: Query,
        project: SearchedProject = None,
        since: Since = None,
        until: Until = None,
        kinds: Kinds = None,
        limit: Limit = None,
        details: Details = False,
        max_tokens: Bound = SEARCH_TOKENS,
        action: Action = "search",
        json: AsJson = False,
    ) -> str:
        """Search everything that was said, decided, found out and done in earlier sessions.

        Gives an answer when the evidence is there, then one line per hit with its id; memory_show has the full text.
        """
        from pathlib import Path

        from effects.config.stated_times import parse_day
        from effects.recall.ask import ask
        from recollect.task_tools import find_results
        from transforms.answers.hit_lines import render_answer
        from transforms.recall.types import Filters

        filters = Filters(
            project=project,
            cwd=str(Path.cwd()),
            since=parse_day(since) if since else None,
            until=parse_day(until) if until else None,
            kinds=tuple(kinds or ()),
            k=(hits := limit or max(HITS, max_tokens // LINE_TOKENS)),
            is_folder_only=True,
            spare=0 if json or details else hits,
        )
        with self.lock:
            recall, query = self._recall(), query[:MOST_QUERY_CHARS]
            if json:
                return dumps(find_results(recall, query, replace(filters, max_tokens=max_tokens)), ensure_ascii=False)
            return render_answer(ask(recall, query, filters), recall.run.zone, max_tokens - TAG_TOKENS, details)

    def show(self, id: Id, max_tokens: Bound = SHOW_TOKENS) -> str:
        """Show one record of memory in full, with the original entries that it cites, word for word.

        Gives its text and date, its successor, the record that it belongs to, and its sources.
        """
        from effects.recall.show_record import show_record
        from transforms.answers.show_page import render_record

        return render_record(show_record(self._run(), id), max_tokens - TAG_TOKENS)

    def briefing(self, project: BriefedProject = None, max_tokens: Bound = BRIEFING_TOKENS) -> str:
        """Brief on a project before work in it: its state, rules, preferences, decisions, recent sessions."""
        from effects.opening.session_opening import render_project_briefing
        from effects.projects.resolve_project import resolve_project

        run = self._run()
        page = render_project_briefing(run, resolve_project(run, project), max_tokens - TAG_TOKENS)
        return page.replace(ALL_COMMAND, "memory_briefing with more max_tokens")

    def remember(self, text: Text, section: MemorySection = None, everywhere: Everywhere = False) -> str:
        """Propose a line for the person's long-term memory; it waits in REVIEW.md until the person approves it.

        Use it when the person asks to remember something, and for a lasting rule or decision of this session; not for progress.
        """
        from effects.store.run import open_run
        from recollect.pipeline_runs import describe_saved, save_line

        with self.lock:
            saved = save_line(open_run(self.settings), text, section, False, actor="agent", is_everywhere=everywhere)
            return describe_saved(saved)

    def _run(self) -> Run:
        """Open the lake as of now: the server may live for days."""
        from effects.store.run import open_run

        run = open_run(self.settings)
        if not run.lake.exists():
            from effects.config.paths import suggest_first_command

            raise LakeError(f"there is no memory in {run.lake.root} yet", f"ask the person to run `{suggest_first_command()}`")
        return run

    def _recall(self) -> Recall:
        """Return the opened index; opened again when a run has written since."""
        from effects.recall.ask import open_recall

        run = self._run()
        token = self._compute_version_token(run)
        if self.recall is None or token != self.version_token:
            self.recall, self.version_token = open_recall(run), token
        self.recall.run = run
        return self.recall

    def _compute_version_token(self, run: Run) -> tuple[int, int]:
        """Return number and newest time of the files of the index, of the tombstones, which hide at once, and of the record of
        runs, which every run replaces last."""
        from effects.index.manifest import find_index_folder

        files = [find_index_folder(run.lake) / "manifest.json", *run.lake.list_files("tombstones"), *run.lake.list_files("runs")]
        times = [path.stat().st_mtime_ns for path in files if path.exists()]
        return len(times), max(times, default=0)


def report_errors(call: Callable[P, str]) -> Callable[P, str]:
    """Return the same tool with errors that a model can act on: the problem and the next step; a traceback goes to the log."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(call)
    def tool(*arguments: P.args, **named: P.kwargs) -> str:
        """Return the tool's text between tags; ToolError with the next step instead of any other error."""
        try:
            return _tag(call(*arguments, **named))
        except RecollectError as raised:
            error = (find_damage_behind(raised) if isinstance(raised, LakeError) else None) or raised
            again = " Try again in a minute." if error.retryable else ""
            message = make_visible(error.message)[:MOST_MESSAGE_CHARS]  # it may quote what the client sent
            raise ToolError(
                f"{message}. Next: {_word_hint(error.hint)}.{again}" if error.hint else f"{message}.{again}"
            ) from error
        except Exception as error:
            if damage := find_damage_behind(error):
                raise ToolError(f"{damage.message}. Next: {_word_hint(damage.hint)}. Go on without memory.") from error
            from effects.store.error_log import describe_error, log_traceback

            memory: Any = getattr(call, "__self__", None)
            log = log_traceback(memory.settings.lake, error)
            raise ToolError(f"memory failed: {describe_error(error)}. It was logged in {log}; go on without memory.") from error

    return tool
