"""Renders the pages of the workspace. May import engines, judging, memory, tasks, store, system."""
