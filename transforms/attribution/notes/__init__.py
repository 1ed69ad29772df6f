"""Tells what a client wrote in the place of an answer from what was said.

May import conversation, tables.
"""
