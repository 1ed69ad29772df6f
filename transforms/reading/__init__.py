"""Parses session files: bytes to entries, entries to rows of the lake. May import conversation, redaction, tables."""
