"""Benchmarks of memory over time: supersession, proposals, and a season of nights."""
