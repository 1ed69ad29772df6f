"""Cuts sessions into windows and distils each with an engine. May import batches, judging, engines, store, config, system."""
