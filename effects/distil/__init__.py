"""Cuts sessions into windows and distils each with an engine. May import judging, engines, store, config, system."""
