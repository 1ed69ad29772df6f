"""Asks models through the programs that the owner has and is logged in to: pi, Claude Code, Codex."""
