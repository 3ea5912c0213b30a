"""The first minute: the empty page, files dropped on any page, and the inputs before this one."""

from __future__ import annotations

import base64
from functools import lru_cache

import streamlit as st

from eic_core.drawing.svg import tree_svg
from eic_core.samples import DEFAULT_SAMPLES
from pages.ui.inspector.data_input import show_upload_error, table_uploader
from pages.ui.inspector.formula_input import (
    EXAMPLES,
    Example,
    example,
    example_button,
    example_state,
    show_input,
)
from pages.ui.kit.browser import is_dark
from pages.ui.kit.inspector_service import InspectorService
from pages.ui.kit.text import code_label, escape
from pages.ui.kit.visit import MAX_RECENT, Visit, change_state, request_of

PICTURED = 6
"""Examples with a picture, the first ones."""

QUESTION = (
    "<p><b>Where does a formula lose its digits?</b> Paste one, or try one of these: the number on "
    "a step tells by how many digits errors grow.</p>"
)
"""What the page is for, and what stands on a node."""

_ROWS = 300
_WIDTH = 300.0

# A file that is dropped anywhere goes to the uploader that can be seen, else to the hidden one. The
# data's panel closes by a click beside it and by Escape. The formula's box has all its lines while
# it is written in: until a press has ended, so that nothing moves under it.
INPUT_SCRIPT = """<script>
if (!window.eicTakesInput) {
  window.eicTakesInput = true;
  const panel = () => document.querySelector(".st-key-data-floats details[open]");
  const lists = "[role=listbox], [data-baseweb=popover]";
  document.addEventListener("pointerdown", event => {
    const beside = matchMedia("(min-width: 900px)").matches && panel();
    if (beside && !beside.contains(event.target) && !event.target.closest(lists))
      beside.querySelector("summary").click();
  });
  document.addEventListener("keydown", event => {
    if (event.key !== "Escape" || !panel() || document.querySelector(lists)) return;
    const title = panel().querySelector("summary");
    title.click();
    title.focus();
  });
  const isFormula = field => field?.matches?.(".st-key-formula_text textarea");
  const written = () => setTimeout(() => {
    if (!isFormula(document.activeElement)) document.body.classList.remove("eic-writing");
  }, 100);
  document.addEventListener("focusin", event => {
    if (isFormula(event.target)) document.body.classList.add("eic-writing");
  });
  for (const end of ["pointerup", "keyup"]) document.addEventListener(end, written);
  const mark = shown => document.body.classList.toggle("eic-dropping", shown);
  const fields = () => [...document.querySelectorAll(
    ".st-key-data input[type=file], .st-key-drop-table input[type=file]")];
  const inside = event => event.target.closest("[data-testid=stFileUploaderDropzone]");
  const files = event => [...(event.dataTransfer?.types ?? [])].includes("Files");
  document.addEventListener("dragover", event => {
    if (!files(event) || !fields().length) return;
    mark(true);
    if (!inside(event)) event.preventDefault();
  });
  document.addEventListener("dragleave", event => { if (!event.relatedTarget) mark(false); });
  document.addEventListener("drop", event => {
    mark(false);
    const field = fields().find(each => each.closest("section, div").offsetParent) ?? fields()[0];
    if (!files(event) || !field || inside(event)) return;
    event.preventDefault();
    const dropped = new DataTransfer();
    dropped.items.add(event.dataTransfer.files[0]);
    field.files = dropped.files;
    field.dispatchEvent(new Event("change", {bubbles: true}));
  });
}
</script>"""


def first_minute(visit: Visit) -> None:
    """On an empty page a place for a table and the examples; on each, what drops a file there."""
    empty = not visit.state.formula.strip() and visit.table is None
    st.html(INPUT_SCRIPT, unsafe_allow_javascript=True)
    with st.container(key="first-minute" if empty else "any-minute", gap="small"):
        if visit.upload_error is not None and (empty or visit.table is not None):
            show_upload_error(visit.upload_error)
        with st.container(key="drop-table"):
            table_uploader(visit, "Drop a CSV anywhere on the page, or choose it", "dropped")
        if empty:
            st.html(QUESTION)
            _gallery()


def _gallery() -> None:
    with st.container(key="pictured"):
        for each in EXAMPLES[:PICTURED]:
            with st.container(key=f"card-{each.key}", gap=None):
                st.html(
                    f'<img alt="" src="{example_picture(each.key, is_dark())}" '
                    f'title="{escape(each.formula, 100)}">'
                )
                example_button(each, "first")
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="more"):
        st.html('<span class="eic-overline">Four more</span>', width="content")
        for each in EXAMPLES[PICTURED:]:
            example_button(each, "more")


@lru_cache(maxsize=64)
def example_picture(key: str, dark: bool) -> str:
    """The tree of an example on a few of its rows, as the address of an image."""
    return _picture(example(key), dark)


def _picture(each: Example, dark: bool) -> str:
    request = request_of(example_state(each, samples=_ROWS))
    inspection = InspectorService(megabytes=1).inspect(request).inspection
    svg = tree_svg(inspection, dark=dark, width=_WIDTH, legend=False)
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def recent_inputs(visit: Visit) -> None:
    """The last inputs of this tab, one click away; nothing where there is none."""
    others = [state for state in visit.recent if state.formula != visit.state.formula]
    if not others:
        return
    with st.popover("", icon=":material/history:", key="recent", help="The last inputs"):
        for i, state in enumerate(others[:MAX_RECENT]):
            st.button(
                code_label(state.formula, 60),
                key=f"recent-{i}",
                type="tertiary",
                help=f"On {code_label(state.upload_name, 40)}" if state.upload else None,
                on_click=show_input,
                args=(state,),
            )


def samples_button(visit: Visit) -> None:
    """Offer the samples of today to a link that was made when there were fewer."""
    state = visit.state
    if not state.formula or state.upload or "samples" in st.query_params:
        return
    if state.samples < DEFAULT_SAMPLES:
        st.button(
            f"Draw {DEFAULT_SAMPLES:,} samples",
            key="more-samples",
            help=f"This link draws {state.samples:,} samples; a newly pasted formula gets more.",
            on_click=change_state,
            kwargs={"samples": DEFAULT_SAMPLES},
        )
