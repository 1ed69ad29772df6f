"""Checks lines of memory against the repositories on this machine. May import memory, projects, store, config, system."""
