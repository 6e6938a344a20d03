"""Speaks GitHub's REST API: reads repositories without a checkout, and makes pull requests."""
