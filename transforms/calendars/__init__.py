"""Has the names of days and months; reads spans of days, days before today and periods in other languages than English.

Imports nothing of the project.
"""
