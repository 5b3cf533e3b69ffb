"""Files of logs, as blocks of whole lines: unpacked, and refused where no line would be found in them."""

from __future__ import annotations

import contextlib
import gzip
import sys
import zlib
from collections.abc import Iterator, Sequence
from functools import cmp_to_key
from pathlib import Path
from typing import IO, Any

from podproof.checker.core.system import CheckerError
from podproof.kubelet.klog import MOST_OF_A_LINE, is_earlier, time_of


def blocks(file: Path) -> Iterator[bytes]:
    """A file in whole lines; of a line that is longer than a block the beginning alone."""
    rest, is_in_long_line = b"", False
    try:
        with _open(file) as stream:
            while block := stream.read(MOST_OF_A_LINE):
                if is_in_long_line:
                    _, newline, block = block.partition(b"\n")
                    is_in_long_line = not newline
                block = rest + block
                end = block.rfind(b"\n") + 1
                rest = block[end:]
                if end:
                    yield block[:end]
                if len(rest) >= MOST_OF_A_LINE:
                    yield rest[:MOST_OF_A_LINE]
                    rest, is_in_long_line = b"", True
            if rest:
                yield rest
    except (OSError, EOFError, zlib.error) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise CheckerError(
            f"{file}: the log cannot be read ({why}); give a file of text, or one packed by gzip"
        ) from error


def in_time_order(files: Sequence[Path]) -> Sequence[Path]:
    """By the first time that each has, as wholes; as they are given where one has none, or can be read only once."""
    if len(files) < 2 or not all(file.is_file() for file in files):
        return files
    times = [next((time for block in blocks(file) for time in _times(block)), "") for file in files]
    if not all(times) or len({" " in time for time in times}) > 1:
        return files

    def compare(one: int, other: int) -> int:
        return is_earlier(times[other], times[one]) - is_earlier(times[one], times[other])

    return [files[i] for i in sorted(range(len(files)), key=cmp_to_key(compare))]


def _times(block: bytes) -> Iterator[str]:
    return (time for start in starts(block) if (time := time_of(block[start : start + MOST_OF_A_LINE])))


def starts(block: bytes) -> Iterator[int]:
    """Where each of its lines begins."""
    start = 0
    while start < len(block):
        yield start
        start = (block.find(b"\n", start) + 1) or len(block)


@contextlib.contextmanager
def _open(file: Path) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """The text of a file, unpacked where it is packed by gzip, whatever its name is."""
    with contextlib.ExitStack() as stack:
        if str(file) == "-":
            if sys.stdin is None:
                raise OSError("standard input is closed")
            stream: Any = sys.stdin.buffer
        else:
            stream = stack.enter_context(open(file, "rb"))
        if file.suffix == ".gz" or _head(stream).startswith(b"\x1f\x8b"):
            stream = stack.enter_context(gzip.GzipFile(fileobj=stream))
        head = _head(stream)
        for begin, what in _NO_TEXT.items():
            if head.startswith(begin):
                raise CheckerError(f"{file}: {what}")
        if (not head[::2].strip(b"\0")) != (not head[1::2].strip(b"\0")) and len(head) > 1:
            raise CheckerError(f"{file}: {_UTF_16}")
        yield stream


def _head(stream: Any) -> bytes:
    """The first bytes, which are still to be read; nothing of a stream that cannot look ahead."""
    head: bytes = stream.peek(_HEAD)[:_HEAD] if hasattr(stream, "peek") else b""
    return head


_HEAD = 400
_UTF_16 = "the log is in UTF-16, as PowerShell writes it; give it in UTF-8: iconv -f UTF-16 -t UTF-8"
_PACKED = "the log is packed, and only what gzip packed is read; unpack it:"
_NO_TEXT = {
    b"\xff\xfe": _UTF_16,
    b"\xfe\xff": _UTF_16,
    b"(\xb5/\xfd": f"{_PACKED} zstd -d",
    b"\xfd7zXZ": f"{_PACKED} xz -d",
    b"BZh": f"{_PACKED} bzip2 -d",
    b"PK\3\4": f"{_PACKED} unzip",
    b"LPKSHHRH": "this is journald's own file; give what it says: journalctl --file FILE -u kubelet -o cat",
}
"""How files begin in which no line of a log would be found, and what is said of them."""
