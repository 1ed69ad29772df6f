"""Commands that run pipelines and keep the lake in order."""
