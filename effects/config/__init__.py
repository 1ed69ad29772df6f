"""Reads the settings and says where each value came from. May import system."""
