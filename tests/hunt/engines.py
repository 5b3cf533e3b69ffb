"""Every engine's answer on a program, beside the oracle's."""

from __future__ import annotations

import importlib.util
import linecache
import re
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from bench.peers.promela import promela
from bench.peers.tla import tla
from tests.agreement import FAULT, GraphFunctions
from tests.hunt.answers import Answer
from tests.hunt.plain_search import Endless, PlainSearch
from tests.peer_tools import PeerFailed, missing_for_spin, missing_for_tlc, spin, tlc

from podproof.checker.core.shapes import Scope
from podproof.checker.core.system import (
    CheckerError,
    Exploration,
    Limits,
    LoweredProperty,
    ModelError,
    OutOfRange,
    Property,
    Status,
    System,
)
from podproof.checker.engines.compiled.search import Search
from podproof.checker.engines.diagrams import Diagrams
from podproof.checker.engines.prove import ProofOptions, prove
from podproof.checker.engines.python import Python
from podproof.checker.engines.symbolic import Symbolic
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import REDUCTIONS, plan
from podproof.model.language import record_lines

SECONDS = 5.0
"""For the prover and each claim."""


@contextmanager
def loaded(text: str) -> Iterator[ModuleType]:
    """The program, written to a file and imported from there, because the lowering reads source."""
    with tempfile.TemporaryDirectory(prefix="hunt") as folder:
        path = Path(folder) / "program.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("hunted_program", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
            module.initial_states()
            yield module
        finally:
            del sys.modules[spec.name]
            linecache.checkcache(str(path))


def oracle(module: ModuleType) -> Answer:
    """What CPython says; raises Endless."""
    try:
        return PlainSearch(module).search()
    except Endless:
        raise
    except Exception as error:
        return Answer("crash", f"{type(error).__name__}: {error}")


def lowered(module: ModuleType) -> tuple[System, tuple[Property, ...], tuple[LoweredProperty, ...]]:
    """The program as podproof reads it. Raises ModelError where it refuses it."""
    scope = Scope(module.SIZES, module.DOMAINS)
    described = Description(module.Model, "test", "closed", "program", "", scope, module.initial_states(), record_lines)
    system = lower_system(described)
    properties = tuple(Property(n, kind, "", f, lines, action) for n, kind, f, lines, action in module.CLAIMS)
    return system, properties, lower_properties(system, properties)


def explored(found: Exploration, states: bool = True) -> Answer:
    """An exploration as an answer; `states` says whether it counts all of them."""
    words = {Status.HOLDS: "holds", Status.VIOLATED: "violated", Status.UNKNOWN: "unknown"}
    verdicts = {v.property.id: (words[v.status], v.depth) for v in found.verdicts}
    if not states:
        return Answer("explored", verdicts=verdicts)
    taken = {name: count.taken for name, count in found.actions.items()}
    return Answer("explored", "", found.states, found.transitions, found.depth, verdicts, found.bounds_hit, taken)


def said(engine: Callable[[], Answer]) -> Answer:
    """The engine's answer; its refusals are answers, other exceptions findings."""
    try:
        return engine()
    except OutOfRange as error:
        return Answer("fault", depth=None if error.trace is None else len(error.trace.steps))
    except CheckerError as error:
        kind = "error" if "fault of the engine" in str(error) or "cannot be taken" in str(error) else "declined"
        return Answer(kind, str(error))
    except Exception as error:
        return Answer("error", f"{type(error).__name__}: {error}")


def graph_search(system: System, claims: tuple[LoweredProperty, ...]) -> Answer:
    """What the graph means, without any engine: a search with `tests.agreement`'s functions."""
    functions = GraphFunctions(system)
    states = {c.property.id: functions.formula(c.state) for c in claims if c.state is not None}
    found, depth, transitions = dict[str, int](), 0, 0
    kinds = {c.property.id: c.property.kind for c in claims}
    numbers = {id(t): i for i, t in enumerate(system.transitions)}
    seen = set(system.initial)
    frontier = list(system.initial)

    def look(state: tuple[int, ...]) -> None:
        for name, formula in states.items():
            if bool(formula(state)) == (kinds[name] == "sometimes"):
                found.setdefault(name, depth)

    steps = {c.property.id: [functions.formula(n) for n in c.steps] for c in claims if c.steps is not None}
    for state in frontier:
        look(state)
    while frontier:
        following: list[tuple[int, ...]] = []
        depth += 1
        for state in frontier:
            for transition, values in functions.choices:
                outcome = functions.outcome(transition, state, values)
                if outcome == FAULT:
                    return Answer("fault", depth=depth - 1)
                if outcome.kind != "step":
                    continue
                transitions += 1
                for name, formulas in steps.items():
                    if formulas[numbers[id(transition)]](state, values):
                        found.setdefault(name, depth)
                if outcome.after not in seen:
                    seen.add(outcome.after)
                    following.append(outcome.after)
                    look(outcome.after)
        frontier = following
    depth -= 1
    verdicts = {
        name: ("holds" if (name in found) == (kinds[name] == "sometimes") else "violated", found.get(name))
        for name in [*states, *steps]
    }
    return Answer("explored", "", len(seen), transitions, depth if len(seen) > len(system.initial) else 0, verdicts)


