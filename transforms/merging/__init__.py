"""Merges observations that say the same, and retires those that newer ones replace.

May import memory, exchanges, language, tables.
"""
