"""Reads the settings, each with its origin. May import system."""
