"""One question at a time about a formula that loses digits, a module a question."""
