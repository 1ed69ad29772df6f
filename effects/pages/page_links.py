"""The pages that a run leaves behind, as addresses for displays of the run."""

from __future__ import annotations

from effects.store.run import Run


def list_page_links(run: Run) -> dict[str, str]:
    """Return the pages of the workspace that are there, by name, as `file://` addresses: memory, review, report, today's log."""
    workspace = run.settings.workspace
    names = ("REVIEW.md", "MEMORY.md", "report.html", f"memory/{run.today}.md", "briefing", "memory", "timeline")
    return {name: (workspace / name).as_uri() for name in names if (workspace / name).exists()}
