"""The scopes of a Go file: what its names stand for, and the types that they have as far as the file tells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podproof.golang.fingerprints import IMPORTS
from podproof.golang.syntax import field, inside, text, unwrapped

if TYPE_CHECKING:
    from tree_sitter import Node

    from podproof.golang.syntax import GoFile

_TYPES = (
    *("any", "bool", "byte", "comparable", "complex128", "complex64", "error", "float32", "float64", "int", "int16"),
    *("int32", "int64", "int8", "rune", "string", "uint", "uint16", "uint32", "uint64", "uint8", "uintptr"),
)
RESULTS = ("append", "cap", "complex", "imag", "len", "make", "max", "min", "new", "real")
"""Built-in functions of which something has to be done with what they return."""
_UNIVERSE = frozenset(
    (*_TYPES, *RESULTS, "clear", "close", "copy", "delete", "panic", "print", "println", "recover", "iota", "_")
)
MAP, _LIST, _CHANNEL = (
    re.compile(p) for p in (r"map\[([^\[\]]+)\](.+)", r"\[\]()(.+)", r"(?:<-chan|chan<-|chan) ()(.+)")
)


@dataclass(eq=False)
class Declaration:
    """What a name stands for: a package, const, var, local, type, function, or label."""

    what: str
    node: Node
    type: str = ""
    """As written; empty where this file does not tell."""
    is_used: bool = False


class Scopes:
    """The scopes around a place of a file."""

    def __init__(self, file: GoFile) -> None:
        self.file = file
        self.scopes: list[dict[str, Declaration]] = [{}]
        self.has_imports = False
        self.free: list[Node] = []
        """The names that this file does not declare."""

    # -- scopes --------------------------------------------------------------------------------------------------
    @contextmanager
    def scope(self) -> Iterator[None]:
        self.scopes.append({})
        yield
        for name, found in self.scopes.pop().items():
            if found.what == "local" and not found.is_used:
                self.file.refuse(found.node, f"`{name}` is declared and not used", "remove it")

    def declare(self, name: str, found: Declaration) -> None:
        if name == "_":
            return
        if name in self.scopes[-1]:
            line = self.scopes[-1][name].node.start_point[0] + 1
            self.file.refuse(found.node, f"`{name}` is declared twice, before on line {line}", "rename one of them")
        self.scopes[-1][name] = found

    def look_up(self, name: str) -> Declaration | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def use(self, node: Node) -> None:
        name = text(node)
        found = self.look_up(name)
        if found is not None:
            found.is_used = True
        elif node.parent is not None and node.parent.type in ("selector_expression", "qualified_type"):
            if self.has_imports and name in IMPORTS:
                self.file.refuse(node, f"`{name}` is used and not imported", "import the package")
            if self.has_imports:
                self.free.append(node)
        elif name not in _UNIVERSE:
            self.free.append(node)

    # -- what is declared ----------------------------------------------------------------------------------------
    def names(self, spec: Node) -> list[Node]:
        return spec.children_by_field_name("name")

    def written(self, spec: Node) -> str:
        kind = spec.child_by_field_name("type")
        return "" if kind is None else text(kind)

    def receiver_of(self, method: Node) -> str:
        (found,) = (text(field(part, "type")) for part in field(method, "receiver").named_children
                    if part.type == "parameter_declaration")  # fmt: skip
        return found.lstrip("*").partition("[")[0]

    def type_of_name(self, name: str) -> Node | None:
        """What a type of this file is declared as, where nothing hides its name."""
        found = self.look_up(name)
        if found is None or found.what != "type" or self.scopes[0].get(name) is not found:
            return None
        return found.node.child_by_field_name("type")

    def fields_of(self, struct: str) -> list[tuple[str, str]] | None:
        """The fields of a struct of this file with their types; None if they are not all known."""
        kind = self.type_of_name(struct)
        if kind is None or kind.type != "struct_type":
            return None
        found = []
        for declaration in inside(kind, "field_declaration"):
            names = self.names(declaration)
            if not names:
                return None
            found += [(text(name), self.written(declaration)) for name in names]
        return found

    def signature(self, node: Node) -> tuple[int, bool, list[str]]:
        """How many parameters a function has, is the last one any number, and the types of its results."""
        given = [part for part in field(node, "parameters").named_children if part.type != "comment"]
        count = sum(max(1, len(self.names(part))) for part in given)
        is_open = any(part.type == "variadic_parameter_declaration" for part in given)
        return count, is_open, [kind for _, kind in self.results(node)]

    def results(self, node: Node) -> list[tuple[str, str]]:
        result = node.child_by_field_name("result")
        if result is None:
            return []
        if result.type != "parameter_list":
            return [("", text(result))]
        parts = [part for part in result.named_children if part.type == "parameter_declaration"]
        return [(name, self.written(part)) for part in parts for name in (list(map(text, self.names(part))) or [""])]

    def called(self, call: Node) -> Node | None:
        """The declaration of the function of this file that is called."""
        function = unwrapped(field(call, "function"))
        if function.type == "identifier":
            found = self.look_up(text(function))
            return found.node if found is not None and found.what == "function" else None
        if function.type == "selector_expression":
            name = f"{self.type_of(field(function, 'operand')).removeprefix('*')}.{text(field(function, 'field'))}"
            method = self.file.functions.get(name)
            return method.node if method is not None and method.receiver else None
        return None

    # -- types ---------------------------------------------------------------------------------------------------
    def type_of(self, node: Node) -> str:
        """The type of an expression, as it is written; empty where this file does not tell."""
        node = unwrapped(node)
        match node.type:
            case "identifier":
                found = self.look_up(text(node))
                return found.type if found is not None and found.what in ("var", "local", "const") else ""
            case "composite_literal":
                return text(field(node, "type"))
            case "selector_expression":
                struct = self.type_of(field(node, "operand")).removeprefix("*")
                return dict(self.fields_of(struct) or ()).get(text(field(node, "field")), "")
            case "index_expression":
                return self.element_of(self.type_of(field(node, "operand")))[1]
            case "call_expression":
                function = self.called(node)
                found_types = self.signature(function)[2] if function is not None else []
                return found_types[0] if len(found_types) == 1 else ""
            case "unary_expression":
                inner, operator = self.type_of(field(node, "operand")), text(field(node, "operator"))
                if operator == "&" and inner:
                    return f"*{inner}"
                return inner.removeprefix("*") if operator == "*" and inner.startswith("*") else ""
        return ""

    def element_of(self, go: str) -> tuple[str, str]:
        """The types of the key and the element of a map, a list or a channel."""
        for form in (MAP, _LIST, _CHANNEL):
            found = form.fullmatch(go)
            if found is not None:
                return found[1], found[2]
        return "", ""
