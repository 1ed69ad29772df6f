"""Keeps MEMORY.md alike on machines that share a lake. May import store, config, system."""
