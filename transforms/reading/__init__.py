"""Reads session files: bytes to parsed entries, then to rows of `entries` and `sessions`. May import conversation, redaction, tables."""
