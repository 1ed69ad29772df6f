"""Write a scene in the two old formats by hand: v1 (linear, no ids) and v2 (tree), as pi wrote them before February 2026."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from benchmarks.samples.noise import paged
from benchmarks.samples.redate import _pause, _typing, entry_id, iso, local, number, session_id
from benchmarks.samples.server import tool_call

Entry = dict[str, Any]


def _usage(said: str, context: int) -> Entry:
    output = len(said) // 4 + 1
    tokens = {"input": context // 5, "output": output, "cacheRead": context - context // 5, "cacheWrite": 0}
    cost = {"input": tokens["input"] * 3e-6, "output": output * 15e-6, "cacheRead": tokens["cacheRead"] * 0.3e-6, "cacheWrite": 0}
    return tokens | {"cost": {key: round(value, 8) for key, value in cost.items()} | {"total": round(sum(cost.values()), 8)}}


def _assistant(turn: Entry, model: str, made: int) -> Entry:
    parts: list[Entry] = []
    if "think" in turn:
        parts.append({"type": "thinking", "thinking": turn["think"].strip(), "thinkingSignature": "c2lnbmF0dXJl"})
    if "say" in turn:
        parts.append({"type": "text", "text": turn["say"].strip()})
    for index, call in enumerate(turn.get("calls", [])):
        name, arguments = tool_call(call)
        if name == "edit":  # before 2026 the two texts stood directly next to the path
            arguments = {"path": call["edit"], "oldText": call["old"], "newText": call["new"]}
        parts.append({"type": "toolCall", "id": f"toolu_{made:03d}{index}", "name": name, "arguments": arguments})
    said = "".join(str(part) for part in parts)
    body = {"role": "assistant", "content": parts, "api": "anthropic-messages", "provider": "anthropic", "model": model}
    return body | {"usage": _usage(said, 1500 + 180 * made), "stopReason": "toolUse" if turn.get("calls") else "stop"}


def _results(turn: Entry, made: int) -> list[Entry]:
    found = []
    for index, call in enumerate(turn.get("calls", [])):
        name, _ = tool_call(call)
        code = call.get("code", 0)
        text = str(call.get("out", "")).rstrip("\n") or "(no output)"
        text += f"\n\nCommand exited with code {code}" if code else ""
        body = {"role": "toolResult", "toolCallId": f"toolu_{made:03d}{index}", "toolName": name}
        found.append(body | {"content": [{"type": "text", "text": text}], "isError": bool(code)})
    return found


def messages(scene: Entry) -> list[tuple[int, Entry]]:
    """(step, message) of a scene whose tool outputs are all given."""
    model, made = scene.get("model", "claude-sonnet-4-5"), 0
    found: list[tuple[int, Entry]] = []
    for index, step in enumerate(scene["steps"]):
        if "shell" in step:
            body = {
                "role": "bashExecution",
                "command": step["shell"],
                "output": step.get("out", ""),
                "exitCode": step.get("code", 0),
            }
            found.append((index, body | {"cancelled": False, "truncated": False}))
            continue
        found.append((index, {"role": "user", "content": [{"type": "text", "text": step["user"].strip()}]}))
        for turn in step["agent"]:
            given = {"say": turn} if isinstance(turn, str) else paged(turn)
            made += 1
            found.append((index, _assistant(given, model, made)))
            found += [(index, result) for result in _results(given, made)]
    return found


def write(scene: Entry) -> list[Entry]:
    """Header and entries of the scene in its old version."""
    slug, version = scene["slug"], int(scene["version"])
    start = local(scene["start"], scene["day"]) + timedelta(milliseconds=number(slug, below=1000))
    header: Entry = {"type": "session"} | ({"version": 2} if version == 2 else {})
    header |= {"id": session_id(slug, start, version=4), "timestamp": iso(start), "cwd": scene["cwd"]}
    if version == 1:
        header |= {"provider": "anthropic", "modelId": scene.get("model", "claude-sonnet-4-5"), "thinkingLevel": "off"}
    clock, previous, parent = start, -1, None
    result = [header]
    for ordinal, (step, message) in enumerate(messages(scene)):
        if step != previous:
            said = scene["steps"][step]
            clock, previous = (local(said["at"], scene["day"]) if "at" in said else clock + _typing(said)), step
        began = clock
        clock += _pause({"type": "message", "message": message}, slug, ordinal)
        told = began if message["role"] == "assistant" else clock
        entry: Entry = {"type": "message"}
        if version == 2:
            entry |= {"id": entry_id(slug, ordinal), "parentId": parent}
            parent = entry["id"]
        result.append(entry | {"timestamp": iso(clock), "message": message | {"timestamp": int(told.timestamp() * 1000)}})
    return result
