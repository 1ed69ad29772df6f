"""Questions whose evidence is taken out of memory."""
