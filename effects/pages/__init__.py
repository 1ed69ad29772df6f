"""Renders the pages of the workspace. May import memory, store, system."""
