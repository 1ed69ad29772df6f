"""Renders the pages of the workspace. May import engines, memory, tasks, store, system."""
