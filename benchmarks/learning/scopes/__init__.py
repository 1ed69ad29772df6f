"""Labelled lines, of one project or of all, and the head that learns from them."""
