"""Judges values without a name near them: a learned model of form, place and words around."""
