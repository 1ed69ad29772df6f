"""Asks models whether facts are so, and how they relate, and reads what they told. May import engines, store, config, system."""
