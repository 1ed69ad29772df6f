"""Cuts sessions into windows and distils each with an engine. May import engines, store, config, system."""
