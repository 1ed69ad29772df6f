"""Runs the steps over stored memory: relate, dedupe, consolidate, review. May import judging, engines, store, config, system."""
