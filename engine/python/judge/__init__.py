"""What an observation lets a test assert, and which findings deserve a test."""
