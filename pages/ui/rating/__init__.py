"""The rating page's parts.

Blind by construction: nothing here imports the engine, the pool or the database; what a ballot
holds comes from `study.ballot_types` alone, and `pages.ui.wiring` hands over a `RatingService`.
"""
