"""Finds repeated failures and their cures. May import memory, distil, conversation, pages, tables."""
