"""Trains the classifiers of `transforms.classify` on labelled turns, and measures them on owners who took no part."""
