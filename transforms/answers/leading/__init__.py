"""Tells which facts go before all other hits, whatever the order by words says: the latest event of a piece of work.

May import recall, language, tables, and the modules of its parent that order hits.
"""
