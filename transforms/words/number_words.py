"""English numerals from two to twelve, which texts spell more often than they write."""

from __future__ import annotations

SPELLED = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBER_OF = {"one": 1, **{word: number for number, word in enumerate(SPELLED, 2)}}
"""The numerals to twelve, and what each stands for."""
