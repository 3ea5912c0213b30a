"""One question at a time about a formula that loses digits, each with a panel of its own."""
