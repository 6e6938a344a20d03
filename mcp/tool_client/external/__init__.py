"""Tool servers of others: how they are started, asked, and held to what they declare (T-12)."""
