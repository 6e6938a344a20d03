"""The one way to call a tool, built-in or external."""
