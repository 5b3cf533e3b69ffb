"""Lists and sets of UIDs: those of the pod workers, and those that a function makes for itself.

The model has a list that a function makes as the set of what is in it: each UID is in it once, and in no order that
matters, since it was in the random one of a map, and what is done in a loop over it does the same in any.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podproof.golang.fields import MAP, SETS_OF_UIDS
from podproof.golang.operators import OperatorTranslation
from podproof.golang.syntax import expressions, expressions_of_return, field, inside, statements, text, tokens
from podproof.golang.values import Meaning, disjunction

if TYPE_CHECKING:
    from tree_sitter import Node

_KEYS = ("maps.Keys", "sets.KeySet", "slices.Collect", "slices.Sorted", "sets.List", "maps.Clone", "slices.Clone")
"""Functions that give the keys of a map, in whatever order, or what has the same keys."""
_LISTS = ("slices.Collect", "slices.Sorted", "sets.List", "slices.Clone")


class ListTranslation(OperatorTranslation):
    """Adds lists and sets of UIDs."""

    def check_named(self, pods: Meaning, node: Node) -> None:
        """A list or set that is made on the spot is somewhere only when it has a name."""
        if pods.fresh:
            self.refuse(node, f"`{text(node)}` asks a list or set that has no name", "give it one before")

    def touch_pods(self, base: Meaning, node: Node) -> None:
        """What a function made for itself nobody protects."""
        if base.text.startswith("self."):
            self.touch(node)

    def keep_pods(self, name: str, value: Meaning, node: Node) -> None:
        """A local list or set, which is new."""
        python = self.python_name(name, value.kind)
        self.emit(f"{python} = copy(self.no_pods).has", node)
        if value.text:
            uid = self.python_name("uid", "int")
            self.emit(f"for {uid} in range(len({python})):", node)
            with self.indented():
                self.emit(f"{python}[{uid}] = {value.text.format(uid)}", node)
        self.kept[python] = len(self.loops), None
        self.flow.scope[name] = Meaning(python, value.kind, name)

    def is_of_desired(self, name: str) -> bool:
        """Is this set filled in a loop over the desired pods? Those the model knows."""
        for loop in inside(self.function.body, "range_clause"):
            over = self.flow.scope.get(text(field(loop, "right")))
            if over is not None and over.kind == "desired pods" and loop.parent is not None:
                return any(text(part) == name for part in inside(loop.parent, "identifier"))
        return False

    def add_once(self, base: Meaning, value: Meaning, node: Node) -> Meaning:
        """A UID is appended that cannot be in the list: the one of this pass of a loop over a map."""
        depth, before = self.kept[base.text]
        is_own = bool(self.passes) and self.passes[-1] == value.text and len(self.loops) == depth + 1
        if not is_own or before not in (None, node):
            self.refuse(
                node, f"`{text(node)}` may append a UID a second time, or in an order that matters",
                "append in one place, the UID of each pass of a loop over a map; or use a sets.Set[types.UID]",
            )  # fmt: skip
        self.kept[base.text] = depth, node
        return Meaning(f"{base.text}[{value.text}] = True", "appended")

    def keys_of(self, node: Node) -> tuple[Node, bool]:
        """The map or set whose keys an expression gives, or the expression itself; and does it give a list?"""
        is_list, outermost = False, node
        while node.type == "call_expression":
            function, arguments = field(node, "function"), expressions(field(node, "arguments"))
            method = text(field(function, "field")) if function.type == "selector_expression" else ""
            if text(function) in _KEYS and len(arguments) == 1:
                is_list = text(function) in _LISTS if node == outermost else is_list
                node = arguments[0]
            elif method in ("UnsortedList", "Clone") and not arguments:
                is_list = method == "UnsortedList" if node == outermost else is_list
                node = field(function, "operand")
            else:
                break
        return node, is_list

    def is_listed(self, listed: Node, sought: Node, node: Node) -> Meaning | None:
        """slices.Contains: of some values that are written there, or of a local list."""
        if listed.type == "composite_literal" and field(listed, "type").type == "slice_type":
            found, value = "False", self.expression(sought)
            for element in (part.named_children[0] for part in field(listed, "body").named_children):
                found = disjunction(found, self.equality(value, "==", self.expression(element), node).text)
            return Meaning(found, "bool")
        base = self.expression(listed)
        return Meaning(self.is_among(base, sought), "bool") if base.kind == "uid list" else None

    def has_one(self, listed: Node, test: Node) -> Meaning | None:
        """slices.ContainsFunc, where a function literal compares each UID, or the UID of each desired pod, with one."""
        sides = self.compared(test)
        if not sides:
            return None
        element = "".join(tokens(field(test, "parameters"))).removesuffix("types.UID)").removesuffix("*v1.Pod)")[1:]
        base, kinds = self.peek(listed), {element: "uid list", f"{element}.UID": "desired pods"}
        for side, sought in (sides, sides[::-1]):
            is_apart = all(text(part) != element for part in inside(sought, "identifier"))
            if base is not None and is_apart and kinds.get(text(side)) == base.kind:
                is_list = base.kind == "uid list"
                uid = self.element_uid(sought).text
                return Meaning(self.is_among(base, sought) if is_list else f"self.is_desired({uid})", "bool")
        return None

    def compared(self, test: Node) -> list[Node]:
        """The two sides of what a function literal says whether it is equal; none where it does something else."""
        body = statements(field(test, "body")) if test.type == "func_literal" else []
        returned = expressions_of_return(body[0]) if len(body) == 1 and body[0].type == "return_statement" else []
        if (
            len(returned) != 1
            or returned[0].type != "binary_expression"
            or text(field(returned[0], "operator")) != "=="
        ):
            return []
        return [field(returned[0], "left"), field(returned[0], "right")]

    def delete_equal(self, node: Node, at: Node) -> bool:
        """maps.DeleteFunc of the started pods, where a function literal compares the UID of each with one."""
        arguments = expressions(field(node, "arguments"))
        sides = self.compared(arguments[1]) if text(field(node, "function")) == "maps.DeleteFunc" else []
        base = self.peek(arguments[0]) if sides else None
        said = (
            re.fullmatch(r"\((\w+)string,?(\w+)types\.UID\)", "".join(tokens(field(arguments[1], "parameters"))))
            if sides
            else None
        )
        if base is None or base.kind != "started" or said is None:
            return False
        for side, sought in (sides, sides[::-1]):
            if text(side) == said[2] and {said[1], said[2]}.isdisjoint(map(text, inside(sought, "identifier"))):
                base, uid, name = (
                    self.expression(arguments[0]),
                    self.element_uid(sought),
                    self.python_name("name", "full_name"),
                )
                self.emit(f"for {name} in range(len({base.text})):", at)
                with self.indented():
                    self.emit(f"if {base.text}[{name}] == {uid.text}:", at)
                    with self.indented():
                        self.emit(f"{base.text}[{name}] = NIL", at)
                self.writes = True
                self.flow.forget_state(True)
                return True
        return False

    def made(self, node: Node, target: Node) -> Meaning:
        """append(list, x) and make(type)."""
        arguments = expressions(field(node, "arguments"))
        if text(field(node, "function")) == "make":
            made = " ".join("".join(tokens(part)) for part in arguments)
            if made.startswith(("[]types.UID 0", "[]string 0")):  # How much room it has matters to nobody.
                self.check_pure(arguments[-1])
                return self.new_list(made.partition(" ")[0])
            if made == "chanstruct{} 1":
                return Meaning("", "channel", "made")
            made = re.sub(r" len\(\w+\)$", "", made)
            if made in ("map[types.UID]bool", *SETS_OF_UIDS):
                return Meaning("empty", "uid set", "bools" if made == "map[types.UID]bool" else "")
            if made == "map[types.UID]PodWorkerSync":
                return Meaning("known", "known pods")
            self.refuse(node, f"`{text(node)}` is outside what is translated", "a worker's channel has room for one")
        one, other = (self.peek(part) for part in (arguments[0], target))
        is_itself = one is not None and other is not None and one.kind == "uids" and one.text == other.text
        if len(arguments) != 2 or (text(arguments[0]) != text(target) and not is_itself):
            self.refuse(node, f"`{text(node)}` makes another list", "append to the list itself, one element")
        base = self.expression(arguments[0])
        if base.kind == "unknown":
            self.check_pure(arguments[1])
            return base
        value = self.expression(arguments[1])
        if base.kind == "requests" and value.kind == "request":
            if (base.text, value.text) in self.appended:
                self.refuse(
                    node,
                    f"`{text(node)}` may append it a second time, which the model does not count",
                    "append it once",
                )
            self.appended.add((base.text, value.text))
            return Meaning(f"{base.text}[{value.text}] = True", "appended")
        if base.kind == "uid list" and value.kind == "uid":
            return self.add_once(base, value, node)
        if base.kind == "uids" and value.kind == "uid" and not base.uid:
            return Meaning(f"{base.text}.append({value.text})", "appended")
        self.refuse(node, f"`{text(node)}` is outside what is translated", "append to the lists of the pod workers")

    def change_set(self, operand: Node, verb: str, arguments: list[Node], at: Node) -> bool:
        """Insert and Delete of a set of UIDs."""
        base = self.peek(operand)
        if base is None or base.kind != "uid flags" or base.fresh:
            return False
        self.touch_pods(base, operand)
        for argument in arguments:
            uid = self.element_uid(argument)
            if verb == "Insert":
                self.make_sure(base, at)
            self.emit(f"{base.text}[{uid.text}] = {verb == 'Insert'}", at)
        self.writes = True
        self.flow.forget_state(False)
        return True

    def set_value(self, node: Node, function: Node, arguments: list[Node]) -> Meaning | None:
        """`set.Has(uid)` and the like, sets.New, slices.Contains, and a list or a set of the keys of a map."""
        if text(node).replace(" ", "") == "sets.New[types.UID]()":
            return Meaning("empty", "uid set")
        if text(function) == "cmp.Or" and arguments:
            return self.first_not_zero(node, arguments)
        if text(function) == "slices.Contains" and len(arguments) == 2:
            return self.is_listed(arguments[0], arguments[1], node)
        if text(function) == "slices.ContainsFunc" and len(arguments) == 2:
            return self.has_one(arguments[0], arguments[1])
        of, is_list = self.keys_of(node)
        if of != node and text(function) != "maps.Keys":  # Its keys are looked up when they are looped over.
            keyed = self.peek(of)
            kind = keyed.kind if keyed is not None and not keyed.fresh else ""
            if keyed is not None and (kind in ("statuses", "uid flags", "uid list") or kind.startswith(MAP)):
                entry = f"{keyed.text}[{{0}}]{'.present' if kind == 'statuses' else ''}"
                return Meaning(entry, "uid list" if is_list else "uid flags", fresh=True)
        if function.type == "selector_expression" and text(field(function, "field")) == "Len" and not arguments:
            base = self.peek(field(function, "operand"))
            if base is not None and base.kind == "uid flags":
                self.touch_pods(base, node)
                return self.number_of(base, node)
        if function.type == "selector_expression" and text(field(function, "field")) == "Has" and len(arguments) == 1:
            base = self.peek(field(function, "operand"))
            if base is not None and base.kind in ("uid set", "uid flags") and base.key not in self.of_bools:
                return Meaning(self.is_among(base, arguments[0]), "bool")
        return None

    def comma_ok(self, node: Node, left: list[Node]) -> list[Meaning]:
        """value, ok := map[key]"""
        base = self.expression(field(node, "operand"))
        if base.kind in ("uid set", "uid flags"):
            if text(left[0]) != "_":
                self.refuse(left[0], "the element of a set", "write `_`")
            return [Meaning("", "unknown"), Meaning(self.is_among(base, field(node, "index")), "bool")]
        if base.kind.startswith(MAP):
            return [self.index(node), Meaning(self.is_among(base, field(node, "index")), "bool")]
        value = self.index(node)
        if base.kind == "statuses":
            return [value, Meaning(f"{value.text}.present", "bool", implies=text(left[0]))]
        if base.kind in ("channels", "started"):
            return [value, Meaning(f"{value.text} != NIL", "bool")]
        self.refuse(
            node, f"`{text(node)}, ok` is outside what is translated", "ask the pod workers' maps by UID or name"
        )

    def number_of(self, statuses: Meaning, node: Node) -> Meaning:
        """How many entries a map by UID has, counted before the present statement."""
        count, uid = self.python_name("count", "int"), self.python_name("counted", "int")
        self.check_named(statuses, node)
        is_desired = statuses.kind == "desired pods"
        entry = f"{statuses.text}[{uid}]{'.present' if statuses.kind == 'statuses' else ''}"
        self.emit(f"{count} = 0", node)
        self.emit(f"for {uid} in range(len({'self.pod_sync_statuses' if is_desired else statuses.text})):", node)
        with self.indented():
            self.emit(f"if {f'self.is_desired({uid})' if is_desired else entry}:", node)
            with self.indented():
                self.emit(f"{count} = {count} + 1", node)
        # Of the desired pods the model knows the UIDs, of which there may be fewer.
        return Meaning(count, "remaining" if is_desired else "int")

    def make_sure(self, base: Meaning, node: Node) -> None:
        """A map that is written must have been made with the workers; Go would panic."""
        if not base.text.startswith("self."):
            return
        maker = self.file.functions.get("newPodWorkers")
        name = base.key.rpartition(".")[2]
        if maker is not None and not any(
            text(part.named_children[0]) == name for part in inside(maker.body, "keyed_element")
        ):
            self.refuse(node, f"`{base.key}` is written and newPodWorkers makes none", f"write `{name}: …` there")
