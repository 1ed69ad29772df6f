"""Finds session files and writes their entries into the lake. May import store, config, system."""
