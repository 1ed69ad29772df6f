"""Computes and stores vectors of texts. May import store, config, system."""
