"""Runs in the target's interpreter: standard library only, Python 3.9 and newer, imports nothing of testwright.

`bootstrap.py` imports the modules of the subfolders under a private package name and runs one of them; `start.py`
starts any program with a given import path and, in the weak sandbox, under `guard.py`.
"""
