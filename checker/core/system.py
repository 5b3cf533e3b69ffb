"""The data that everything shares: what is explored, what is claimed and what came out. All of it frozen."""

from __future__ import annotations

import builtins
import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from enum import Enum
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

from podproof.checker.core import CheckerError as CheckerError
from podproof.checker.core import ModelError as ModelError
from podproof.checker.core.answer import AnswerPart, Count
from podproof.checker.core.baseline import Baseline, BaselineState
from podproof.checker.core.failure import ClaimFailure as ClaimFailure
from podproof.checker.core.failure import FailingPart as FailingPart
from podproof.checker.core.graph import UNBOUNDED, Expr, Graph, Line
from podproof.checker.core.lasso import Lasso as Lasso
from podproof.checker.core.printer import number_of, visible
from podproof.checker.core.shapes import Record, Scalar, Scope

State = tuple[int, ...]
"""One state: the value of every variable of a `System`, in the order of `System.variables`."""

AFTER = "after."
"""Prefix of the variables that stand for the state after a step, while a `step` claim is lowered."""

PropertyKind = Literal["always", "step", "never", "sometimes", "leads_to", "recurs"]


@dataclass(frozen=True)
class Variable:
    """A leaf of the state: a boolean, an enumeration's index or an integer in low..high inclusive."""

    path: str
    """As a model file would write it below `self`: `pod_sync_statuses[0].grace_period`."""
    is_bool: bool
    low: int
    high: int
    labels: Mapping[int, str] = field(default_factory=dict)
    """How to print values that have a name: enumeration members, UIDs, nil."""
    notes: tuple[tuple[object, ...], ...] = ()
    """What the annotations of the fields in `path` say, field by field. The checker knows only sizes and domains."""

    def show(self, value: int) -> str | int | bool:
        """The value as a person reads it, also fit for JSON."""
        return bool(value) if self.is_bool else visible(self.labels[value]) if value in self.labels else value


@dataclass(frozen=True)
class Parameter:
    """A parameter of an action, with every value it can take."""

    name: str
    scalar: Scalar
    values: tuple[int, ...]
    unbounded: bool = False
    """Can it be any integer from the least of `values` on?"""

    @property
    def is_bool(self) -> bool:
        return self.scalar.is_bool

    @property
    def labels(self) -> Mapping[int, str]:
        return self.scalar.labels

    def show(self, value: int) -> str | int | bool:
        return bool(value) if self.is_bool else visible(self.labels[value]) if value in self.labels else value


@dataclass(frozen=True)
class FairnessCondition:
    """That an action's steps are not put off for ever, for each value of its parameters by itself.

    Weak: not while one is possible all the time. Strong: not while one is possible again and again.
    """

    assumption: str
    """The name of what is assumed; several actions may share it."""
    reason: str
    is_strong: bool
    values: Mapping[str, int]
    """Parameters and the only values of them that it is about."""
    whichever: tuple[str, ...]
    """Parameters whose value makes no difference."""
    when: Callable[..., bool] | None
    """When a step is obligatory: a function in the model language of state and parameters; None is always."""


@dataclass(frozen=True)
class Action:
    """One atomic step that somebody can take, under its parameters."""

    name: str
    actor: str
    label: str
    """The event in a kubelet engineer's words; `{parameter}` stands for a value."""
    parameters: tuple[Parameter, ...]
    line: Line
    call: Callable[..., None]
    """The Python method itself: `call(tree, **arguments)` changes `tree` or raises what the model language raises."""
    arguments: Callable[[Mapping[str, int]], Mapping[str, Any]]
    """Parameter values (integers) as the Python objects that `call` wants: enumeration members, bools, ints."""
    begin: Callable[[Any], None]
    """Sets what a tree tells of the last step to zero."""
    fairness: tuple[FairnessCondition, ...] = ()
    """Its fairness obligations; none for a step that may be put off for ever."""

    def run(self, tree: Any, values: Mapping[str, int]) -> None:
        """Take a step of it as Python: change the tree, or raise what the model language raises."""
        self.begin(tree)
        self.call(tree, **self.arguments(values))

    def occurrence(self, values: Mapping[str, int]) -> SimpleNamespace:
        """A step of it as a claim sees it: `action`, `actor`, and each parameter under its own name."""
        return SimpleNamespace(**self.arguments(values), action=self.name, actor=self.actor)

    def event(self, values: Mapping[str, int]) -> str:
        """The label with the parameters' values put in."""
        return visible(self.label.format(**{p.name: p.show(values[p.name]) for p in self.parameters}))


