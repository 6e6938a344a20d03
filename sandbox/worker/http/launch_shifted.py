"""Serves the application as api_serving.py does, with the clock moved ahead: `http.launch_shifted SECONDS CONFIG`."""

import json
import sys

from ..suites.clock import move_clock
from . import api_serving


def main():
    """Move the clock, then serve."""
    seconds = int(sys.argv[1])
    if seconds:
        move_clock(seconds)
    api_serving.main(json.loads(sys.argv[2]))
