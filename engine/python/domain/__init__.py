"""Infers the domain of each parameter, gives natural values of it, and judges which values are outside or degenerate.

The plain data is in `model/domain.py`; start reading at `inference.py`.
"""