class Move(NamedTuple):
    """An action by its name, and the values of all its parameters."""

    action: str
    values: Mapping[str, int]


class Outcome(Enum):
    """What becomes of a step in a state: always exactly one of these."""

    DISABLED = "not now"
    """A `require` refuses it."""
    CUT_OFF = "cut off"
    """It leaves the scenario's bounds, so it is not taken."""
    FAULT = "goes wrong"
    """It is an error of the model."""
    TAKEN = "possible"


@dataclass(frozen=True)
class Transition:
    """An action lowered to the graph, for one choice of the parameters that index arrays (`fixed`).

    The remaining parameters (`free`) are PARAM nodes. `updates` has only the variables that may change. What `lines`,
    `bounds`, `faults` and `updates` say counts only where the step comes to that: `when` tells the outcomes apart.
    """

    action: Action
    fixed: Mapping[str, int]
    free: tuple[Parameter, ...]
    enabled: Expr
    """Every `require` that is asked holds. That says nothing of bounds and faults."""
    updates: Mapping[str, Expr]
    lines: Mapping[str, Expr]
    """`programmer_error` and `assert` lines -> when they are reached."""
    bounds: Mapping[str, Expr]
    """`out_of_bounds` names -> when the step is cut off there."""
    faults: Mapping[str, Expr]
    """What goes wrong -> when: a field leaves its range, an index its array. Such a step is an error of the model."""
    source: tuple[Line, ...]
    """The lines that were read to lower it, in their order; one that was read several times stands here as often."""
    stores: Mapping[str, tuple[tuple[Expr, Line], ...]]
    """Variable -> each value that a line stores into it, on whatever path."""

    def when(self, outcome: Outcome, graph: Graph) -> Expr:
        """In which states, and for which free parameters, a step has this outcome. No two outcomes overlap."""
        bounds, faults = self.bounds.values(), self.faults.values()
        match outcome:
            case Outcome.DISABLED:
                return graph.not_(self.enabled)
            case Outcome.CUT_OFF:
                return graph.and_(self.enabled, graph.or_(*bounds))
            case Outcome.FAULT:
                return graph.and_(self.enabled, graph.not_(graph.or_(*bounds)), graph.or_(*faults))
            case Outcome.TAKEN:
                return graph.and_(self.enabled, graph.not_(graph.or_(*faults, *bounds)))

    def nodes(self) -> Iterator[Expr]:
        """All that it says, but for what it stores on the way."""
        for nodes in ({"": self.enabled}, self.updates, self.lines, self.bounds, self.faults):
            yield from nodes.values()

    def rewrite(self, put: Callable[[Iterable[Expr]], list[Expr]]) -> Transition:
        """The transition with other expressions."""
        named = (self.updates, self.lines, self.bounds, self.faults)
        updates, lines, bounds, faults = (dict(zip(nodes, put(nodes.values()), strict=True)) for nodes in named)
        stores = {p: tuple((put([node])[0], line) for node, line in stored) for p, stored in self.stores.items()}
        (enabled,) = put([self.enabled])
        return replace(self, enabled=enabled, updates=updates, lines=lines, bounds=bounds, faults=faults, stores=stores)

    def moves(self) -> Iterator[Move]:
        """Every choice of the parameters, in the order all engines use."""
        for values in itertools.product(*(p.values for p in self.free)):
            yield Move(self.action.name, {**self.fixed, **{p.name: v for p, v in zip(self.free, values, strict=True)}})


