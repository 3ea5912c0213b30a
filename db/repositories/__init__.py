"""Repositories: rows to domain types and back. None of them commits."""
