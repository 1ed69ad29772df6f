"""What readers found of titles of topics, and the weights that are fitted to it."""
