"""Worlds, faults and invariants of `chaos.py`."""