@dataclass(frozen=True)
class System:
    """A transition system: variables, initial states and actions, in both readings (Python and graph)."""

    name: str
    """Version and scenario, as reports print it: `v1.29/one-pod`."""
    version: str
    environment: str
    scenario: str
    bounds: str
    """What the scenario bounds, in one line."""
    variables: tuple[Variable, ...]
    initial: tuple[State, ...]
    actions: tuple[Action, ...]
    graph: Graph
    transitions: tuple[Transition, ...]
    build: Callable[[State], Any]
    """A state as the model's own objects, fresh each time."""
    flatten: Callable[[Any], State]
    """The inverse of `build`; raises OutOfRange when a field has left its range."""
    record_lines: Callable[[], AbstractContextManager[list[str]]]
    """While it is open, the `programmer_error` texts that running the model reaches are added to the list it gives."""
    shape: Record
    constants: Mapping[str, int]
    scope: Scope
    free: Mapping[str, int] = field(default_factory=dict)
    """Variables that no action writes and that begin with any integer from this one on; `initial` has an example."""
    endless: frozenset[str] = frozenset()
    """Variables that count down how often something may still happen, from so many that no run comes to the end."""

    @builtins.property
    def is_unbounded(self) -> bool:
        """Are there infinitely many states or choices, so that nothing can go through them one by one?"""
        chosen = (p.unbounded for action in self.actions for p in action.parameters)
        return any(v.high >= UNBOUNDED for v in self.variables) or any(chosen)

    def refuse_unbounded(self, engine: str) -> None:
        """Raises CheckerError where an engine that goes through all values would never come to an end."""
        why = f"the engine {engine!r} goes through every value, and some numbers here have no greatest"
        if self.is_unbounded:
            raise CheckerError(f"{self.name}: {why}; bound them, or use the engine 'symbolic'")

    def index(self, path: str) -> int:
        """The position of a variable in a State; raises KeyError."""
        return self.positions[path]

    @functools.cached_property
    def positions(self) -> Mapping[str, int]:
        return {variable.path: i for i, variable in enumerate(self.variables)}

    @functools.cached_property
    def worked_out(self) -> dict[object, object]:
        """What was found out about it, by whoever did: it is not asked for once more."""
        return {}

    @functools.cached_property
    def action(self) -> Mapping[str, Action]:
        """The actions by their names."""
        return {action.name: action for action in self.actions}

    def event(self, move: Move) -> str:
        """What happens, in a kubelet engineer's words."""
        return self.action[move.action].event(move.values)

    def transition_of(self, move: Move) -> int:
        """The number of the transition that a move is a choice of."""
        fits = (t.action.name == move.action and t.fixed.items() <= move.values.items() for t in self.transitions)
        return next(i for i, is_it in enumerate(fits) if is_it)

    def count_actions(self, taken: Iterable[int], new_states: Iterable[int]) -> dict[str, ActionCount]:
        """The counts of transitions, added up by action."""
        counts = {action.name: [0, 0] for action in self.actions}
        for t, *both in zip(self.transitions, taken, new_states, strict=False):
            counts[t.action.name] = [a + int(b) for a, b in zip(counts[t.action.name], both, strict=True)]
        return {name: ActionCount(*count) for name, count in counts.items()}

    def nodes(self, prefix: str = "") -> dict[str, Expr]:
        """The variables in the graph, by their paths, with a prefix before each."""
        node = self.graph.variable
        return {prefix + v.path: node(prefix + v.path, v.is_bool, v.low, v.high) for v in self.variables}

    def by_path(self, state: State) -> dict[str, int]:
        """The values of a state's variables, as `evaluate` wants them."""
        return dict(zip(self.positions, state, strict=True))


@dataclass(frozen=True)
class Property:
    """A claim about a system.

    `function` is in the model language: `(state) -> bool` for always and sometimes, `(before, after) -> bool` or
    `(before, event, after) -> bool` for step, where the event is an `Action.occurrence`. A `never` claim has `lines`
    instead: the `programmer_error` texts that must be unreachable. Liveness properties take a state and parameters
    over which they are asked one by one: leads_to gives two bools, the premise and the goal that follows it eventually,
    and recurs one, which is true again and again.
    """

    id: str
    kind: PropertyKind
    meaning: str
    function: Callable[..., bool] | None = None
    lines: tuple[str, ...] = ()
    action: str = ""
    """The one action whose steps a `step` or `never` claim is about; empty for all actions."""
    is_premise: bool = False
    """Is only asked whether it is violated, and no trace wanted?"""
    wrong: str = ""
    """How it fails, as a clause with expressions in braces that have a value there; empty where nothing says it."""

    def is_about(self, action: Action) -> bool:
        """May a step of this action break the claim?"""
        return self.action in ("", action.name)

    @functools.cached_property
    def takes_event(self) -> bool:
        """Is the claim told which step it is?"""
        return self.function is not None and len(inspect.signature(self.function).parameters) == 3

    @property
    def is_about_states(self) -> bool:
        """Is it judged on a state by itself, and not on a step?"""
        return self.kind in ("always", "sometimes")

    @property
    def is_about_runs(self) -> bool:
        """Is it judged on whole runs, which never end?"""
        return self.kind in ("leads_to", "recurs")

    @property
    def is_witnessed(self) -> bool:
        """Does one state or step show that it holds, where for another claim one shows that it does not?"""
        return self.kind == "sometimes"


