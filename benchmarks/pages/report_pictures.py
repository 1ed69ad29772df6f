"""Shows `report.html` in headless Chromium as a telephone, a desk and a dark desk show it, and measures what does not fit.

`python -m benchmarks.pages.report_pictures PAGE FOLDER` writes phone.png, desk.png and dark.png into FOLDER. Keys: `page` and
`views` (per view its width and height in CSS pixels, `overflow_px`: how far the page is wider than the screen, and `outside`:
the elements that stand over its edge). Returns 1 when something does not fit and 2 without Chromium.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from html import escape, unescape
from pathlib import Path

from benchmarks.arguments import make_parser

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--allow-file-access-from-files",
)  # fmt: skip
"""Options without which a browser asks its maker's hosts at every start; the last one lets the measuring page read the other."""
VIEWS = {"phone": (390, False), "desk": (1280, False), "dark": (1280, True)}
"""Name → width in CSS pixels, and whether the system is dark."""
TALLEST_PX = 12_000
TIMEOUT_S = 90
_MEASURE = """<!doctype html><meta charset="utf-8"><body style="margin:0">
<iframe id="page" src="{address}" style="border:0;width:{width}px;height:2000px"></iframe><pre id="found"></pre>
<script>onload = () => {{
  const inner = document.getElementById("page").contentDocument, root = inner.documentElement;
  const isOut = node => {{ const box = node.getBoundingClientRect();
    return !node.closest(".heard") && box.width > 0 && (box.right > {width} + 1 || box.left < -1); }};
  document.getElementById("found").textContent = JSON.stringify({{ height_px: root.scrollHeight,
    overflow_px: root.scrollWidth - {width}, headings: inner.querySelectorAll("h1, h2").length,
    outside: [...inner.querySelectorAll("body *")].filter(isOut)
      .map(node => node.tagName + " " + node.textContent.slice(0, 40)) }});
}}</script>"""
_FOUND = re.compile(r'(?s)<pre id="found">(.*?)</pre>')


@dataclass(frozen=True, slots=True)
class View:
    """How a page lies on a screen of a width: lengths in CSS pixels."""

    width_px: int
    height_px: int
    overflow_px: int
    headings: int
    outside: list[str]

    @property
    def fits(self) -> bool:
        """Whether nobody has to scroll sideways, and a page is there at all."""
        return self.overflow_px <= 0 and not self.outside and self.headings > 0


def find_browser() -> str | None:
    """Return the path of Chromium or Chrome, None when there is none."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def measure_view(browser: str, page: Path, width: int) -> View:
    """Load a page in a frame of a width and return how it fits.

    Raises:
        RuntimeError: when the browser gives no measure.
    """
    with tempfile.TemporaryDirectory() as folder:
        frame = Path(folder) / "measure.html"
        frame.write_text(_MEASURE.format(address=escape(page.resolve().as_uri()), width=width), encoding="utf-8")
        dom = _run(browser, folder, "--virtual-time-budget=5000", "--window-size=1600,2200", "--dump-dom", frame.as_uri())
    found = _FOUND.search(dom)
    if not found or not found[1].strip():
        raise RuntimeError(f"{browser} did not measure {page}: {dom[-300:]}")
    return View(width, **json.loads(unescape(found[1])))


def take_picture(browser: str, page: Path, view: View, picture: Path, *, is_dark: bool = False) -> None:
    """Write a PNG of the whole page as wide as a view."""
    size = f"--window-size={view.width_px},{min(view.height_px, TALLEST_PX)}"
    # A window narrower than 500 px is not given; a frame of the width in a wider one is cut to it.
    with tempfile.TemporaryDirectory() as folder:
        address = page.resolve().as_uri()
        style = f"border:0;width:{view.width_px}px;height:{view.height_px}px"
        frame = Path(folder) / "frame.html"
        frame.write_text(f'<!doctype html><body style="margin:0"><iframe src="{escape(address)}" style="{style}"></iframe>')
        dark = ("--blink-settings=preferredColorScheme=0",) if is_dark else ()
        _run(browser, folder, size, *dark, "--virtual-time-budget=5000", f"--screenshot={picture}", frame.as_uri())


def _run(browser: str, profile: str, *arguments: str) -> str:
    command = [browser, *QUIET, f"--user-data-dir={profile}/profile", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=True).stdout


def main(arguments: list[str] | None = None) -> int:
    """Write the pictures and print the measures."""
    parser = make_parser(__doc__)
    parser.add_argument("page", type=Path, help="a report.html")
    parser.add_argument("folder", type=Path, help="folder of the pictures")
    options: argparse.Namespace = parser.parse_args(arguments)
    browser = find_browser()
    if not browser:
        print(f"none of {', '.join(BROWSERS)} is on the PATH", file=sys.stderr)
        return 2
    options.folder.mkdir(parents=True, exist_ok=True)
    views = {}
    for name, (width, is_dark) in VIEWS.items():
        views[name] = measure_view(browser, options.page, width)
        take_picture(browser, options.page, views[name], (options.folder / f"{name}.png").resolve(), is_dark=is_dark)
    print(json.dumps({"page": str(options.page), "views": {name: asdict(view) for name, view in views.items()}}))
    return 0 if all(view.fits for view in views.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
