"""Benchmarks of speed and size, over corpora and lakes of any size."""
