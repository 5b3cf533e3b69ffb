"""Expressions and assignments of the model as a kubelet engineer would write them in Go."""

from __future__ import annotations

import ast
import enum
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podproof.commands.systems.methods import Method, lookup, status_method
from podproof.reports.pictures.gonames import FIELDS, RECORDS, export_name, unexport_name

_COMPARE: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_WORDS = {"True": "true", "False": "false", "NIL": "nil", "None": "nil"}
_OR, _AND, _NOT, _ATOM = 1, 2, 3, 4
"""How tightly an operator binds."""


@dataclass(frozen=True)
class GoText:
    """How the expressions of one method read."""

    method: Method
    fields: Mapping[str, str]
    aliases: Mapping[str, ast.expr] = field(default_factory=dict)
    """What the locals stand for that Go may not have."""

    def text(self, e: ast.expr, binding: int = _OR) -> str:
        """An expression; in brackets where it binds less tightly than asked."""
        match e:
            case ast.Constant(value=bool(value)):
                return str(value).lower()
            case ast.Constant(value=str(value)):
                return f'"{value}"'
            case ast.Constant(value=value):
                return str(value)
            case ast.Name(id=name) if name in self.aliases and self.is_shorthand(name):
                return self.text(self.aliases[name], binding)
            case ast.Name(id=name):
                return _WORDS.get(name, unexport_name(name))
            case ast.Attribute():
                return self.attribute(e)
            case ast.Subscript(value=value, slice=index):
                return f"{self.text(value, _ATOM)}[{self.text(index)}]"
            case ast.Call():
                return self.call(e)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.negation(operand)
            case ast.BoolOp(op=op, values=values):
                own = _AND if isinstance(op, ast.And) else _OR
                joined = (" && " if own == _AND else " || ").join(self.text(value, own) for value in values)
                return f"({joined})" if binding > own else joined
            case ast.Compare():
                return self.comparison(e, binding)
            case ast.BinOp(left=left, op=op, right=right):
                return f"{self.text(left, _ATOM)} {'+' if isinstance(op, ast.Add) else '-'} {self.text(right, _ATOM)}"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return f"{self.text(body)} if {self.text(test)}, else {self.text(orelse)}"
            case ast.Tuple(elts=elements):
                return ", ".join(map(self.text, elements))
        return ast.unparse(e)

    def assignment(self, target: ast.expr, value: ast.expr) -> str:
        """`status.terminatingAt = now`; a record that becomes present is made, if it is not there yet."""
        if isinstance(target, ast.Attribute):
            is_true = isinstance(value, ast.Constant) and value.value is True
            if target.attr == "present" and is_true:
                return self.making(target.value)
            if target.attr.endswith("_at") and is_true:
                return f"{self.text(target)} = now"
        return f"{self.text(target)} = {self.text(value)}"

    def making(self, record: ast.expr) -> str:
        """The entry of a map is made anew; what another pointer points to already stays."""
        if isinstance(record, ast.Name):
            record = self.aliases.get(record.id, record)
        base = record.value if isinstance(record, ast.Subscript) else record
        text = self.text(record)
        made = f"{text} = &{RECORDS.get(getattr(base, 'attr', ''), 'record')}{{}}"
        return made if isinstance(record, ast.Subscript) else f"if {text} == nil: {made}"

    def is_shorthand(self, name: str) -> bool:
        """Is it the model's own short name for a field?"""
        stands_for = self.aliases[name]
        return isinstance(stands_for, ast.Attribute) and stands_for.attr != name

    def attribute(self, e: ast.Attribute) -> str:
        """A field, an enumeration's member by its value, or whether a pointer is set."""
        if isinstance(e.value, ast.Name):
            if e.value.id == "self":
                return FIELDS.get(e.attr, unexport_name(e.attr))
            owner = self.known(e.value.id)
            if isinstance(owner, type) and issubclass(owner, enum.Enum):
                return str(owner[e.attr].value)
        if e.attr == "present":
            return f"{self.text(e.value, _ATOM)} != nil"
        return f"{self.text(e.value, _ATOM)}.{self.fields.get(e.attr, unexport_name(e.attr))}"

    def negation(self, operand: ast.expr) -> str:
        match operand:
            case ast.Attribute(attr="present", value=value):
                return f"{self.text(value, _ATOM)} == nil"
            case ast.BoolOp() | ast.Compare():
                return f"!({self.text(operand)})"
        return f"!{self.text(operand, _NOT)}"

    def comparison(self, e: ast.Compare, binding: int) -> str:
        match e:
            case ast.Compare(left=ast.Attribute(attr="context", value=of), comparators=[ast.Attribute(attr="NONE")]):
                return f"{self.text(of, _ATOM)}.cancelFn {_COMPARE[type(e.ops[0])]} nil"
        parts, left = [], e.left
        for op, right in zip(e.ops, e.comparators, strict=True):
            if isinstance(op, ast.In | ast.NotIn):
                options = right.elts if isinstance(right, ast.Tuple) else [right]
                negated = "not " if isinstance(op, ast.NotIn) else ""
                parts.append(f"{self.text(left, _ATOM)} is {negated}{' or '.join(map(self.text, options))}")
            else:
                parts.append(f"{self.text(left, _ATOM)} {_COMPARE[type(op)]} {self.text(right, _ATOM)}")
            left = right
        joined = " && ".join(parts)
        return f"({joined})" if binding >= _NOT or (len(parts) > 1 and binding > _AND) else joined

    def call(self, e: ast.Call) -> str:
        """A call: of a method by its Go name, of a record's class as a composite literal."""
        match e.func:
            case ast.Name(id="copy"):
                return self.text(e.args[0])
            case ast.Name(id="clear"):
                return f"{self.text(e.args[0])} = nil"
            case ast.Name(id=name):
                if isinstance(self.known(name), type):
                    return f"{name}{{{self.literal(e)}}}"
                return f"{unexport_name(name)}({self.arguments(e)})"
            case ast.Attribute(attr=name, value=ast.Name(id="self")):
                found = lookup(self.method.cls, name)
                return f"{found.go_name if found is not None else unexport_name(name)}({self.arguments(e)})"
            case ast.Attribute(attr=name, value=ast.Call(func=ast.Name(id="super"))):
                return f"{self.method.go_name}({self.arguments(e)}) of {self.method.next().owner.__name__}"
            case ast.Attribute(attr=name, value=value):
                go_name = status_method(name) or unexport_name(name)
                return f"{self.text(value, _ATOM)}.{go_name}({self.arguments(e)})"
        return ast.unparse(e)

    def arguments(self, e: ast.Call) -> str:
        """The arguments, without the number of the goroutine, which is not Go's."""
        shown = [arg for arg in e.args if not (isinstance(arg, ast.Name) and arg.id == "generation")]
        return ", ".join([*map(self.text, shown), *(self.text(keyword.value) for keyword in e.keywords)])

    def literal(self, e: ast.Call) -> str:
        named = [k for k in e.keywords if k.arg not in (None, "present")]
        return ", ".join(f"{FIELDS.get(str(k.arg), export_name(str(k.arg)))}: {self.text(k.value)}" for k in named)

    def known(self, name: str) -> Any:
        """What a name stands for in the method's module, or in another one of the model, for parts come from there."""
        own = vars(self.method.owner)[self.method.name].__globals__
        modules = [
            own,
            *(vars(sys.modules[c.__module__]) for c in self.method.cls.__mro__ if c.__module__ in sys.modules),
        ]
        return next((module[name] for module in modules if name in module), None)
