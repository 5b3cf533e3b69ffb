"""Which oracle kills a mutant: claims, recordings, or observable behaviour."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from podproof.checker.adequacy.explored_scenario import (
    EarlyExitSearch,
    ExploredScenario,
    StepDifference,
    is_alike,
    lower_claims_again,
    shape_of,
    step_differences,
)
from podproof.checker.adequacy.mutants import Mutant
from podproof.checker.adequacy.result import Detection, Fate, Mended, MutantResult, Objection
from podproof.checker.core.system import (
    EngineFault,
    Limits,
    LoweredProperty,
    ModelError,
    Outcome,
    OutOfRange,
    Property,
    Status,
    System,
    Trace,
)
from podproof.checker.core.trace import NotTaken, breaks, decides, refusal, replay, take
from podproof.checker.difference.compare import Criteria, compare
from podproof.checker.difference.result import Decision
from podproof.checker.difference.transitions import in_one_graph
from podproof.checker.liveness.decide import RunChecker
from podproof.checker.lowering import lower_again
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import REDUCTIONS, Plan, plan

_MORE = 4
"""A mutant is undecided after a search of this many times the states of the original."""
_LEAST = 1_000_000
_ENOUGH = 50_000
"""States of a scenario that are searched although a claim is violated already: the other claims that kill are seen."""
_FIRST = 120_000
"""States of a larger scenario that are searched before the rest is decided in another way."""
_IN_RUNS = 300_000
"""The most states of a scenario in which liveness properties are asked."""
_COMPARED = 100_000
"""The most states of a scenario in which original and mutant are compared state by state."""


@dataclass(frozen=True)
class Judge:
    """What mutants are judged by."""

    scenarios: Sequence[ExploredScenario]
    """The small ones first: most mutants die in them."""
    thorough: bool = False
    """Search every scenario to its end, so that it is known of each claim which mutants it kills."""
    recorded: Callable[[], str] = field(default=lambda: "")
    """Says which recorded trace the model, as it is now, does not reproduce; empty for none."""

    def judge(self, mutant: Mutant) -> MutantResult:
        """What becomes of a mutant."""
        started = time.monotonic()
        trial = _Trial(self, mutant)
        try:
            outcome = trial.outcome()
        except OutOfRange as error:
            outcome = trial.ends(Fate.REFUSED, f"the model goes wrong: {error}")
        except ModelError as error:
            outcome = trial.ends(Fate.REFUSED, str(error).split("\n")[0])
        return msgspec.structs.replace(outcome, seconds=round(time.monotonic() - started, 2))


@dataclass(frozen=True)
class _Parted:
    """A mutant in a scenario, and what states that the original reaches do otherwise."""

    scenario: ExploredScenario
    system: System
    step_differences: tuple[StepDifference, ...]
    is_known: bool
    """Does each of them happen? Else they may."""

    @property
    def moves(self) -> tuple[StepDifference, ...]:
        """The differences that are steps; the others are answers to queries."""
        return tuple(d for d in self.step_differences if d.move is not None)


class _Trial:
    """One mutant before the judge."""

    def __init__(self, judge: Judge, mutant: Mutant) -> None:
        self.judge, self.mutant = judge, mutant
        self.searched: list[str] = []
        self.kills: list[Detection] = []
        self.mended: list[Mended] = []
        self.events: tuple[str, ...] = ()
        self.undecided: list[str] = []

    def ends(self, fate: Fate, reason: str, events: tuple[str, ...] = ()) -> MutantResult:
        m = self.mutant
        return MutantResult(
            key=m.key,
            function=m.function,
            place=str(m.line),
            operator=m.edit.operator,
            before=m.edit.before,
            after=m.edit.after,
            fate=fate,
            reason=reason,
            kills=tuple(self.kills),
            events=events,
            mended=tuple(self.mended),
            searched=tuple(self.searched),
        )

    def outcome(self) -> MutantResult:
        parted: list[_Parted] = []
        for scenario in self.judge.scenarios:
            system, claims = self._lowered(scenario)
            divergence = self._divergence(scenario, system, claims)
            pairs = list(zip(scenario.question.claims, claims, strict=True))
            same_claims = all(_is_same(scenario, system, *pair) for pair in pairs)
            if divergence.step_differences:
                parted.append(divergence)
            if divergence.moves or not same_claims:
                self.searched.append(scenario.name)
                if divergence.moves or not self._asked_again(scenario, claims):
                    self._search(divergence, claims, same_claims)
            if self.kills and not self.judge.thorough:
                break
        if not self.kills:
            self._ask_of_runs(parted)
        if self.kills:
            first = self.kills[0]
            what = "is violated" if first.objection is Objection.VIOLATED else "has no witness any more"
            return self.ends(Fate.KILLED, f"{first.claim} {what}", self.events)
        if not parted:
            return self.ends(Fate.EQUIVALENT, "no step that can be reached is another one")
        return self._unkilled(parted)

    def _divergence(self, scenario: ExploredScenario, system: System, claims: tuple[LoweredProperty, ...]) -> _Parted:
        """What the original's states do otherwise."""
        with self.mutant.planted():
            different = tuple(step_differences(scenario, system))
        found = scenario.nearest([d.differs for d in different]) if different else []
        # Where renamings of a state count as one, what is asked of the one has to be asked alike of the others.
        if found is None or (different and scenario.merges_names and scenario.reduce(system, claims) is None):
            return _Parted(scenario, system, different, is_known=False)
        reached = tuple(d for d, state in zip(different, found, strict=True) if state is not None)
        return _Parted(scenario, system, reached, is_known=True)

    def _lowered(self, scenario: ExploredScenario) -> tuple[System, tuple[LoweredProperty, ...]]:
        with self.mutant.planted():
            system = lower_again(scenario.system, self.mutant.lines)
        if list(map(shape_of, scenario.system.transitions)) != list(map(shape_of, system.transitions)):
            raise ModelError(f"{self.mutant.line}: the parameters of an action are other ones than before")
        pairs = zip(scenario.system.transitions, system.transitions, strict=True)
        system = replace(system, transitions=tuple(t if is_alike(t, other) else other for t, other in pairs))
        with self.mutant.as_claims_read():
            return system, lower_claims_again(scenario, system, self.mutant.lines, self.mutant.is_vocabulary)

    # -- claims --------------------------------------------------------------------------------------------------------

    def _asked_again(self, scenario: ExploredScenario, claims: tuple[LoweredProperty, ...]) -> bool:
        """The steps are the same, and some claims ask for an answer that is not. Were they asked in every state?"""
        pairs = enumerate(zip(scenario.question.claims, claims, strict=True))
        changed = [i for i, pair in pairs if not _is_same(scenario, scenario.system, *pair)]
        if scenario.merges_names or any(claims[i].state is None for i in changed):
            return False
        graph = scenario.system.graph
        nodes = [(claims[i].property.is_witnessed, claims[i].state or graph.true) for i in changed]
        found = scenario.nearest([node if wanted else graph.not_(node) for wanted, node in nodes])
        for i, state in zip(changed, found or (), strict=False):
            self._note(scenario, claims[i], scenario.status[i], None if state is None else scenario.trace_to(state))
        return found is not None

    def _search(self, divergence: _Parted, claims: tuple[LoweredProperty, ...], same_claims: bool) -> None:
        """Which claims object in one scenario?"""
        scenario, system = divergence.scenario, divergence.system
        held = frozenset(
            i for i, p in enumerate(claims) if not p.property.is_witnessed and scenario.status[i] is Status.HOLDS
        )
        if not self.judge.thorough and divergence.is_known and same_claims and scenario.count > _FIRST:
            reduced = scenario.reduce(system, claims)
            if reduced is not None:
                search = self._search_once(reduced, held, Limits(max_states=_FIRST))
                if self._has_killed(scenario, claims, held, search):
                    return
                if self._is_beyond_reproach(divergence, reduced, held):
                    return
        limits = Limits(max_states=max(_LEAST, _MORE * scenario.count))
        whole = plan(system, claims, tuple(REDUCTIONS), scenario.question.interchangeable)
        search = self._search_once(whole, frozenset() if self.judge.thorough else held, limits)
        if not self._has_killed(scenario, claims, held, search) and search.reason:
            self.undecided.append(f"{scenario.name}: {search.reason}")

    def _search_once(self, reduced: Plan, sought: frozenset[int], limits: Limits) -> EarlyExitSearch:
        with self.mutant.planted():
            search = EarlyExitSearch(reduced, limits, sought, _ENOUGH)
            search.run(None)
        return search

    def _has_killed(
        self,
        scenario: ExploredScenario,
        claims: tuple[LoweredProperty, ...],
        held: frozenset[int],
        search: EarlyExitSearch,
    ) -> bool:
        """Take over what a search has found. Did a claim object?"""
        found, before = search.found(), len(self.kills)
        violated = [i for i in found if i in held]
        for i in violated:
            if i == violated[0]:
                with self.mutant.planted():
                    trace = search.trace(i)
                self._note(scenario, claims[i], Status.HOLDS, trace)
            else:
                self.kills.append(Detection(claims[i].property.id, scenario.name, Objection.VIOLATED, None))
        for i, p in enumerate(claims) if not search.reason else ():
            if i not in found:
                self._note(scenario, p, scenario.status[i], None)
        return len(self.kills) > before

    def _note(self, scenario: ExploredScenario, p: LoweredProperty, before: Status, trace: Trace | None) -> None:
        """Take over what was found out about a claim: a trace that decides it, or that there is none."""
        claim, holds = p.property.id, (trace is not None) == p.property.is_witnessed
        if holds and before is Status.VIOLATED:
            self.mended.append(Mended(claim, scenario.name))
        elif not holds and before is Status.HOLDS and trace is None:
            self.kills.append(Detection(claim, scenario.name, Objection.WITNESS_LOST, None))
        elif not holds and before is Status.HOLDS and trace is not None:
            self._confirm(scenario.system, p.property, trace)
            if not self.kills:
                self.events = tuple(step.event for step in trace.steps)
            self.kills.append(Detection(claim, scenario.name, Objection.VIOLATED, len(trace.steps)))

    def _is_beyond_reproach(self, divergence: _Parted, reduced: Plan, held: frozenset[int]) -> bool:
        """Is no claim violated by what it does otherwise in any state of the original's, nor after that, for ever?

        And has it the original's witnesses? That takes fewer states than to search all of its own.
        """
        scenario, graph = divergence.scenario, divergence.system.graph
        origins = scenario.where(graph.or_(*(d.differs for d in divergence.moves)))
        if origins is None or len(origins) * 2 > scenario.count:
            return False
        search = EarlyExitSearch(reduced, Limits(max_states=2 * scenario.count), held)
        try:
            with self.mutant.planted():
                search.go_beyond(scenario, origins)
        except (OutOfRange, EngineFault):
            return False  # It may be out of reach.
        if search.reason or not held.isdisjoint(search.found()):
            return False
        return all(self._has_witness(scenario, divergence.system, i, trace) for i, trace in scenario.witnesses.items())

    def _has_witness(self, scenario: ExploredScenario, system: System, claim: int, trace: Trace) -> bool:
        state = trace.initial
        with self.mutant.planted():
            try:
                for move in trace.moves:
                    state, _ = take(system, state, move)
            except Exception as error:
                refusal(error)
                return False
            tree = system.build(state)
        with self.mutant.as_claims_read():
            return decides(scenario.question.properties[claim], tree)

    def _confirm(self, system: System, p: Property, trace: Trace) -> None:
        """Take the steps of a violation once more in the model as Python. Raises EngineFault where it shows none."""
        moves, states = trace.moves, trace.states
        with self.mutant.planted():
            if replay(system, moves, trace.initial) != trace:
                raise EngineFault(f"{self.mutant.key}: taken once more, the steps lead somewhere else")
            lines = take(system, states[-2], moves[-1])[1] if moves else []
            trees = [system.build(state) for state in states[-2:]]
        with self.mutant.as_claims_read():
            if p.is_about_states:
                is_shown = decides(p, trees[-1])
            else:
                is_shown = breaks(system, p, moves[-1], trees[0], trees[-1], lines)
        if not is_shown:
            raise EngineFault(f"{self.mutant.key}: {p.id} is not violated where the search says so")

    def _ask_of_runs(self, parted: Sequence[_Parted]) -> None:
        """Does what must happen eventually no longer happen? Asked where no claim about states and steps objects."""
        for divergence in parted:
            scenario, system = divergence.scenario, divergence.system
            if scenario.count > _IN_RUNS or not scenario.kept_in_runs:
                continue
            with self.mutant.planted():
                found = RunChecker(system, needs=False).decide(
                    scenario.kept_in_runs, Limits(max_states=_MORE * _IN_RUNS)
                )
            for v in found.verdicts:
                if v.status is Status.VIOLATED and v.trace is not None and v.trace.lasso is not None:
                    if not self.kills:
                        self.events = tuple(step.event for step in v.trace.steps)
                    self.kills.append(Detection(v.property.id, scenario.name, Objection.VIOLATED, len(v.trace.steps)))
            if self.kills:
                return

    # -- everybody else ------------------------------------------------------------------------------------------------

    def _unkilled(self, parted: Sequence[_Parted]) -> MutantResult:
        """No claim objects. What can be seen of it?"""
        with self.mutant.planted():
            recorded = self.judge.recorded()
        if recorded:
            return self.ends(Fate.RECORDED, recorded)
        for divergence in parted:
            if shown := self._seen(divergence):
                return self.ends(Fate.DIFFERENT, f"{divergence.scenario.name}: {shown[-1]}", shown[:-1])
        left = list(self.undecided)
        for divergence in parted:
            scenario = divergence.scenario
            if not divergence.is_known and len(divergence.moves) < len(divergence.step_differences):
                left.append(f"{scenario.name}: whether the answers are the same is not known")
            elif divergence.moves and scenario.count > _COMPARED:
                left.append(f"{scenario.name} has {scenario.count:,} states, too many to compare them one by one")
            elif divergence.moves:
                decision, reason = self._compared(scenario, divergence.system)
                if decision is Decision.DIFFERENT:
                    return self.ends(Fate.DIFFERENT, f"{scenario.name}: {reason}")
                if decision is Decision.UNDECIDED:
                    left.append(f"{scenario.name}: {reason}")
        if left:
            return self.ends(Fate.SURVIVED, "; ".join(left))
        return self.ends(Fate.EQUIVALENT, "what can be seen of it is the same for ever (a bisimulation)")

    def _seen(self, divergence: _Parted) -> tuple[str, ...]:
        """The events after which a difference is seen at once, and what it is; empty where none is found this way."""
        scenario, system, reached = divergence.scenario, divergence.system, divergence.step_differences
        found = scenario.nearest([d.is_seen for d in reached])
        if found is None:
            return ()
        nearest = sorted((state, i) for i, state in enumerate(found) if state is not None)
        paths = scenario.question.observable
        for state, i in nearest:
            departure, trace = reached[i], scenario.trace_to(state)
            events = tuple(step.event for step in trace.steps)
            after = trace.states[-1]
            with self.mutant.planted():
                try:
                    same = replay(system, trace.moves, trace.initial)
                except (NotTaken, OutOfRange):
                    continue  # An earlier step is another one; it has a departure of its own.
                now = same.states[-1]
                if now != after:
                    continue
                mutated = _effect(system, now, departure, paths)
            original = _effect(scenario.system, after, departure, paths)
            if departure.move is None:
                return (*events, f"{departure.event} answers otherwise")
            if original != mutated:
                return (*events, f"{departure.event}: {_words(original, mutated)}")
        return ()

    def _compared(self, scenario: ExploredScenario, system: System) -> tuple[Decision, str]:
        pair = in_one_graph(scenario.system, system)
        claims = tuple(lower_properties(one, scenario.question.properties) for one in pair)
        criteria = Criteria(scenario.question.observable, (), scenario.question.observable, (), (claims[0], claims[1]))
        with self.mutant.planted():
            found = compare(pair, criteria, Limits(max_states=_MORE * _COMPARED))
        return found.decision, found.reason


