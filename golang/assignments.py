"""Assignments of Go: to locals, to fields, to the maps of the pod workers, and what is made to be stored there."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from podproof.golang.calls import CallTranslation
from podproof.golang.expressions import NAMES
from podproof.golang.fields import MAP, values_of
from podproof.golang.syntax import expressions, field, inside, root_of, text, unwrapped
from podproof.golang.translation import WORKERS
from podproof.golang.values import NIL_VALUE, STATIC, Meaning, as_delay, snake
from podproof.golang.vocabulary import FIELDS, RECORDS

if TYPE_CHECKING:
    from tree_sitter import Node


class AssignmentTranslation(CallTranslation):
    """Adds assignments."""

    # -- assignments ---------------------------------------------------------------------------------------------
    def assignment(self, node: Node) -> None:
        operator = text(field(node, "operator"))
        left, right = expressions(field(node, "left")), expressions(field(node, "right"))
        calls = [call for part in right for call in inside(part, "call_expression")]
        if len(left) == len(right) == 1 and self.is_unread(left[0]) and all(map(self.is_known_call, calls)):
            base = self.expression(field(left[0], "operand"))
            self.touch_record(base, node)
            self.need_not_nil(base, field(left[0], "operand"))
            self.check_pure(right[0])
            self.flush(node)
            self.ignored.append(f"{self.file.name}:{self.go_line(node)} a field that nobody reads")
            return
        if operator in ("+=", "-=", "*=", "/=") and len(left) == 1:
            a, b = self.expression(left[0]), self.expression(right[0])
            self.store(left[0], self.computed(a, operator[0], b, node), node)
            return
        if operator != "=":
            self.refuse(node, f"`{operator}` is outside what is translated", "write =, += or -=")
        if not self.phrase_effect(node, node):
            self.assign(left, right, node, declares=False)

    def assign(self, left: list[Node], right: list[Node], node: Node, declares: bool) -> None:
        changes = self.changes
        for target, part in zip(left, right, strict=False):
            place = self.peek(target) if len(left) == len(right) and target.type == "selector_expression" else None
            if place is not None:
                self.wanted[part] = place.kind
        stands_for = self.own_shorthand(right[0]) if len(left) == 2 and len(right) == 1 else None
        if len(left) == 2 and len(right) == 1 and right[0].type == "index_expression":
            values = self.phrase(right[0]) or self.comma_ok(right[0], left)
        elif stands_for is not None and stands_for.type == "index_expression":
            with self.within(right[0]):
                values = self.comma_ok(stands_for, left)
            values[0] = replace(values[0], key="")
        elif len(right) == 1:
            values = (
                self.results(right[0])
                if right[0].type != "call_expression" or text(field(right[0], "function")) not in ("append", "make")
                else [self.made(right[0], left[0])]
            )
        else:
            values = self.values_before(left, right, [self.expression(part) for part in right], node)
        if len(values) != len(left):
            self.refuse(node, f"{len(left)} names for {len(values)} values", "name each")
        if [value.kind for value in values] == ["expiration", "expires"] or values[-1].implies == "tells":
            values[1] = replace(values[1], implies=text(left[0]))
        if self.several:
            targets = [
                self.target_name(target, value, declares, node) for target, value in zip(left, values, strict=True)
            ]
            call, self.several = self.several, ""
            self.emit(f"{', '.join(targets)} = {call}", node)
            return
        for target, value in zip(left, values, strict=True):
            if text(target) == "_":
                if self.changes != changes and len(right) > 1:
                    self.refuse(node, "a call beside `_` changes something", "call it in a statement of its own")
                if self.changes != changes and value.text.endswith(")"):
                    self.emit(value.text, node)
                self.flush(node)
            elif declares and (text(target) not in self.declared_here(node) or text(target) not in self.flow.scope):
                self.declare(text(target), value, node)
            else:
                self.store(target, value, node)
        self.pending_call = ""

    def values_before(self, left: list[Node], right: list[Node], values: list[Meaning], node: Node) -> list[Meaning]:
        """Go has all the values before it stores the first: one that reads what is stored is kept until then."""
        for number, target in enumerate(left[:-1]):
            place, is_local = self.peek(target), target.type == "identifier"
            name = re.sub(r"\[.*\]", "", place.text).rpartition(".")[2] if place is not None else ""
            for part, value in list(zip(right, values, strict=True))[number + 1 :]:
                is_read = text(target) in {text(p) for p in inside(part, "identifier", "selector_expression")}
                if name and (is_local or not (value.is_constant or value.text.isidentifier())):
                    is_read |= name in re.findall(r"\w+", value.text)
                    is_read |= not is_local and ("(" in value.text or (place is not None and place.kind in RECORDS))
                is_exchange = all(local.type == "identifier" for local in (*left, *right))
                if is_read and not (is_exchange and all(kept.kind in ("int", "bool") for kept in values)):
                    self.refuse(node, f"`{text(target)}` is read and set by one statement", "write two")
                if is_read:
                    names = [self.python_name(f"given_{n}", kept.kind) for n, kept in enumerate(values, 1)]
                    for given, kept in zip(names, values, strict=True):
                        self.emit(f"{given} = {kept.text}", node)
                    return [Meaning(given, kept.kind) for given, kept in zip(names, values, strict=True)]
        return values

    def target_name(self, target: Node, value: Meaning, declares: bool, node: Node) -> str:
        """Where one of several results of a call goes."""
        name = text(target)
        if name == "_":
            return "_"
        if declares and (name not in self.declared_here(node) or name not in self.flow.scope):
            python = self.python_name(name, value.kind)
            self.flow.scope[name] = replace(value, text=python, key=name)
            return python
        if target.type == "identifier" and self.flow.scope.get(name, WORKERS).kind == value.kind:
            self.flow.forget(name)
            return self.flow.scope[name].text
        place = self.expression(target)
        if target.type == "selector_expression" and place.kind == value.kind and value.kind not in RECORDS:
            self.check_write(target, place)
            return place.text
        self.refuse(target, f"`{name}` cannot take this result", "name the result first")

    def variables(self, node: Node) -> None:
        for spec in inside(node, "var_spec", into_functions=False):
            names, value = spec.children_by_field_name("name"), spec.child_by_field_name("value")
            if value is not None:
                self.assign(list(names), expressions(value), spec, declares=True)
                continue
            go = text(field(spec, "type"))
            struct = self.file.structs.get(go)
            for name in names:
                if struct is not None and go not in FIELDS:
                    self.declare(text(name), self.zero(go), spec)
                elif go in ("types.UID", "string"):
                    # The model has no zero UID: what is not set on every way is refused where it is read.
                    self.flow.scope[text(name)] = Meaning(self.python_name(text(name), "unset"), "unset", text(name))
                elif go in ("[]types.UID", "[]string"):
                    self.declare(text(name), self.new_list(go), spec)
                else:
                    kind = self.fields.kinds.get(go, "target" if go[:1] == "*" and "." in go else "")
                    kind = "unknown" if go == "*kubecontainer.PodStatus" else kind
                    if kind not in self.fields.zeros and kind not in STATIC:
                        self.refuse(spec, f"a `{go}` is outside what is translated", "the model knows none of these")
                    zero = Meaning(self.fields.zeros.get(kind, go), kind, text(name), fresh=kind in RECORDS)
                    if kind == "time" and not self.assignments(text(name)):
                        self.flow.scope[text(name)] = zero
                    else:
                        self.declare(text(name), zero, spec)

    def zero(self, go: str) -> Meaning:
        struct = self.file.structs.get(go)
        if struct is not None and go not in FIELDS:
            return Meaning(go, "struct", fields={name: self.zero(part) for name, part in struct.items()})
        kind, by_value = self.fields.kinds.get(go, "unknown"), not go.startswith("*")
        zero = f"{RECORDS[kind][1]}(present=True)" if kind in RECORDS and by_value else self.fields.zeros.get(kind, "")
        return Meaning(zero, kind, fresh=kind in RECORDS, by_value=by_value)

    def declare(self, name: str, value: Meaning, node: Node) -> None:
        """A new local with its first value."""
        before = self.flow.scope.get(name)
        if before is not None and (before.kind in STATIC or value.kind in STATIC):
            self.refuse(node, f"`{name}` is declared again in an inner block", "use another name")
        self.flow.forget(name)
        self.flow.doubtful.pop(name, None)
        self.flow.outlives.discard(name)
        if value.points:
            self.refuse(node, f"`{name}` would be one object under two names", "copy it, or use the first name")
        if value.kind == "struct":
            return self.keep_struct(name, value, node)
        if value.kind == "uid set" and value.key == "bools":
            self.of_bools.add(name)
        if value.kind == "uid set" and value.text != "desired" and not self.is_of_desired(name):
            value = Meaning("", "uid flags", fresh=True)
        if value.kind in ("uid list", "uid flags") and value.fresh:
            return self.keep_pods(name, value, node)
        if value.kind in ("uid list", "uid flags") or value.kind.startswith(MAP):
            what = "list" if value.kind == "uid list" else "map"
            self.refuse(node, f"`{name}` would be one {what} under two names", f"write `{value.key}` itself")
        if value == NIL_VALUE or value.kind == "appended":
            self.refuse(node, f"`{name}` has no type here", "declare it with `var`")
        if value.kind == "channel" and value.key == "made":
            self.flow.channels[name] = "made"
        self.check_placed(value, node)
        if value.kind == "uids" and self.assignments(name) > 1:
            offset = self.python_name(f"{name}_from", "int")
            self.emit(f"{offset} = {value.uid or 0}", node)
            self.flow.scope[name] = replace(value, key=name, uid=offset)
            return
        if value.kind in STATIC or (value.kind == "delay" and value.is_constant and self.assignments(name) == 1):
            self.flush(node)
            self.flow.scope[name] = replace(value, key=value.key if value.kind == "unknown" else name)
            if value.kind == "channel" and value.key in self.flow.channels:
                self.flow.channels[name] = self.flow.channels[value.key]
            return
        python = self.python_name(name, value.kind)
        if value.kind == "requests":  # A part of a copy of its status: it stays what it is when the status has another.
            base, _, kept = value.text.rpartition(".")
            self.emit(f"{python} = copy({base})", node)
            self.flow.scope[name] = Meaning(f"{python}.{kept}", "requests", name, by_value=True)
            return
        if value.kind in (*RECORDS, "pod") and not self.is_alias(value):
            return self.keep_record(name, python, value, node)
        if value.kind in ("uid", "name", "namespace"):
            self.canonical[python] = self.uid_of(value, node)
        if self.is_alias(value):
            self.homes[name] = value.text
            self.sources[name] = value.key
        if value.kind in ("update", "kill") and self.assignments(name) > 1 and not self.is_made(name):
            # Of a pointer that is set again the record is kept, until somebody writes to one like it.
            self.frame[python] = RECORDS[value.kind][1]
            python = f"local.{python}"
            self.emit(f"{python} = copy({value.text})", node)
        else:
            self.emit(f"{python} = {value.text}", node)
        is_address = value.kind == "update" and value.key.startswith("&")
        self.flow.scope[name] = replace(
            value, text=python, key=value.key if is_address else name, fresh=False, fields={}
        )
        if is_address:
            self.flow.known[value.key] = True
        elif value.key and value.key in self.flow.known:
            self.flow.known[name] = self.flow.known[value.key]

    def is_alias(self, value: Meaning) -> bool:
        """Is this a pointer to a record, and no copy of one?"""
        return value.kind in ("update", "kill", "status") and not value.by_value and not value.fresh

    def keep_record(self, name: str, python: str, value: Meaning, node: Node) -> None:
        """A local copy of a record; one that is set more than once is kept in a record of locals."""
        if self.assignments(name) > 1:
            if value.kind != "pod":
                self.refuse(node, f"`{name}` is set more than once", "use another name")
            self.frame[python] = RECORDS.get(value.kind, ("", "Pod"))[1]
            python = f"local.{python}"
        self.emit(f"{python} = {value.text if value.fresh else f'copy({value.text})'}", node)
        if value.kind == "pod" and value.fresh:
            self.flow.known[name] = True
        if value.key in self.flow.known:
            self.flow.known[name] = self.flow.known[value.key]
        if value.kind == "update" and not value.fresh:
            both = (name, value.key) if self.reads_part(name, "KillPodOptions") else (name,)
            self.flow.owned -= {f"{owner}.KillPodOptions" for owner in both}
        kept = Meaning(python, value.kind, name, value.uid, by_value=value.kind != "pod", points=self.points(name))
        self.flow.scope[name] = kept

    def keep_struct(self, name: str, value: Meaning, node: Node) -> None:
        """A struct of this file, field by field."""
        self.check_struct(name, value, node)
        kept = {of: self.keep_field(name, of, part, node) for of, part in value.fields.items()}
        self.flow.scope[name] = Meaning(value.text, "struct", name, fields=kept, fresh=value.fresh)

    def keep_field(self, name: str, field_name: str, part: Meaning, node: Node) -> Meaning:
        key = f"{name}.{field_name}"
        if part.kind == "struct":
            return replace(part, key=key, fields={n: self.keep_field(key, n, p, node) for n, p in part.fields.items()})
        if part.kind in STATIC or not part.kind or (part.kind == "delay" and part.is_constant):
            return replace(part, key=key)
        python = self.python_name(snake(key.replace(".", "_")), part.kind)
        is_copied = part.kind in (*RECORDS, "pod") and not part.fresh
        self.flow.owned -= {f"{part.key}.KillPodOptions"} if is_copied else set()
        self.emit(f"{python} = {f'copy({part.text})' if is_copied else part.text}", node)
        return Meaning(python, part.kind, key, part.uid, by_value=part.by_value)

    def store(self, target: Node, value: Meaning, node: Node) -> None:
        """Assign to what is there already."""
        target = unwrapped(target)
        match target.type:
            case "identifier":
                self.store_local(target, value, node)
            case "selector_expression":
                self.store_field(target, value, node)
            case "index_expression":
                self.store_element(target, value, node)
            case _:
                self.refuse(target, f"`{text(target)}` cannot be assigned to here", "assign to fields and elements")

    def store_local(self, target: Node, value: Meaning, node: Node) -> None:
        name = text(target)
        place = self.name(target)
        if name in self.flow.escaped:
            self.refuse(
                node, f"`{name}` is set after its address was stored on line {self.flow.escaped[name]}", "copy it"
            )
        known = value.key and self.flow.known.get(value.key)
        self.flow.forget(name)
        if place.kind == "uid list" and value.kind == "appended":
            self.emit(value.text, node)
            return
        if place.kind in ("uid list", "uid flags"):
            self.refuse(node, f"`{name}` becomes another list or set", "use another name")
        if place.kind == "unset" and value.kind in NAMES:
            uid = self.uid_of(value, node)
            self.canonical[place.text] = uid
            self.emit(f"{place.text} = {value.text}", node)
            self.settled[place.text] = value.kind
            return
        if place.kind in NAMES and place.kind == value.kind and not place.text.startswith("self."):
            if self.uid_of(value, node) != self.uid_of(place, node):
                self.refuse(node, f"`{name}` becomes another pod's", "use another name")
            self.emit(f"{place.text} = {value.text}", node)
            return
        if place.kind == "status":
            self.build(name, place, value, node)
            return
        if place.kind in ("update", "kill") and place.text.startswith("local.") and value.key[:1] != "&":
            if value != NIL_VALUE and (not self.is_alias(value) or value.kind != place.kind or value.uid != place.uid):
                self.refuse(node, f"`{name}` becomes another {RECORDS[place.kind][0]}", "use another name")
            if value == NIL_VALUE:
                self.emit(f"{place.text} = {self.fields.zeros[place.kind]}", node)
                self.flow.known[name] = False
            else:
                self.emit(f"{place.text} = copy({value.text})", node)
                if isinstance(known, bool):
                    self.flow.known[name] = known
            return
        if place.kind == "update" and not place.by_value and value.fresh:
            self.build(name, place, value, node)
            return
        if value.kind == "channel" and place.kind == "channel":
            self.flush(node)
            self.flow.scope[name] = replace(place, uid=value.uid or place.uid, key=name)
            if value.key == "made":
                self.flow.channels[name] = "made"
            elif value.key in self.flow.channels:
                self.flow.channels[name] = self.flow.channels[value.key]
            return
        if place.kind == value.kind == "uids" and place.text == value.text:
            self.emit(f"{place.uid} = {value.uid or 0}", node)
            return
        if place.kind == "delay":
            value = as_delay(value)
            self.flow.told.discard(name)
        if place.kind == "error" and value == NIL_VALUE:
            value = Meaning(self.fields.zeros["error"], "error")
        if place.kind in STATIC:
            if value.kind != place.kind:
                self.refuse(node, f"`{name}` is set to something of another kind", "use another name")
            if place.kind == "struct":
                return self.keep_struct(name, value, node)
            self.flush(node)
            self.flow.scope[name] = replace(value, key=name)
            return
        if place.kind == "pod":
            if not place.text.startswith("local."):
                self.refuse(node, f"`{name}` is set more than once", "use another name")
            self.emit(f"{place.text} = {self.coerce(value, 'pod', node)}", node)
            self.flow.scope[name] = replace(place, uid=value.uid or place.uid)
            if value.uid and place.uid and value.uid != place.uid:
                self.refuse(node, f"`{name}` becomes another pod", "use another name")
            if value.fresh or (known is not None and known != ""):
                self.flow.known[name] = True if value.fresh else bool(known)
            return
        if place.kind in RECORDS or not place.text.isidentifier():
            self.refuse(node, f"`{name}` is set more than once", "use another name")
        self.emit(f"{place.text} = {self.coerce(value, place.kind, node)}", node)
        self.flow.scope[name] = replace(place, implies="")

    # -- new objects ---------------------------------------------------------------------------------------------
    def build(self, name: str, place: Meaning, value: Meaning, node: Node) -> None:
        """A new object for a map's entry, or for a pointer field, is built where it will be stored."""
        if not value.fresh or value.kind != place.kind:
            self.refuse(
                node, f"`{name}` would become another {RECORDS[place.kind][0]} under two names",
                "use another name, or make a new one",
            )  # fmt: skip
        if place.present or (self.flow.known.get(name) is True and name not in self.flow.building):
            self.refuse(node, f"`{name}` is replaced while the old one is still in its place", "test that it is nil")
        if place.kind == "update" and value.text != "UpdatePodOptions(present=True)":
            self.refuse(node, f"`{text(node)}` is outside what is translated", "set the fields afterwards")
        self.emit(f"clear({place.text})", node)
        self.flow.lose("cancel", "read it again from the status")
        for line in value.text.splitlines() if place.kind == "status" else ():
            self.emit(line.format(place.text), node)
        self.writes = True
        self.lose_aliases(place.kind, place=place.text, but=name)
        self.flow.building[name] = place.text
        self.flow.known[name] = True

    def composite(self, node: Node) -> Meaning:
        if text(field(node, "type")) != "podSyncStatus":
            return super().composite(node)
        lines = []
        for element in field(node, "body").named_children:
            if element.type == "comment":
                continue
            if element.type != "keyed_element":
                self.refuse(element, "a field without its name", "write name: value")
            key, value = (part.named_children[0] for part in element.named_children if part.type == "literal_element")
            found = self.expression(value)
            if text(key) == "syncedAt" and found.kind == "time":
                continue
            if text(key) == "fullname" and found.kind == "full_name":
                lines.append(f"assert {found.text} == self.full_names[{self.uid_of(found, value)}]")
                continue
            known = self.field_of(Meaning("", "status"), text(key), key)
            lines.append(f"{{0}}.{known.name} = {self.coerce(found, known.kind, value)}")
        return Meaning("\n".join(lines), "status", fresh=True)

    def store_if_there(self, target: Node, value: Meaning, node: Node) -> None:
        """Set a field of a status that a call may have deleted from the map: then nobody else sees it any more."""
        name = text(field(target, "operand"))
        self.flush(node)
        self.emit(f"if {self.flow.scope[name].text}.present:", node)
        before = self.flow.copy()
        self.flow.known[name] = True
        with self.indented():
            self.store_field(target, value, node)
        self.flow = before.join(self.flow)

    def store_field(self, target: Node, value: Meaning, node: Node) -> None:
        base, name = field(target, "operand"), text(field(target, "field"))
        if self.is_workers(base):
            place = self.expression(target)
            if place.kind not in self.fields.annotations:
                self.refuse(node, f"`{text(target)}` is replaced as a whole", "change its elements")
            self.writes = True
            self.emit(f"{place.text} = {self.coerce(value, place.kind, node)}", node)
            return
        root: Node | None = base
        while root is not None:
            found = self.peek(root)
            root = field(root, "operand") if root.type == "selector_expression" else None
            if found is not None and found.kind == "pod":
                self.refuse(target, f"`{text(target)}`: a pod is written, which others have, too", "copy the pod first")
        record = self.expression(base)
        if record.fields:
            self.store_struct_field(target, record, name, value, node)
            return
        if record.kind == "status" and name in ("syncedAt", "fullname"):
            self.refuse(node, f"`{text(target)}` is set", "the model knows it as fixed")
        if record.kind == "status" and text(base) in self.flow.outlives and not self.flow.known.get(text(base)):
            self.store_if_there(target, value, node)
            return
        self.flow.bound.pop(text(target), None)
        place = self.expression(target)
        self.check_write(target, place)
        key = text(target)
        if value.kind == "appended":
            self.emit(value.text, node)
        elif place.kind == "requests" and value == NIL_VALUE:
            index = self.python_name("request", "int")
            self.emit(f"for {index} in range(len({place.text})):", node)
            with self.indented():
                self.emit(f"{place.text}[{index}] = False", node)
        elif value.key in self.flow.building and self.homes.get(value.key) == place.text:
            self.need_made(value.key, node)
            self.emit(f"{self.flow.scope[value.key].text}.present = True", node)
            del self.flow.building[value.key]
        else:
            self.emit(f"{place.text} = {self.coerce(value, place.kind, node)}", node)
            if value.key.startswith("&"):
                self.escape(value, place, node)
        self.flow.forget(key)
        if self.sources.get(text(base)):
            self.flow.forget(f"{self.sources[text(base)]}.{name}")
        if place.kind == "requests":  # In `list[:0]` others are stored where the old ones are.
            self.lose_lists(but_kept="[" not in text(node.child_by_field_name("right")))
        if place.kind in ("update", "kill"):
            replaced = ("update", "kill") if place.kind == "update" else ("kill",)
            self.lose_aliases(*replaced, place=place.text, but=value.key)
        if value == NIL_VALUE:
            self.flow.known[key] = False
        elif value.fresh or value.key.startswith("&"):
            self.flow.known[key] = True
        if place.kind == "kill" and value.fresh:
            self.flow.owned.add(key)

    def escape(self, value: Meaning, place: Meaning, node: Node) -> None:
        """The address of a local struct was stored: the two are one object from now on."""
        root = value.key[1:].partition(".")[0]
        if value.uid and place.uid and value.uid != place.uid:
            self.refuse(node, "an update is stored with another pod", "store it with its own")
        self.flow.escaped[root] = self.go_line(node)
        for name, found in self.flow.scope.items():
            if found.key == value.key and found.kind == "update":
                self.flow.scope[name] = Meaning("read it where it was stored", "lost")
        self.flow.touched_since_escape = False
        self.flow.owned -= {path for path in self.flow.owned if path.startswith(f"{root}.")}

    def store_struct_field(self, target: Node, record: Meaning, name: str, value: Meaning, node: Node) -> None:
        root = text(field(target, "operand"))
        if name not in record.fields or root not in self.flow.scope:
            self.refuse(node, f"`{text(target)}` cannot be assigned to here", "assign to a local's own field")
        if root in self.flow.escaped:
            self.refuse(
                node, f"`{root}` is set after its address was stored on line {self.flow.escaped[root]}", "copy it"
            )
        old = record.fields[name]
        self.flow.forget(text(target))
        if old.text.isidentifier() and not old.is_constant and old.kind == value.kind and old.kind not in RECORDS:
            self.emit(f"{old.text} = {value.text}", node)
            return
        if value == NIL_VALUE:
            self.refuse(node, f"`{text(target)}` is set to nil", "leave it as it is")
        kept = self.keep_field(root, name, value, node)
        self.flow.scope[root] = replace(record, fields={**record.fields, name: kept})

    def check_write(self, target: Node, place: Meaning) -> None:
        """May this field be written without anybody else's object being another one?"""
        base_node = field(target, "operand")
        base, root = self.expression(base_node), root_of(base_node)
        if text(root) in self.flow.escaped:
            line = self.flow.escaped[text(root)]
            self.refuse(
                target, f"`{text(root)}` is written after its address was stored on line {line}", "write before"
            )
        if base.kind == "pod":
            self.refuse(target, f"`{text(target)}`: a pod is written, which others have, too", "copy the pod first")
        if base.kind == "status" and base.by_value:
            self.refuse(target, f"`{text(root)}` is a copy of a status, and is written", "write to the status")
        own_names = (text(base_node), self.sources.get(text(base_node)))
        if base.kind in ("update", "kill"):
            self.lose_snapshots()
        if base.text.startswith("local.") or self.flow.scope.get(text(root), WORKERS).key.startswith("&"):
            self.refuse(target, f"`{text(target)}`: `{text(root)}` is another name of what is written", "use the first")
        if base.kind == "kill" and not base.by_value and self.flow.owned.isdisjoint(own_names):
            self.refuse(
                target, f"`{text(target)}` is written, and who else has `{text(base_node)}` cannot be seen",
                "make a new KillPodOptions in this function",
            )  # fmt: skip
        if base.kind == "update" and not base.by_value:
            self.flow.touched_since_escape = True
        if not base.by_value or base.kind == "status":
            self.writes = True

    def store_element(self, target: Node, value: Meaning, node: Node) -> None:
        base, at = self.expression(field(target, "operand")), field(target, "index")
        self.writes = True
        match base.kind:
            case "statuses":
                uid, name = self.element_uid(at), value.key
                if name not in self.flow.building or self.uid_of(uid, at) != value.uid:
                    self.refuse(node, f"`{text(node)}`: only a new status is stored, for its own UID", "make it here")
                self.need_made(name, node)
                self.emit(f"{self.flow.scope[name].text}.present = True", node)
                self.makes = True
                del self.flow.building[name]
            case "channels":
                uid, name = self.element_uid(at), value.key
                if self.flow.channels.get(name) != "made" or value.uid not in ("", self.uid_of(uid, at)):
                    self.refuse(node, f"`{text(node)}`: only a new channel is stored, for its own UID", "make it here")
                self.flow.scope[name] = replace(value, uid=self.uid_of(uid, at))
                self.need(f"{base.text}[{uid.text}] == NIL")  # The model has one goroutine for each UID.
                self.flush(node)
                self.flow.channels[name] = "stored"
            case "started":
                full_name = self.expression(at)
                if value.kind != "uid" or full_name.kind != "full_name":
                    self.refuse(node, f"`{text(node)}` stores what is no UID", "store a UID")
                self.emit(f"{base.text}[{full_name.text}] = {value.text}", node)
            case "waiting":
                slot = self.index(target)
                if value.kind == "appended" and value.text.startswith(f"{slot.text}.append("):
                    self.emit(value.text, node)
                    self.lose_lists()
                elif value.kind == "uids" and value.text == slot.text:
                    self.emit(f"{slot.text}.keep_from({value.uid or 0})", node)
                    self.lose_lists()
                else:
                    self.refuse(node, f"`{text(node)}` stores another name's list", "store a part of the same list")
            case "uid flags":
                if (value.kind != "empty struct", value.text) not in ((False, ""), (base.key in self.of_bools, "True")):
                    self.refuse(
                        node, f"`{text(node)}` stores another thing than struct{{}}{{}}", "a set holds no values"
                    )
                self.make_sure(base, node)
                self.emit(f"{base.text}[{self.element_uid(at).text}] = True", node)
            case kind if kind.startswith(MAP):
                uid = self.element_uid(at)
                stored = self.coerce(value, kind.removeprefix(MAP), node)
                self.make_sure(base, node)
                self.emit(f"{values_of(base.text)}[{uid.text}] = {stored}", node)
                self.emit(f"{base.text}[{uid.text}] = True", node)
            case "undelivered":
                uid = self.element_uid(at)
                if value.kind != "struct" or {"WorkType", "Options"} - value.fields.keys():
                    self.refuse(node, f"`{text(node)}` stores no podWork", "store one")
                self.emit(f"if {base.text}[{uid.text}].present:", node)  # No entry outlives the status. [A28]
                with self.indented():
                    self.emit(f"{base.text}[{uid.text}].pending_update = {value.fields['Options'].text}", node)
                    self.emit(f"self.undelivered_work_types[{uid.text}] = {value.fields['WorkType'].text}", node)
            case "uid set":
                self.refuse(node, "a set is filled here", "fill it with the UIDs of all the desired pods, in a loop")
            case "known pods":
                if value.kind != "struct" or {"State", "Orphan"} - value.fields.keys():
                    self.refuse(node, f"`{text(node)}` stores no PodWorkerSync", "store one")
                given = (self.element_uid(at).text, value.fields["State"].text, value.fields["Orphan"].text)
                self.emit(f"self.record_known_pod({', '.join(given)})", node)
            case _:
                self.refuse(node, f"`{text(target)}` cannot be assigned to here", "assign to fields and elements")
        self.flow.forget_state(False)
