"""The system in Promela, for SPIN: one process, one `d_step` for each action and choice of its parameters.

What a step needs besides the state (definitions, values before the step, which claims have failed) is in `hidden`
variables, which are no part of SPIN's states; so SPIN counts the same states as podproof.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

from bench.peers import (
    NIL,
    About,
    Assignment,
    Block,
    Branch,
    Formulas,
    Language,
    assignments,
    block_of,
    choices,
    common_conditions,
    in_sequence,
    late_reads,
    paragraphs,
    possible,
    wrap,
)

from podproof.checker.core import CheckerError
from podproof.checker.core.graph import Expr, leaves_below
from podproof.checker.core.printer import Syntax, visible
from podproof.checker.core.system import LoweredProperty, System, Transition, Variable

_SYNTAX = Syntax("true", "false", "!", "&&", "||", "==", "!=", "({0} -> {1} : {2})", (1, 3, 3), ite_is_atom=True)
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
"""Characters that a condition may have to get a definition: SPIN puts definitions in."""
_LONGEST = 65_000
"""Characters of an inline that SPIN takes are 65,534."""
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
    about: About | None = None,
) -> str:
    """The text of a Promela model; `keep` names the variables that are stored (all when None)."""
    return "\n".join(_Promela(system, properties, keep).lines(about or About())) + "\n"


class _Promela(Language):
    def __init__(self, system: System, properties: Sequence[LoweredProperty], keep: frozenset[str] | None) -> None:
        super().__init__(_SYNTAX, _RESERVED, system, properties, keep)
        fresh = self.names.identifiers.fresh
        self.claims = {p.property.id: fresh(f"claim_{p.property.id}") for p in self.safety}
        self.forbid = fresh("forbid")
        self.actions = {number: self.names.of_transition(t) for number, t in enumerate(system.transitions)}
        formulas = Formulas(self)
        conditions = {n: claim for n, claim in common_conditions(self.breaches).items() if leaves_below(n) <= _SHORT}
        texts = {node: (claim, formulas.text(node)) for node, claim in conditions.items()}
        self.shared = {
            node: (fresh(f"against_{claim}"), text) for node, (claim, text) in texts.items() if len(text) <= _SHORT
        }
        """Conditions that have a definition, since several actions ask them."""
        self.hidden: dict[str, str] = {}
        """Names of hidden variables -> their types."""

    def comment(self, text: str) -> str:
        return f"  /* {_comment(text)} */" if text else ""

    def lines(self, about: About) -> Iterator[str]:
        actions = [line for number, t in self.transitions.items() for line in self.action(number, t)]
        heading = [*self.heading(about), _HOW_TO]
        if len(self.system.initial) > 1:
            heading.append("SPIN counts one state more than there are: the one before the choice of an initial state.")
        yield from ("/*", *paragraphs(heading, " * ", _comment), " */", "")
        if self.names.has_nil:
            yield f"#define {NIL} (-1)"
        yield from (*self.enumerations("#define {0} {1}"), "", "/* The state. */")
        first = dict(next(self.initial())) if len(self.system.initial) == 1 else {}
        for variable in self.names.variables:
            name, kind = self.names.of_variable[variable.path], self.names.kinds[variable.path]
            value = first.get(name) or self.value(variable, kind, variable.low)
            yield f"{_declaration(variable, name)} = {value};{self.description(variable)}"
        yield from ("", "/* The claims: true until SPIN finds one violated. They are no part of the state. */")
        for p in self.safety:
            yield f"hidden byte {self.claims[p.property.id]} = true;{self.comment(p.property.meaning)}"
        yield from (
            "",
            "/* Asked before an action changes anything: the first time that a claim is violated, SPIN is told. */",
            f"#define {self.forbid}(claim, violated) \\",
            "  if :: claim && (violated) -> claim = false; assert(claim) :: else -> skip fi",
        )
        if self.shared:
            yield from ("", "/* When a claim is violated, for actions that ask the same. */")
        for name, text in self.shared.values():
            yield wrap(f"#define {name} ", f"({text})").replace("\n", " \\\n")
        if self.hidden:
            yield from ("", "/* Parts of expressions, and values before a step, under way within one step. */")
        yield from (f"hidden {sort} {name};" for name, sort in self.hidden.items())
        yield from (*actions, *self.process())

    def action(self, number: int, transition: Transition) -> Iterator[str]:
        """An action as an `inline`, with a parameter for each choice; one too long for SPIN goes on in further ones.

        Raises CheckerError if SPIN would not read it.
        """
        breaches = self.breaches[number]
        formulas = Formulas(self, transition, [p for p in self.properties if p.property.id in breaches])
        parameters = ", ".join(formulas.parameters.values())
        statements = [
            wrap("  ", formulas.text(possible(self.system.graph, transition)), " ->"),
            *self.statements(breaches, transition, formulas),
        ]
        definitions = {self.forbid: " " * 120, **{name: f"({meaning})" for name, meaning in self.shared.values()}}
        parts: list[list[str]] = []
        room = 0
        for statement in statements:
            length = len(re.sub(r"\w+", lambda word: definitions.get(word[0], word[0]), statement))
            if length > _LONGEST:
                raise CheckerError(
                    f"{transition.action.line}: {transition.action.name} has a condition of more than {_LONGEST:,} "
                    "characters of Promela, and SPIN reads no longer one; make it simpler, or write TLA+ "
                    "(`python -m bench.peers.export tla`)"
                )
            if length > room:
                parts.append([])
                room = _LONGEST
            parts[-1].append(statement)
            room -= length + 1
        yield from ("", self.comment(self.event(transition)).lstrip())
        inline = self.actions[number]
        for part in parts:
            yield f"inline {inline}({parameters}) {{"
            yield from (line for statement in part for line in statement.split("\n"))
            if part is not parts[-1]:
                inline = self.names.identifiers.fresh(f"{self.actions[number]}_goes_on")
                yield f"  {inline}({parameters});"
            yield "}"

    def statements(self, breaches: Mapping[str, Expr], transition: Transition, formulas: Formulas) -> Iterator[str]:
        """What an action does once it is possible, a statement at a time."""
        names = self.names.of_variable
        for claim, node in breaches.items():
            if node in self.shared:
                yield f"  {self.forbid}({self.claims[claim]}, {self.shared[node][0]});"
        asked = [Assignment(claim, node) for claim, node in breaches.items() if node not in self.shared]
        block = in_sequence(block_of(self.system.graph, [*asked, *assignments(transition, names)]))
        late = late_reads(block)
        for variable in self.names.variables:
            if variable.path in late:
                before = formulas.local.fresh(f"before_{names[variable.path]}")
                formulas.rename(variable.path, before)
                self.hidden[before] = "byte" if variable.is_bool else "int"
                yield f"  {before} = {names[variable.path]};"
        yield from self.block(block, formulas, "  ")

    def block(self, block: Block, formulas: Formulas, margin: str) -> Iterator[str]:
        for node, name, text, comment in formulas.definitions(block.lets):
            self.hidden[name] = "byte" if node.is_bool else "int"
            yield wrap(f"{margin}{name} = ", f"{text};", comment=comment)
        for unit in block.units:
            if isinstance(unit, Branch):
                yield "\n".join(self.branch(unit, formulas, margin))
            elif unit.is_claim:
                yield wrap(f"{margin}{self.forbid}({self.claims[unit.target]}, ", formulas.text(unit.node), ");")
            elif not unit.keeps:
                name, text = self.names.of_variable[unit.target], formulas.new_value(unit.target, unit.node)
                yield wrap(f"{margin}{name} = ", f"{text};", comment=self.comment(unit.line))
        formulas.forget(block.lets)

    def branch(self, branch: Branch, formulas: Formulas, margin: str) -> Iterator[str]:
        condition = branch.condition
        then, other = (list(self.block(b, formulas, f"{margin}   ")) for b in (branch.then, branch.other))
        if not then:
            condition, then, other = self.system.graph.not_(condition), other, then
        yield from (wrap(f"{margin}if :: ", formulas.text(condition), " ->"), *then)
        yield from (f"{margin}:: else ->" if other else f"{margin}:: else -> skip", *other, f"{margin}fi;")

    def process(self) -> Iterator[str]:
        yield from ("", "active proctype system() {")
        if len(self.system.initial) > 1:
            states = ("; ".join(f"{name} = {value}" for name, value in state) for state in self.initial())
            yield from ("  if", *(f"  :: d_step {{ {text} }}" for text in states), "  fi;")
        yield from ("end:", "  do")
        if not self.transitions:
            yield "  :: false -> skip  /* No action can ever happen. */"
        for number, t in self.transitions.items():
            chosen = [(p, self.names.of_parameter(p)) for p in choices(t)]
            for values in itertools.product(*(p.values for p, _ in chosen)):
                arguments = (self.value(p, kind, value) for (p, kind), value in zip(chosen, values, strict=True))
                yield f"  :: d_step {{ {self.actions[number]}({', '.join(arguments)}) }}"
        for p in self.safety:
            if p.state is not None and p.state is not self.system.graph.true:
                flag, violated = self.claims[p.property.id], self.system.graph.not_(p.state)
                yield wrap(f"  :: d_step {{ {flag} && ", Formulas(self).text(violated, 2), " ->")
                yield f"       {flag} = false; assert({flag}) }}"
        yield from ("  od", "}")


def _declaration(variable: Variable, name: str) -> str:
    if variable.is_bool:
        return f"bool {name}"
    if variable.low < 0:
        return f"{'short' if max(-variable.low, variable.high) < 2**15 else 'int'} {name}"
    return f"unsigned {name} : {variable.high.bit_length()}" if variable.high < 2**16 else f"int {name}"


def _comment(text: str) -> str:
    """Text on one line that cannot end a comment."""
    return visible(text).replace("*/", "* /")
