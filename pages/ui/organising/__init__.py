"""The organiser's side: the login, the steps of a draft, the live list, exports and the report."""
