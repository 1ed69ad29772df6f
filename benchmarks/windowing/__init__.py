"""Benchmarks of topic segmentation, and the fit of its weights."""
