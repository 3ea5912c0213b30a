"""The organiser's side: the door, the steps of a draft, the live list, exports and the report."""
