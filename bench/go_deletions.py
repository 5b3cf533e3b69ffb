"""Delete each statement of a Go file by itself: which deletions does the translation not notice, and why?

    python bench/go_deletions.py FILE.go [--version v1.32]

A deletion that changes nothing needs a reason: the statement is ignored by the vocabulary, or holds nothing else, or it
is in a function that nobody calls, or bench/go_deletions.txt names it. Exit code 1 where one has none.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from podproof.checker.core import CheckerError
from podproof.golang.module import FileTranslation, Translation
from podproof.golang.syntax import inside, parse, text
from podproof.golang.vocabulary import worker_vocabulary
from podproof.queries.versions import VERSIONS

if TYPE_CHECKING:
    from tree_sitter import Node

KNOWN = Path(__file__).with_suffix(".txt")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file", type=Path)
    options.add_argument("--version", default="v1.32")
    given = options.parse_args()
    source, base = given.file.read_bytes(), VERSIONS[given.version].cls

    def translated(code: bytes) -> Translation:
        return FileTranslation(parse(code, given.file), worker_vocabulary()).make(base)

    whole, ends = translated(source), Counter[str]()
    ignored = {int(line.split(" ")[0].rpartition(":")[2]) for line in whole.ignored}
    for name, function in whole.file.functions.items():
        for block in inside(function.body, "statement_list"):
            for node in (child for child in block.named_children if child.type != "comment"):
                blank = bytes(10 if c == 10 else 32 for c in source[node.start_byte : node.end_byte])
                try:
                    other = translated(source[: node.start_byte] + blank + source[node.end_byte :])
                except CheckerError:
                    ends["refused"] += 1
                    continue
                if lines_of(other) != lines_of(whole):
                    ends["changes the translation"] += 1
                    continue
                why = "in a function that is left out" if name in whole.left_out else reason(name, node, ignored)
                ends[why or "WITHOUT A REASON"] += 1
                if not why:
                    print(f"{given.file}:{node.start_point[0] + 1} {name}: {text(node)[:90]}", flush=True)
    for why, count in ends.most_common():
        print(f"{count:5} {why}")
    return int("WITHOUT A REASON" in ends)


def lines_of(translation: Translation) -> list[str]:
    """The translation without the digest and the places of the file."""
    return [line.partition("  # ")[0] for line in translation.text.splitlines()[1:]]


def reason(name: str, node: Node, ignored: set[int]) -> str:
    """Why the translation does without a statement; empty where nobody knows."""
    parts = list(inside(node, "expression_statement", "defer_statement", "assignment_statement"))
    if parts and all(part.start_point[0] + 1 in ignored for part in parts):
        return "ignored"
    for line in KNOWN.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            function, start, why = line.split(" | ")
            if re.sub(r".*\.", "", name) == function and text(node).startswith(start):
                return why
    return ""


if __name__ == "__main__":
    sys.exit(main())
