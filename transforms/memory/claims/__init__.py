"""Makes lines of what was said: without its occasion, its address and its curses."""
