"""Photograph the page Stability gap."""

from __future__ import annotations

from playwright.sync_api import FilePayload, Page

from tests.e2e.browser import PATIENCE, running_server
from tools.screenshots.album import Act, Album, State

POOL = "dataset,method,formula\n" + "\n".join(
    f"{law},{method},{formula}"
    for method, more in (("Plain", ""), ("Padded", " + 1000*{x} - 1000*{x}"))
    for law, formula, x in (
        ("feynman_I_12_1", "x0*x1", "x0"),
        ("feynman_I_34_27", "0.15915494*x0*x1", "x1"),
        ("feynman_III_15_14", "0.012665148*x0**2/(x1*x2**2)", "x2"),
        ("strogatz_vdp2", "-0.1*x0", "x0"),
        ("feynman_I_25_13", "x0/x1", "x0"),
    )
    for formula in [formula + more.format(x=x)]
)
"""What two methods could have found: the second adds and takes away what cancels."""

FOREIGN = "dataset,method,formula\niris,GP,x0+1\n"


def _still(page: Page) -> None:
    """Wait until the page is there and no script is running."""
    page.locator(".st-key-gap-violins").wait_for(timeout=PATIENCE)
    page.wait_for_timeout(400)
    page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for(
        timeout=PATIENCE
    )


def _bring(text: str, ready: str) -> Act:
    def act(page: Page) -> None:
        file: FilePayload = {"name": "pool.csv", "mimeType": "text/csv", "buffer": text.encode()}
        page.locator("[class*=st-key-gap-file] input").set_input_files(file)
        page.locator(ready).first.wait_for(timeout=PATIENCE)

    return act


def _picked(page: Page) -> None:
    page.locator(".st-key-gap-violins .scatterlayer .point").nth(30).click(force=True)
    page.locator(".st-key-gap-picked").wait_for(timeout=PATIENCE)


STATES = {
    "default": State(),
    "quantile": State("?by=q90&rows=10000"),
    "picked": State("", _picked),
    "pool": State("", _bring(POOL, ".st-key-gap-drop")),
    "foreign-pool": State("", _bring(FOREIGN, ".eic-error")),
}


def photograph(pictures: Album) -> None:
    """Take all that are asked for."""
    with running_server() as address:
        pictures.take(f"{address}/gap", STATES, _still, "gap-")
