"""Reads and writes the Markdown pages as values, byte-preserving where people edit. Imports nothing of the project."""
