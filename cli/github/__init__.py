"""The GitHub Action: reads its inputs and event, runs testwright, writes outputs, summary, annotations and verdict.

With it the command for pull requests, which a step of the Action makes as well.

`prepare.py` is executed before testwright is installed and must import the standard library only.
"""
