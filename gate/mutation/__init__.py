"""Mutation testing: small faults put into the code, and which tests notice them (B-01, B-11)."""
