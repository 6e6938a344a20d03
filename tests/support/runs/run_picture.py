"""Draws the README's picture from a real run on the example shop: `python -m …run_picture docs/run.svg`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.syntax import Syntax
from rich.text import Text

from testwright.cli.console import Console
from testwright.cli.run_progress import first_test
from testwright.tests.support.projects.files import ROOT, copy_of_shop

REQUEST = "unit tests for cart and pricing"
_WIDTH = 104


def picture(into: Path) -> None:
    """Run the command on a copy of the shop and write what it prints, with one of the tests it adds, as an SVG."""
    with tempfile.TemporaryDirectory() as folder:
        shop = copy_of_shop(Path(folder) / "shop")
        environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(_WIDTH)}
        ran = subprocess.run(
            [sys.executable, str(ROOT / "main.py"), "run", REQUEST, "--run-id", "demo"],
            cwd=shop,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=True,
        )
        # The folder is this machine's; where the run was started, the path is relative to it.
        printed = ran.stdout.replace(f"{shop.resolve()}/", "").replace(f"{shop}/", "")
        code = first_test(shop / "tests/generated/shop/test_shop_pricing.py")
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=_WIDTH, file=nowhere, force_terminal=True, color_system="truecolor")
        console.print(Text(f'$ testwright run "{REQUEST}"', style="bold"))
        console.print(Text("\n# the first of the tests that it adds to pricing", style="dim"))
        console.print(Syntax(code, "python", background_color="default"))
        console.print()
        console.print(Text.from_ansi(printed.rstrip()))
        svg = console.export_svg(title="testwright", unique_id="run")
    # A picture must not fetch fonts from a server: the reader's own monospace font does.
    svg = re.sub(r"@font-face \{[^}]*\}\s*|<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    into.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    picture(Path(sys.argv[1]))
