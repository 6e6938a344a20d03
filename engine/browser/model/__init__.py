"""Plain data of an exploration: what a page shows and asks for, and how it was come to."""
