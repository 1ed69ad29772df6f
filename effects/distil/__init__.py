"""Cuts sessions into windows and distils each with an engine.

May import batches, judging, engines, embedding, store, config, system.
"""
