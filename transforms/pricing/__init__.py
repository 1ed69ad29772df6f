"""Prices of models, budgets of requests, and the choice of an engine from what a machine has. May import tables."""
