"""Defines views over the tables: typed items of memory, and the owner's sessions. May import tables."""
