"""Reads what commands changed outside of the working tree (merges, closed issues, tags, deployments), and tells it in rows."""