def compiled(
    system: System,
    claims: tuple[LoweredProperty, ...],
    reductions: Collection[str],
    threads: int,
    limits: Limits | None = None,
) -> Answer:
    made = plan(system, claims, reductions)
    keep = made.keep if reductions else None
    search = Search(made.system, made.properties, keep, limits or Limits(), threads)
    search.run(None)
    return explored(made.report(search.result()), not reductions)


def symbolically(system: System, claims: tuple[LoweredProperty, ...], reductions: Collection[str]) -> Answer:
    made = plan(system, claims, reductions)
    return explored(made.report(Symbolic().run(made.system, made.properties, made.keep)), not reductions)


def proved(system: System, claims: tuple[LoweredProperty, ...]) -> Answer:
    """PROVED and VIOLATED; what the prover leaves open is no answer."""
    asked = tuple(c for c in claims if c.property.kind != "sometimes")
    found = prove(system, asked, SECONDS, 1, ProofOptions(None, "", False), lambda _text: None).exploration
    words = {Status.PROVED: "holds", Status.VIOLATED: "violated"}
    names = {c.property.id for c in asked}
    decided = {v.property.id: (words[v.status], v.depth) for v in found.verdicts if v.status in words}
    return Answer("explored", verdicts={name: verdict for name, verdict in decided.items() if name in names})


def by_spin(system: System, claims: tuple[LoweredProperty, ...], expected: Answer) -> Answer:
    with tempfile.TemporaryDirectory(prefix="hunt") as folder:
        found = spin(promela(system, claims), Path(folder), optimization="-O0", states_expected=1 << 12, go_on=True)
        states = found.states - (len(system.initial) > 1)
        return _peer(states, {name.removeprefix("claim_") for name in found.violated}, expected)


def by_tlc(system: System, claims: tuple[LoweredProperty, ...], expected: Answer) -> Answer:
    """TLC names one claim for each state, and looks at no state beside a claim that is false everywhere."""
    violated, states, rest = set[str](), None, claims
    with tempfile.TemporaryDirectory(prefix="hunt") as folder:
        while states is None or rest:
            module = tla(system, rest, name="Exported")
            try:
                found = tlc(module.name, module.text, module.configuration, Path(folder), workers=1, go_on=True)
            except PeerFailed as error:
                false = re.search(r"The invariant of (\w+) is equal to FALSE", str(error))
                if false is None:
                    raise
                more = {false[1]}
            else:
                states, more = found.states, set(found.violated)
            if not more:
                break
            violated |= more
            rest = tuple(c for c in rest if c.property.id not in violated)
    return _peer(states, violated, expected)


def _peer(states: int, violated: set[str], expected: Answer) -> Answer:
    """They tell no lengths, and nothing of `sometimes` claims."""
    verdicts = {n: ("violated" if n in violated else "holds", d) for n, (_, d) in expected.verdicts.items()}
    return Answer("explored", "", states, verdicts=verdicts)


def answers(module: ModuleType, expected: Answer, thoroughly: bool, peers: bool) -> Mapping[str, Answer]:
    """What each engine says; `expected` is the oracle's answer."""
    try:
        system, _, claims = lowered(module)
    except ModelError as error:
        return {"lowering": Answer("refused", str(error))}
    except Exception as error:
        return {"lowering": Answer("error", f"{type(error).__name__}: {error}")}
    asked: dict[str, Callable[[], Answer]] = {
        "python": lambda: explored(Python().run(system, claims)),
        "graph": lambda: graph_search(system, claims),
        "compiled": lambda: compiled(system, claims, (), 1),
        "compiled, all reductions": lambda: compiled(system, claims, tuple(REDUCTIONS), 2),
    }
    if thoroughly:
        asked |= {
            "compiled, two threads": lambda: compiled(system, claims, (), 2),
            "symbolic": lambda: symbolically(system, claims, ()),
            "diagrams": lambda: explored(Diagrams().run(system, claims)),
            "symbolic, reductions": lambda: symbolically(system, claims, ("slicing", "constants")),
            "prove": lambda: proved(system, claims),
        }
    judged = tuple(c for c in claims if c.property.kind != "sometimes")
    wanted = Answer("", verdicts={n: v for n, v in expected.verdicts.items() if n in {c.property.id for c in judged}})
    if peers and expected.kind == "explored" and missing_for_spin() is None:
        asked["SPIN"] = lambda: by_spin(system, judged, wanted)
    if peers and expected.kind == "explored" and missing_for_tlc() is None:
        asked["TLC"] = lambda: by_tlc(system, judged, wanted)
    return {name: said(engine) for name, engine in asked.items()}
