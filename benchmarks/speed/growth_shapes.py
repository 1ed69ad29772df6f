"""The texts of `benchmarks.speed.growth`: units that somebody's paste repeats, and the sessions in which they stand.

python -m benchmarks.speed.growth_shapes        the names of all shapes
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

BEGAN = datetime(2026, 11, 2, 8, tzinfo=UTC)
NAMES = ("alpha", "bravo", "carbon", "delta", "ember", "falcon", "garnet", "harbor", "indigo", "juniper", "kestrel", "lumen")
SHAPES: Mapping[str, str] = {
    # words
    "word": "word ",
    "words": "{a} {b} ",
    "numbered words": "{a}{i} ",
    "negations": "not ",
    "contractions": "don't ",
    "never": "never ",
    "always": "always ",
    "and": "and ",
    "because": "because ",
    "if": "if ",
    "instead": "use {a} instead of {b}, ",
    "no": "no ",
    "ok": "ok, ",
    "capitals": "{A} ",
    "long words": "{a}{b}{a}{b} ",
    "hyphens": "{a}-",
    "underscores": "{a}_",
    "slashes": "{a}/",
    "dots": "{a}.",
    "camels": "{A}{B}",
    # sentences
    "sentences": "The {a} uses port {i}. ",
    "orders": "Please rename {a}{i} to {b}{i}. ",
    "decisions": "We decided that {a} uses {i}. ",
    "rules": "Always run {a}{i} before {b}. ",
    "refusals": "No, not {a}, {b} {i}. ",
    "questions": "Should {a} use {b}{i}? ",
    "statements in lines": "{A} is {b} {i}\n",
    "comma list": "{a} {i}, ",
    "semicolons": "{a} is {i}; ",
    "and list": "{a}{i} and ",
    "one sentence of clauses": "the {a} is {i} but ",
    "values": "{a} = {i}, ",
    "changes": "{a} from {i} to {j}, ",
    "exclamations": "no! ",
    "interjections": "hm… ",
    # lists
    "bullets": "- {a} {i}\n",
    "bullet sentences": "- The {a} of {b} uses port {i}.\n",
    "numbered list": "{i}. {a} {b}\n",
    "numbered questions": "{i}. Should {a} use {b}?\n",
    "checked list": "- [x] {a} {i}\n",
    "nested bullets": "- {a}\n  - {b} {i}\n",
    "lettered options": "{l}) use {a} {i}\n",
    "options in a line": "({l}) {a} {i} ",
    "numbered answers": "{i} ok {j} no ",
    "answers in lines": "{i}: yes\n{j}: no\n",
    "answers": "{i}. yes, {a}\n",
    "glossary": "**{a}{i}**: the {b} of it\n",
    "bullets without a gap": "-{a}{i}\n",
    "one bullet of lines": "  {a} {b} {i}\n",
    # marks
    "backticks": "`",
    "spaced backticks": "` ",
    "code words": "`{a}{i}` ",
    "code words glued": "`{a}{i}`",
    "stars": "*",
    "spaced stars": "* ",
    "bold": "**{a}** ",
    "quotes": '"',
    "quoted words": '"{a} {i}" ',
    "open quotes": '"{a} ',
    "single quotes": "'{a} ",
    "curly": "“{a}” ",
    "open curly": "“{a} ",
    "brackets": "(",
    "bracketed": "({a} {i}) ",
    "open brackets": "({a} ",
    "close brackets": "{a}) ",
    "nested brackets": "(({a}) ",
    "square": "[{a}] ",
    "braces": "{{{a} ",
    "angle": "<{a}> ",
    "tags": "<{a}>{i}</{a}>\n",
    "dashes": "{a} - ",
    "long dashes": "{a} — ",
    "arrows": "{a} -> {b} ",
    "colons": "{a}: ",
    "equals": "{a}=",
    "ellipsis": "{a}... ",
    "question marks": "? ",
    "dots apart": ". ",
    "commas apart": ", ",
    "semicolons apart": "; ",
    "pipes apart": "| ",
    "hashes": "# ",
    "slashes apart": "/ ",
    "backslashes": "\\",
    "dollars": "${a} ",
    "percent": "{i}% ",
    "emoji": "👍 ",
    "apostrophes": "{a}'s ",
    # names, paths, values
    "paths": "src/{a}/{b}{i}.py ",
    "paths in lines": "src/{a}/{b}{i}.py\n",
    "windows paths": "C:\\{a}\\{b}{i}.txt ",
    "files": "{a}{i}.ts ",
    "urls": "https://example.org/{a}/{i} ",
    "mails": "{a}{i}@example.org ",
    "numbers": "{i} ",
    "decimals": "{i}.5 ",
    "units": "{i} MB ",
    "versions": "{a} v{i}.2.{i} ",
    "dates": "2026-03-04 ",
    "times": "10:20 ",
    "weekdays": "on Monday ",
    "months": "by March 5 ",
    "commits": "{h} ",
    "ids": "ABC-{i} ",
    "flags": "--{a}-{i} ",
    "issues": "#{i} ",
    "mentions": "@{a}{i} ",
    "ports": "port {i} ",
    "digits": "1",
    "letters": "a",
    "environment": "{U}_{i}={b}\n",
    "ordinals": "the {i}th ",
    "number words": "twenty one ",
    # documents
    "code fences": "```\n{a} {i}\n```\n",
    "open fences": "```\n",
    "fence lines": "```{a}\n",
    "code lines": "    {a}({b}, {i});\n",
    "table": "| {a} | {b} | {i} |\n",
    "table without edges": "{a} | {b}\n",
    "tab table": "{a}\t{b}\t{i}\n",
    "headings": "## {A} {i}\n",
    "headings with text": "## {A} {i}\n\nThe {a} is {b}.\n\n",
    "lead and colon": "{A} {i}:\n",
    "rules of a page": "---\n",
    "paragraphs": "The {a} has {i} of {b}.\n\n",
    "empty lines": "{a}\n\n\n",
    "mail quotes": "> {a} {b} {i}\n",
    "nested quotes": "> > {a} {i}\n",
    "mail heads": "On Mon, Nov 2, 2026 at 10:{m}, {A} <{a}@example.org> wrote:\n> {b} {i}\n",
    "mail fields": "From: {A}\nTo: {B}\nSubject: {a} {i}\n\n",
    "chat lines": "{A}: the {b} is {i}\n",
    "timed chat": "[10:{m}] {A}: we use {b} {i}\n",
    "log": "2026-11-02T10:{m}:00Z INFO {a} {b} {i}\n",
    "trace": '  File "/srv/{a}.py", line {i}, in {b}\n',
    "errors": "Error: {a} failed with {i}\n",
    "diff": "-{a} = {i}\n+{a} = {j}\n",
    "diff heads": "diff --git a/{a}{i} b/{a}{i}\n@@ -1 +1 @@\n-{a}\n+{b}\n",
    "json": '{{"{a}": "{b}", "id": {i}}},\n',
    "yaml": "{a}{i}:\n  {b}: {i}\n",
    "csv": "{a},{b},{i}\n",
    "prompts": "$ {a} {i}\n{b}\n",
    "listing": "-rw-r--r-- 1 {a} {a} {i} Nov  2 10:{m} {b}.txt\n",
    "status": " M src/{a}{i}.py\n",
    "git log": "{h} {A} {b} {i}\n",
    "speakers": "{A} (10:{m}): no, {b} {i}\n",
    "survey": "Q{i}: is {a} good?\nA: {b}\n",
    "questions and answers": "{i}) {A}? {b}\n",
    "html": "<li>{a} {i}</li>\n",
    "passwords": "password: {a}{h}\n",
    "keys": "{a}_key={h}\n",
    "set": "export {U}={b}{i}\n",
    "footnotes": "{a}[{i}] ",
    "references": "[{i}]: https://example.org/{a}\n",
    "checks": "✓ {a} {i}\n",
    "links": "[{a}](https://example.org/{i}) ",
    # other scripts
    "russian": "Порт {i} не нужен, ",
    "russian sentences": "Мы решили, что порт {i} остаётся. ",
    "chinese": "我们用端口{i}，",
    "chinese sentences": "端口是{i}。",
    "japanese": "ポート{i}を使う。",
    "korean": "포트 {i} 는 필요 없다. ",
    "arabic": "المنفذ {i} لا ",
    "german": "der Port {i} ist nicht ",
    "french": "l’accès {i} n’est pas ",
    "spanish": "¿el puerto {i}? ",
    "full width": "（{i}）",
    "combining": "e\u0301 ",
}
"""What is repeated: {i} and {j} count, {a} and {b} are words, {A}, {B} and {U} have capitals, {l} is a letter, {m} a minute, {h}
a hash."""


def make_text(shapes: Sequence[str], size: int) -> str:
    """Return about `size` bytes of the units of these shapes in turn."""
    parts, length = list[str](), 0
    chance = random.Random("/".join(shapes))
    for number in count(1):
        first, second = chance.choice(NAMES), chance.choice(NAMES)
        values = {"i": number, "j": number + 1, "a": first, "b": second, "A": first.capitalize(), "B": second.capitalize()}
        values |= {
            "U": first.upper(),
            "l": chr(97 + number % 26),
            "m": f"{number % 60:02d}",
            "h": f"{chance.getrandbits(28):07x}",
        }
        for shape in shapes:
            parts.append(SHAPES[shape].format_map(values))
            length += len(parts[-1].encode())
        if length >= size:
            return "".join(parts).rstrip(" ") if size else ""
    raise AssertionError


Message = dict[str, object]


def say(role: str, text: str) -> Message:
    """Return what a person or an agent says."""
    return {"role": role, "content": [{"type": "text", "text": text}]}


def call_tool(name: str, arguments: object, output: str) -> list[Message]:
    """Return a call of a tool and its output."""
    call = {"type": "toolCall", "id": "c1", "name": name, "arguments": arguments}
    result = {"role": "toolResult", "toolCallId": "c1", "toolName": name, "content": [{"type": "text", "text": output}]}
    return [{"role": "assistant", "content": [call]}, result]


OPENING = (
    say("user", "Please look at the importer and tell me what you find."),
    say("assistant", "The importer reads the file twice; the second time is needed for the header."),
    say("user", "From now on the cache of the importer stays below 200 MB, and the header is read once."),
    say("assistant", "The header is read once now, in `importer.py`; the cache has a limit of 200 MB. What else should change?"),
)
CLOSING = (
    say("user", "Does the exporter have the same limit?"),
    say("assistant", "No, the exporter has none: it writes one row after the other."),
    say("user", "Then add one there, 50 MB."),
    say("assistant", "Added: `exporter.py` stops at 50 MB."),
    say("user", "We also decided to keep the old format until March."),
    say("assistant", "The old format stays readable until March; `format.py` says so."),
    say("user", "thanks, that is all"),
)
MESSAGES = 2_000
"""Messages over which the text is spread in the place "many"."""


def _spread(role: str) -> Callable[[str], list[Message]]:
    def spread(text: str) -> list[Message]:
        step = max(len(text) // MESSAGES, 20)
        parts = [text[start : start + step] for start in range(0, len(text), step)]
        other = say("assistant", "Done.") if role == "user" else say("user", "go on")
        return [
            message for part in parts for message in ((say(role, part), other) if role == "user" else (other, say(role, part)))
        ]

    return spread


def _ask_by_tool(text: str) -> list[Message]:
    questions = [{"question": "Which of these?", "header": "Choice", "options": [{"label": "one"}, {"label": "two"}]}]
    return call_tool("ask_user", {"questions": questions}, text)


PLACES: Mapping[str, Callable[[str], list[Message]]] = {
    "typed": lambda text: [say("user", text)],
    "reply": lambda text: [say("assistant", text)],
    "answer below": lambda text: [
        say("assistant", text),
        say("user", "yes to the first, no to the others; 3 needs the new port"),
    ],
    "typed below": lambda text: [say("assistant", text[: len(text) // 2]), say("user", text[: len(text) // 2])],
    "output": lambda text: call_tool("bash", {"command": "make report"}, text),
    "command": lambda text: call_tool("bash", {"command": text}, "done"),
    "written": lambda text: call_tool("write", {"path": "notes.md", "content": text}, "Wrote notes.md"),
    "edited": lambda text: call_tool(
        "edit", {"path": "notes.md", "oldText": text[: len(text) // 2], "newText": text[len(text) // 2 :]}, "ok"
    ),
    "asked": lambda text: call_tool("ask_user", {"questions": [{"question": text, "options": [{"label": "yes"}]}]}, "yes"),
    "answered": _ask_by_tool,
    "many typed": _spread("user"),
    "many replies": _spread("assistant"),
}
"""Where a text stands in a session."""


def write_session(path: Path, messages: Sequence[Message]) -> None:
    """Write a session in pi's format: an opening, the messages, and a closing."""
    lines = list(_make_lines([*OPENING, *messages, *CLOSING]))
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def _make_lines(messages: Sequence[Message]) -> Iterator[dict[str, object]]:
    yield {"type": "session", "version": 3, "id": "s1", "timestamp": BEGAN.isoformat(), "cwd": "/w/app"}
    for number, message in enumerate(messages):
        stamp = (BEGAN + timedelta(seconds=20 * number)).isoformat()
        parent = f"e{number - 1}" if number else None
        yield {"type": "message", "id": f"e{number}", "parentId": parent, "timestamp": stamp, "message": message}


if __name__ == "__main__":
    print("\n".join([*SHAPES, *PLACES]))
