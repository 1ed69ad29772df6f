"""Finds what keeps going wrong, and what cured it. May import memory, distil, conversation, pages, tables."""
