"""Asks models whether facts are so, and how they relate. May import engines, store, config, system."""
