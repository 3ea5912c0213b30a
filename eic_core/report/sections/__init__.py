"""The sections of a report, each a function from findings to HTML."""
