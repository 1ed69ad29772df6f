"""Joins the topics of a window, and names them by what was asked for, what was made of it, and how the agent closed it."""
