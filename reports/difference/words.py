"""Values of the fields, expressions of the model and steps, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from podproof.checker.core.graph import Node, Op, topological
from podproof.checker.core.system import State, Step, System, Trace, Variable
from podproof.checker.difference.result import Flow, View
from podproof.reports.difference.blocks import code
from podproof.reports.pictures.projection import event_name
from podproof.reports.wording import SHORT, Wording

LONGEST = 90
"""Letters of an expression that is still read; a longer one is left to the source."""
_MOST_NODES = 60
_BINDING = {Op.ITE: 0, Op.OR: 1, Op.AND: 2, Op.NOT: 3, Op.EQ: 4, Op.LT: 4, Op.ADD: 5, Op.SUB: 5}


def values_in_words(view: View, system: System, values: State, fields: Sequence[int] | None = None) -> str:
    """What is set of the fields, or of those with these numbers; `nothing set` where nothing is."""
    wording = Wording(system)
    said = []
    for i, value in zip(fields if fields is not None else range(len(view.paths)), values, strict=True):
        variable, shown = view.variables[i][0], view.values[i][value]
        zero = variable.show(0) if variable.low <= 0 <= variable.high else None
        if shown is False or shown == "nil" or shown == zero:
            continue
        name = wording.name(view.paths[i])
        said.append(name if shown is True else f"{name}={shown}")
    return ", ".join(said) or "nothing set"


def flow_ends(view: View, system: System, flow: Flow) -> tuple[str, str]:
    source, target = (values_in_words(view, system, end, view.picture) for end in (flow.source, flow.target))
    return source, target


def event_of(systems: Sequence[System], name: str) -> str:
    """An action in the words of its event, whatever its parameters."""
    for system in systems:
        for action in system.actions:
            if action.name == name:
                return event_name(action)
    return name


def field_in_words(system: System, path: str) -> str:
    """A field's name without what goes without saying: `pending_update.override`."""
    name = Wording(system).name(path)
    head, _, leaf = name.rpartition(".")
    for part in ("kill_pod_options", "pod"):
        head = head.removesuffix(f".{part}")
    return f"{head}.{SHORT[leaf]}" if head and leaf in SHORT else name


def fields_in_words(system: System, paths: Sequence[str]) -> list[str]:
    """The names of fields; of a pointer of which several fields are meant, its name alone."""
    pointers = [v.path.removesuffix(".present") for v in system.variables if re.search(r"[^\]]\.present$", v.path)]
    groups: dict[str, list[str]] = {}
    for path in paths:
        # The outermost one: what it points to may have pointers of its own.
        owner = min((p for p in pointers if path.startswith(f"{p}.")), key=len, default=path)
        groups.setdefault(owner, []).append(path)
    names = (members[0] if len(members) == 1 else owner for owner, members in groups.items())
    return list(dict.fromkeys(field_in_words(system, path) for path in names))


def changes(system: System, before: State, step: Step) -> list[str]:
    """What a step changed, as `grace_period 5 → 30`."""
    return [str(fact) for fact in Wording(system).facts(before, step)]


def before_last(trace: Trace) -> State:
    return trace.steps[-2].state if len(trace.steps) > 1 else trace.initial


def expression(node: Node, system: System) -> str | None:
    """A guard or an update as the model would write it; None where it is too long to be read."""
    if len(topological([node])) > _MOST_NODES:
        return None
    text = _Printer(system).text(node)
    return text if len(text) <= LONGEST else None


def value_words(node: Node, path: str, system: System) -> str | None:
    """What an update makes of a variable; None where that is too long to be read."""
    if node.op is Op.VAR and node.value == path:
        return "what it was"
    if len(topological([node])) > _MOST_NODES:
        return None
    text = _Printer(system).value(node, system.variables[system.index(path)])
    return code(text) if len(text) <= LONGEST else None


def guard_words(guards: tuple[Node, Node], systems: tuple[System, System]) -> str:
    """What only one of two guards asks for or allows; empty where that is too long to be read."""
    op, *alone = _narrow(*guards)
    said = []
    for system, parts in zip(systems, alone, strict=True):
        texts = [expression(node, system) for node in parts]
        if None in texts:
            return ""
        if texts:
            verb = "asks for" if op is Op.AND else "allows"
            said.append(f"only {system.version} {verb} {' and '.join(code(text) for text in texts)}")
    return ", ".join(said)


