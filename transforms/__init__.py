"""Pure functions over frames, dataclasses and strings: no clock, no disk, no network, no randomness without a seed."""
