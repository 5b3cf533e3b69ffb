"""A page as one HTML file that needs nothing else: the picture is drawn into it, and walks can be stepped through."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence

import graphviz
from markupsafe import Markup

from podproof.checker.core.printer import visible
from podproof.checker.core.system import NothingToShow
from podproof.reports.document import (
    Block,
    Bullets,
    Diagram,
    Fold,
    LifePicture,
    Page,
    Paragraph,
    Table,
    Verbatim,
    spans,
)
from podproof.reports.layout import wrap, wrap_names
from podproof.reports.page.build import SideBySide, link_of, review_page
from podproof.reports.pictures.canvas import INK, POINTS, WRONG, plain_text, roomy_label, text_width
from podproof.reports.pictures.drawing import BOLD, FONT, draw, draw_inline, slim
from podproof.reports.pictures.life import PHASES as NAMES
from podproof.reports.pictures.life_picture import FILLS, PAGE, life_dot
from podproof.reports.pictures.phases import ORDER, Arrow, Phases

_ADDED = "#1a7f37"
_LOOK = {
    "both": {"color": INK},
    "removed": {"color": WRONG, "style": "dashed", "fontcolor": WRONG, "class": "removed"},
    "added": {"color": _ADDED, "penwidth": "2.5", "fontcolor": _ADDED, "class": "added"},
}
_NODE_LETTERS, _EDGE_LETTERS, _CAPTION_LETTERS = 34, 18, 60
_JOINTS = r"(?<=[a-z])(?=[A-Z])|(?=\()"
"""Between the words of a Go name, and before what it is called with."""
_SIGNS = {"both": "", "removed": "- ", "added": "+ "}
Links = Mapping[str, str]
"""For a name that stands as code in a text, the fragment of the walk that is about it."""


def html_page(page: Page, walks: Sequence[SideBySide] = (), sources: Mapping[str, str] | None = None) -> str:
    """The page, ending with a newline; a name that walks are about leads to the first of them.

    Raises CheckerError where the picture cannot be drawn.
    """
    links = {walk.name: link_of(walk, walks) for walk in reversed(walks)}
    summary = [Markup(_inline(text, links)) for text in page.summary]
    sections = [
        (section.title, Markup("\n".join(line for block in section.blocks for line in _block(block, links))))
        for section in page.sections
    ]
    return review_page(page, walks, sources or {}, summary, sections) + "\n"


def picture_svg(page: Page) -> str:
    """The page's picture alone. Raises NothingToShow where it has none."""
    for section in page.sections:
        for block in section.blocks:
            if isinstance(block, Diagram):
                return _element(draw(diagram_dot(block, block.caption), "svg"))
            if isinstance(block, LifePicture):
                return _element(draw(life_dot(block.life), "svg"))
    raise NothingToShow("-o svg: nothing differs that a picture could show; -o text says why")


def _element(svg: bytes) -> str:
    """The drawing without what stands before it in a file."""
    text = svg.decode()
    return text[text.index("<svg") :]


def _block(block: Block, links: Links) -> Iterator[str]:
    match block:
        case Paragraph():
            text = _inline(block.text, links)
            yield f"<p><small>{text}</small></p>" if block.is_small else f"<p>{text}</p>"
        case Bullets():
            yield "<ul>" + "".join(f"<li>{_inline(item, links)}</li>" for item in block.items) + "</ul>"
        case Table():
            head = "".join(f"<th>{_inline(cell, links)}</th>" for cell in block.head)
            yield '<div class="scrolls" role="region" aria-label="Table" tabindex="0">'
            yield f'<table class="told"><tr>{head}</tr>'
            for row in block.rows:
                yield "<tr>" + "".join(f"<td>{_inline(cell, links)}</td>" for cell in row) + "</tr>"
            yield "</table></div>"
        case Verbatim():
            text = "\n".join(map(_escape, block.lines))
            yield f'<pre tabindex="0" aria-label="As text">{text}</pre>'
        case Diagram():
            caption = _inline(block.caption, links)
            drawing = _element(draw_inline(diagram_dot(block)))
            yield f'<figure class="life scrolls" tabindex="0">{drawing}<figcaption>{caption}</figcaption></figure>'
        case LifePicture():
            drawing = _element(slim(draw_inline(life_dot(block.life))))
            yield f'<figure class="life scrolls" tabindex="0">{drawing}</figure>'
        case Fold():
            yield f"<details><summary>{_inline(block.title, {})}</summary>"
            for part in block.blocks:
                yield from _block(part, links)
            yield "</details>"


