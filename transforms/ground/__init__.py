"""Finds the paths, commands, flags, symbols and commits that a line names, and words their fate. May import tables."""
