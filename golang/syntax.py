"""Go as tree-sitter reads it: the functions and structs of a file, and how a place in it is refused."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from podproof.checker.core.printer import short_path
from podproof.checker.core.system import CheckerError, ModelError
from podproof.golang.fingerprints import IMPORTS

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_BYTES = 2_000_000
"""The largest file that is read; the kubelet's pod_workers.go has some 80,000."""
MOST_LEVELS = 200
"""The deepest nesting that is read."""


class GoRefusal(ModelError):
    """A place in a Go file that the translation does not cover."""

    def __init__(self, file: GoFile, at: Node, what: str, instead: str) -> None:
        row, column = at.start_point
        self.line = row + 1
        text = file.lines[row].strip() if row < len(file.lines) else ""
        super().__init__(f"{file.name}:{row + 1}:{column + 1}: {what}; {instead}\n    {text}")


@dataclass(frozen=True, eq=False)
class GoFunction:
    """A function or method of the file, or the body of a function literal."""

    name: str
    receiver: str
    """The type without its `*`; empty for a plain function."""
    receiver_name: str
    parameters: Mapping[str, str]
    """Name -> type, as written."""
    results: tuple[tuple[str, str], ...]
    """Name, empty for none, and type of each."""
    body: Node
    node: Node

    @property
    def is_pointer(self) -> bool:
        """Is the receiver a pointer?"""
        receiver = self.node.child_by_field_name("receiver")
        return receiver is not None and "*" in text(receiver)

    @property
    def line(self) -> int:
        return int(self.node.start_point[0]) + 1

    @property
    def lines(self) -> range:
        return range(self.line, int(self.node.end_point[0]) + 2)

    @functools.cached_property
    def handles_worker(self) -> bool:
        """Does it start a goroutine, or take or give a worker's channel?"""
        types = {*self.parameters.values(), *(go for _, go in self.results)}
        sends = any(True for _ in inside(self.body, "select_statement"))
        is_given = bool(types & {"chan struct{}", "<-chan struct{}"}) or ("chan<- struct{}" in types and sends)
        starts = any(True for _ in inside(self.body, "go_statement"))
        return not self.name[:1].isupper() and self.name != "podWorkerLoop" and (is_given or starts)

    @functools.cached_property
    def fingerprint(self) -> str:
        """What it says but for comments and white space."""
        return _fingerprint([self.node])


@dataclass(frozen=True)
class GoConstant:
    """A constant of the file."""

    type: str
    """As written; empty for an untyped one."""
    value: Node
    iota: int
    """Its place in its declaration."""


@dataclass(frozen=True, eq=False)
class GoFile:
    """A parsed file."""

    name: str
    """As people write it."""
    path: Path
    lines: tuple[str, ...]
    digest: str
    functions: Mapping[str, GoFunction]
    """By name, methods as `type.name`."""
    structs: Mapping[str, Mapping[str, str]]
    """Name of a struct -> its fields with their types, as written."""
    types: Mapping[str, str]
    """Name of any other type -> what it is, as written."""
    constants: Mapping[str, GoConstant]
    declarations: str
    """The fingerprint of all that is no function."""
    selected: Mapping[str, tuple[Node, ...]]
    """Name of a field or method -> where it is selected."""
    root: Node

    def refuse(self, at: Node, what: str, instead: str) -> NoReturn:
        raise GoRefusal(self, at, what, instead)


def read(path: Path) -> GoFile:
    """Parse a file. Raises CheckerError where it cannot be read, and GoRefusal where it is no Go."""
    try:
        source = path.read_bytes()
    except OSError as error:
        raise CheckerError(f"{path}: it cannot be read ({error.strerror}); give the path of a Go file") from error
    return parse(source, path)


