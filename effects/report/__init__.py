"""Writes the report page. May import health, store, system."""
