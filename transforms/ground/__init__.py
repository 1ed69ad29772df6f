"""Finds the paths, commands, flags, symbols and commits that a line names, and describes their state. May import tables."""
