"""The planning graph's nodes, one file each."""