@dataclass(frozen=True)
class LoweredProperty:
    """A property as graph nodes; exactly one of `state` and `steps` is set."""

    property: Property
    state: Expr | None = None
    """always, sometimes: the formula itself, over the variables."""
    steps: tuple[Expr, ...] | None = None
    """step, never: for each of the system's transitions, when taking it VIOLATES the claim."""
    both: Expr | None = None
    """step: the formula over the variables of the state before and, below `AFTER`, of the one after.

    None where the claim takes the event, and for `never`.
    """
    source: tuple[Line, ...] = ()
    """The lines that were read to lower the formula."""


class Status(Enum):
    HOLDS = "HOLDS"
    PROVED = "PROVED"
    VIOLATED = "VIOLATED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True)
class Change:
    """A variable that a step changed; `line` is the source line that wrote the new value."""

    path: str
    before: str | int | bool
    after: str | int | bool
    line: Line | None


@dataclass(frozen=True)
class Step:
    """One step of a trace."""

    move: Move
    actor: str
    event: str
    parameters: Mapping[str, str | int | bool]
    changes: tuple[Change, ...]
    line: Line
    """Where the action is defined."""
    state: State
    """The state after the step."""

    @property
    def action(self) -> str:
        return self.move.action


@dataclass(frozen=True)
class Trace:
    """An execution from an initial state."""

    initial: State
    steps: tuple[Step, ...]
    lasso: Lasso | None = None
    """How it goes on for ever; None where only what has happened matters."""

    @property
    def moves(self) -> list[Move]:
        return [step.move for step in self.steps]

    @property
    def states(self) -> list[State]:
        """The initial state and the one after every step."""
        return [self.initial, *(step.state for step in self.steps)]


@dataclass(frozen=True)
class Counterexample:
    """One way to break a claim, and how the claim fails at its end."""

    trace: Trace
    failure: ClaimFailure | None = None

    @builtins.property
    def action(self) -> str:
        """The action that breaks the claim; empty where an initial state does."""
        return self.trace.steps[-1].action if self.trace.steps else ""


@dataclass(frozen=True)
class NeededFairness:
    """A fairness assumption on which a claim rests, with a run that breaks the claim where it is not made."""

    assumption: str
    without: tuple[str, ...]
    """All that the run does not keep to: this one, and those that the claim does not need besides."""
    trace: Trace
    reason: str
    """How long the run is."""


@dataclass(frozen=True)
class Verdict:
    """What was found out about one property, with the evidence.

    VIOLATED carries a counterexample, a `sometimes` claim that HOLDS a witness: the shortest where `is_shortest`.
    """

    property: Property
    status: Status
    reason: str
    trace: Trace | None = None
    failure: ClaimFailure | None = None
    """How a violated claim fails at the end of the trace."""
    others: tuple[Counterexample, ...] = ()
    """More counterexamples, where they were asked for: the shortest of each other action, the shortest first."""
    more: tuple[str, ...] | None = None
    """The actions that break the claim too, of which no counterexample is given; None where nobody asked."""
    not_known: str = ""
    """How many actions may break the claim without its being known, and why; empty for none."""
    is_vacuous: bool | None = None
    """Whether the premise of a claim that HOLDS never occurs; None where nobody asked, or the claim has no premise."""
    needs: tuple[NeededFairness, ...] | None = None
    """Assumptions on which a liveness property that HOLDS rests: they suffice, and none can be spared.

    None where nobody asked, or there was no time for it.
    """
    baseline: Baseline | None = None
    """None where nothing is compared or known, and for a claim that holds in both."""
    before: tuple[System, Trace] | None = None
    """The system that a CHANGED verdict is compared with, and how that system violates the claim."""

    is_shortest: bool = True

    def length_of(self, trace: Trace) -> str:
        """How long its trace, or another one that shows it, is in words."""
        length = number_of(len(trace.steps), "step") + (", shortest" if self.is_shortest else "")
        return length if trace.lasso is None else self.reason

    @builtins.property
    def is_no_worse(self) -> bool:
        """Is it violated only as in the release, as is known, or on purpose?"""
        kept = (BaselineState.INHERITED, BaselineState.KNOWN, BaselineState.SUPERSEDED)
        return self.baseline is not None and self.baseline.state in kept

    @builtins.property
    def depth(self) -> int | None:
        return None if self.trace is None else len(self.trace.steps)


