"""Jinja2 templates of `prompts/`, compiled once. Page filters: `inline` for text inside a Markdown line."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined

_SPACE = re.compile(r"\s+")


def render_template(name: str, **values: object) -> str:
    """Return the template `prompts/<name>`, rendered with these values; a value that the template needs and lacks is an error."""
    return _environment().get_template(name).render(**values)


def template_source(name: str) -> str:
    """Return the text of `prompts/<name>`, for hashing."""
    return files("prompts").joinpath(name).read_text(encoding="utf-8")


def inline(text: str | None) -> str:
    """Return text that stays within one Markdown line and cannot open or close one of our marks."""
    return _SPACE.sub(" ", text or "").replace("<!--", "‹!--").replace("-->", "--›").strip()


def emphasised(text: str | None) -> str:
    """Return one line in italics; asterisks inside are escaped."""
    cleaned = inline(text).replace("*", r"\*")
    return f"*{cleaned}*" if cleaned else ""


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(template_source),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Markdown, not HTML; `inline` guards our marks
    )
    environment.filters |= {"inline": inline, "emphasised": emphasised}
    return environment
