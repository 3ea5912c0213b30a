"""Help: the documentation's pages, as their Markdown has them."""

from __future__ import annotations

import base64
import mimetypes
import posixpath
import re
from functools import lru_cache
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
FIRST = "index"
"""The page that links to the others."""

# Streamlit opens each link in a tab of its own.
HELP_SCRIPT = """<script>
if (!window.eicStaysInTab) {
  window.eicStaysInTab = true;
  document.addEventListener("click", event => {
    const link = event.target.closest('.st-key-help a[href^="/help"]');
    if (link) link.target = "_self";
  }, true);
}
</script>"""

_ENTRY = re.compile(r"^ +- (?:([^:\n]+): )?([\w/-]+)\.md$", re.MULTILINE)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")


@lru_cache(maxsize=1)
def help_pages() -> dict[str, str]:
    """The pages that lie in docs/, in the site's order, with their titles."""
    entries = _ENTRY.findall((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    return {
        name: title or _heading(name) for name, title in ((n, t) for t, n in entries if _has(n))
    }


def _has(name: str) -> bool:
    return (DOCS / f"{name}.md").is_file()


def _heading(name: str) -> str:
    first, *_ = (DOCS / f"{name}.md").read_text(encoding="utf-8").splitlines()
    return first.lstrip("# ")


@lru_cache(maxsize=64)
def help_text(name: str) -> str:
    """A page's Markdown: links lead to pages of the app, pictures are in it; a link to what the app
    does not show is its words alone.

    >>> "(/help?page=glossary)" in help_text("index")
    True
    """

    def linked(match: re.Match[str]) -> str:
        picture, words, target, part = match.groups("")
        if "://" in target or not target:
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
        if picture:
            kind, _ = mimetypes.guess_type(path)
            data = base64.b64encode((DOCS / path).read_bytes()).decode()
            return f"![{words}](data:{kind};base64,{data})"
        other = path.removesuffix(".md")
        return f"[{words}](/help?page={other}{part})" if other in help_pages() else words

    return _LINK.sub(linked, (DOCS / f"{name}.md").read_text(encoding="utf-8"))


def help_page() -> None:
    pages = help_pages()
    name = st.query_params.get("page", FIRST)
    with st.container(key="help"):
        if name not in pages:
            st.html('<p class="eic-note">There is no such page; this is the first one.</p>')
            name = FIRST
        chosen = st.selectbox(
            "Page", list(pages), index=list(pages).index(name), format_func=pages.__getitem__
        )
        if chosen != name:
            st.query_params["page"] = chosen
            st.rerun()
        st.html(HELP_SCRIPT, unsafe_allow_javascript=True)
        st.markdown(help_text(name))
