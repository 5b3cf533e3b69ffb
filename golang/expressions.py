"""Expressions of Go as expressions of the model language."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from podproof.golang.advice import advice, pattern_of
from podproof.golang.facts import FactTranslation
from podproof.golang.fields import MAP, SETS_OF_UIDS, SIMPLE, UNITS, values_of
from podproof.golang.syntax import GoFunction, GoRefusal, expressions, field, inside, text, tokens, unwrapped
from podproof.golang.values import NIL_VALUE, Meaning, as_delay, offset
from podproof.golang.vocabulary import FIELDS, RECORDS, GoField, Phrase

if TYPE_CHECKING:
    from tree_sitter import Node

POINTERS = ("status", "update", "kill", "pod")
"""Kinds whose nil is a record that is not present."""
NAMES = ("uid", "name", "namespace", "full_name")
"""Kinds that are one of a pod's names; a variable of them stays that pod's."""
_NILABLE = ("optional", "optional_bool", "request", "running", "mirror", "pod", "update", "kill", "context", "error",
            "failure")  # fmt: skip
"""Kinds that nil can be assigned to."""


_MAKE = ("&", "new(", "ptr.To(", "pointer.To(")
"""What gives a pointer to something new."""
LARGEST = 2**31 - 1
"""The largest number that may be written: what is added to a grace period does not bring it near int64's end."""


