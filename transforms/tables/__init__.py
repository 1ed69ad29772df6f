"""Defines the tables of the lake: columns, row types, ids and periods. Imports nothing of the project."""
