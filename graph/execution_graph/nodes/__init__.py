"""The testing graph's nodes, one file each."""
