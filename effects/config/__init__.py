"""Settings: where they come from and what they mean. May import system."""
