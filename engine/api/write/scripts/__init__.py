"""Writes the tests of an API as scripts: for Jest, which sends requests with `fetch`, and for Playwright Test."""