def parse(source: bytes, path: Path, only: Collection[str] = ()) -> GoFile:
    """Parse the text of a file; of a file that is not all pod workers only some functions, and what they name."""
    import tree_sitter
    import tree_sitter_go

    if len(source) > MOST_BYTES:
        raise CheckerError(f"{path}: it has more than {MOST_BYTES:,} bytes; give pod_workers.go")
    try:
        lines = tuple(source.decode().splitlines())
    except UnicodeDecodeError as error:
        raise CheckerError(f"{path}: it is no UTF-8 ({error.reason}); Go files are") from error
    root = tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language())).parse(source).root_node
    functions: dict[str, GoFunction] = {}
    structs: dict[str, Mapping[str, str]] = {}
    types: dict[str, str] = {}
    constants: dict[str, GoConstant] = {}
    others = [node for node in root.named_children if node.type not in ("function_declaration", "method_declaration")]
    digest, name = hashlib.sha256(source).hexdigest(), short_path(str(path))
    selected: dict[str, tuple[Node, ...]] = {}
    file = GoFile(name, path, lines, digest, functions, structs, types, constants, _fingerprint(others), selected, root)
    _check(file, root)
    for selector in inside(root, "selector_expression"):
        selected[text(field(selector, "field"))] = (*selected.get(text(field(selector, "field")), ()), selector)
    every = ("function_declaration", "method_declaration")
    looked_at = [n for n in root.named_children if not only or n.type not in every or text(field(n, "name")) in only]
    words = {word for node in looked_at if node.type in every for word in tokens(node)} if only else None
    for spec in (spec for node in root.named_children for spec in inside(node, "import_spec", into_functions=False)):
        _check_import(file, spec, words)
    for node in looked_at if only else [root]:
        _check_names(file, node)
    for node in root.named_children:
        if node.type in every and node in looked_at:
            function = _function(file, node)
            key = ".".join(filter(None, (function.receiver, function.name)))
            if key in _REPEATED:
                key += f" {number}" if (number := 1 + sum(f.name == key for f in functions.values())) > 1 else ""
            elif key in functions:
                file.refuse(node, f"`{key}` is declared twice", "give one of them another name")
            functions[key] = function
        elif node.type == "type_declaration":
            for spec in node.named_children:
                kind = spec.child_by_field_name("type")
                if spec.type == "type_spec" and kind is not None and kind.type == "struct_type":
                    structs[text(field(spec, "name"))] = dict(_fields(kind))
                elif spec.type == "type_spec" and kind is not None:
                    types[text(field(spec, "name"))] = text(kind)
        elif node.type == "const_declaration":
            constants.update(_constants(node))
    return file


def _fingerprint(nodes: Iterable[Node]) -> str:
    words = (word for node in nodes for word in tokens(node))
    return hashlib.sha256("\x00".join(words).encode()).hexdigest()[:16]


def _check(file: GoFile, root: Node) -> None:
    """Refuse what is no Go, and what is nested too deep to be followed."""
    pending = [(root, 0)]
    while pending:
        node, depth = pending.pop()
        if node.type == "ERROR" or node.is_missing:
            file.refuse(node, "this is no Go", "mend it first, `gofmt` says what is wrong")
        if node.type in ("defer_statement", "go_statement") and node.named_children[0].type != "call_expression":
            file.refuse(node, "this is no Go", "name a call after `defer` and `go`")
        if depth > MOST_LEVELS:
            file.refuse(node, f"this is nested more than {MOST_LEVELS} levels deep", "give parts of it names")
        pending += [(child, depth + 1) for child in reversed(node.children)]


def _check_import(file: GoFile, spec: Node, words: Collection[str] | None) -> None:
    """Refuse another package under a name that the vocabulary knows, where it is among the words that are looked at."""
    imported, path = spec.child_by_field_name("name"), text(field(spec, "path")).strip('"`')
    name = text(imported) if imported is not None else re.sub(r"/v\d+$", "", path).rpartition("/")[2]
    is_other = IMPORTS.get(name, path) != path and (words is None or name in words)
    if name == "." or is_other:
        file.refuse(spec, f"`{name}` is {path} here, of which nothing is known", "import it under another name")


def check_imports(file: GoFile, known: Mapping[str, str]) -> None:
    """Refuse another package under one of these names."""
    for spec in inside(file.root, "import_spec", into_functions=False):
        imported, place = spec.child_by_field_name("name"), text(field(spec, "path")).strip('"')
        name = place.rpartition("/")[2] if imported is None else text(imported)
        if known.get(name, place) != place:
            file.refuse(spec, f"`{name}` is {place} here, of which nothing is known", "import it under another name")


_UNIVERSE = frozenset(
    (
        *("true", "false", "nil", "iota", "len", "cap", "append", "close", "delete", "make", "copy", "panic", "bool"),
        *("string", "int", "int32", "int64", "error", *IMPORTS),
    )
)
"""What has a meaning of its own in every file that does not declare it anew."""
_FUNCTIONS = frozenset(("max", "min", "new", "clear"))
"""Of Go's own functions, those in whose place a function of the file or a local may stand; a variable of it may not."""
_REPEATED = ("init", "_")
"""Functions of which a file may have several."""
_DECLARATIONS = {
    **dict.fromkeys(
        (
            *("var_spec", "const_spec", "type_spec", "type_alias", "type_parameter_declaration", "import_spec"),
            *("parameter_declaration", "variadic_parameter_declaration", "function_declaration"),
        ),
        "name",
    ),
    **dict.fromkeys(("short_var_declaration", "range_clause", "receive_statement"), "left"),
    "type_switch_statement": "alias",
}
"""What declares names, and the field that has them."""


