"""Tells a week: its sessions, what was decided and learned, and what was committed. May import pages, tables."""
