"""Explores one module from first trial to confirmed findings."""
