"""Learned linear classifiers of turns: features of a text, probabilities from stored weights. Imports nothing here."""
