"""Deduplicates, condenses, proposes and promotes. May import engines, store, system."""
