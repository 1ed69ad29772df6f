"""The commands: the groups of the help, their order, their summaries, and which one a mistyped name means.

It imports no command.
"""

from __future__ import annotations

from difflib import get_close_matches

COMMAND_GROUPS = {
    "setup": {
        "init": "Set up: agents, settings, schedule, the first night.",
        "schedule": "Print the schedule for launchd, systemd or cron.",
        "config": "Print every setting, its value and its origin.",
        "doctor": "Check the lake, the index and the pages; name the next command.",
        "uninstall": "Undo `recollect init`; lake and pages stay.",
    },
    "runs": {
        "nightly": "Run everything that is due: read, distil, reflect, render.",
        "session": "Read and distil one session file now.",
        "backfill": "Read the sessions of a span of days; you can stop and resume it.",
        "friction": "Look for repeated failures and propose changes that end them.",
        "timeline": "Write a chapter for each week that has ended, and each condensed month and year.",
        "rebuild": "Rebuild the search index or the pages from the lake.",
        "prune": "Remove old raw text that is condensed and that nothing cites.",
        "fleet": "Run the nights of many owners, and report on them.",
    },
    "recall": {
        "ask": "Answer a question from memory, with citations.",
        "show": "Print the record of an id and the entries that it cites.",
        "sessions": "Find a session by content, file, commit or error, and open it again.",
        "report": "Write a page with figures and charts of memory, and open it.",
        "export": "Print the kept memory, one row per fact or narrative.",
        "sql": "Query the lake with DuckDB, one view per table.",
    },
    "memory": {
        "review": "List, approve or reject the proposals for MEMORY.md.",
        "remember": "Propose a line for MEMORY.md, or write it there.",
        "tasks": "List the tasks of a project, or change them.",
        "projects": "List the projects and their folders; join or split them.",
        "forget": "Forget a record, a session or certain words; --undo takes it back.",
    },
    "agents": {
        "briefing": "Print the briefing of a project for the start of a session.",
        "hook": "Answer a hook of Claude Code or Codex: give context, and read the session at its end.",
        "observe": "Print dated observations of a conversation, for a compaction.",
        "mcp": "Serve memory to agents: an MCP server on stdin and stdout.",
    },
}
"""Package of `recollect.commands` → its commands, each with its summary; a command's module has its name."""
COMMANDS = {name: summary for commands in COMMAND_GROUPS.values() for name, summary in commands.items()}
"""Every command with its summary, in the order of the help."""
DELETING = frozenset({"forget", "prune", "uninstall"})
"""Commands that remove something: what was typed must be one slip away from their name to mean them."""
ABOUT_NIGHTS = frozenset({"cost", "costs", "last", "log", "runs", "stats", "status"})
"""What people call the question what the last night did and cost, and no command is called."""


def find_similar_command(name: str) -> str | None:
    """Return the command that is the fewest slips away, among equals the most alike; None when none is near.

    One that deletes is at most one slip away: whoever follows the advice blindly loses nothing.
    """
    alike = get_close_matches(name, COMMANDS, len(COMMANDS))  # the most alike first
    slips = {command: count_slips(name, command) for command in COMMANDS}
    near = [command for command in [*alike, *COMMANDS] if slips[command] <= 1 or (command in alike and command not in DELETING)]
    return min(near, key=slips.__getitem__, default=None)


def count_slips(typed: str, meant: str) -> int:
    """Return how many letters were left out, added or mistaken, or pairs of neighbours swapped (Damerau and Levenshtein)."""
    before: list[int] = []
    row = list(range(len(meant) + 1))
    for i, letter in enumerate(typed, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(meant, 1):
            slips = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and (letter, typed[i - 2]) == (meant[j - 2], other):
                slips = min(slips, older[j - 2] + 1)
            row.append(slips)
    return row[-1]
