"""Parses session files: bytes to entries, entries to rows of `entries` and `sessions`. May import conversation, redaction, tables."""
