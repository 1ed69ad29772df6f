"""Prices of models, budgets of requests, and the choice of an engine for a machine. May import tables."""
