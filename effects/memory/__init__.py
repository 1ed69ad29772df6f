"""Relates, merges, condenses and reviews stored memory. May import judging, machines, engines, store, config, system."""
