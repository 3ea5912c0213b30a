"""The rating page, blind by construction: no engine, pool or database is imported here.

Ballots come as `study.rating_types` from the `RatingService` of `pages.ui.kit.wiring`.
"""
