"""Runs many owners, each in a process and a home of its own. May import projects, ingest, store, config, system."""
