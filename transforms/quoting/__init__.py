"""Quotes what was said: stretches that end with a sentence or a clause, behind the name of their speaker, and what stands beside.

May import language, tables.
"""
