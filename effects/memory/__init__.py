"""Runs the steps over stored memory: dedupe, consolidate, review and reflect. May import engines, store, config, system."""
