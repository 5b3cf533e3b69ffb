"""What the Go compiler would refuse, as far as one file tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as default
from typing import TYPE_CHECKING

from podproof.golang.scopes import MAP, RESULTS, Declaration, Scopes
from podproof.golang.syntax import expressions, field, inside, statements, text, unwrapped

if TYPE_CHECKING:
    from tree_sitter import Node

    from podproof.golang.syntax import GoFile


@dataclass
class _Body:
    """The function around."""

    results: list[str]
    has_names: bool
    labels: dict[str, Declaration] = default(default_factory=dict)
    loops: int = 0
    breakable: int = 0


class Compiler(Scopes):
    """Follows the scopes of a file. Refuses, as the compiler would, what is declared twice, not at all, or for nothing,
    and statements with another number of values than belongs there."""

    def __init__(self, file: GoFile) -> None:
        super().__init__(file)
        self.body = _Body([], False)

    def resolve(self) -> tuple[Node, ...]:
        """Every name that the file uses and does not declare: it is one of the package's, if it is any."""
        methods: set[str] = set()
        imports = [spec for node in self.file.root.named_children for spec in inside(node, "import_spec")]
        self.has_imports = bool(imports)
        for spec in imports:
            package = Declaration("package", spec)
            for name in _package_names(spec):
                self.declare(name, package)
        for node in self.file.root.named_children:
            match node.type:
                case "function_declaration" if text(field(node, "name")) != "init":
                    self.declare(text(field(node, "name")), Declaration("function", node))
                case "method_declaration":
                    methods.add(f"{self.receiver_of(node)}.{text(field(node, 'name'))}")  # None twice: `parse` looks.
                case "type_declaration":
                    for spec in node.named_children:
                        if spec.type in ("type_spec", "type_alias"):
                            self.declare(text(field(spec, "name")), Declaration("type", spec))
                case "const_declaration" | "var_declaration":
                    for spec in inside(node, "const_spec", "var_spec", into_functions=False):
                        what = spec.type.removesuffix("_spec")
                        for part in spec.children_by_field_name("name"):
                            if part.type == "identifier":
                                self.declare(text(part), Declaration(what, part, self.written(spec)))
        for named in methods:
            struct, _, name = named.partition(".")
            if name in dict(self.fields_of(struct) or ()):
                self.file.refuse(
                    self.file.functions[named].node,
                    f"{struct} has a field {name!r}, too",
                    "give one of them another name",
                )
        for node in self.file.root.named_children:
            if node.type in ("const_declaration", "var_declaration"):
                for spec in inside(node, "const_spec", "var_spec", into_functions=False):
                    self.visit_all(part for part in spec.named_children if part not in self.names(spec))
            else:
                self.visit(node)
        for name, found in self.scopes[0].items():
            if found.what == "package" and not found.is_used and name.isidentifier():
                self.file.refuse(found.node, f"`{name}` is imported and not used", "remove the import")
        return tuple(self.free)

    def types_of(self, left: Sequence[Node], right: Sequence[Node], at: Node) -> list[str]:
        """The types of what is given to some names; there must be as many."""
        if len(right) == 1 and len(left) > 1:
            value = unwrapped(right[0])
            function = self.called(value) if value.type == "call_expression" else None
            if function is not None:
                found = self.signature(function)[2]
            elif value.type == "call_expression":
                return [""] * len(left)
            elif value.type in ("index_expression", "type_assertion_expression", "unary_expression"):
                found = [self.type_of(value), "bool"]
            else:
                found = [self.type_of(value)]
        else:
            for value in map(unwrapped, right):
                function = self.called(value) if value.type == "call_expression" else None
                if function is not None and len(self.signature(function)[2]) != 1:
                    self.file.refuse(value, f"`{text(value)}` has {len(self.signature(function)[2])} results where "
                                     "one belongs", "name each, in a statement of its own")  # fmt: skip
            found = [self.type_of(value) for value in right]
        if len(found) != len(left):
            self.file.refuse(at, f"{len(left)} names for {len(found)} values", "name each")
        return found

    # -- statements and expressions ------------------------------------------------------------------------------
    def visit_all(self, nodes: Iterator[Node] | Sequence[Node]) -> None:
        for node in nodes:
            self.visit(node)

    def visit(self, node: Node) -> None:
        handler = getattr(self, f"_{node.type}", None)
        if handler is not None:
            handler(node)
        else:
            self.visit_all(node.named_children)

    def _identifier(self, node: Node) -> None:
        self.use(node)

    _type_identifier = _package_identifier = _identifier

    def _function_declaration(self, node: Node) -> None:
        outer, results = self.body, self.results(node)
        self.body = _Body([kind for _, kind in results], any(name for name, _ in results))
        with self.scope():
            for name in ("receiver", "type_parameters", "parameters", "result"):
                part = node.child_by_field_name(name)
                if part is not None and part.type in ("parameter_list", "type_parameter_list"):
                    self.visit_all(part.named_children)
                elif part is not None:
                    self.visit(part)
            body = node.child_by_field_name("body")
            found = statements(body)
            for label in inside(node, "labeled_statement", into_functions=False):
                name = text(label.named_children[0])
                if name in self.body.labels:
                    self.file.refuse(label, f"the label `{name}` is declared twice", "rename one of them")
                self.body.labels[name] = Declaration("label", label)
            self.visit_all(found)
            for name, label_ in self.body.labels.items():
                if not label_.is_used:
                    self.file.refuse(label_.node, f"the label `{name}` is declared and not used", "remove it")
        if body is not None and results and not (found and self.ends(found[-1])):
            self.file.refuse(node, "this function may come to its end without a `return`", "return something there")
        self.body = outer

    _method_declaration = _func_literal = _function_declaration

    def _qualified_type(self, node: Node) -> None:
        self.visit(field(node, "package"))

    def _parameter_declaration(self, node: Node) -> None:
        self.visit(field(node, "type"))
        for name in self.names(node):
            self.declare(text(name), Declaration("var", name, self.written(node)))

    def _type_parameter_declaration(self, node: Node) -> None:
        for name in self.names(node):
            self.declare(text(name), Declaration("type", node))
        self.visit(field(node, "type"))

    def _variadic_parameter_declaration(self, node: Node) -> None:
        self.visit(field(node, "type"))
        for name in self.names(node):
            self.declare(text(name), Declaration("var", name, f"[]{self.written(node)}"))

    def _type_spec(self, node: Node) -> None:
        if len(self.scopes) > 1:
            self.declare(text(field(node, "name")), Declaration("type", node))
        with self.scope():
            self.visit_all(part for part in node.named_children if part != field(node, "name"))

    _type_alias = _type_spec

    def _struct_type(self, node: Node) -> None:
        taken: set[str] = set()
        for declaration in inside(node, "field_declaration"):
            self.visit(field(declaration, "type"))
            for name in map(text, self.names(declaration)):
                if name in taken:
                    self.file.refuse(declaration, f"the field {name!r} is declared twice", "rename one of them")
                taken.add(name)

    def _method_elem(self, node: Node) -> None:
        with self.scope():
            self.visit_all(part for part in node.named_children if part != field(node, "name"))

    def _function_type(self, node: Node) -> None:
        with self.scope():
            self.visit_all(node.named_children)

    def _block(self, node: Node) -> None:
        with self.scope():
            self.visit_all(statements(node))

    def _short_var_declaration(self, node: Node) -> None:
        left, right = expressions(field(node, "left")), expressions(field(node, "right"))
        self.visit_all(right)
        types = self.types_of(left, right, node)
        self.declare_new(left, types, node)

    def declare_new(self, left: Sequence[Node], types: Sequence[str], node: Node) -> None:
        for name in left:
            if name.type != "identifier":
                self.file.refuse(name, f"`{text(name)}` is no name that `:=` could declare", "write =")
        new = [name for name in left if text(name) != "_" and text(name) not in self.scopes[-1]]
        if not new:
            self.file.refuse(node, "`:=` declares nothing new here", "write =")
        for name, kind in zip(left, types, strict=True):
            if name in new:
                self.declare(text(name), Declaration("local", name, kind))

    def _var_spec(self, node: Node) -> None:
        kind, given = node.child_by_field_name("type"), expressions(node.child_by_field_name("value"))
        if kind is not None:
            self.visit(kind)
        self.visit_all(given)
        types = self.types_of(self.names(node), given, node) if given else [""] * len(self.names(node))
        for name, found in zip(self.names(node), types, strict=True):
            self.declare(text(name), Declaration("local", name, self.written(node) or found))

    def _const_spec(self, node: Node) -> None:
        self.visit_all(part for part in node.named_children if part not in self.names(node))
        for name in self.names(node):
            if name.type == "identifier":
                self.declare(text(name), Declaration("const", name, self.written(node)))

    def _assignment_statement(self, node: Node) -> None:
        left, right = expressions(field(node, "left")), expressions(field(node, "right"))
        self.visit_all(right)
        for target in map(unwrapped, left):
            found = self.look_up(text(target)) if target.type == "identifier" else None
            if found is not None and found.what in ("const", "type", "function", "package"):
                self.file.refuse(target, f"`{text(target)}` is a {found.what}, and is set", "set a variable")
            if found is None or text(field(node, "operator")) != "=":
                self.visit(target)
        self.types_of(left, right, node)

    def _expression_statement(self, node: Node) -> None:
        value = unwrapped(node.named_children[0])
        is_receive = value.type == "unary_expression" and text(field(value, "operator")) == "<-"
        name = text(field(value, "function")) if value.type == "call_expression" else ""
        if (value.type != "call_expression" and not is_receive) or (name in RESULTS and self.look_up(name) is None):
            self.file.refuse(node, f"`{text(node)}` does nothing", "use its value, or leave it out")
        self.visit(value)

    def _return_statement(self, node: Node) -> None:
        given = [value for part in node.named_children if part.type != "comment" for value in expressions(part)]
        self.visit_all(given)
        wanted = len(self.body.results)
        if not given and self.body.has_names:
            return
        if len(given) == 1 and wanted > 1 and given[0].type == "call_expression":
            function = self.called(given[0])
            if function is None or len(self.signature(function)[2]) == wanted:
                return
        if len(given) != wanted:
            self.file.refuse(node, "this returns another number of values", "return each result")
        self.types_of(given, given, node)
        for value, kind in zip(given, self.body.results, strict=True):
            self.check_implements(value, kind)

    def _call_expression(self, node: Node) -> None:
        self.visit_all(node.named_children)
        function = self.called(node)
        if function is None:
            return
        arguments, (count, is_open, _) = expressions(field(node, "arguments")), self.signature(function)
        is_spread = len(arguments) == 1 and count > 1 and arguments[0].type == "call_expression"
        if not is_spread and (len(arguments) < count - 1 if is_open else len(arguments) != count):
            self.file.refuse(node, f"`{text(node)}` has another number of arguments", "pass each")

    def _selector_expression(self, node: Node) -> None:
        operand, name = field(node, "operand"), text(field(node, "field"))
        self.visit(operand)
        go = self.type_of(operand)
        struct = go.removeprefix("*")
        fields = self.fields_of(struct) if self.has_imports else None  # Without, it is a part of a file.
        if fields is not None and name not in dict(fields) and f"{struct}.{name}" not in self.file.functions:
            if struct != "podWorkers":
                self.file.refuse(node, f"{struct} has no field or method {name!r}", "see its declaration")
            self.free.append(field(node, "field"))  # The vocabulary may know it.
        kind = self.type_of_name(struct)
        if kind is not None and kind.type == "interface_type" and go == struct:
            elements = [part for part in kind.named_children if part.type != "comment"]
            methods = [text(field(part, "name")) for part in elements if part.type == "method_elem"]
            if len(methods) == len(elements) and name not in methods:
                self.file.refuse(node, f"{struct} has no method {name!r}", "see its declaration")

    def _composite_literal(self, node: Node) -> None:
        kind = field(node, "type")
        self.visit(kind)
        fields = self.fields_of(text(kind))
        taken: set[str] = set()
        for element in field(node, "body").named_children:
            if element.type != "keyed_element":
                self.visit(element)
                continue
            key, *value = (part for part in element.named_children if part.type != "comment")
            name = text(key)
            if (
                kind.type in ("type_identifier", "qualified_type", "generic_type", "struct_type")
                and name.isidentifier()
            ):
                if fields is not None and name not in dict(fields):
                    self.file.refuse(key, f"{text(kind)} has no field {name!r}", "see its declaration")
                if fields is None and self.look_up(name) is not None:
                    self.use(key)
                if name in taken:
                    self.file.refuse(key, f"{name!r} is given twice", "give it once")
                taken.add(name)
            else:
                self.visit(key)
            self.visit_all(value)

    def _keyed_element(self, node: Node) -> None:
        """Of a literal whose type is left out: its keys may be the fields of a struct."""
        key, *value = (part for part in node.named_children if part.type != "comment")
        if not text(key).isidentifier() or self.look_up(text(key)) is not None:
            self.visit(key)
        self.visit_all(value)

    def _if_statement(self, node: Node) -> None:
        with self.scope():
            for name in ("initializer", "condition", "consequence", "alternative"):
                part = node.child_by_field_name(name)
                if part is not None:
                    self.visit(part)

    def _expression_switch_statement(self, node: Node) -> None:
        with self.scope():
            for name in ("initializer", "value"):
                part = node.child_by_field_name(name)
                if part is not None:
                    self.visit(part)
            self.check_cases(node)
            self.cases(node, ("value",))

    def _type_switch_statement(self, node: Node) -> None:
        with self.scope():
            for name in ("initializer", "value"):
                part = node.child_by_field_name(name)
                if part is not None:
                    self.visit(part)
            for alias in expressions(node.child_by_field_name("alias")):
                self.declare(text(alias), Declaration("local", alias))
            self.cases(node, ("type",))

    def _select_statement(self, node: Node) -> None:
        self.cases(node, ())

    def cases(self, node: Node, heads: tuple[str, ...]) -> None:
        """The cases of a switch or a select, each with a scope of its own."""
        cases = [part for part in node.named_children if part.type.endswith("_case")]
        defaults = [part for part in cases if part.type == "default_case"]
        if len(defaults) > 1:
            self.file.refuse(defaults[1], "this has two defaults", "join them")
        self.body.breakable += 1
        for case in cases:
            head = [
                value for name in heads for part in case.children_by_field_name(name) for value in expressions(part)
            ]
            self.visit_all(head)
            with self.scope():
                outside = {part.id for name in heads for part in case.children_by_field_name(name)}
                for part in case.named_children:
                    if part.id not in outside:
                        self.visit_all(statements(part) if part.type == "statement_list" else [part])
        self.body.breakable -= 1

    def check_cases(self, node: Node) -> None:
        """A constant may not be a case twice."""
        taken: set[str] = set()
        if node.child_by_field_name("value") is None:
            return
        for case in node.named_children:
            for value in expressions(case.child_by_field_name("value")) if case.type == "expression_case" else ():
                root = self.look_up(text(value).partition(".")[0])
                is_constant = value.type.endswith("literal") or (root is not None and root.what in ("const", "package"))
                if is_constant and text(value) in taken and value.type != "call_expression":
                    self.file.refuse(value, f"`{text(value)}` is a case twice", "join them")
                taken.add(text(value))

    def _receive_statement(self, node: Node) -> None:
        left = expressions(node.child_by_field_name("left"))
        self.visit(field(node, "right"))
        if any(child.type == ":=" for child in node.children):
            kind = self.element_of(self.type_of(field(field(node, "right"), "operand")))[1]
            self.declare_new(left, [kind, "bool"][: len(left)], node)
        else:
            self.visit_all(left)

    def _for_statement(self, node: Node) -> None:
        with self.scope():
            self.body.loops += 1
            self.body.breakable += 1
            self.visit_all(part for part in node.named_children if part != field(node, "body"))
            self.visit(field(node, "body"))
            self.body.loops -= 1
            self.body.breakable -= 1

    def _range_clause(self, node: Node) -> None:
        left, right = expressions(node.child_by_field_name("left")), field(node, "right")
        self.visit(right)
        if any(child.type == ":=" for child in node.children):
            key, element = self.element_of(self.type_of(right))
            types = [key, element] if MAP.fullmatch(self.type_of(right)) else ["", element]
            for name, kind in zip(left, types, strict=False):
                self.declare(text(name), Declaration("local", name, kind))
        else:
            self.visit_all(name for name in left if name.type != "identifier")

    def _labeled_statement(self, node: Node) -> None:
        self.visit_all(part for part in node.named_children[1:] if part.type != "comment")

    def _break_statement(self, node: Node) -> None:
        word = node.type.removesuffix("_statement")
        for label in node.named_children:
            if label.type != "comment":
                found = self.body.labels.get(text(label))
                if found is None:
                    self.file.refuse(node, f"there is no label `{text(label)}`", "declare it, or leave it out")
                found.is_used = True
        if word != "goto" and not (self.body.loops if word == "continue" else self.body.breakable):
            self.file.refuse(node, f"`{word}` stands in nothing that it could leave", "leave it out")

    _continue_statement = _goto_statement = _break_statement

    def _nothing(self, node: Node) -> None:
        """Names that are no names of a scope."""

    _label_name = _field_identifier = _comment = _import_declaration = _package_clause = _nothing

    # -- interfaces ----------------------------------------------------------------------------------------------
    def check_implements(self, value: Node, go: str) -> None:
        """A struct of this file that is returned as one of its interfaces has all the methods."""
        kind = self.type_of_name(go)
        struct = self.type_of(value).removeprefix("*")
        if kind is None or kind.type != "interface_type" or self.fields_of(struct) is None:
            return
        for method in (part for part in kind.named_children if part.type == "method_elem"):
            name = text(field(method, "name"))
            own = self.file.functions.get(f"{struct}.{name}")
            if own is None:
                self.file.refuse(value, f"{struct} has no method {name!r}, which {go} has", "write it")
            if self.shape(own.node) != self.shape(method):
                self.file.refuse(own.node, f"{name} takes or returns another thing than {go} says", "change both")

    def shape(self, node: Node) -> tuple[list[str], list[str]]:
        """The types of a function's parameters and results."""
        parts = [part for part in field(node, "parameters").named_children if part.type != "comment"]
        return [self.written(p) for p in parts for _ in (self.names(p) or [p])], self.signature(node)[2]

    # -- ends ----------------------------------------------------------------------------------------------------
    def ends(self, node: Node, label: str = "") -> bool:
        """Is this a terminating statement, as the Go specification has it?"""
        match node.type:
            case "return_statement" | "goto_statement" | "fallthrough_statement":
                return True
            case "expression_statement":
                call = node.named_children[0]
                return call.type == "call_expression" and text(field(call, "function")) == "panic"
            case "block":
                found = statements(node)
                return bool(found) and self.ends(found[-1])
            case "if_statement":
                other = node.child_by_field_name("alternative")
                return other is not None and self.ends(field(node, "consequence")) and self.ends(other)
            case "labeled_statement":
                return self.ends(node.named_children[-1], text(node.named_children[0]))
            case "for_statement":
                heads = [p for p in node.named_children if p.type != "comment" and p != field(node, "body")]
                is_endless = not heads or (
                    heads[0].type == "for_clause" and not heads[0].child_by_field_name("condition")
                )
                return is_endless and not self.is_left(node, label)
            case "expression_switch_statement" | "type_switch_statement" | "select_statement":
                cases = [part for part in node.named_children if part.type.endswith("_case")]
                has_default = node.type == "select_statement" or any(c.type == "default_case" for c in cases)
                return has_default and all(map(self.case_ends, cases)) and not self.is_left(node, label)
        return False

    def case_ends(self, case: Node) -> bool:
        body = [part for part in case.named_children if part.type != "comment"]
        last = statements(body[-1])[-1:] if body and body[-1].type == "statement_list" else body[-1:]
        return bool(last) and self.ends(last[0])

    def is_left(self, node: Node, label: str) -> bool:
        """Does a `break` leave this loop, switch or select?"""
        for jump in inside(node, "break_statement", into_functions=False):
            if jump.named_children:
                if text(jump.named_children[0]) == label:
                    return True
                continue
            around = jump.parent
            while around is not None and around.type not in _BREAKABLE:
                around = around.parent
            if around == node:
                return True
        return False


def _package_names(spec: Node) -> set[str]:
    """What a package may be called in the file: its own name need not be the last part of its path."""
    name = spec.child_by_field_name("name")
    if name is not None:
        return {text(name)}
    *_, before, last = ("", *text(field(spec, "path")).strip('"`').split("/"))
    return {before, last} if re.fullmatch(r"v\d+", last) else {re.sub(r"\.v\d+$", "", last)}


_BREAKABLE = ("for_statement", "expression_switch_statement", "type_switch_statement", "select_statement")


def free_names(file: GoFile) -> tuple[Node, ...]:
    """Resolve the names of a file; where it does not declare one itself is given. Raises GoRefusal."""
    return Compiler(file).resolve()
