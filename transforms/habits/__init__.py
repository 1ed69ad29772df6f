"""Tells the commands by which a project is worked on: their rows, and which of them are the present habit.

May import language, tables, patterns.
"""
