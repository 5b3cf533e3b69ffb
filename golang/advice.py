"""What to say of an expression of which nothing is known: the --assume line that says it, if one can."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from podproof.golang.syntax import expressions, field, inside, text
from podproof.golang.vocabulary import ASSUMABLE, EFFECTS, GENERAL

if TYPE_CHECKING:
    from tree_sitter import Node

SAY_IT = "say what it stands for"
"""What helps where nothing is known of a name."""
_CONSTANT = re.compile(r"features\.\w+|\d+|\"[^\"]*\"")
"""What an argument is that says of what the question is."""
_TELLS = re.compile(r"\b(Info|Error|Warning|Event)(S|f)?\(|\.(Sprintf|Observe|Set|WithLabelValues)\(")
"""A call that does nothing with what it is given but tell it."""
_WAITS = re.compile(r"\.(Try)?R?(Lock|Unlock)$|\.(Wait|Sleep|Do)$")
"""A function that may not be ignored: the model has neither other locks nor waiting."""
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_MEANINGS = {
    "bool": "any bool",
    "error": "any error",
    "parent": "_ : parent",
    "unknown": "_ : unknown",
    "logger": "_ : logger",
}
"""Kind -> what --assume says of an expression of it; of others it is the zero value."""
_UNSAYABLE = (
    "uid",
    "name",
    "namespace",
    "full_name",
    "status",
    "update",
    "kill",
    "running",
    "channel",
    "uids",
    "cached",
)
"""Kinds that are of some pod, or that the model keeps in a place: a line cannot say of which, or where."""


def advice(node: Node, wanted: Mapping[Node, str], zeros: Mapping[str, str], body: Node) -> str:
    """What to do where nothing is known of a name or a call.

    `wanted` has the kind that belongs where an expression stands, `zeros` a value of each kind, `body` the statements
    of the function.
    """
    whole = _chain(node)
    parent = _around(whole)
    kind = wanted.get(whole, "")
    if parent is None:
        return _none("write it with what podproof knows")
    if not kind and parent.type == "binary_expression" and text(field(parent, "operator")) in _COMPARISONS:
        return _line(parent, "any bool")
    if not kind and parent.type in ("short_var_declaration", "assignment_statement", "var_spec", "expression_list"):
        return _of_names(whole, zeros, body)
    if not kind and parent.type == "expression_switch_statement":
        return f"write `switch {{ case {text(whole)} == …: }}`, whose comparisons --assume can say"
    if not kind and parent.type in ("expression_statement", "defer_statement"):
        function = text(field(whole, "function")) if whole.type == "call_expression" else ""
        if function in EFFECTS:
            return _none("write it with what podproof knows")
        if _WAITS.search(function):
            return _none("it may wait, or locks what others wait for; do it under podLock alone")
        return f"{_line(whole, 'ignore')} where it does nothing"
    if not kind and parent.type == "range_clause":
        return _none("loop over the maps and lists of the pod workers")
    meaning = _meaning(kind, zeros)
    return _line(whole, meaning) if meaning else _none("write it with what podproof knows")


def _line(node: Node, meaning: str) -> str:
    pattern = pattern_of(node)
    if set(pattern) & set("\n{'"):
        return _none("give what it is asked with a name of its own")
    return f"{SAY_IT}: --assume '{pattern} = {meaning}'"


def _none(instead: str) -> str:
    return f"no --assume can say what it stands for; {instead}"


def _meaning(kind: str, zeros: Mapping[str, str]) -> str:
    if kind in _MEANINGS:
        return _MEANINGS[kind]
    if kind in ASSUMABLE and kind not in _UNSAYABLE and kind in zeros:
        return f"{zeros[kind]} : {kind}"
    return ""


def _of_names(whole: Node, zeros: Mapping[str, str], body: Node) -> str:
    """The kinds of what an assignment gives names to, by how these are used."""
    at: Node | None = whole
    while at is not None and at.type not in ("short_var_declaration", "assignment_statement", "var_spec"):
        at = at.parent
    if at is None:
        return _none("write it with what podproof knows")
    names = at.children_by_field_name("name") if at.type == "var_spec" else expressions(field(at, "left"))
    given = expressions(at.child_by_field_name("value") or at.child_by_field_name("right"))
    if whole in names:
        return _none("leave it to who owns it")
    if len(given) > 1:
        names = [name for name, value in zip(names, given, strict=False) if value == whole]
    kinds = [_use_of(name, body) for name in names]
    meanings = [_meaning(kind, zeros) for kind in kinds]
    if not meanings or not all(meanings):
        unlike = next((text(name) for name, meaning in zip(names, meanings, strict=True) if not meaning), text(whole))
        return _none(f"from how `{unlike}` is used its type cannot be told; write it with what podproof knows")
    return _line(whole, ", ".join(meanings))


def _use_of(name: Node, body: Node) -> str:
    """The kind of a local by its uses: a condition, an error that is compared with nil, or none that matters."""
    if text(name) == "_":
        return "unknown"
    if name.type != "identifier":
        return ""
    found = set(_uses(text(name), body))
    return found.pop() if len(found) == 1 else "" if found else "unknown"


def _uses(name: str, body: Node) -> Iterator[str]:
    for part in inside(body, "identifier"):
        if text(part) != name:
            continue
        parent = _around(part)
        if parent is None or parent.type in ("short_var_declaration", "var_spec", "expression_list"):
            continue
        operator = text(parent.child_by_field_name("operator")) if parent.child_by_field_name("operator") else ""
        if parent.type == "if_statement" or operator in ("!", "&&", "||"):
            yield "bool"
        elif operator in ("==", "!=") and "nil" in text(parent).split() and name.lower().endswith("err"):
            yield "error"
        elif parent.type == "argument_list" and parent.parent is not None and _TELLS.search(pattern_of(parent.parent)):
            continue
        elif parent.type != "assignment_statement":
            yield "other"


def _chain(node: Node) -> Node:
    """All of `p.quota.Left(uid).Count`, whatever part of it is given."""
    while node.parent is not None:
        parent = node.parent
        is_root = node in (parent.child_by_field_name("operand"), parent.child_by_field_name("function"))
        called = parent.parent if parent.type == "argument_list" else None
        if called is not None and text(field(called, "function")) == "len":
            node = called
            continue
        if not is_root or parent.type not in ("selector_expression", "call_expression", "index_expression"):
            return node
        node = parent
    return node


def _around(node: Node) -> Node | None:
    parent = node.parent
    while parent is not None and parent.type == "parenthesized_expression":
        parent = parent.parent
    return parent


def pattern_of(node: Node) -> str:
    """The pattern that an expression matches: as it is written, but whatever the arguments of its calls are."""
    match node.type:
        case "call_expression":
            arguments, function = expressions(field(node, "arguments")), pattern_of(field(node, "function"))
            is_fixed = all(_CONSTANT.fullmatch(text(part)) for part in arguments)
            if is_fixed or function.partition(".")[0] in GENERAL:  # It is its arguments that are asked about.
                return f"{function}({', '.join(map(pattern_of, arguments))})"
            return f"{function}($*)"
        case "selector_expression":
            return f"{pattern_of(field(node, 'operand'))}.{text(field(node, 'field'))}"
        case "binary_expression":
            left, right = pattern_of(field(node, "left")), pattern_of(field(node, "right"))
            return f"{left} {text(field(node, 'operator'))} {right}"
    return text(node)