def _is_same(scenario: ExploredScenario, system: System, p: LoweredProperty, other: LoweredProperty) -> bool:
    """Does a claim say the same of states, and of the steps that are the same?"""
    steps = zip(scenario.system.transitions, system.transitions, p.steps or (), other.steps or (), strict=False)
    return p.state is other.state and all(a is b for t, another, a, b in steps if t is another)


def _effect(
    system: System, state: tuple[int, ...], departure: StepDifference, paths: Sequence[str]
) -> dict[str, object] | str:
    """What can be seen of the state after an event; or why it does not happen."""
    if departure.move is None:
        return ""
    try:
        trace = replay(system, [departure.move], state)
    except NotTaken as error:
        return error.outcome.value
    except OutOfRange:
        return Outcome.FAULT.value
    after = trace.steps[-1].state
    return {path: system.variables[i].show(after[i]) for path in paths for i in [system.index(path)]}


def _words(original: dict[str, object] | str, mutated: dict[str, object] | str) -> str:
    if isinstance(original, str) or isinstance(mutated, str):
        first, second = (effect if isinstance(effect, str) else Outcome.TAKEN.value for effect in (original, mutated))
        return f"{second} instead of {first}"
    unlike = [path for path in original if original[path] != mutated[path]]
    return ", ".join(f"{path} = {mutated[path]} instead of {original[path]}" for path in unlike)
