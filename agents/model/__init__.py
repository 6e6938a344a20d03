"""How agents ask a language model: one seam (`chat.py`), and behind it any OpenAI-compatible endpoint."""
