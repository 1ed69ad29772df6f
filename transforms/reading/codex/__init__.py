"""The session format of Codex: head, replayed lines, turns taken back, usage, who spoke. May import the same as pi's."""
