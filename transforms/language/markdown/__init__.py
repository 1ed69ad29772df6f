"""Reads Markdown: headings, paragraphs, items and tables, and the commands between them."""
