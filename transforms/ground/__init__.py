"""Finds the paths, commands, flags, symbols and commits that a line names, and words what became of them. May import tables."""
