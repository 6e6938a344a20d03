"""The evidence loop: search, hypotheses, judge, and again, until the judge approves or a limit ends it.

A report follows, however it ended. It runs inside `retrieve_context`, for any test type. `decision.py` says whether a
target gets one.
"""
