"""Tells weeks, months and years in sentences.

May import condensing, memory, pages, language, calendars, tables.
"""
