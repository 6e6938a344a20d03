"""Explores a site: starts it with a browser in the sandbox, visits its pages, fills in its forms, and finds flows."""
