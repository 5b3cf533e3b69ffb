"""The page as one HTML file that needs nothing else: the picture is drawn into it, and no script runs."""

from __future__ import annotations

import html
from collections.abc import Iterator

import graphviz

from podproof.checker.core.printer import visible
from podproof.checker.core.system import NothingToShow
from podproof.reports.document import (
    Block,
    Bullets,
    Diagram,
    Fold,
    Page,
    Paragraph,
    Table,
    Verbatim,
    spans,
)
from podproof.reports.pictures.canvas import FAINT, INK, WRONG, plain_text
from podproof.reports.pictures.drawing import BOLD, FONT, draw

_ADDED = "#1a7f37"
_LOOK = {
    "both": {"color": INK},
    "removed": {"color": WRONG, "style": "dashed", "fontcolor": WRONG},
    "added": {"color": _ADDED, "penwidth": "2.5", "fontcolor": _ADDED},
}
_SIGNS = {"both": "", "removed": "- ", "added": "+ "}
_STYLE = f"""
body {{ font: 15px/1.5 sans-serif; color: {INK}; max-width: 70em; margin: 2em auto; padding: 0 1em }}
table {{ border-collapse: collapse; margin: 1em 0; display: block; overflow-x: auto }}
td, th {{ border: 1px solid #c3ccd6; padding: .3em .6em; text-align: left; vertical-align: top }}
code, pre {{ font-family: monospace; font-size: 13px; background: #f4f6f8 }}
code {{ padding: 0 .2em }}
pre {{ padding: .8em; overflow-x: auto }}
summary {{ cursor: pointer; font-weight: bold }}
figure {{ margin: 1em 0; overflow-x: auto }}
figcaption, footer {{ color: {FAINT} }}
.verdict {{ font-weight: bold; font-size: 1.2em }}
"""


def html_page(page: Page) -> str:
    """The page, ending with a newline. Raises CheckerError where the picture cannot be drawn."""
    return "\n".join(_lines(page)) + "\n"


def picture_svg(page: Page) -> str:
    """The page's picture alone. Raises NothingToShow where it has none."""
    for section in page.sections:
        for block in section.blocks:
            if isinstance(block, Diagram):
                return _svg(block)
    raise NothingToShow("-o svg: nothing differs that a picture could show; -o text says why")


def _svg(diagram: Diagram) -> str:
    text = draw(diagram_dot(diagram), "svg").decode()
    return text[text.index("<svg") :]


def _lines(page: Page) -> Iterator[str]:
    title = _escape(page.title)
    yield "<!DOCTYPE html>"
    yield f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head><body>'
    yield f'<h1>{title}</h1>\n<p class="verdict">{page.verdict}</p>'
    yield "<ul>" + "".join(f"<li>{_inline(text)}</li>" for text in page.summary) + "</ul>"
    for section in page.sections:
        yield f"<h2>{_escape(section.title)}</h2>"
        for block in section.blocks:
            yield from _block(block)
    yield f"<footer>made by <code>{_escape(page.command)} -o html</code></footer>"
    yield "</body></html>"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield f"<p>{_inline(block.text)}</p>"
        case Bullets():
            yield "<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in block.items) + "</ul>"
        case Table():
            head = "".join(f"<th>{_inline(cell)}</th>" for cell in block.head)
            yield f"<table><tr>{head}</tr>"
            yield from ("<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>" for row in block.rows)
            yield "</table>"
        case Verbatim():
            text = "\n".join(map(_escape, block.lines))
            yield f"<pre>{text}</pre>"
        case Diagram():
            yield f"<figure>{_svg(block)}<figcaption>{_inline(block.caption)}</figcaption></figure>"
        case Fold():
            yield f"<details><summary>{_inline(block.title)}</summary>"
            for part in block.blocks:
                yield from _block(part)
            yield "</details>"


def _inline(text: str) -> str:
    return "".join(f"<code>{_escape(p)}</code>" if is_code else _escape(p) for is_code, p in spans(text))


def _escape(text: str) -> str:
    return html.escape(visible(text))


def diagram_dot(diagram: Diagram) -> str:
    """The picture as DOT source."""
    graph = graphviz.Digraph(
        "change",
        graph_attr={"rankdir": "TB", "bgcolor": "white", "pad": "0.2", "nodesep": "0.35"},
        node_attr={"shape": "box", "fontname": BOLD, "fontsize": "11", "fontcolor": INK, "margin": "0.2,0.1"},
        edge_attr={"fontname": FONT, "fontsize": "10", "fontcolor": INK, "arrowsize": "0.7"},
    )
    for node in diagram.nodes:
        look = dict(_LOOK[node.mark])
        look["style"] = ",".join(["rounded", *([look["style"]] if "style" in look else [])])
        label = "\\n".join(plain_text(_SIGNS[node.mark] * (i == 0) + line) for i, line in enumerate(node.lines))
        graph.node(node.name, label=label, **look)
    for edge in diagram.edges:
        label = "".join(f" {plain_text(_SIGNS[edge.mark] * (i == 0) + line)}  \\l" for i, line in enumerate(edge.lines))
        graph.edge(edge.source, edge.target, label=label, **_LOOK[edge.mark])
    return str(graph.source)
