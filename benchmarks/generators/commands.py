"""Preparations that are not measured: programs that have to work, and say why when they do not."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence


class PreparationError(Exception):
    """Something that the benchmark needs could not be had; the message has the end of what the program printed."""


def prepared_by(command: Sequence[str]) -> None:
    """Run a program to its end. Raises PreparationError when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        told = (done.stderr.strip() or done.stdout.strip())[-2000:]
        raise PreparationError(f"{' '.join(command)}\nexit {done.returncode}\n{told}")
