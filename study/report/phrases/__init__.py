"""The sentences of a report, made last, from what the statistics found: a module a topic."""
