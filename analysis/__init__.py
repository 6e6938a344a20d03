"""Reads projects, documents and test code. Knows no protocol and asks no model."""
