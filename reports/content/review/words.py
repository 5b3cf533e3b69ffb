"""Values of the fields, expressions of the model and steps, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from podproof.checker.core.graph import Expr, Op, operands, topological
from podproof.checker.core.printer import Printer, Show, Syntax
from podproof.checker.core.system import Parameter, State, Step, System, Trace, Variable
from podproof.checker.difference.result import View
from podproof.reports.document import code
from podproof.reports.projection import event_name
from podproof.reports.state_text import StateText, short_name

LONGEST = 90
"""Letters of an expression that is still read; a longer one is left to the source."""
_MOST_NODES = 60
_SYNTAX = Syntax(
    "true", "false", "not ", "and", "or", "==", "!=", "{1} if {0} else {2}", (1, 1, 0), is_ranked=True, turns=False
)


def values_in_words(view: View, system: System, values: State, fields: Sequence[int] | None = None) -> str:
    """What is set of the fields, or of those with these numbers; `nothing set` where nothing is."""
    state_text = StateText(system)
    said = []
    for i, value in zip(fields if fields is not None else range(len(view.paths)), values, strict=True):
        variable, shown = view.variables[i][0], view.values[i][value]
        zero = variable.show(0) if variable.low <= 0 <= variable.high else None
        if shown is False or shown == "nil" or shown == zero:
            continue
        name = state_text.name(view.paths[i])
        said.append(name if shown is True else f"{name}={shown}")
    return ", ".join(said) or "nothing set"


def event_of(systems: Sequence[System], name: str) -> str:
    """An action in the words of its event, whatever its parameters."""
    for system in systems:
        for action in system.actions:
            if action.name == name:
                return event_name(action)
    return name


def field_in_words(system: System, path: str) -> str:
    """A field's name without what goes without saying: `pending_update.override`."""
    name = StateText(system).name(path)
    head = name.rpartition(".")[0]
    short = short_name(system.variables[system.index(path)]) if path in system.positions else ""
    for part in ("kill_pod_options", "pod"):
        head = head.removesuffix(f".{part}")
    return f"{head}.{short}" if head and short else name


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
    return [str(fact) for fact in StateText(system).facts(before, step)]


def before_last(trace: Trace) -> State:
    return trace.steps[-2].state if len(trace.steps) > 1 else trace.initial


def expression(node: Expr, system: System) -> str | None:
    """A guard or an update as the model would write it; None where it is too long to be read."""
    if len(topological([node])) > _MOST_NODES:
        return None
    text = _printer(system).text(node)
    return text if len(text) <= LONGEST else None


def value_words(node: Expr, path: str, system: System) -> str | None:
    """What an update makes of a variable; None where that is too long to be read."""
    if node.op is Op.VAR and node.value == path:
        return "what it was"
    if len(topological([node])) > _MOST_NODES:
        return None
    variable = system.variables[system.index(path)]
    text = _printer(system).text(node, show=lambda value: str(variable.show(value)))
    return code(text) if len(text) <= LONGEST else None


def guard_words(guards: tuple[Expr, Expr], systems: tuple[System, System]) -> str:
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


def _narrow(first: Expr, second: Expr) -> tuple[Op, list[Expr], list[Expr]]:
    """The parts that only one of two conditions has, as deep inside as there is one such part on each side."""
    while True:
        op = Op.AND if Op.AND in (first.op, second.op) else Op.OR
        mine, theirs = list(operands(op, first)), list(operands(op, second))
        mine, theirs = [p for p in mine if p not in theirs], [p for p in theirs if p not in mine]
        if len(mine) != 1 or len(theirs) != 1 or (mine[0], theirs[0]) == (first, second):
            return op, mine, theirs
        first, second = mine[0], theirs[0]


def _printer(system: System) -> Printer:
    state_text = StateText(system)
    sorts: dict[str, Variable | Parameter] = {p.name: p for action in system.actions for p in action.parameters}
    sorts |= {v.path: v for v in system.variables}

    def leaf(node: Expr) -> str:
        return state_text.name(str(node.value)) if node.op is Op.VAR else str(node.value)

    def values(node: Expr) -> Show | None:
        sort = sorts.get(str(node.value))
        return None if sort is None else lambda value: str(sort.show(value))

    return Printer(_SYNTAX, leaf, values)
