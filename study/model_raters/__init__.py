"""Language models asked the question that people are asked, over an OpenAI-compatible endpoint.

=============  ==================================================================
``plan``        what a study declares before it is frozen: models, prompt, contrast
``prompt``      the frozen, hashed template, and a pair's two messages
``answers``     what an answer says: first, second, tie, refused or unparsable
``endpoint``    one call over HTTP, by the `openai` client
``asking``      many calls at once: retries, a budget of tokens, an end that loses nothing
``service``     a study's runs: begun, gone on with, counted
=============  ==================================================================

A model is no rater: its answers are in tables of their own and in none of the statistics of
people (docs/adr/0023-model-raters.md).
"""
