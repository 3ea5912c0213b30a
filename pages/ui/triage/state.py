"""The state of the page Compare: two formulas and the data, and its form in the URL.

Formula A is the inspector's formula, so that a state of one page is most of a state of the other.
The list itself is not in the URL: it lives with the tab.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from pages.ui.state import MAX_URL, PageState, Query, encoded_length


@dataclass(frozen=True, slots=True)
class CompareState(PageState):
    """What the page Compare shows, the list aside.

    Attributes
    ----------
    formula, syntax, base
        Of formula A; the data are those of `PageState`.
    other, other_syntax : str
        Formula B and its notation.
    other_base : int or None
        What the variables of B count from.
    list_base : int or None
        What the list's count from, if the user said so.

    Examples
    --------
    >>> state = CompareState("x+1", other="1+x", seed=3)
    >>> state.to_query()
    {'formula': ['x+1'], 'seed': ['3'], 'b': ['1+x']}
    >>> CompareState.from_query(state.to_query()) == state
    True
    """

    other: str = ""
    other_syntax: str = "auto"
    other_base: int | None = None
    list_base: int | None = None

    def to_query(self) -> dict[str, list[str]]:
        """The query parameters that restore this state; B is left out if it is too long."""
        query = PageState.to_query(self)
        if not self.formula:
            query.pop("formula", None)
        if self.other:
            more = {"b": [self.other]}
            if self.other_syntax != "auto":
                more["b_syntax"] = [self.other_syntax]
            if self.other_base is not None:
                more["b_base"] = [str(self.other_base)]
            if encoded_length(query | more) <= MAX_URL:
                query |= more
        if self.list_base is not None:
            query["list_base"] = [str(self.list_base)]
        return query

    @classmethod
    def from_query(cls, query: Query) -> CompareState:
        """Read query parameters; whatever is wrong with one is ignored."""
        shared = PageState.from_query(query)
        other = PageState.from_query(
            {
                "formula": query.get("b", ()),
                "syntax": query.get("b_syntax", ()),
                "base": query.get("b_base", ()),
            }
        )
        listed = PageState.from_query({"base": query.get("list_base", ())})
        return cls(
            **{field.name: getattr(shared, field.name) for field in fields(PageState)},
            other=other.formula,
            other_syntax=other.syntax,
            other_base=other.base,
            list_base=listed.base,
        )

    def inspecting(self) -> PageState:
        """The inspector's state for formula A on these data."""
        return PageState(**{field.name: getattr(self, field.name) for field in fields(PageState)})
