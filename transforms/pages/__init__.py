"""Reads and writes the Markdown pages as values and keeps every byte of the owner. May import tables."""
