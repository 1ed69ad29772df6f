"""Benchmarks of distilling: what is kept of a session, and whether it is true."""
