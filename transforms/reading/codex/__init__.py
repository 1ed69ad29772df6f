"""The session format of Codex: head, replayed lines, turns that were taken back, usage, who spoke. May import pi's, conversation, tables."""
