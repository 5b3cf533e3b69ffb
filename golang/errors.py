"""Errors: those that a file makes, wraps or joins.

Of an error the model knows whether it is that of a cancelled context, and whether it speaks of the network.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podproof.golang.expressions import NAMES
from podproof.golang.fields import ANNOTATIONS
from podproof.golang.lists import ListTranslation
from podproof.golang.syntax import expressions, field, inside, text
from podproof.golang.values import NIL_VALUE, Meaning, disjunction

if TYPE_CHECKING:
    from tree_sitter import Node

MADE = "made"
"""Of an error that the file makes: it is none that a sync function returned, and of no pod."""


class ErrorTranslation(ListTranslation):
    """Adds errors."""

    def name(self, node: Node) -> Meaning:
        made = None if text(node) in self.flow.scope else self.made_by_file(node)
        if made is None:
            return super().name(node)
        self.check_text(expressions(field(made, "arguments"))[0], made)
        return Meaning("ERROR", "error", uid=MADE)

    def made_by_file(self, node: Node) -> Node | None:
        """The errors.New of a variable of the file that is set once."""
        if node.type != "identifier":
            return None
        declared = [spec for part in self.file.root.named_children if part.type == "var_declaration"
                    for spec in inside(part, "var_spec")]  # fmt: skip
        given = [expressions(spec.child_by_field_name("value")) for spec in declared
                 if text(node) in map(text, spec.children_by_field_name("name"))]  # fmt: skip
        made = given[0][0] if len(given) == 1 and len(given[0]) == 1 else node
        if not text(made).startswith("errors.New("):
            return None
        bodies = (function.body for function in self.file.functions.values())
        is_set = any(text(node) == text(target) for body in bodies for target in self.targets(body))
        return None if is_set else made

    def is_sentinel(self, node: Node) -> bool:
        """Is this an error that is never nil and is no other one: of a package, or made for it by this file?"""
        if node.type == "selector_expression":
            root = field(node, "operand")
            return root.type == "identifier" and text(root) not in self.flow.scope
        return text(node) not in self.flow.scope and self.made_by_file(node) is not None

    def new_error(self, function: Node, arguments: list[Node]) -> Meaning | None:
        """fmt.Errorf, errors.New and errors.Join: an error that may wrap others, or only say what they say."""
        name = text(function)
        if name.partition(".")[0] in self.flow.scope:
            return None
        if name == "errors.Join" and arguments and function.next_named_sibling is not None:
            return self.joined_error(function, arguments)
        if name not in ("fmt.Errorf", "errors.New"):
            return None
        form, rest = arguments[0] if arguments else function, arguments[1:]
        verbs = self.check_text(form, function)
        if len(verbs) != len(rest):
            self.refuse(function, f"what `{name}` says here is not known", "write it as one text, with its verbs")
        told: list[tuple[str, Meaning]] = []
        for verb, node in zip(verbs, rest, strict=True):
            says = re.fullmatch(r"(\w+)\.Error\(\)", text(node))
            value = self.flow.scope.get(says[1]) if says else self.attempt(node)
            if value is not None and value.kind == "error" and value.is_constant:
                told.append(("s" if says else verb, value))
            elif value is None or value.kind not in (*NAMES, *ANNOTATIONS, "delay", "duration", "reference"):
                if not text(node).startswith(("klog.KObj(", "klog.KRef(", "format.Pod(")):
                    self.refuse(node, f"what `{text(node)}` says is not known", "tell UIDs, names, numbers and errors")
        return self.of_others(told, function)

    def check_text(self, form: Node, function: Node) -> list[str]:
        """The verbs of an error's text, which must not speak of the network."""
        if form.type != "interpreted_string_literal" or "network" in text(form).lower():
            self.refuse(function, f"what `{text(function)}` says here is not known",
                        "write it as one text, with its verbs")  # fmt: skip
        return re.findall(r"%[-+# 0]*(\w)", text(form).replace("%%", ""))

    def joined_error(self, function: Node, arguments: list[Node]) -> Meaning:
        """errors.Join: nil if all that it is given is nil, and otherwise an error that wraps each."""
        values = [(self.expression(node), node) for node in arguments]
        given = [(value, node) for value, node in values if value != NIL_VALUE]
        if given and all(value.kind == "failure" for value, _ in given):
            found = "False"
            for value, _ in given:
                found = disjunction(found, value.text)
            return Meaning(found, "failure")
        for value, node in given:
            if value.kind != "error" or not value.is_constant:
                self.refuse(node, f"whether `{text(node)}` is an error cannot be seen here", "test each by itself")
        told = [("w", value) for value, _ in given if value.text != "NO_ERROR"]
        return self.of_others(told, function) if told else Meaning("NO_ERROR", "error")

    def of_others(self, told: list[tuple[str, Meaning]], function: Node) -> Meaning:
        """A new error that wraps others, by `w`, or only says what they say."""
        cancels = any(verb == "w" and value.text.endswith("CANCELED") for verb, value in told)
        speaks = any(value.text == "NETWORK_NOT_READY" for _, value in told)
        if cancels and speaks:
            self.refuse(function, "this error is that of a cancelled context and speaks of the network", "tell of one")
        uids = [value.uid for verb, value in told if verb == "w"]
        of = uids[0] if uids and MADE not in uids else MADE
        return Meaning("WRAPPED_CANCELED" if cancels else "NETWORK_NOT_READY" if speaks else "ERROR", "error", uid=of)
