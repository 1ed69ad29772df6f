"""Pipelines as data, their runner, and the Prefect flows that run them. Only this layer imports Prefect."""
