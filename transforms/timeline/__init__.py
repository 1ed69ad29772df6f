"""Summarises a week: its sessions, decisions, findings and commits. May import pages, tables."""
