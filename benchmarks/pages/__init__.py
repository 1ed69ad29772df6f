"""Benchmarks of pages: how they look in a browser."""
