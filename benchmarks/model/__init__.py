"""Benchmarks of model engines: their checks, and their answers to recorded requests."""
