"""Chooses what a reflecting model is asked about."""
