"""The tool chain that checks scripts: parsers and linters from npm, and our scripts that use them."""

from __future__ import annotations

from pathlib import Path

from ...sandbox.javascript.npm_folder import InstalledFolder as ToolChain
from ...sandbox.javascript.npm_folder import NpmFolder

SOURCE = Path(__file__).with_name("chain")
COMPILED = "compiled-inside"
CHECKS = NpmFolder(SOURCE, "javascript", "the JavaScript checks", "check.mjs")

__all__ = ["CHECKS", "COMPILED", "SOURCE", "ToolChain"]
