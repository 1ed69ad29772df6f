"""Computes the report: figures and pictures of memory, from the frames of the lake. May import tables."""
