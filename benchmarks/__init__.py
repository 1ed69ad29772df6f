"""Measures the product: quality on labelled sets, speed, and safety. Each script prints one JSON line."""
