"""Checks lines of memory against repositories here and the calendar. May import memory, projects, store, config, system."""
