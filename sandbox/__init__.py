"""The only place that runs code we did not write (DESIGN section 5)."""
