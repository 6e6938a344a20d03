"""Runs JavaScript: finds Node, keeps what comes from npm in the user's cache folder, and starts Jest in the sandbox.

It knows programs and files only, no tests of ours. The scripts that run in Node are in `sandbox/worker/javascript/`.
"""
