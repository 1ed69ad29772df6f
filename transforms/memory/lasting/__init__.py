"""Tells which words are lines for good: what would still be true next month, and the rule in a spoken sentence.

May import classify, exchanges, language, patterns, quoting, and the modules of its parent that find claims.
"""