def _check_names(file: GoFile, root: Node) -> None:
    """Refuse a declaration that gives one of Go's own names, or a package's, another meaning."""
    for node in inside(root, *_DECLARATIONS):
        is_of_file = node.type.endswith(("_spec", "_alias")) and _is_outside_functions(node)
        for part in node.children_by_field_name(_DECLARATIONS[node.type]):
            for name in expressions(part) if part.type == "expression_list" else (part,):
                if node.type == "import_spec" and text(name) in IMPORTS:
                    continue  # Its path tells which one it is.
                if text(name) in _UNIVERSE or (is_of_file and text(name) in _FUNCTIONS):
                    file.refuse(name, f"`{text(name)}` has another meaning here than everywhere else", "rename it")


def _is_outside_functions(node: Node) -> bool:
    while node.parent is not None and not node.parent.type.startswith(("func", "method")):
        node = node.parent
    return node.parent is None


def _fields(struct: Node) -> Iterator[tuple[str, str]]:
    for declaration in struct.named_children[0].named_children if struct.named_children else ():
        if declaration.type == "field_declaration":
            kind = declaration.child_by_field_name("type")
            for name in declaration.children_by_field_name("name"):
                yield text(name), text(kind) if kind is not None else ""


def _constants(declaration: Node) -> Iterator[tuple[str, GoConstant]]:
    """A specification without a value has that of the one before it."""
    kind, values = "", expressions(None)
    for iota, spec in enumerate(node for node in declaration.named_children if node.type == "const_spec"):
        value = spec.child_by_field_name("value")
        if value is not None:
            written = spec.child_by_field_name("type")
            kind, values = "" if written is None else text(written), expressions(value)
        for name, part in zip(spec.children_by_field_name("name"), values, strict=False):
            if name.type == "identifier":
                yield text(name), GoConstant(kind, part, iota)


def _function(file: GoFile, node: Node) -> GoFunction:
    receiver = node.child_by_field_name("receiver")
    names, types = [""], [""]
    if receiver is not None:
        pairs = _parameters(file, receiver)
        names, types = [name for name, _ in pairs], [kind for _, kind in pairs]
    body = node.child_by_field_name("body")
    if body is None:
        file.refuse(node, "this function has no body", "write it in Go")
    numbers = set(_numbers(node))
    parameters = {n: "int64" if go in numbers else go for n, go in _parameters(file, field(node, "parameters"))}
    results = tuple((n, "int64" if go in numbers else go) for n, go in results_of(file, node))
    return GoFunction(text(field(node, "name")), types[0].lstrip("*"), names[0], parameters, results, body, node)


def _numbers(function: Node) -> Iterator[str]:
    """The type parameters that stand for numbers: where another type is given, the call is refused."""
    types = function.child_by_field_name("type_parameters")
    for part in types.named_children if types is not None else ():
        of = re.split(r"\s*\|\s*", text(field(part, "type")).replace("~", ""))
        if set(of) <= {"int", "int32", "int64", "cmp.Ordered"} and part.type == "type_parameter_declaration":
            yield from map(text, part.children_by_field_name("name"))


def shorthand(function: GoFunction, structs: Collection[str]) -> Node | None:
    """The expression that a function which gives a pointer stands for: all it does is to return that.

    So it is where one takes one of the structs or an error, or gives a struct. Of
    `status, ok := p.podSyncStatuses[uid]; return status, ok` it is what stands to the right of `:=`.
    """
    body = statements(function.body)
    given, results = [function.receiver, *function.parameters.values()], [go for _, go in function.results]
    is_meant = not set(structs).isdisjoint((*given, *results)) or "error" in given
    is_meant |= any(go in _POINTERS for go in results)
    if not is_meant or not body or body[-1].type != "return_statement":
        return None
    returned = expressions_of_return(body[-1])
    if len(body) == len(returned) == 1:
        return returned[0]
    if len(body) == len(returned) == 2 and body[0].type == "short_var_declaration":
        named, read = expressions(field(body[0], "left")), expressions(field(body[0], "right"))
        if len(read) == 1 and read[0].type == "index_expression" and list(map(text, named)) == [*map(text, returned)]:
            return read[0]
    return None


_POINTERS = ("*podSyncStatus", "*UpdatePodOptions", "*KillPodOptions")


