"""Judges what stands behind a saying: the agent's reply, what came of it, and whether its words stand."""
