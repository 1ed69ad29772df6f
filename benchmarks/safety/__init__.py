"""Benchmarks of safety: kills and errors of the disk, and secrets that stay."""