def literal(file: GoFile, node: Node) -> GoFunction:
    """A function literal as a function without a name."""
    parameters = dict(_parameters(file, field(node, "parameters")))
    return GoFunction("", "", "", parameters, results_of(file, node), field(node, "body"), node)


def function_of(node: Node) -> GoFunction | None:
    """A declaration or a literal as a function; nothing where it takes any number of arguments, or has no body."""
    receiver, name, body = (node.child_by_field_name(part) for part in ("receiver", "name", "body"))
    parameters, results = _typed(field(node, "parameters")), node.child_by_field_name("result")
    if body is None or parameters is None:
        return None
    own = None if receiver is None else _typed(receiver)
    given = results is not None and results.type == "parameter_list"
    told = [] if results is None else _typed(results) if given else [("", text(results))]
    if told is None or (receiver is not None and (own is None or len(own) != 1)):
        return None
    who, type_ = own[0] if own else ("", "")
    named = {one if one not in ("", "_") else f"_ {i}": kind for i, (one, kind) in enumerate(parameters)}
    return GoFunction("" if name is None else text(name), type_.lstrip("*"), who, named, tuple(told), body, node)


def _typed(node: Node) -> list[tuple[str, str]] | None:
    """Names and types of parameters; nothing where there may be any number."""
    found: list[tuple[str, str]] = []
    for one in node.named_children:
        if one.type == "variadic_parameter_declaration":
            return None
        if one.type == "parameter_declaration":
            kind = text(field(one, "type"))
            found += [(text(name), kind) for name in one.children_by_field_name("name")] or [("", kind)]
    return found


def signature(function: GoFunction) -> tuple[str, ...]:
    """The types of what a function is given and gives."""
    types = function.node.child_by_field_name("type_parameters")
    receiver = f"{'*' * function.is_pointer}{function.receiver}"
    own = "" if types is None else text(types)
    return own, receiver, *function.parameters.values(), "->", *(type_ for _, type_ in function.results)


def results_of(file: GoFile, node: Node) -> tuple[tuple[str, str], ...]:
    result = node.child_by_field_name("result")
    if result is None:
        return ()
    if result.type == "parameter_list":
        return tuple(_parameters(file, result))
    return (("", text(result)),)


def _parameters(file: GoFile, node: Node) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for declaration in node.named_children:
        if declaration.type == "comment":
            continue
        if declaration.type != "parameter_declaration":
            file.refuse(declaration, "any number of arguments", "name the parameters one by one")
        kind = text(field(declaration, "type"))
        found += [(text(name), kind) for name in declaration.children_by_field_name("name")] or [("", kind)]
    return found


def field(node: Node, name: str) -> Node:
    """A child that the grammar always has."""
    found = node.child_by_field_name(name)
    assert found is not None, f"{node.type} without {name}"
    return found


def unwrapped(node: Node) -> Node:
    """An expression without the parentheses around it."""
    while node.type == "parenthesized_expression":
        node = node.named_children[0]
    return node


def root_of(node: Node) -> Node:
    """What fields are selected of: `x` in `x.y.z`."""
    while node.type == "selector_expression":
        node = field(node, "operand")
    return node


@functools.lru_cache(maxsize=50_000)
def text(node: Node) -> str:
    """The text of a node, its white space and comments as short as can be."""
    if node.type == "comment":
        return ""
    assert node.text is not None
    return " ".join(node.text.decode().split())


def tokens(node: Node, without: Collection[Node] = ()) -> Iterator[str]:
    """Its words and signs in order, without comments and some nodes.

    Of line ends and `;` there is only what tells two texts apart.
    """
    if node.type in ("comment", "\n") or node in without:
        return
    if not node.children or node.type in ("interpreted_string_literal", "raw_string_literal", "rune_literal"):
        assert node.text is not None
        yield node.text.decode()
        return
    if node.type.endswith("literal") and node.type not in _COMPOUND:
        return
    keeps, before = _needs_semicolons(node), None
    for child in node.children:
        if child.type in ("\n", ";"):
            yield from (";",) * keeps
        elif child.type != "comment" and child not in without:
            if before is not None and _would_be_one(before, child):
                yield ";"
            yield from tokens(child, without)
            before = child


_COMPOUND = ("composite_literal", "func_literal")


def _needs_semicolons(node: Node) -> bool:
    """Would `for` or `switch` say something else without its `;`?"""
    if node.type == "for_clause":
        return len(node.named_children) < len(("initializer", "condition", "update"))
    return (
        node.type in ("expression_switch_statement", "type_switch_statement")
        and node.child_by_field_name("initializer") is not None
        and node.child_by_field_name("value") is None
    )


