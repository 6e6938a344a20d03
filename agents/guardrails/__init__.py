"""What code from a model may reach for: Python tests, Playwright tests, Maestro flows (issue 3, injection)."""
