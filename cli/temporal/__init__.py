"""Commands for runs on Temporal."""
