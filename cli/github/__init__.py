"""The GitHub Action: reads its inputs and event, runs testwright, writes outputs, summary, annotations and verdict.

`prepare.py` is executed before testwright is installed and must import the standard library only.
"""
