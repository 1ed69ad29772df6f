"""Splits a conversation into exchanges: a typed message and the actions, claims and values that answer it.

May import conversation, classify, language, tables.
"""
