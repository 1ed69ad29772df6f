"""Finds the paths, commands, flags, symbols, commits and packages that a line names, what work took out, and describes their state.

May import conversation, pages, language, tables.
"""
