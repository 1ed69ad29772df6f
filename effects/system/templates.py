"""Jinja2 templates of `prompts/`, compiled once. Page filters: `inline` inside a Markdown line, `code` inside a code span."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined

from transforms.pages.fact_marks import sign_mark
from transforms.pages.visible_text import format_code, format_inline, make_visible
from transforms.patterns.late_pattern import compile_late
from transforms.tables.ids import shorten_id

_CODE = compile_late(r"`([^`]+)`")


def render_template(name: str, **values: object) -> str:
    """Return the template `prompts/<name>`, rendered with these values; a value that the template needs and lacks is an error."""
    return _build_environment().get_template(name).render(**values)


def read_template_source(name: str) -> str:
    """Return the text of `prompts/<name>`, for hashing."""
    return files("prompts").joinpath(name).read_text(encoding="utf-8")


def emphasise(text: str | None) -> str:
    """Return one line in italics; asterisks inside are escaped."""
    cleaned = format_inline(text).replace("*", r"\*")
    return f"*{cleaned}*" if cleaned else ""


def _is_html(name: str | None) -> bool:
    return bool(name and name.endswith(".html.j2"))


def mark_code(text: str) -> str:
    """Return a text of one line as HTML, escaped: words between backticks are code."""
    return _CODE.sub(r"<code>\1</code>", escape(make_visible(text)))


@cache
def _build_environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(read_template_source),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=_is_html,  # all others are Markdown or prompts: `inline` and `code` escape for Markdown
    )
    environment.filters |= {
        "inline": format_inline,
        "code": format_code,
        "emphasised": emphasise,
        "visible": make_visible,
        "marked": mark_code,
        "short_id": shorten_id,
        "signed": sign_mark,
    }
    return environment
