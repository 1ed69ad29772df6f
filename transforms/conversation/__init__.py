"""Views a session's entries as a conversation: who wrote which words, and pi's serialization of them.

May import language, tables.
"""
