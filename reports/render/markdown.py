"""The page as Markdown for a pull request: one screen, details folded, a Mermaid picture, within GitHub's limit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from podproof.checker.core.printer import visible
from podproof.reports.document import (
    Block,
    Bullets,
    Diagram,
    Fold,
    LifePicture,
    Page,
    Paragraph,
    Section,
    Table,
    Verbatim,
    spans,
)
from podproof.reports.layout import number_of
from podproof.reports.pictures.life_mermaid import life_mermaid

MOST_LETTERS = 65_536 - 300
"""A comment on GitHub may have 65,536 characters, and the action ends it with a link to the artifact."""
_ISSUE = re.compile(r"(?<![\w-])[\w-]++/[\w-]++#\d+")
"""GitHub makes a link of it."""
_SPECIAL = re.compile(_ISSUE.pattern + r"|[\\`*_{}\[\]<>#|~$@&]|:(?=//)|(?<=www)\.")
"""What Markdown takes for syntax, and what makes a link of an address."""
_SIGNS = {"both": "", "removed": "- ", "added": "+ "}


def markdown_page(page: Page, most: int = MOST_LETTERS) -> str:
    """The page, ending with a newline. Where it would be too long, the longest details go first, and it says so."""
    text = _render(page)
    left_out = 0
    while len(text) >= most:
        shorter = _without_longest_fold(page)
        if shorter is None:
            note = "\n\n(cut off here: it was too long)\n"
            return text[: most - len(note) - 1] + note
        page, left_out = shorter, left_out + 1
        note = f"Left out, because this would be too long: {number_of(left_out, 'folded part')}."
        text = _render(page, note)
    return text


def _render(page: Page, note: str = "") -> str:
    summary = "\n".join(f"- {_inline(text)}" for text in page.summary)
    parts = [f"## {_escape(page.title)}", f"**{_escape(page.headline)}**", summary]
    for section in page.sections:
        parts.append(f"### {_escape(section.title)}")
        parts += [text for block in section.blocks for text in _block(block)]
    if note:
        parts.append(_inline(note))
    parts.append(f"<sub>{_inline(f'made by `{page.command} -o markdown`')}</sub>")
    return "\n\n".join(parts) + "\n"


def _without_longest_fold(page: Page) -> Page | None:
    """The page without the longest part that is folded; None where nothing is."""
    folds = [block for section in page.sections for block in section.blocks if isinstance(block, Fold)]
    if not folds:
        return None
    longest = max(folds, key=lambda fold: sum(map(len, _block(fold))))
    sections = [Section(s.title, [block for block in s.blocks if block is not longest]) for s in page.sections]
    return replace(page, sections=sections)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield f"<sub>{_inline(block.text)}</sub>" if block.is_small else _inline(block.text)
        case Bullets():
            yield "\n".join(f"- {_inline(item)}" for item in block.items)
        case Table():
            yield "\n".join(_table(block))
        case Verbatim():
            text = "\n".join(map(visible, block.lines))
            fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
            yield f"{fence}{block.language}\n{text}\n{fence}"
        case Diagram():
            yield f"```mermaid\n{mermaid(block)}```"
            yield _inline(block.caption)
        case LifePicture():
            yield f"```mermaid\n{life_mermaid(block.life)}```"
        case Fold():
            inner = "\n\n".join(text for part in block.blocks for text in _block(part))
            yield f"<details><summary>{_html(block.title)}</summary>\n\n{inner}\n\n</details>"


def _table(table: Table) -> Iterator[str]:
    yield "| " + " | ".join(_inline(cell, in_table=True) for cell in table.head) + " |"
    yield "|" + "|".join("---" for _ in table.head) + "|"
    for row in table.rows:
        yield "| " + " | ".join(_inline(cell, in_table=True) for cell in row) + " |"


def _inline(text: str, in_table: bool = False) -> str:
    """A text with its code spans; whatever else Markdown could take for syntax is escaped."""
    out = ""
    for is_code, part in spans(" ".join(visible(text).split())):
        if is_code:
            out += "`" + (part.replace("|", "\\|") if in_table else part) + "`"
        else:
            out += _escape(part)
    return out


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda found: found[0] if _ISSUE.fullmatch(found[0]) else f"\\{found[0]}", visible(text))


def _html(text: str) -> str:
    """A text inside an HTML tag, where Markdown's marks mean nothing."""
    out = ""
    for is_code, part in spans(visible(text)):
        safe = part.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        out += f"<code>{safe}</code>" if is_code else safe
    return out


def mermaid(diagram: Diagram) -> str:
    """The picture as a Mermaid state diagram; what only one version has is marked by a sign, a line and a colour."""
    out = ["stateDiagram-v2", *(f'    state "{_lines(node.lines)}" as {node.name}' for node in diagram.nodes)]
    out += [f"    [*] --> {node.name}" for node in diagram.nodes if node.is_start]
    for edge in diagram.edges:
        out.append(f"    {edge.source} --> {edge.target} : {_SIGNS[edge.mark]}{_lines(edge.lines)}")
    for mark, style in _STYLES.items():
        marked = [node.name for node in diagram.nodes if node.mark == mark]
        if marked:
            out += [f"    classDef {mark} {style}", f"    class {','.join(marked)} {mark}"]
    return "\n".join(out) + "\n"


_STYLES = {
    "removed": "stroke:#b42318,stroke-width:2px,stroke-dasharray:6 4",
    "added": "stroke:#1a7f37,stroke-width:4px",
}


def _lines(lines: Sequence[str]) -> str:
    return "<br/>".join(map(_mermaid, lines))


def _mermaid(text: str) -> str:
    """Any text inside a Mermaid label: what it could take for syntax as entity codes."""
    codes = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", ";": "#59;", ":": "#58;", "`": "#96;"}
    return "".join(codes.get(character, character) for character in visible(text))
