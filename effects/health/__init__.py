"""Checks the installation: doctor's findings and the search for secrets. May import every other package of effects."""
