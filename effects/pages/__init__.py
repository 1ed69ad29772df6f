"""Renders the workspace. May import memory, store, system."""
