"""Finds sessions by content, file, commit or error, and opens them again. May import recall, projects, store, system."""
