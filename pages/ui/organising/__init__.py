"""The organiser's pages: the login, the steps of a draft, the live list, exports and the report."""
