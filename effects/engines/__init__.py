"""Sends requests to models: budget, cache, retries, circuit breaker. May import store, config, system."""
