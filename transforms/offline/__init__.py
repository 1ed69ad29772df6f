"""Extracts cited facts from a window without a model: the offline engine.

May import attribution, changes, distil, exchanges, conversation, quoting, classify, language, tables.
"""
