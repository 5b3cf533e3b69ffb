"""Files beside the pod workers: parsed, what they import, and which of their lines only write to the log."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from podproof.golang.syntax import expressions, inside, text
from podproof.golang.syntax import field as part_of

if TYPE_CHECKING:
    from tree_sitter import Node


@functools.lru_cache(maxsize=200)
def parsed(source: str) -> Node:
    import tree_sitter
    import tree_sitter_go

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language())).parse(source.encode()).root_node


def imports(root: Node) -> Iterator[tuple[str, str]]:
    """Each import of a file: the package's name there, and its path."""
    for spec in (spec for node in root.named_children for spec in inside(node, "import_spec", into_functions=False)):
        path, name = text(part_of(spec, "path")).strip('"`'), spec.child_by_field_name("name")
        yield re.sub(r"/v\d+$", "", path).rpartition("/")[2] if name is None else text(name), path


def log_lines(function: Node) -> Iterator[Node]:
    """The statements that make a logger, or only write to the log what is at hand.

    That is no result of a call, and nothing that may panic.
    """
    made: dict[str, set[str]] = {}
    for node in inside(function, *_MADE_IN):
        value = next(filter(None, map(node.child_by_field_name, ("right", "value", "type"))), None)
        said = "range" if node.type == "range_clause" else text(value) if value is not None else ""
        left = node.child_by_field_name("left")
        for name in expressions(left) if left is not None else node.children_by_field_name("name"):
            made.setdefault(text(name), set()).add(said)
    loggers = {name for name, values in made.items() if all(map(_LOGGER.fullmatch, values))}
    pods = {name for name, values in made.items() if values <= {"range", "*v1.Pod"}}
    for statement in inside(function, "short_var_declaration"):
        if text(part_of(statement, "left")) in loggers:
            yield statement
    for statement in inside(function, "expression_statement"):
        call = statement.named_children[0]
        line = _LOG_LINE.fullmatch(text(call.named_children[0])) if call.type == "call_expression" else None
        if line is None or line[1] not in loggers | {"klog"} or "klog" in made:
            continue
        values = expressions(part_of(call, "arguments"))
        reads = (_READ.fullmatch(text(value)) for value in values if "string_literal" not in value.type)
        if all(read and (read[1] is None or read[1] in pods) for read in reads):
            yield statement


_MADE_IN = (
    "short_var_declaration",
    "assignment_statement",
    "var_spec",
    "range_clause",
    "parameter_declaration",
    "receive_statement",
)
_LOGGER = re.compile(r"klog\.(FromContext|TODO|Background)\(\w*\)|klog\.Logger")
_LOG_LINE = re.compile(r"(\w+)(?:\.V\(\d\))?\.(?:Info|Warning|Error)(?:S|f|ln)?")
_READ = re.compile(r"\w+|(\w+)\.(?:UID|Name|Namespace)|klog\.KObj\(\w+\)|klog\.KRef\(\w+, \w+\)")
"""A local, a field of a pod that is there, or what takes nil."""
