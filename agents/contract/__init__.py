"""What every agent has in common: requests and responses, lifecycle and retries, contracts, and the handoff.

Main modules: `protocol`, `lifecycle`, `contracts`, `handoff`, `sanitizer`. It must not import other agent packages.
"""
