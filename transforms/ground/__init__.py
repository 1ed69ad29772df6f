"""Finds the paths, commands, flags, symbols, commits and packages that a line names, their state, and what work took out.

May import conversation, pages, language, tables.
"""
