"""Reads a page of proposals back: what its owner ticked, wrote and noted."""
