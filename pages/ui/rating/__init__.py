"""The rating page's parts.

Blind by construction: nothing here imports the engine, the pool or the database; what a ballot
holds comes from `study.rating_types` alone, and `pages.ui.kit.wiring` hands over a `RatingService`.
"""
