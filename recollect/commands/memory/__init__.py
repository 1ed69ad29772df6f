"""Commands with which the owner changes memory: decisions, lines, tasks, projects, and forgetting."""
