"""Writes the report page. May import health, index, store, system."""
