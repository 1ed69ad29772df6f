"""Defines the tables of the lake: columns, row types, ids, periods and the data dictionary. Imports nothing of the project."""
