"""Accounts and transfers as an HTTP service."""
