"""Scripts for the target's interpreter: standard library only, Python 3.9 and newer, never importing testwright."""