class ActionCount(AnswerPart, frozen=True):
    """How often an action was taken, and how many states it reached first; null where an engine does not know."""

    taken: Count
    new_states: Count | None


@dataclass(frozen=True)
class Limits:
    """When to stop before everything is explored; None is no limit. Seconds are wall time."""

    max_states: int | None = None
    max_depth: int | None = None
    seconds: float | None = None


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Exploration:
    """What an engine found out about a system."""

    system: System
    engine: str
    complete: bool
    reason: str
    """Why it stopped early; empty when complete."""
    seconds: float
    verdicts: tuple[Verdict, ...]
    states: int = 0
    transitions: int = 0
    depth: int | None = 0
    """How many steps it is to the farthest state; None where an engine does not know."""
    peak_bytes: int = 0
    order: tuple[str, ...] = ()
    """The order of the bits of decision diagrams, from the top; empty where there are none."""
    actions: Mapping[str, ActionCount] = field(default_factory=dict)
    bounds_hit: Mapping[str, int] = field(default_factory=dict)
    excluded_bounds: frozenset[str] = frozenset()
    """Bounds at which a proof has it that no step is cut off."""
    reductions: tuple[str, ...] = ()
    interrupted: bool = False
    assumptions: Mapping[str, str] = field(default_factory=dict)
    """The fairness on which liveness properties rest: names and reasons; empty where there are none."""
    is_search: bool = True
    """Were states searched? Otherwise it is an attempt to prove the claims."""
    solver_seconds: float | None = None
    """How much of `seconds` was Z3's; None for an engine that does without."""

    @property
    def actions_never_taken(self) -> tuple[str, ...]:
        return tuple(name for name, count in self.actions.items() if count.taken == 0)


@dataclass(frozen=True)
class Progress:
    """What an engine reports while it works."""

    states: int
    transitions: int
    depth: int
    frontier: int
    seconds: float
    bytes: int
    nodes: int = 0
    """The nodes of the diagrams that stand for the states, whose number is rounded; 0 where each state is stored."""


OnProgress = Callable[[Progress], None]

ProjectedMove = tuple[str, tuple[tuple[str, int], ...]]
"""An action's name, and its parameters with their values."""


@dataclass(frozen=True)
class StateGraph:
    """The reachable states projected on some variables; states that agree on those are one node."""

    system: System
    by: tuple[Variable, ...]
    nodes: tuple[State, ...]
    """The values of `by`, in the order in which the search reached them."""
    counts: tuple[int, ...]
    """How many states each node stands for."""
    initial: tuple[int, ...]
    edges: Mapping[tuple[int, int], Mapping[str, int]]
    """From node, to node -> how many steps of each action lead there; no loops."""
    complete: bool
    moves: Mapping[tuple[int, int], Mapping[ProjectedMove, int]] = field(default_factory=dict)
    """As `edges`, told apart by the parameters of the actions too; empty where nobody counted them."""


class TooWide(CheckerError):
    """An engine cannot write down the states of a system, or not in the memory there is; another one may."""


class OutOfRoom(TooWide):
    """There is no memory for what an engine has to write down; what it found until then decides nothing."""


class EngineFault(Exception):
    """podproof contradicts itself: the model does not do what an engine found, and then no verdict may be given."""


class NothingToShow(CheckerError):
    """A result has nothing that a format could show."""


class OutOfRange(ModelError):
    """A field left its declared range; `trace` leads there."""

    def __init__(self, message: str, trace: Trace | None = None) -> None:
        super().__init__(message)
        self.trace = trace
