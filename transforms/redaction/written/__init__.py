"""Finds secrets by the syntax in which they are written: where a value ends, and which arguments of a call sign in."""
