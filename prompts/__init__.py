"""Jinja2 templates: `llm/` for models, `pages/` for readers."""
