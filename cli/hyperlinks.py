"""Places as hyperlinks (OSC 8), so that a click in a terminal opens the file at its line."""

from __future__ import annotations

import re
import socket
from pathlib import Path

from podproof.checker.core import printer

_PLACE = re.compile(r"(?P<look>\x1b\[[\d;]*m)?(?P<file>[\w./-]+\.(?:py|go)):(?P<line>\d+)")
"""A place, and the code of its colour, whose last letter would else pass for a part of its name."""


def linked(text: str) -> str:
    """The text, in which each place of a file that is here is a link and reads as before."""
    return _PLACE.sub(_link, text)


def _link(place: re.Match[str]) -> str:
    bases = (printer.PROJECT, Path.cwd())
    file = next((base / place["file"] for base in bases if (base / place["file"]).is_file()), None)
    if file is None:
        return place[0]
    look, name = place["look"] or "", f"{place['file']}:{place['line']}"
    # The host keeps a terminal from looking for another machine's file on its own disk.
    address = file.resolve().as_uri().replace("file://", f"file://{socket.gethostname()}", 1)
    return f"{look}\x1b]8;;{address}#{place['line']}\x1b\\{name}\x1b]8;;\x1b\\"
