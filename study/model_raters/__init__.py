"""Language models asked the question that people are asked, over an OpenAI-compatible endpoint.

A model is no rater: its answers are in tables of their own and in none of the statistics of people
(docs/adr/0023-model-raters.md).
"""
