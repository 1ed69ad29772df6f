"""Keeps tasks in the lake, with the observation that a closed one leaves. May import store, system."""
