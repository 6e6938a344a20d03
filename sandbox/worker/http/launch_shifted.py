"""Serves the application as api_serving.py does, with the clock moved ahead: `http.launch_shifted SECONDS CONFIG`.

Passwords are hashed at their lowest cost, see password_costs.py.
"""

import json
import sys

from ..suites.clock import move_clock
from . import api_serving, password_costs


def main():
    """Move the clock, then serve."""
    password_costs.install()
    seconds = int(sys.argv[1])
    if seconds:
        move_clock(seconds)
    api_serving.main(json.loads(sys.argv[2]))
