"""Spans of a backfill, the report of a fleet, and the page of rules that owners share. May import language, pages, redaction,
tables."""
