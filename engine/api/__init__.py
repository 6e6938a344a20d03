"""API tests without a model: read the document, propose requests, observe answers, judge, compose, render (T-20)."""
