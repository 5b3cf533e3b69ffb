"""What a file says is shown and never obeyed, by a terminal, a build service, a browser or another program's parser.

Every text that leaves podproof goes through `visible`, line by line, where it is written: in `reports.layout` for
people, in each format's own module for the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_TO_LOOK_AT = re.compile(r"[^ -~]|^ *:(?=:)|#(?=#\w*\[)")
"""Letters that may be no letters to a reader, and with what a build service has its commands begin."""
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Letters that show nothing, although Unicode says that they can be printed."""


def visible(line: str) -> str:
    """One line of text, whoever wrote it, with everything as its code that could be obeyed instead of read.

    That is what cannot be seen, such as `\\n`, `\\x1b` and `\\u202e`, and the first sign of `::error` and `##[error]`.
    """
    return encode_unseen(line, _code)


def encode_unseen(line: str, code: Callable[[str], str]) -> str:
    """The same with the codes of another language."""

    def replaced(found: re.Match[str]) -> str:
        before, letter = found[0][:-1], found[0][-1]
        is_seen = letter > "~" and letter.isprintable() and not _BLANK.match(letter)
        return letter if is_seen else before + code(letter)

    return _TO_LOOK_AT.sub(replaced, line)


def _code(letter: str) -> str:
    code = letter.encode("unicode_escape", "surrogatepass").decode("ascii")
    return code if code != letter else f"\\x{ord(letter):02x}"
