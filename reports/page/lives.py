"""The picture of a trace on a page: its rows are buttons that lead to their steps, its colours those of the theme."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from podproof.reports.pictures.drawing import DARK, LETTERS, draw_inline, slim
from podproof.reports.pictures.life import Life
from podproof.reports.pictures.life_picture import life_dot

SVG = "http://www.w3.org/2000/svg"


def life_svg(life: Life) -> str:
    """The picture as an SVG element; rows are marked with `data-first` and `data-last`, the start with 0."""
    root = ElementTree.fromstring(slim(draw_inline(life_dot(life, has_buttons=True))))
    ElementTree.register_namespace("", SVG)
    root.attrib["role"] = "group"  # an image would hide its buttons
    for group in root.iter(f"{{{SVG}}}g"):
        if (row := re.fullmatch(r"row(\d+)-(\d+)", group.get("id", ""))) is not None:
            del group.attrib["id"]
            group.attrib |= {"data-first": row[1], "data-last": row[2]}
    return str(ElementTree.tostring(root, encoding="unicode"))


def style() -> str:
    """Rules for the colours of pictures in the page's theme; a browser that lacks `light-dark` shows the light ones."""
    own = {"white": "var(--paper)", "black": "var(--ink)"}
    rules = "".join(
        f'.life [{kind}="{light}"] {{ {kind}: {own.get(light, f"light-dark({light}, {dark})")}; }}\n'
        for light, dark in DARK.items()
        for kind in ("fill", "stroke")
    )
    return f".life text {{ font-family: {LETTERS}; }}\n{rules}"
