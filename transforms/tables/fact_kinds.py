"""What kinds of facts there are, and how much they matter; part of the schema, apart from it because it imports polars."""

KINDS = (
    "preference", "rule", "decision", "root_cause", "fix", "correction", "state_change", "convention",
    "file_change", "status", "completion", "error", "request", "question", "task",
)  # fmt: skip
PRIORITIES = ("high", "medium", "low")
