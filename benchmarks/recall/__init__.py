"""Benchmarks of recall: is the evidence found, and does recall abstain where there is none?"""
