"""Writes and draws the data dictionary from the definitions of the tables. May import tables."""
