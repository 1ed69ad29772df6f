"""Benchmarks of distilling: the facts kept of a session, and their truth."""
