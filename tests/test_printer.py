"""What the printer of expressions writes means the same as the expression, with the fewest parentheses."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from podproof.checker.core.graph import Expr, Graph, Op, evaluate
from podproof.checker.core.printer import Printer, Syntax

PYTHON = Syntax(
    "True", "False", "not ", "and", "or", "==", "!=", "{1} if {0} else {2}", (1, 1, 0), is_ranked=True, turns=False
)
LIKE_PROMELA = replace(PYTHON, ite="({1} if {0} else {2})", ite_parts=(1, 3, 3), ite_is_atom=True, is_ranked=False)
LIKE_TLA = replace(PYTHON, ite_parts=(1, 3, 3), is_ranked=False, turns=True)
PEOPLE = {0: "nobody", 1: "ann", 2: "bob", 3: "eve"}


def printed(node: Expr, syntax: Syntax, named: dict[Expr, str] | None = None) -> str:
    return Printer(
        syntax, lambda leaf: str(leaf.value), lambda leaf: PEOPLE.get if leaf.value == "who" else None, named
    ).text(node)  # type: ignore[arg-type]


def some_expressions(graph: Graph, random: Random) -> list[Expr]:
    """Of every operator, inside every other one."""
    numbers = [graph.variable(name, False, 0, 3) for name in ("who", "n", "m")] + [graph.integer(k) for k in range(4)]
    truths = [graph.variable("a", True, 0, 1), graph.parameter("b", True, 0, 1)]
    for _ in range(30):
        p, q = random.choices(truths, k=2)
        x, y = random.choices(numbers, k=2)
        truths += [graph.not_(p), graph.and_(p, q), graph.or_(p, q), graph.eq(x, y), graph.lt(x, y)]
        truths.append(graph.ite(p, q, random.choice(truths)))
        numbers += [graph.add(x, y), graph.sub(x, y), graph.ite(p, x, y)]
    return [*truths, *numbers]


@pytest.mark.parametrize("syntax", [PYTHON, LIKE_PROMELA, LIKE_TLA], ids=["Python", "Promela", "TLA+"])
@pytest.mark.parametrize("seed", range(5))
def test_the_text_means_the_expression(syntax: Syntax, seed: int) -> None:
    random, graph = Random(seed), Graph()
    nodes = some_expressions(graph, random)
    assert {node.op for node in nodes} == set(Op)
    code = {node: compile(text, "", "eval") for node in nodes if len(text := printed(node, syntax)) < 1000}
    for _ in range(10):
        values = {name: random.randrange(4) for name in ("who", "n", "m")} | {"a": random.randrange(2)}
        chosen = {"b": random.randrange(2)}
        names = {**values, **chosen, **{name: value for value, name in PEOPLE.items()}}
        assert [int(eval(text, {}, names)) for text in code.values()] == evaluate(code, values, chosen)


def test_no_parentheses_are_needless() -> None:
    graph = Graph()
    who, n, m = (graph.variable(name, False, 0, 3) for name in ("who", "n", "m"))
    a, b = (graph.variable(name, True, 0, 1) for name in "ab")
    is_ann, less = graph.eq(who, graph.integer(1)), graph.lt(graph.integer(0), n)
    mixed = graph.or_(graph.and_(a, b), graph.not_(less))
    assert printed(graph.not_(is_ann), PYTHON) == "who != ann"
    assert printed(mixed, PYTHON) == "a and b or 0 >= n"
    assert printed(mixed, LIKE_TLA) == "(a and b) or n <= 0"
    assert printed(graph.not_(graph.and_(a, b)), PYTHON) == "not (a and b)"
    assert printed(graph.sub(n, graph.sub(m, graph.add(n, m))), PYTHON) == "n - (m - (n + m))"
    assert printed(graph.add(graph.sub(n, m), graph.add(n, m)), PYTHON) == "n - m + n + m"
    chosen = graph.ite(a, graph.integer(2), graph.ite(b, who, graph.integer(0)))
    assert printed(graph.eq(chosen, graph.integer(3)), PYTHON) == "(bob if a else who if b else nobody) == eve"
    assert printed(graph.eq(chosen, graph.integer(3)), LIKE_PROMELA) == "(bob if a else (who if b else nobody)) == eve"
    assert printed(mixed, PYTHON, {graph.and_(a, b): "both"}) == "both or 0 >= n"
    assert printed(graph.and_(a, graph.and_(b, is_ann)), LIKE_TLA) == "a and b and who == ann"
