"""Decides what tests are scripts for, Jest or Playwright Test, and where a project's own runner finds them."""
