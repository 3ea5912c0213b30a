"""What the server does under many visitors: `python -m benchmarks.load`, a module a part."""
