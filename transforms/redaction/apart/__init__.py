"""Finds secrets whose name stands apart from them: in another member, line or turn, or only the account before them."""
