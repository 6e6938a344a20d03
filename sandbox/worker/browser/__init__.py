"""Drives a real Chromium inside the sandbox, with the Playwright of the target's environment.

`play` starts the application and plays scenarios; `page` says what a person sees; `controls` what a page asks for.
"""