def _inline(text: str, links: Links) -> str:
    return "".join(_code(part, links) if is_code else _escape(part) for is_code, part in spans(text))


def _code(name: str, links: Links) -> str:
    text = f"<code>{_escape(name).replace('_', '_<wbr>')}</code>"
    return f'<a href="{_escape(links[name])}">{text}</a>' if name in links else text


def _escape(text: str) -> str:
    return html.escape(visible(text))


def phases_of(diagram: Diagram, caption: str = "") -> Phases | None:
    """The picture of the phases; None where the states are no phases."""
    names = {node.name: node.lines[0] for node in diagram.nodes if node.lines[0] in ORDER and len(node.lines) == 1}
    if not names or len(names) < len(diagram.nodes):
        return None
    ends = dict.fromkeys((names[edge.source], names[edge.target]) for edge in diagram.edges)
    arrows = [
        Arrow(
            *pair,
            [(line, e.mark) for e in diagram.edges if (names[e.source], names[e.target]) == pair for line in e.lines],
        )
        for pair in ends
    ]
    title, _, told = caption.partition(". ")
    start = next((names[node.name] for node in diagram.nodes if node.is_start), next(iter(names.values())))
    return Phases(title, [told], start, arrows)


def diagram_dot(diagram: Diagram, caption: str = "") -> str:
    """The picture as DOT source, with a caption where nothing else says it."""
    if (phases := phases_of(diagram, caption)) is not None:
        return phases.dot()
    graph = graphviz.Digraph(
        "change",
        graph_attr={"rankdir": "TB", "bgcolor": "white", "pad": "0.2", "nodesep": "0.12", "ranksep": "0.35"},
        node_attr={"shape": "box", "fontname": BOLD, "fontsize": "11", "fontcolor": INK, "margin": "0.1,0.08"},
        edge_attr={"fontname": FONT, "fontsize": "11", "fontcolor": INK, "arrowsize": "0.7"},
    )
    if caption:
        label = roomy_label(wrap(caption, _CAPTION_LETTERS))
        graph.attr(label=label, labelloc="t", labeljust="l", fontname=FONT, fontsize="11", fontcolor=INK)
    for node in diagram.nodes:
        look = dict(_LOOK[node.mark])
        look["style"] = ",".join(["rounded,filled", *([look["style"]] if "style" in look else [])])
        look["fillcolor"] = FILLS.get(NAMES.get(ORDER.get(node.lines[0], ""), ""), PAGE)
        lines = [part for line in node.lines for part in wrap(line, _NODE_LETTERS, subsequent_indent="  ") or [""]]
        lines[0] = _SIGNS[node.mark] + lines[0]
        # A page draws the letters of its own font, which may be wider.
        width = f"{max(text_width(line, 11, bold=True) for line in lines) / POINTS + 0.13:.2f}"
        graph.node(node.name, label="\\n".join(map(plain_text, lines)), width=width, **look)
    for edge in diagram.edges:
        lines = [part for line in edge.lines for part in wrap_names(line, _EDGE_LETTERS, _JOINTS) or [""]]
        lines[0] = _SIGNS[edge.mark] + lines[0]
        graph.edge(edge.source, edge.target, label=roomy_label(lines), **_LOOK[edge.mark])
    return str(graph.source)
