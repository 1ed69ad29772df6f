"""Sends requests in a provider's batch, at half the price. May import engines, store, config, system."""
