"""What the validation tools look for: quality rules of specs, and rules of test code."""
