"""Writes a scene in the two old formats by hand: v1 (linear, no ids) and v2 (tree), as pi wrote them before February 2026."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from benchmarks.samples.noise import page_outputs
from benchmarks.samples.redate import (
    compute_pause,
    compute_typing_time,
    format_time,
    make_entry_id,
    make_session_id,
    parse_local_time,
    pick_number,
)
from benchmarks.samples.server import make_tool_call

Entry = dict[str, Any]


def _estimate_usage(text: str, context: int) -> Entry:
    output = len(text) // 4 + 1
    tokens = {"input": context // 5, "output": output, "cacheRead": context - context // 5, "cacheWrite": 0}
    cost = {"input": tokens["input"] * 3e-6, "output": output * 15e-6, "cacheRead": tokens["cacheRead"] * 0.3e-6, "cacheWrite": 0}
    return tokens | {"cost": {key: round(value, 8) for key, value in cost.items()} | {"total": round(sum(cost.values()), 8)}}


def _make_answer(turn: Entry, model: str, made: int) -> Entry:
    parts: list[Entry] = []
    if "think" in turn:
        parts.append({"type": "thinking", "thinking": turn["think"].strip(), "thinkingSignature": "c2lnbmF0dXJl"})
    if "say" in turn:
        parts.append({"type": "text", "text": turn["say"].strip()})
    for index, call in enumerate(turn.get("calls", [])):
        name, arguments = make_tool_call(call)
        if name == "edit":  # before 2026 the two texts stood directly next to the path
            arguments = {"path": call["edit"], "oldText": call["old"], "newText": call["new"]}
        parts.append({"type": "toolCall", "id": f"toolu_{made:03d}{index}", "name": name, "arguments": arguments})
    words = "".join(str(part) for part in parts)
    body = {"role": "assistant", "content": parts, "api": "anthropic-messages", "provider": "anthropic", "model": model}
    return body | {"usage": _estimate_usage(words, 1500 + 180 * made), "stopReason": "toolUse" if turn.get("calls") else "stop"}


def _make_results(turn: Entry, made: int) -> list[Entry]:
    results = []
    for index, call in enumerate(turn.get("calls", [])):
        name, _ = make_tool_call(call)
        code = call.get("code", 0)
        text = str(call.get("out", "")).rstrip("\n") or "(no output)"
        text += f"\n\nCommand exited with code {code}" if code else ""
        body = {"role": "toolResult", "toolCallId": f"toolu_{made:03d}{index}", "toolName": name}
        results.append(body | {"content": [{"type": "text", "text": text}], "isError": bool(code)})
    return results


def list_messages(scene: Entry) -> list[tuple[int, Entry]]:
    """Return (step, message) of a scene whose tool outputs are all given."""
    model, made = scene.get("model", "claude-sonnet-4-5"), 0
    messages: list[tuple[int, Entry]] = []
    for index, step in enumerate(scene["steps"]):
        if "shell" in step:
            body = {
                "role": "bashExecution",
                "command": step["shell"],
                "output": step.get("out", ""),
                "exitCode": step.get("code", 0),
            }
            messages.append((index, body | {"cancelled": False, "truncated": False}))
            continue
        messages.append((index, {"role": "user", "content": [{"type": "text", "text": step["user"].strip()}]}))
        for turn in step["agent"]:
            staged = {"say": turn} if isinstance(turn, str) else page_outputs(turn)
            made += 1
            messages.append((index, _make_answer(staged, model, made)))
            messages += [(index, result) for result in _make_results(staged, made)]
    return messages


def write_scene(scene: Entry) -> list[Entry]:
    """Return header and entries of the scene in its old version."""
    slug, version = scene["slug"], int(scene["version"])
    start = parse_local_time(scene["start"], scene["day"]) + timedelta(milliseconds=pick_number(slug, below=1000))
    header: Entry = {"type": "session"} | ({"version": 2} if version == 2 else {})
    header |= {"id": make_session_id(slug, start, version=4), "timestamp": format_time(start), "cwd": scene["cwd"]}
    if version == 1:
        header |= {"provider": "anthropic", "modelId": scene.get("model", "claude-sonnet-4-5"), "thinkingLevel": "off"}
    clock, previous, parent = start, -1, None
    result = [header]
    for ordinal, (step, message) in enumerate(list_messages(scene)):
        if step != previous:
            step_texts = scene["steps"][step]
            clock, previous = (
                (
                    parse_local_time(step_texts["at"], scene["day"])
                    if "at" in step_texts
                    else clock + compute_typing_time(step_texts)
                ),
                step,
            )
        began = clock
        clock += compute_pause({"type": "message", "message": message}, slug, ordinal)
        sent_at = began if message["role"] == "assistant" else clock
        entry: Entry = {"type": "message"}
        if version == 2:
            entry |= {"id": make_entry_id(slug, ordinal), "parentId": parent}
            parent = entry["id"]
        result.append(
            entry | {"timestamp": format_time(clock), "message": message | {"timestamp": int(sent_at.timestamp() * 1000)}}
        )
    return result
