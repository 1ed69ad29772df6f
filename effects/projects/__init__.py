"""Joins the working directories of one repository to one project. May import store, config, system."""
