"""The formats of a diagram, and the stamp in each from which it can be made again and checked.

A diagram says for itself how it looks as DOT and Mermaid; svg and png are drawn from the DOT. The stamp names
the command. A picture's stamp has two digests besides: of the DOT that it was drawn from, because another Graphviz
draws the same DOT a little differently, and of the picture, because a picture that somebody changed is not current.
"""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Protocol

from podproof.checker.core.printer import visible
from podproof.checker.core.system import CheckerError
from podproof.reports.pictures.drawing import draw
from podproof.reports.pictures.mermaid import comment_text

FORMS = ("dot", "svg", "png", "mermaid")
PROGRAM = "podproof diagram"
_PNG = b"\x89PNG\r\n\x1a\n"
_KEYWORD = b"Comment"


class Drawing(Protocol):
    """Something that can be drawn. The last line of the caption is `$` and the command."""

    @property
    def caption(self) -> Sequence[str]: ...

    def dot(self) -> str: ...

    def mermaid(self) -> str: ...


@dataclass(frozen=True)
class Stamp:
    """What a diagram says of itself."""

    command: str
    source: str = ""
    """SHA-256 of the DOT that a picture was drawn from; empty where the diagram is text."""
    picture: str = ""
    """SHA-256 of the picture without its stamp."""


def diagram_bytes(diagram: Drawing, form: str) -> bytes:
    """The diagram in a format, stamped. Raises CheckerError for another format, or where nothing can draw it."""
    command = visible(diagram.caption[-1])
    match form:
        case "dot":
            return f"// {command}\n{diagram.dot()}".encode()
        case "mermaid":
            return diagram.mermaid().encode()
        case "svg" | "png":
            source = diagram.dot()
            return _with_stamp(draw(source, form), Stamp(command, _digest(source.encode())), form)
    raise CheckerError(f"there is no diagram format {form!r}; choose one of {', '.join(FORMS)}")


def source_digest(diagram: Drawing) -> str:
    """What the stamp of a picture of this diagram says of its source."""
    return _digest(diagram.dot().encode())


def stamp_of(content: bytes) -> Stamp | None:
    """The stamp in one diagram, whatever its format; None where there is none."""
    found = _stamp_of_png(content) if content.startswith(_PNG) else _stamp_of_text(content.decode(errors="replace"))
    return found if found is not None and found.command.startswith(f"$ {PROGRAM}") else None


def is_untouched(content: bytes) -> bool:
    """Is a picture with a stamp still as it was drawn?"""
    stamp = stamp_of(content)
    return stamp is not None and _digest(_without_stamp(content)) == stamp.picture


def _stamp_of_text(text: str) -> Stamp | None:
    metadata = re.search(r"<metadata>([^<]*)</metadata>", text)
    if metadata is not None and "<svg" in text[: metadata.start()]:
        return _parse(unescape(metadata[1]))
    for line in text.splitlines():
        for read in _COMMENTS:
            command = read(line)
            if command is not None and command.startswith(f"$ {PROGRAM}"):
                return Stamp(command)
    return None


def _after(mark: str) -> Callable[[str], str | None]:
    return lambda line: line.removeprefix(mark) if line.startswith(mark) else None


_COMMENTS: Sequence[Callable[[str], str | None]] = (comment_text, _after("// "))


def _with_stamp(picture: bytes, stamp: Stamp, form: str) -> bytes:
    text = f"{stamp.command}\nsource {stamp.source}\npicture {_digest(picture)}"
    if form == "svg":
        tag = re.search(rb"<svg[^>]*>\n?", picture)
        if tag is None:
            return picture
        metadata = f"<metadata>{escape(text, quote=False)}</metadata>\n".encode()
        return picture[: tag.end()] + metadata + picture[tag.end() :]
    # An iTXt chunk after the header: keyword, not compressed, no language, no translation, text.
    data = _KEYWORD + b"\0\0\0\0\0" + text.encode()
    chunk = struct.pack(">I", len(data)) + b"iTXt" + data + struct.pack(">I", zlib.crc32(b"iTXt" + data))
    start = next(end for _, kind, _, end in _chunks(picture) if kind == b"IHDR")
    return picture[:start] + chunk + picture[start:]


def _without_stamp(content: bytes) -> bytes:
    if content.startswith(_PNG):
        for start, kind, data, end in _chunks(content):
            if kind == b"iTXt" and data.startswith(_KEYWORD + b"\0"):
                return content[:start] + content[end:]
    return re.sub(rb"<metadata>[^<]*</metadata>\n", b"", content, count=1)


def _stamp_of_png(content: bytes) -> Stamp | None:
    for _, kind, data, _ in _chunks(content):
        if kind == b"iTXt" and data.startswith(_KEYWORD + b"\0"):
            return _parse(data[len(_KEYWORD) + 5 :].decode(errors="replace"))
    return None


def _chunks(content: bytes) -> Iterator[tuple[int, bytes, bytes, int]]:
    """The chunks of a PNG: where each begins, its kind, its data, where it ends. A file cut short ends them."""
    at = len(_PNG)
    while at + 8 <= len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        end = at + 12 + length
        yield at, content[at + 4 : at + 8], content[at + 8 : at + 8 + length], end
        at = end


def _parse(text: str) -> Stamp | None:
    found = re.fullmatch(r"(?P<command>[^\n]*)\nsource (?P<source>\w+)\npicture (?P<picture>\w+)", text.strip())
    return None if found is None else Stamp(**found.groupdict())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
