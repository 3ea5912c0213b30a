"""Language models asked the question that people are asked, over an OpenAI-compatible endpoint."""
