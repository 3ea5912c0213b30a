"""Nothing: the page of `empty.py`."""
