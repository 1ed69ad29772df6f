"""Selects the rows of raw JSON in which a secret may stand, one search for each kind of evidence."""
