"""Finds sessions again: kinds of queries, order of matches, the clients' commands to resume. May import tables."""
