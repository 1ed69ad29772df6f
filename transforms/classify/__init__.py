"""Learned linear classifiers of turns: features of a text, and probabilities from stored weights. Imports nothing of the project."""
