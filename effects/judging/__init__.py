"""Asks models whether facts are so, and how they relate, and reads what they told; completes lines from their messages.

May import engines, embedding, store, config, system.
"""