def _narrow(first: Node, second: Node) -> tuple[Op, list[Node], list[Node]]:
    """The parts that only one of two conditions has, as deep inside as there is one such part on each side."""
    while True:
        op = Op.AND if Op.AND in (first.op, second.op) else Op.OR
        mine, theirs = _parts(op, first), _parts(op, second)
        mine, theirs = [p for p in mine if p not in theirs], [p for p in theirs if p not in mine]
        if len(mine) != 1 or len(theirs) != 1 or (mine[0], theirs[0]) == (first, second):
            return op, mine, theirs
        first, second = mine[0], theirs[0]


def _parts(op: Op, node: Node) -> list[Node]:
    """The operands of nested applications of one operator."""
    found, pending = [], [node]
    while pending:
        node = pending.pop()
        if node.op is op:
            pending += reversed(node.args)
        else:
            found.append(node)
    return found


class _Printer:
    def __init__(self, system: System) -> None:
        self.wording = Wording(system)
        self.variables: Mapping[str, Variable] = {v.path: v for v in system.variables}
        self.parameters = {p.name: p for action in system.actions for p in action.parameters}

    def text(self, node: Node) -> str:
        match node.op:
            case Op.CONST:
                return str(bool(node.value)).lower() if node.is_bool else str(node.value)
            case Op.VAR:
                return self.wording.name(str(node.value))
            case Op.PARAM:
                return str(node.value)
            case Op.NOT:
                return self._not(node.args[0])
            case Op.EQ:
                return self._compare(node, "==")
            case Op.LT:
                return self._compare(node, "<")
            case Op.ITE:
                condition, then, other = node.args
                return f"{self._inside(then, node)} if {self._inside(condition, node)} else {self.text(other)}"
            case _:
                word = {Op.AND: "and", Op.OR: "or", Op.ADD: "+", Op.SUB: "-"}[node.op]
                left, right = node.args
                return f"{self._inside(left, node)} {word} {self._inside(right, node, node.op is Op.SUB)}"

    def value(self, node: Node, variable: Variable) -> str:
        """A value of the variable: constants by the names that it has for them."""
        match node.op:
            case Op.CONST if not node.is_bool:
                return str(variable.show(int(node.value or 0)))
            case Op.ITE:
                condition, then, other = node.args
                inner = self.value(then, variable)
                head = f"({inner})" if then.op is Op.ITE else inner
                return f"{head} if {self._inside(condition, node)} else {self.value(other, variable)}"
            case _:
                return self.text(node)

    def _not(self, node: Node) -> str:
        match node.op:
            case Op.EQ:
                return self._compare(node, "!=")
            case Op.LT:
                return self._compare(node, ">=")
        inner = self.text(node)
        return f"not ({inner})" if _binding(node) < _BINDING[Op.NOT] else f"not {inner}"

    def _compare(self, node: Node, word: str) -> str:
        a, b = node.args
        return f"{self._operand(a, b, node)} {word} {self._operand(b, a, node)}"

    def _operand(self, node: Node, other: Node, above: Node) -> str:
        """A constant by the name that it has for the variable or parameter beside it."""
        if node.op is Op.CONST and not node.is_bool:
            named = self.variables.get(str(other.value)) if other.op is Op.VAR else None
            chosen = self.parameters.get(str(other.value)) if other.op is Op.PARAM else None
            shows = named or chosen
            return str(node.value) if shows is None else str(shows.show(int(node.value or 0)))
        return self._inside(node, above, True)

    def _inside(self, node: Node, above: Node, strictly: bool = False) -> str:
        text = self.text(node)
        loose = _binding(node) < _binding(above) or (strictly and _binding(node) == _binding(above))
        return f"({text})" if loose or (node.op is Op.ITE and above.op is Op.ITE) else text


def _binding(node: Node) -> int:
    return _BINDING.get(node.op, 9)