class ExpressionTranslation(FactTranslation):
    """Translates the expressions of one function."""

    # -- any expression ------------------------------------------------------------------------------------------
    def expression(self, node: Node) -> Meaning:
        found = self.results(node)
        if len(found) != 1:
            self.refuse(node, f"`{text(node)}` has {len(found)} results where one belongs", "name them with :=")
        return found[0]

    def results(self, node: Node) -> list[Meaning]:
        """The value of an expression; several for a call with several results."""
        node = unwrapped(node)
        key = text(node)
        if key in self.flow.bound:
            return [self.flow.bound[key]]
        said = self.phrase(node)
        if said is not None:
            return said
        match node.type:
            case "identifier" | "iota":
                return [self.name(node)]
            case "true" | "false":
                return [Meaning(key.capitalize(), "bool")]
            case "nil":
                return [NIL_VALUE]
            case "interpreted_string_literal" | "raw_string_literal":
                return [Meaning("_", "unknown")]
            case "int_literal":
                return [self.number(node)]
            case "selector_expression":
                return [self.selector(node)]
            case "index_expression":
                return [self.index(node)]
            case "slice_expression":
                return [self.slice(node)]
            case "unary_expression":
                return [self.unary(node)]
            case "binary_expression":
                return [self.binary(node)]
            case "call_expression":
                return self.call(node)
            case "composite_literal":
                return [self.composite(node)]
        self.refuse(node, f"`{key}` is outside what is translated", "write it with fields, calls and comparisons")

    def number(self, node: Node) -> Meaning:
        try:
            number = int(re.sub(r"^0(?=[0-9_])", "0o", text(node)), 0)
        except ValueError:
            self.refuse(node, f"`{text(node)}` is no number", "write its digits")
        if number > LARGEST:
            self.refuse(node, f"with `{text(node)}` a sum may leave int64, where Go's begins anew and the model's "
                        "does not", "use a smaller number")  # fmt: skip
        return Meaning(str(number), "int")

    def phrase(self, node: Node, tag: Node | None = None) -> list[Meaning] | None:
        """What the vocabulary says of an expression, or of whether the value of a switch is that."""
        matches = self.vocabulary.match("values", node) if tag is None else self.vocabulary.match_case(tag, node)
        for phrase, holes in matches:
            name = field(node, "function") if node.type == "call_expression" else node
            if name.type == "identifier" and (text(name) in self.flow.scope or self.is_own_delay(name, phrase)):
                continue
            values = self.holes(phrase, holes)
            if values is not None:
                is_passed_on = {"parent", "context", "logger"} & {kind for _, kind in phrase.meanings}
                self.assume(holes, {} if is_passed_on else values)
                return [self.said(phrase, part, kind, values, node) for part, kind in phrase.meanings]
        return None

    def holes(self, phrase: Phrase, holes: dict[str, Node]) -> dict[str, Meaning] | None:
        """What the holes of a pattern are; None where one is of another kind."""
        needs, used, known = list(self.needs), self.uses_uid, dict(self.flow.known)
        sections, enters = self.flow.sections, self.enters
        values: dict[str, Meaning] = {}
        self.misfit = None
        for name, node in holes.items():
            if name.partition(" ")[0] in ("any", "*", "deadline"):
                self.check_pure(node)
                continue
            if name == "never":
                continue
            if name == "now":
                if not self.is_now(node):
                    return None
                continue
            if name == "local":
                if node.type != "identifier":
                    return None
                continue
            kind = name.rstrip("0123456789")
            self.wanted[node] = kind
            value = self.attempt(node)
            if (
                value is not None
                and kind in ("optional", "request", "running", "mirror", "context")
                and value == NIL_VALUE
            ):
                value = Meaning(self.fields.zeros[kind], kind)
            if value is not None and kind == "delay":
                value = as_delay(value)
            is_part = value is not None and value.kind == "uids" and bool(value.uid)
            # Of a copy of a status only the fields are read: its context may be another one's by now.
            is_part = is_part or (value is not None and value.kind == "status" and value.by_value)
            if value is None or is_part or (value.kind != kind and not (kind == "pod" and value == NIL_VALUE)):
                self.needs[:], self.uses_uid, self.flow.known = needs, used, known
                self.flow.sections, self.enters = sections, enters
                self.misfit = node, kind, self.refused if value is None else None
                return None
            if name in phrase.not_nil:
                self.need_not_nil(value, node)
            values[name] = value
        return values

    def assume(self, holes: dict[str, Node], values: dict[str, Meaning]) -> None:
        """Say what is taken for granted of a context that comes to matter here."""
        if "parent" in values and values["parent"].text != "never":
            known = f"`{text(holes['parent'])}`, a context that comes from outside, is never cancelled"
            self.fields.assumptions[known] = None
        if "deadline" in holes:
            self.fields.assumptions["the deadlines of contexts do not pass: the model has no clock [A5]"] = None

    def attempt(self, node: Node) -> Meaning | None:
        """The value of an expression, or None where it has none: then another line of the vocabulary may fit."""
        found = self.attempt_all(node)
        if len(found) != 1:
            self.several = ""
            return None
        return found[0]

    def attempt_all(self, node: Node) -> list[Meaning]:
        """Its values; none where it has none."""
        if self.stands_here(unwrapped(node)) is not None and node not in self.ready:
            return []  # Its statements come before this one.
        is_said = node.type != "call_expression" or bool(self.vocabulary.match("values", node))
        if not is_said and self.own(node) is not None:
            return self.results(node)
        try:
            return self.results(node)
        except GoRefusal as refusal:
            self.refused = refusal
            return []

    def peek(self, node: Node) -> Meaning | None:
        """The value of an expression that is not evaluated here."""
        found = self.peek_all(node)
        return found[0] if len(found) == 1 else None

    def peek_all(self, node: Node) -> list[Meaning]:
        """The values of an expression that is not evaluated here; none where it has none."""
        needs, used, known = list(self.needs), self.uses_uid, dict(self.flow.known)
        lines, sections, enters = len(self.out), self.flow.sections, self.enters
        pending = self.several, self.pending_call
        found = self.attempt_all(node)
        self.several, self.pending_call = pending
        self.flow.sections, self.enters = sections, enters
        del self.out[lines:]
        self.needs[:], self.uses_uid, self.flow.known = needs, used, known
        return found

    def said(self, phrase: Phrase, part: str, kind: str, values: dict[str, Meaning], node: Node) -> Meaning:
        uid = next((value.uid for value in values.values() if value.uid), "")
        if kind.startswith("error_is"):
            value = values["error"]
            if not value.is_constant:
                self.refuse(node, f"`{text(node)}`: this error is not told apart in the model", "compare it with nil")
            is_it = value.text == part or (kind == "error_is_or_wraps" and value.text == f"WRAPPED_{part}")
            return Meaning(str(is_it != (kind == "error_is_not")), "bool")
        if kind == "has_elapsed":
            since = replace(values["time"], kind="elapsed")
            return self.has_elapsed(since, part, values["duration"], node)
        if "$pod." in part and values["pod"].text.startswith("Pod("):
            self.refuse(node, f"`{text(node)}`: of this pod only the revision is kept", "look at the update's")
        if phrase.needs:
            self.need(self.filled(phrase.needs, values, uid, node))
        return Meaning(
            self.filled(part, values, uid, node), kind, text(node), uid, fresh=part.endswith(")") and kind == "pod"
        )

    def is_now(self, node: Node) -> bool:
        """Is this the present, or a local that is set to it once, where nothing else is called so?"""
        if node.type != "identifier":
            return self.without_receiver(node) in ("p.clock.Now()", "time.Now()")
        made = [
            value
            for declaration in inside(self.function.body, "short_var_declaration")
            for name, value in zip(
                expressions(field(declaration, "left")), expressions(field(declaration, "right")), strict=False
            )
            if text(name) == text(node)
        ]
        around = self.function.node
        while around.parent is not None and around.parent.type != "source_file":
            around = around.parent
        others = inside(around, "parameter_declaration", "var_spec")
        if (
            any(text(name) == text(node) for part in others for name in part.named_children)
            or self.flow.scope.get(text(node), NIL_VALUE).kind != "time"
        ):
            return False
        return self.assignments(text(node)) == len(made) == 1 and self.is_now(made[0])

    def filled(self, template: str, values: dict[str, Meaning], uid: str, node: Node) -> str:
        """A template of the vocabulary with its holes filled."""
        for name in sorted(values, key=len, reverse=True):
            template = template.replace(f"${name}", values[name].text)
        if "@uid" in template:
            if not uid:
                self.refuse(node, f"`{text(node)}`: of which pod this is told cannot be seen", "pass the UID as well")
            self.uses_uid = self.uses_uid or uid == self.implicit_uid
            template = template.replace("@uid", uid)
        return template

    # -- names, fields, elements ---------------------------------------------------------------------------------
    def name(self, node: Node) -> Meaning:
        name = text(node)
        found = self.flow.scope.get(name)
        if found is None:
            return self.constant(node)
        if name in self.flow.escaped and self.flow.touched_since_escape:
            self.refuse(
                node,
                f"`{name}` is read after its address was stored on line {self.flow.escaped[name]} and something may "
                "have been written there since",
                "read it before, or copy it",
            )
        if found.kind == "lost":
            self.refuse(node, f"`{name}` is not kept here: the model does not know it any more", found.text)
        return found

    def is_own_delay(self, name: Node, phrase: Phrase) -> bool:
        """Does the file say itself how long this delay is?"""
        return phrase.meanings[0][1] == "duration" and text(name) in self.file.constants

    def constant(self, node: Node) -> Meaning:
        """A constant of the file."""
        declared = self.file.constants.get(text(node))
        if declared is None:
            self.unknown(node)
        member = self.fields.constant(text(node), declared.type)
        if member:
            return Meaning(member, declared.type)
        if text(node) in self.constants_open:
            self.refuse(node, f"`{text(node)}` is declared by itself", "give it a value")
        if declared.value.type == "int_literal":
            self.number(declared.value)
        scope, self.flow.scope = self.flow.scope, {"iota": Meaning(str(declared.iota), "int")}
        self.constants_open.append(text(node))
        value = self.attempt(declared.value)
        self.constants_open.pop()
        self.flow.scope = scope
        kind = self.fields.kinds.get(declared.type, "") if declared.type else "int"
        if value is not None and declared.type in ("", "time.Duration") and value.kind == "duration":
            return value
        if value is None or value.kind not in ("int", "bool") or (declared.type and value.kind != kind):
            self.unknown(node)
        return value

    def unknown(self, node: Node, at: Node | None = None) -> NoReturn:
        """Refuse a name, or what is selected of it, of which nothing is known."""
        whole = node
        while whole.parent is not None and whole.parent.type == "selector_expression":
            whole = whole.parent
        instead = advice(node, self.wanted, self.fields.zeros, self.function.body)
        self.refuse(node if at is None else at, f"nothing is known of `{text(whole)}`", instead)

    def refuse_misfit(self, node: Node) -> None:
        """Refuse what a call of which something is known is given, where that is the reason why it is not known."""
        for section in ("values", "effects", "waits"):
            for phrase, holes in self.vocabulary.match(section, node):
                is_named = bool(phrase.words)  # `$cancel()` has the shape of any call.
                if not is_named or self.holes(phrase, holes) is not None or self.misfit is None:
                    continue
                at, kind, refusal = self.misfit
                if refusal is not None:
                    raise refusal
                value = self.peek(at)
                told = "nothing" if value is None else "copy" if value.kind == kind else value.kind
                self.refuse(
                    at,
                    f"`{text(at)}` is a {told}, and `{pattern_of(field(node, 'function'))}` is known for a {kind}",
                    "give it one, or say what it stands for with --assume and the kind",
                )

    def selector(self, node: Node) -> Meaning:
        name = text(field(node, "field"))
        operand = field(node, "operand")
        if self.is_workers(operand):
            new = self.fields.of["podWorkers"].get(name)
            if self.fields.is_setting(self.file, name):
                return self.fields.delay(text(node), f"p.{name}")
            if name not in self.fields.state and new is None:
                self.unknown(node)
            self.touch(node)
            place, kind = self.fields.state[name] if new is None else (f"self.{new.name}", new.kind)
            return Meaning(place, kind, key=text(node))
        if operand.type == "identifier" and text(operand) not in self.flow.scope:
            if text(operand) != "time" or name not in UNITS:
                self.unknown(node)
            return self.fields.lasting(UNITS[name])
        base = self.expression(operand)
        if base.fields:
            if name not in base.fields:
                self.refuse(node, f"`{text(operand)}` has no field {name!r}", "see the declaration of its type")
            return base.fields[name]
        if base.kind == "status" and name == "fullname":
            return Meaning(f"self.full_names[{self.uid_of(base, node)}]", "full_name", text(node), base.uid)
        if base.kind not in RECORDS:
            self.unknown(node)
        self.touch_record(base, node)
        self.need_not_nil(base, operand)
        known = self.field_of(base, name, node)
        place = f"{base.text}.{known.name}"
        if base.kind == "status" and base.by_value:
            if known.is_apart or known.kind == "requests":
                self.refuse(node, f"`{text(node)}`: this is not kept with a copy of a status", "read it before")
            if known.kind in RECORDS:  # What it points to may have been written since.
                return Meaning(place, "held", text(node), base.uid)
        if known.is_apart:
            if self.function.receiver == "podSyncStatus":
                self.refuse(
                    node, f"the model keeps `{name}` apart from the status", "read it in a method of podWorkers"
                )
            place = f"self.{known.name}[{self.uid_of(base, node)}]"
        return Meaning(place, known.kind, text(node), base.uid)

    def field_of(self, base: Meaning, name: str, node: Node) -> GoField:
        struct = RECORDS[base.kind][0]
        declared = self.file.structs.get(struct, {}).get(name)
        known = self.fields.of[struct].get(name)
        if known is None and declared is not None:
            self.refuse(node, f"the model cannot keep {struct}.{name}, a `{declared}`", f"new fields are {SIMPLE}")
        if known is None:
            self.refuse(node, f"{struct} has no field {name!r}", "see its declaration")
        if declared != known.go:
            self.refuse(node, f"{struct}.{name} is a `{declared}` here", f"the model has it as a `{known.go}`")
        return known

    def uid_of(self, value: Meaning, node: Node) -> str:
        """The UID that a value is, or belongs to, as a name of the translation."""
        found = self.canonical.get(value.text, value.uid or value.text) if value.kind in NAMES else value.uid
        if not found:
            self.refuse(node, f"`{text(node)}`: of which pod this is told cannot be seen", "pass the UID as well")
        self.uses_uid = self.uses_uid or found == self.implicit_uid
        return found

    def element_uid(self, node: Node) -> Meaning:
        """The UID by which a map is asked."""
        value = self.expression(node)
        if value.kind != "uid":
            self.refuse(node, f"`{text(node)}` is no UID", "the maps of the pod workers are asked by UID")
        return value

    def index(self, node: Node) -> Meaning:
        base, at = self.expression(field(node, "operand")), field(node, "index")
        match base.kind:
            case "statuses":
                uid = self.element_uid(at)
                return Meaning(f"{base.text}[{uid.text}]", "status", text(node), self.uid_of(uid, at))
            case "channels":
                uid = self.element_uid(at)
                return Meaning(f"{base.text}[{uid.text}]", "channel", text(node), self.uid_of(uid, at))
            case "started" | "waiting":
                name = self.expression(at)
                if name.kind != "full_name":
                    self.refuse(at, f"`{text(at)}` is no full name", "this map is asked by full name")
                kind = "uid" if base.kind == "started" else "uids"
                return Meaning(f"{base.text}[{name.text}]", kind, text(node), fields={})
            case "uids":
                number = self.expression(at)
                if number.kind != "int":
                    self.refuse(at, f"`{text(at)}` is no number", "write the place in the list")
                after = offset(base.uid, number.text)
                self.need(f"0 <= {number.text} and {after} < {base.text}.length")
                return Meaning(f"{base.text}.uids[{after}]", "uid", text(node))
            case "requests":
                place = self.flow.scope.get(text(at))
                if place is not None and place.kind == "place" and place.key == base.key:
                    self.flow.known[text(node)] = True
                    return Meaning(place.text, "request", text(node))
                count = self.length_of(at, base)
                if count:
                    self.need(f"last({base.text}) != NIL")
                    return Meaning(f"last({base.text})", "request")
                self.refuse(at, f"`{text(node)}` is not the last one", "of such a list the model knows the last only")
            case "uid flags" if base.text.startswith("self."):
                self.refuse(node, f"`{text(node)}` is an element of a set", "ask with `_, ok :=` or Has")
            case "uid set" | "uid flags" if base.key in self.of_bools:
                return Meaning(self.is_among(base, at), "bool")
            case kind if kind.startswith(MAP):
                uid = self.element_uid(at)
                return Meaning(f"{values_of(base.text)}[{uid.text}]", kind.removeprefix(MAP), text(node))
        self.refuse(node, f"`{text(node)}` is no element that the model knows", "use the maps of the pod workers")

    def is_among(self, base: Meaning, at: Node) -> str:
        """Is a UID in a set?"""
        uid = self.element_uid(at)
        if base.fresh:
            self.refuse(at, f"`{text(at)}` is looked for in a set that has no name", "give it one before")
        if base.kind == "uid set":
            return f"self.is_desired({uid.text})" if base.text == "desired" else "False"
        if base.text.startswith("self."):
            self.touch(at)
        return f"{base.text}[{uid.text}]"

    def length_of(self, node: Node, base: Meaning) -> bool:
        """Is this the length of a list less one?"""
        if node.type != "binary_expression" or text(field(node, "operator")) + text(field(node, "right")) != "-1":
            return False
        left = self.expression(field(node, "left"))
        return left.kind == "count" and left.text == base.text

    def slice(self, node: Node) -> Meaning:
        base = self.expression(field(node, "operand"))
        start, end = node.child_by_field_name("start"), node.child_by_field_name("end")
        if base.kind == "requests" and start is None and end is not None and text(end) == "0":
            return NIL_VALUE
        if base.kind != "uids" or start is None or end is not None:
            self.refuse(node, f"`{text(node)}` is outside what is translated", "write list[i:] of the waiting pods")
        first = self.expression(start)
        if first.kind != "int":
            self.refuse(start, f"`{text(start)}` is no number", "write list[i:]")
        after = offset(base.uid, first.text)
        if not self.is_within_pass(field(node, "operand"), start):
            at_least = "" if first.is_constant else f"0 <= {first.text} and "
            self.need(f"{at_least}{after} <= {base.text}.length")
        return Meaning(base.text, "uids", uid=after)

    def is_within_pass(self, over: Node, start: Node) -> bool:
        """Is this the place of a pass of a loop over this list, or the next one, where nothing has changed yet?"""
        around, place = over.parent, "".join(tokens(start)).removesuffix("+1")
        while around is not None and around.type not in ("for_statement", "func_literal"):
            around = around.parent
        if around is None or around.type != "for_statement" or self.may_change(place, text(over), around):
            return False
        clause = next((part for part in around.named_children if part.type in ("range_clause", "for_clause")), None)
        said = list(tokens(clause)) if clause is not None else []
        return said[:1] == [place] and text(over) in said

    # -- structs -------------------------------------------------------------------------------------------------
    def composite(self, node: Node) -> Meaning:
        name = text(field(node, "type"))
        if not field(node, "body").named_children:
            if name.replace(" ", "") == "struct{}":
                return Meaning("", "empty struct")
            if name in (*SETS_OF_UIDS, "map[types.UID]bool"):
                return Meaning("empty", "uid set", "bools" if name.endswith("bool") else "")
            if name in ("[]types.UID", "[]string"):
                return self.new_list(name)
        if name == "podWorkers":
            self.refuse(node, "these would be other pod workers", "make them in newPodWorkers")
        kind = self.fields.kinds.get(name, "")
        given: dict[str, Node] = {}
        for element in field(node, "body").named_children:
            if element.type == "comment":
                continue
            if field(node, "type").type in ("slice_type", "array_type", "map_type"):
                self.refuse(
                    node, f"`{text(node)}` is outside what is translated", "make it empty, and add to it in a loop"
                )
            if element.type != "keyed_element":
                self.refuse(element, "a field without its name", "write name: value")
            key, value = (part for part in element.named_children if part.type != "comment")
            given[text(key)] = value.named_children[0] if value.type == "literal_element" else value
        if kind in ("update", "kill"):
            record = Meaning("", kind, by_value=True)
            fields = [(self.field_of(record, key, value), value) for key, value in given.items()]
            arguments = ["present=True"]
            for known, value in fields:
                arguments.append(f"{known.name}={self.coerce(self.expression(value), known.kind, value)}")
            return Meaning(f"{RECORDS[kind][1]}({', '.join(arguments)})", kind, fresh=True)
        struct = self.file.structs.get(name)
        if struct is None or name in FIELDS:
            self.refuse(node, f"`{name}{{…}}` is outside what is translated here", "make structs of this file")
        found = {}
        for name, go in struct.items():
            kind = self.fields.kinds.get(go, "")
            if name in given:
                part = self.expression(given[name])
                is_struct = part.kind == "struct" and part.text == go
                found[name] = part if is_struct else Meaning(
                    self.coerce(part, kind or part.kind, given[name]), kind, uid=part.uid,
                    fresh=kind in POINTERS, by_value=kind in RECORDS and not go.startswith("*"),
                )  # fmt: skip
            else:
                found[name] = self.zero(go)
        return Meaning(text(field(node, "type")), "struct", fields=found)

    def new_list(self, go: str) -> Meaning:
        """A local list that is empty: of UIDs, or of texts, which are only told."""
        return Meaning("", "uid list", fresh=True) if go == "[]types.UID" else Meaning("_", "unknown")

    def coerce(self, value: Meaning, kind: str, node: Node) -> str:
        """The text of a value where one of this kind belongs; a record is copied unless it is new."""
        if value == NIL_VALUE and kind in _NILABLE:
            return self.fields.zeros[kind]
        value = as_delay(value) if kind == "delay" else value
        if (value.kind, kind) == ("error", "failure") and value.is_constant:
            return str(value.text != "NO_ERROR")
        if (value.kind, kind) == ("stop", "cancel"):
            self.refuse(
                node,
                "the parent of this context can be cancelled, too, of which the model would know nothing",
                "detach it: context.WithoutCancel(…)",
            )
        if value.kind != kind:
            self.refuse(
                node,
                f"`{text(node)}` is of another kind than what belongs here ({value.kind}, {kind})",
                "see docs/go.md",
            )
        if kind in POINTERS and not value.fresh:
            if kind != "pod" and not value.by_value and not value.key.startswith("&"):
                self.refuse(
                    node, f"`{text(node)}` would be one {RECORDS[kind][0]} under two names", "copy it: `copied := *x`"
                )
            if value.points:  # The two are one object from now on.
                self.flow.touched_since_escape = self.flow.touched_since_escape and bool(self.flow.escaped)
                self.flow.escaped[value.key] = self.go_line(node)
            return f"copy({value.text})"
        return value.text

    def points(self, name: str) -> bool:
        """Is this local declared as a pointer to what is made there?"""
        made = inside(self.function.body, "short_var_declaration", "var_spec")
        return any(
            name in map(text, expressions(part.child_by_field_name("left") or part.child_by_field_name("name")))
            and any(text(value).startswith(_MAKE) for value in expressions(part.child_by_field_name(side)))
            for part in made
            for side in ("right", "value")
        )

    def own(self, node: Node) -> GoFunction | None:
        """The function of this file that is called."""
        function = field(node, "function")
        if function.type == "identifier" and text(function) not in self.flow.scope:
            return self.file.functions.get(text(function))
        if function.type == "selector_expression":
            operand, name = field(function, "operand"), text(field(function, "field"))
            if self.is_workers(operand):
                return self.file.functions.get(f"podWorkers.{name}")
            value = self.peek(operand)
            if value is not None and value.kind == "struct":
                return self.file.functions.get(f"{value.text}.{name}")
            for kind, (struct, _) in RECORDS.items():
                found = self.file.functions.get(f"{struct}.{name}")
                if found is not None and value is not None and value.kind == kind:
                    return found
        return None
