"""Finds the paths, commands, flags, symbols, commits and packages that a line names, and describes their state.

May import language, tables.
"""
