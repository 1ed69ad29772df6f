"""Facts about what commands changed outside of the working tree."""
