"""Renders the workspace and the session opening. May import memory, store, system."""
