"""Learned linear classifiers of turns and rows: features of a text, probabilities from stored weights.

May import tables.
"""
