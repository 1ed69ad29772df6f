"""Ages observations: duplicates, supersession, tiers and proposals.

May import offline, distil, conversation, pages, language, tables.
"""
