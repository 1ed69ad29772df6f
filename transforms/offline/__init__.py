"""Extracts cited facts from a window without a model: the offline engine.

May import attribution, distil, exchanges, conversation, classify, language, tables.
"""
