"""Keeps the search index in step with the lake. May import embedding, store, config, system."""