def _would_be_one(before: Node, node: Node) -> bool:
    """Would what stands before it on another line go on with this, if both stood on one line?"""
    match before.type:
        case "return_statement" | "break_statement" | "continue_statement":
            return not before.named_children
        case "field_declaration":
            is_embedded = before.child_by_field_name("name") is None
            return is_embedded and field(before, "type").type == "type_identifier"
        case "method_elem":
            return node.type != "method_elem" and node.is_named
    return before.type.endswith(("_statement", "_declaration")) and text(node)[:1] in tuple("([{<")


def statements(block: Node | None) -> list[Node]:
    """The statements of a block, a case or a file's function, without comments."""
    if block is None:
        return []
    found = [child for child in block.named_children if child.type != "comment"]
    if len(found) == 1 and found[0].type == "statement_list":
        found = [child for child in found[0].named_children if child.type != "comment"]
    return [node for node in found if node.type != "empty_statement"]


_NESTED = (
    *("block", "statement_list", "if_statement", "expression_case", "type_case", "communication_case"),
    "default_case",
)


def placed(node: Node, place: str = "") -> Iterator[tuple[str, frozenset[int]]]:
    """Each statement in a function or a statement, itself included, and the lines of what it has outside its blocks.

    Its text also says in which blocks it stands, and nothing of its layout and comments.
    """
    blocks: list[Node] = []
    words, lines, pending = list[str](), set[int](), [node]
    while pending:
        part = pending.pop()
        if part is not node and part.type in _NESTED:
            blocks.append(part)
        elif part.children and not part.type.endswith("string_literal"):
            pending += reversed(part.children)
        elif part.type != "else" and (found := list(tokens(part))):
            words += found
            lines.update(range(part.start_point[0] + 1, part.end_point[0] + 2))
    yield place + " ".join(words), frozenset(lines)
    otherwise = node.child_by_field_name("alternative")
    for block in blocks:
        inner = f"{place}in " if block != otherwise else f"{place.removesuffix('else ')}else "
        for statement in statements(block) if block.type in ("block", "statement_list") else [block]:
            yield from placed(statement, inner)


def expressions(node: Node | None) -> list[Node]:
    """The parts of an expression list, or the one expression that stands in its place."""
    if node is None:
        return []
    if node.type in ("expression_list", "argument_list"):
        return [child for child in node.named_children if child.type != "comment"]
    return [node]


_ORIGINS = ("short_var_declaration", "var_spec", "range_clause", "parameter_declaration", "assignment_statement")


def origins(node: Node) -> Iterator[str]:
    """The words of what declares or sets the locals that a part of a function names, and those that this names."""
    function, names = node, {text(one) for one in inside(node, "identifier")}
    found: list[Node] = []
    while function.parent is not None and function.type not in ("function_declaration", "method_declaration"):
        function = function.parent
    places = [one for one in inside(function, *_ORIGINS) if not node.start_byte <= one.start_byte < node.end_byte]
    while more := [one for one in places if one not in found and not names.isdisjoint(_given_by(one))]:
        found += more
        names.update(text(name) for one in more for name in inside(one, "identifier"))
    for one in sorted(found, key=lambda one: one.start_byte):
        yield from ("where", *tokens(one))


def _given_by(node: Node) -> Iterator[str]:
    """The locals that a declaration or an assignment gives a value."""
    yield from map(text, expressions(node.child_by_field_name("left")))
    yield from map(text, node.children_by_field_name("name"))


def outermost(nodes: Collection[Node]) -> Iterator[Node]:
    """Those within no other one, in the order of the text."""
    for node in sorted(nodes, key=lambda one: (one.start_byte, -one.end_byte)):
        parent = node.parent
        while parent is not None and parent not in nodes:
            parent = parent.parent
        if parent is None:
            yield node


def inside(node: Node, *kinds: str, into_functions: bool = True) -> Iterator[Node]:
    """Every node of these kinds in the tree below, itself included, in the order of the text."""
    return iter(_inside(node, kinds, into_functions))


@functools.lru_cache(maxsize=5_000)
def _inside(node: Node, kinds: tuple[str, ...], into_functions: bool) -> tuple[Node, ...]:
    found, pending = [], [node]
    while pending:
        part = pending.pop()
        if part.type in kinds:
            found.append(part)
        below = reversed(part.named_children)
        pending += below if into_functions else (child for child in below if child.type != "func_literal")
    return tuple(found)


def expressions_of_return(node: Node) -> list[Node]:
    """What a return statement returns."""
    found = [child for child in node.named_children if child.type != "comment"]
    return expressions(found[0]) if found else []
