"""Finds the mode of a window from its actions: files read and changed, checks that failed, pages fetched."""

from __future__ import annotations

import re
from collections.abc import Sequence

from transforms.exchanges.actions import Action
from transforms.exchanges.exchange import Exchange
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import AgentMode

MIN_CALLS = 6
"""Calls of tools from which the work has a mode; less is talk."""
RESEARCH_SHARE, TEST_SHARE = 0.3, 0.6
"""Share of calls that fetch pages, and of changes in files of tests."""
REMOVED_SHARE, MIN_CHANGED_FILES = 0.6, 3
"""Most edits of a refactoring take names away, in several files."""
PLAN_TOOLS = frozenset({"exitplanmode", "update_plan_mode"})
_CHANGED_BY_COMMAND = frozenset({"commit", "move", "delete", "publish"})
"""Actions of commands that show that files changed, by `sed -i` as well: nobody only looked, and which files is not known."""
_WEB_TOOL = compile_late(r"web|fetch|browse|search_query", re.IGNORECASE)
_TEST_FILE = compile_late(r"(^|/)(tests?|__tests__|spec)/|(^|/)test_[^/]*$|[._-](test|spec)\.[^/.]+$", re.IGNORECASE)


def find_mode(exchanges: Sequence[Exchange]) -> AgentMode:
    """Return the mode of the work in these exchanges; `default` when nothing stands out."""
    entries = [entry for exchange in exchanges for entry in exchange.replies]
    calls = [call.name.lower() for entry in entries for call in entry.tool_calls]
    actions = [action for exchange in exchanges for action in exchange.actions]
    changes = [action for action in actions if action.kind in ("edit", "create")]
    if PLAN_TOOLS & set(calls) and not changes:
        return "plan"
    if len(calls) < MIN_CALLS:
        return "default"
    is_debugging = any(exchange.is_debugging for exchange in exchanges)
    if sum(bool(_WEB_TOOL.search(name)) for name in calls) >= RESEARCH_SHARE * len(calls):
        return "research"
    if not changes:
        if any(action.kind in _CHANGED_BY_COMMAND for action in actions):
            return "default"
        return "debugging" if is_debugging else "explore"
    if sum(bool(_TEST_FILE.search(action.path)) for action in changes) >= TEST_SHARE * len(changes):
        return "testing"
    if sum(exchange.is_debugging for exchange in exchanges) * 2 > len(exchanges):
        return "bug_fixing"
    return "refactoring" if _is_refactoring(actions, changes) else "default"


def _is_refactoring(actions: Sequence[Action], changes: Sequence[Action]) -> bool:
    edits = [action for action in changes if action.kind == "edit"]
    replacing = [action for action in edits if action.removed_names]
    is_wide = len({action.path for action in edits}) >= MIN_CHANGED_FILES and len(edits) * 2 > len(changes)
    return is_wide and (any(action.kind == "move" for action in actions) or len(replacing) >= REMOVED_SHARE * len(edits))
