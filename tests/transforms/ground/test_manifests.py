"""Manifests are read by their structure: what else stands in quotes there is no package."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.ground.manifests import list_dependencies

PYPROJECT = """
[build-system]
requires = ["hatchling"]
[project]
name = "kiosk"
dependencies = ["asyncpg", "httpx>=1"]
keywords = ["receipts"]
[project.optional-dependencies]
print = ["escpos[usb]"]
[dependency-groups]
dev = ["pytest", {include-group = "docs"}]
[tool.ruff]
select = ["ANN"]
[tool.uv]
dev-dependencies = ["mypy"]
"""
POETRY = """
[tool.poetry.dependencies]
python = "^3.12"
django = {version = "*"}
[tool.poetry.group.dev.dependencies]
black = "^24"
[tool.pdm.dev-dependencies]
lint = ["flake8"]
"""
CARGO = """
[package]
name = "core"
[dependencies]
serde = "1"
[target.'cfg(unix)'.dependencies]
nix = { version = "0.29" }
[workspace.dependencies]
tokio = "1"
"""


@each_case(
    ("file", "text", "packages"),
    [
        ("pyproject.toml", PYPROJECT, ["asyncpg", "escpos", "hatchling", "httpx", "mypy", "pytest"]),
        ("api/pyproject.toml", POETRY, ["black", "django", "flake8"]),
        ("Cargo.toml", CARGO, ["nix", "serde", "tokio"]),
        ("web/package.json", '{"name":"web","scripts":{"lint":"y"},"dependencies":{"preact":"1"},"devDependencies":{"vite":"5"}}',
         ["preact", "vite"]),
        ("go.mod", "module x\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.1\n)\n", ["gin", "github.com/gin-gonic/gin"]),
        ("requirements.txt", "flask==3\n# a remark\n", ["flask"]),
        ("pyproject.toml", "dependencies = [\n<<<<<<< ours\n 'polars>=1',\n", ["polars"]),
        ("web/package.json", "[]", []),
        ("pyproject.toml", "project = 1", []),
    ],
)  # fmt: skip
def test_the_tables_of_a_manifest_name_its_packages(file: str, text: str, packages: list[str]) -> None:
    """Of one that nobody can read its rows tell."""
    assert sorted(list_dependencies(file, text)) == packages
