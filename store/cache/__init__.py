"""Answers of tools and finished runs, kept between runs."""
