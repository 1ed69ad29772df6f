"""Renders the pages of the workspace. May import memory, tasks, store, system."""
