"""Commands that set recollect up on this machine and check it."""
