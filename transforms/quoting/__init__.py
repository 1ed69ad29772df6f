"""Quotes what was said: stretches that end with a sentence or a clause, each behind the name of its speaker.

May import language, tables.
"""
