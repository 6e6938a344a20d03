"""Generates unit tests of JavaScript and TypeScript modules without a model.

A module is read (`facts`), its functions get inputs within their domains (`values`, `trials`), these are called in
Node inside the sandbox (`observe`), and those that show something become cases (`selection`, `compose`) and a test file
for Jest (`render`).
"""
