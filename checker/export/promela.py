"""The system in Promela, for SPIN: one process, one `d_step` for each action and choice of its parameters.

What a step needs besides the state (definitions, values before the step, which claims have failed) is in `hidden`
variables, which are no part of SPIN's states; so SPIN counts the same states as podproof.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from podproof.checker.core.graph import Line, Node
from podproof.checker.core.system import LoweredProperty, Parameter, System, Transition, Variable
from podproof.checker.core.visible import visible
from podproof.checker.export.breaches import breaches, repeated
from podproof.checker.export.formula import Formulas, Syntax, laid_out
from podproof.checker.export.heading import (
    AS_IT_IS,
    About,
    described,
    event,
    heading,
    paragraphs,
    parameter_names,
    transition_names,
)
from podproof.checker.export.names import NIL, LocalNames, Names, loops, names_of
from podproof.checker.export.plan import Block, Branch, Item, plan
from podproof.checker.export.sequence import conflicts, in_sequence
from podproof.checker.export.step import assignments, origin, possible, sources

_SYNTAX = Syntax("true", "false", "!", "&&", "||", "==", "!=", "({0} -> {1} : {2})", True)
_RESERVED = re.findall(
    r"\w+",
    """
    active assert atomic bit bool break byte chan c_code c_decl c_expr c_state c_track d_step do else empty enabled end
    eval false fi for full get_priority goto hidden if in init inline int len local ltl mtype nempty never nfull notrace
    np_ od of pc_value pid printf printm priority proctype provided return run select set_priority short show skip
    timeout trace true typedef unless unsigned xr xs _ _last _nr_pr _pid _priority
    """,
)
_SHORT = 300
"""Characters that a condition may have to get a definition: SPIN puts definitions in, and takes an inline of 64 KiB."""
_HOW_TO = (
    "How to check it: spin -a -o2 FILE && cc -O2 -w -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m1000000. -o2 keeps "
    "SPIN from dropping variables, -m is the most steps it goes deep; -DVECTORSZ=4096 is for large states, "
    "-DMEMLIM=8000 for many. SPIN stops at the first claim that fails; ./pan -c0 goes on and names each claim once, "
    "./pan -A only counts states (`states, stored`). An assertion has the name of its claim, with `claim_` before it. "
    "For breadth-first search (-DBFS) delete from pan.h the #error about hidden variables: what a step reads of "
    "those here it has written before."
)


def promela(
    system: System,
    properties: Sequence[LoweredProperty],
    keep: frozenset[str] | None = None,
    about: About = AS_IT_IS,
) -> str:
    """The text of a Promela model; `keep` names the variables that are stored (all when None)."""
    return _Promela(system, properties, keep, about).text()


class _Promela:
    def __init__(
        self, system: System, properties: Sequence[LoweredProperty], keep: frozenset[str] | None, about: About
    ) -> None:
        self.system, self.properties, self.keep, self.about = system, properties, keep, about
        self.names: Names = names_of(system, keep, _RESERVED)
        fresh = self.names.identifiers.fresh
        self.claims = {p.property.id: fresh(f"claim_{p.property.id}") for p in properties if _is_exported(p)}
        self.forbid = fresh("forbid")
        self.actions = transition_names(system, self.names.identifiers)
        self.breaches = breaches(system, properties)
        formulas = Formulas(_SYNTAX, self.names.of_variable.__getitem__, self.names.kinds)
        texts = {node: (claim, formulas.write(node)) for node, claim in repeated(self.breaches).items()}
        short = {node: item for node, item in texts.items() if len(item[1]) <= _SHORT}
        self.against = {fresh(f"against_{claim}"): text for claim, text in short.values()}
        """Conditions that have a definition, since several actions ask them."""
        self.shared = dict(zip(short, self.against, strict=True))
        self.hidden: dict[str, str] = {}
        """Names of hidden variables -> their types."""

    def text(self) -> str:
        transitions = [
            (n, t) for n, t in enumerate(self.system.transitions) if t.enabled is not self.system.graph.false
        ]
        bodies = [self.action(number, transition) for number, transition in transitions]
        lines = [
            "/*",
            *map(_commented, paragraphs(self.heading(), " * ")),
            " */",
            "",
            *self.definitions(),
            *self.state(),
            *self.claim_flags(),
            *self.conditions(),
            *self.hidden_variables(),
            *itertools.chain.from_iterable(bodies),
            *self.process(transitions),
        ]
        return "\n".join(lines) + "\n"

    def heading(self) -> Iterator[str]:
        yield from heading(self.system, self.properties, self.keep, self.about)
        yield _HOW_TO
        if len(self.system.initial) > 1:
            yield "SPIN counts one state more than there are: the one before the choice of an initial state."

    def definitions(self) -> Iterator[str]:
        if self.names.has_nil:
            yield f"#define {NIL} (-1)"
        for sort, members in self.names.enumerations.items():
            for member, (index, name) in zip(sort, members.items(), strict=True):
                yield f"#define {name} {index}  /* {_commented(str(member.value))} */"
        yield ""

    def state(self) -> Iterator[str]:
        yield "/* The state. */"
        first = self.system.initial[0] if len(self.system.initial) == 1 else None
        for variable in self.names.variables:
            value = variable.low if first is None else first[self.system.index(variable.path)]
            comment = _commented(described(variable, self.names))
            yield f"{self.declaration(variable)} = {self.value(variable, value)};  /* {comment} */"

    def declaration(self, variable: Variable) -> str:
        name = self.names.of_variable[variable.path]
        if variable.is_bool:
            return f"bool {name}"
        if variable.low < 0:
            return f"{'short' if max(-variable.low, variable.high) < 2**15 else 'int'} {name}"
        return f"unsigned {name} : {variable.high.bit_length()}" if variable.high < 2**16 else f"int {name}"

    def value(self, variable: Variable, value: int) -> str:
        if variable.is_bool:
            return _SYNTAX.true if value else _SYNTAX.false
        return self.names.kinds[variable.path].get(value, str(value))

    def claim_flags(self) -> Iterator[str]:
        yield ""
        yield "/* The claims: true until SPIN finds one violated. They are no part of the state. */"
        for p in self.properties:
            if p.property.id in self.claims:
                yield f"hidden byte {self.claims[p.property.id]} = true;  /* {_commented(p.property.meaning)} */"

        yield ""
        yield "/* Asked before an action changes anything: the first time that a claim is violated, SPIN is told. */"
        yield f"#define {self.forbid}(claim, violated) \\"
        yield "  if :: claim && (violated) -> claim = false; assert(claim) :: else -> skip fi"

    def conditions(self) -> Iterator[str]:
        """What claims have against steps that leave alone what they are about."""
        if self.against:
            yield ""
            yield "/* When a claim is violated, for actions that ask the same. */"
        for name, text in self.against.items():
            yield laid_out(f"#define {name} ", f"({text})").replace("\n", " \\\n")

    def hidden_variables(self) -> Iterator[str]:
        if self.hidden:
            yield ""
            yield "/* Parts of expressions, and values before a step, under way within one step. */"
        for name, sort in self.hidden.items():
            yield f"hidden {sort} {name};"

    def action(self, number: int, transition: Transition) -> list[str]:
        """An action as an `inline`, with a parameter for each choice."""
        graph, breaches = self.system.graph, self.breaches[number]
        parameters = parameter_names(transition, self.names.identifiers.taken)
        shared = [(claim, self.shared[node]) for claim, node in breaches.items() if node in self.shared]
        items = [Item(claim, node, is_claim=True) for claim, node in breaches.items() if node not in self.shared]
        block = in_sequence(plan(graph, [*items, *assignments(transition, self.names.of_variable)]))
        asked = sources(transition, (p for p in self.properties if p.property.id in breaches))
        writer = _StepWriter(self, transition, parameters, conflicts(block), asked)
        body = [
            laid_out("  ", writer.formulas.write(possible(graph, transition), None), " ->"),
            *(f"  {self.forbid}({self.claims[claim]}, {condition});" for claim, condition in shared),
            *writer.body(block),
        ]
        return [
            "",
            f"/* {_commented(f'{transition.action.actor}: {event(transition)}. {transition.action.line}')} */",
            f"inline {self.actions[number]}({', '.join(parameters.values())}) {{",
            *body,
            "}",
        ]

    def process(self, transitions: Sequence[tuple[int, Transition]]) -> Iterator[str]:
        yield ""
        yield "active proctype system() {"
        if len(self.system.initial) > 1:
            yield from self.choice_of_initial_state()
        yield "end:"
        yield "  do"
        if not transitions:
            yield "  :: false -> skip  /* No action can ever happen. */"
        for number, transition in transitions:
            for values in itertools.product(*(p.values for p in loops(transition))):
                chosen = (self.argument(transition, p, v) for p, v in zip(loops(transition), values, strict=True))
                yield f"  :: d_step {{ {self.actions[number]}({', '.join(chosen)}) }}"
        formulas = Formulas(_SYNTAX, self.names.of_variable.__getitem__, self.names.kinds)
        for p in self.properties:
            if p.state is not None and p.property.id in self.claims and p.state is not self.system.graph.true:
                flag = self.claims[p.property.id]
                violated = formulas.conjunct(self.system.graph.not_(p.state))
                yield laid_out(f"  :: d_step {{ {flag} && ", violated, " ->")
                yield f"       {flag} = false; assert({flag}) }}"
        yield "  od"
        yield "}"

    def choice_of_initial_state(self) -> Iterator[str]:
        yield "  if"
        for state in self.system.initial:
            values = (
                f"{self.names.of_variable[v.path]} = {self.value(v, state[self.system.index(v.path)])}"
                for v in self.names.variables
            )
            yield f"  :: d_step {{ {'; '.join(values)} }}"
        yield "  fi;"

    def argument(self, transition: Transition, parameter: Parameter, value: int) -> str:
        if parameter.is_bool:
            return _SYNTAX.true if value else _SYNTAX.false
        return self.names.parameter_kind(transition.action, parameter).get(value, str(value))


class _StepWriter:
    """Writes what one action does."""

    def __init__(
        self,
        model: _Promela,
        transition: Transition,
        parameters: Mapping[str, str],
        saved: Sequence[str],
        sources: frozenset[Line],
    ) -> None:
        self.model, self.saved, self.sources = model, saved, sources
        self.locals = LocalNames(model.names.identifiers)
        kinds = {p.name: model.names.parameter_kind(transition.action, p) for p in loops(transition)}
        self.formulas = Formulas(_SYNTAX, model.names.of_variable.__getitem__, model.names.kinds, parameters, kinds)

    def body(self, block: Block) -> Iterator[str]:
        names = dict(self.model.names.of_variable)
        for path in self.saved:
            variable = self.model.system.variables[self.model.system.index(path)]
            names[path] = self.locals.before(names[path])
            self.model.hidden[names[path]] = "byte" if variable.is_bool else "int"
            yield f"  {names[path]} = {self.model.names.of_variable[path]};"
        read: Callable[[str], str] = names.__getitem__
        yield from self.block(block, self._reading(read), "  ")

    def _reading(self, read: Callable[[str], str]) -> Formulas:
        f = self.formulas
        return Formulas(f.syntax, read, f.kinds, f.parameters, f.parameter_kinds)

    def block(self, block: Block, formulas: Formulas, margin: str) -> Iterator[str]:
        formulas = formulas.inside()
        for node in block.lets:
            text = formulas.write(node)
            name = self.definition(node)
            formulas.named[node] = name
            yield laid_out(f"{margin}{name} = ", f"{text};", comment=_comment(origin(node, self.sources)))
        for unit in block.units:
            if isinstance(unit, Branch):
                yield from self.branch(unit, formulas, margin)
            elif unit.is_claim:
                flag = self.model.claims[unit.target]
                yield laid_out(f"{margin}{self.model.forbid}({flag}, ", formulas.write(unit.node), ");")
            else:
                value = formulas.write(unit.node, self.model.names.kinds[unit.target])
                name = self.model.names.of_variable[unit.target]
                yield laid_out(f"{margin}{name} = ", f"{value};", comment=_comment(unit.line))

    def definition(self, node: Node) -> str:
        name = self.locals.fresh(node)
        self.model.hidden[name] = "byte" if node.is_bool else "int"
        return name

    def branch(self, branch: Branch, formulas: Formulas, margin: str) -> Iterator[str]:
        inner = partial(self.block, formulas=formulas, margin=f"{margin}   ")
        then, other = list(inner(branch.then)), list(inner(branch.other))
        condition = branch.condition
        if not then:
            condition, then, other = self.model.system.graph.not_(condition), other, then
        yield laid_out(f"{margin}if :: ", formulas.write(condition), " ->")
        yield from then
        yield f"{margin}:: else ->" if other else f"{margin}:: else -> skip"
        yield from other
        yield f"{margin}fi;"


def _is_exported(p: LoweredProperty) -> bool:
    return p.property.kind != "sometimes"


def _comment(line: str) -> str:
    return f"  /* {_commented(line)} */" if line else ""


def _commented(text: str) -> str:
    """Text on one line that cannot end a comment."""
    return visible(text).replace("*/", "* /")
