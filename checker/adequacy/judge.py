"""Who objects to a mutant: claims first, then recordings, then whoever looks at what can be seen of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from podproof.checker.adequacy.mutants import Mutant
from podproof.checker.adequacy.result import Detection, Fate, MutantResult, Objection
from podproof.checker.adequacy.worlds import Departure, Hunt, World, departures, is_alike, lower_claims_again, shape_of
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
"""So many times the states of the original are searched before a mutant is given up as undecided."""
_LEAST = 1_000_000
_ENOUGH = 50_000
"""States of a scenario that are searched although a claim is violated already: the other claims that kill are seen."""
_FIRST = 120_000
"""States of a larger scenario that are searched before the rest is decided in another way."""
_IN_RUNS = 300_000
"""The most states of a scenario in which claims about whole runs are asked."""
_COMPARED = 100_000
"""The most states of a scenario in which original and mutant are compared state by state."""


@dataclass(frozen=True)
class Judge:
    """What mutants are judged by."""

    worlds: Sequence[World]
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
        return replace(outcome, seconds=round(time.monotonic() - started, 2))


@dataclass(frozen=True)
class _Parted:
    """A mutant in a scenario, and what states that the original reaches do otherwise."""

    world: World
    system: System
    departures: tuple[Departure, ...]
    is_known: bool
    """Does each of them happen? Else they may."""

    @property
    def moves(self) -> tuple[Departure, ...]:
        """Those that are steps, and no answers."""
        return tuple(d for d in self.departures if d.move is not None)


class _Trial:
    """One mutant before the judge."""

    def __init__(self, judge: Judge, mutant: Mutant) -> None:
        self.judge, self.mutant = judge, mutant
        self.searched: list[str] = []
        self.kills: list[Detection] = []
        self.mended: list[tuple[str, str]] = []
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
        for world in self.judge.worlds:
            system, claims = self._lowered(world)
            parting = self._parting(world, system, claims)
            pairs = list(zip(world.setting.claims, claims, strict=True))
            same_claims = all(_is_same(world, system, *pair) for pair in pairs)
            if parting.departures:
                parted.append(parting)
            if parting.moves or not same_claims:
                self.searched.append(world.name)
                if parting.moves or not self._asked_again(world, claims):
                    self._search(parting, claims, same_claims)
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

    def _parting(self, world: World, system: System, claims: tuple[LoweredProperty, ...]) -> _Parted:
        """What the original's states do otherwise."""
        with self.mutant.planted():
            different = tuple(departures(world, system))
        found = world.nearest([d.differs for d in different]) if different else []
        # Where renamings of a state count as one, what is asked of the one has to be asked alike of the others.
        if found is None or (different and world.merges_names and world.reduce(system, claims) is None):
            return _Parted(world, system, different, is_known=False)
        reached = tuple(d for d, state in zip(different, found, strict=True) if state is not None)
        return _Parted(world, system, reached, is_known=True)

    def _lowered(self, world: World) -> tuple[System, tuple[LoweredProperty, ...]]:
        with self.mutant.planted():
            system = lower_again(world.system, self.mutant.lines)
        if list(map(shape_of, world.system.transitions)) != list(map(shape_of, system.transitions)):
            raise ModelError(f"{self.mutant.line}: the parameters of an action are other ones than before")
        pairs = zip(world.system.transitions, system.transitions, strict=True)
        system = replace(system, transitions=tuple(t if is_alike(t, other) else other for t, other in pairs))
        with self.mutant.as_claims_read():
            return system, lower_claims_again(world, system, self.mutant.lines, self.mutant.is_vocabulary)

    # -- claims --------------------------------------------------------------------------------------------------------

    def _asked_again(self, world: World, claims: tuple[LoweredProperty, ...]) -> bool:
        """The steps are the same, and some claims ask for an answer that is not. Were they asked in every state?"""
        pairs = enumerate(zip(world.setting.claims, claims, strict=True))
        changed = [i for i, pair in pairs if not _is_same(world, world.system, *pair)]
        if world.merges_names or any(claims[i].state is None for i in changed):
            return False
        graph = world.system.graph
        nodes = [(claims[i].property.is_witnessed, claims[i].state or graph.true) for i in changed]
        found = world.nearest([node if wanted else graph.not_(node) for wanted, node in nodes])
        for i, state in zip(changed, found or (), strict=False):
            self._note(world, claims[i], world.status[i], None if state is None else world.trace_to(state))
        return found is not None

    def _search(self, parting: _Parted, claims: tuple[LoweredProperty, ...], same_claims: bool) -> None:
        """Which claims object in one scenario?"""
        world, system = parting.world, parting.system
        held = frozenset(
            i for i, p in enumerate(claims) if not p.property.is_witnessed and world.status[i] is Status.HOLDS
        )
        if not self.judge.thorough and parting.is_known and same_claims and world.count > _FIRST:
            reduced = world.reduce(system, claims)
            if reduced is not None:
                hunt = self._hunt(reduced, held, Limits(max_states=_FIRST))
                if self._has_killed(world, claims, held, hunt):
                    return
                if self._is_beyond_reproach(parting, reduced, held):
                    return
        limits = Limits(max_states=max(_LEAST, _MORE * world.count))
        whole = plan(system, claims, tuple(REDUCTIONS), world.setting.interchangeable)
        hunt = self._hunt(whole, frozenset() if self.judge.thorough else held, limits)
        if not self._has_killed(world, claims, held, hunt) and hunt.reason:
            self.undecided.append(f"{world.name}: {hunt.reason}")

    def _hunt(self, reduced: Plan, sought: frozenset[int], limits: Limits) -> Hunt:
        with self.mutant.planted():
            hunt = Hunt(reduced, limits, sought, _ENOUGH)
            hunt.run(None)
        return hunt

    def _has_killed(self, world: World, claims: tuple[LoweredProperty, ...], held: frozenset[int], hunt: Hunt) -> bool:
        """Take over what a search has found. Did a claim object?"""
        found, before = hunt.found(), len(self.kills)
        violated = [i for i in found if i in held]
        for i in violated:
            if i == violated[0]:
                with self.mutant.planted():
                    trace = hunt.trace(i)
                self._note(world, claims[i], Status.HOLDS, trace)
            else:
                self.kills.append(Detection(claims[i].property.id, world.name, Objection.VIOLATED, None))
        for i, p in enumerate(claims) if not hunt.reason else ():
            if i not in found:
                self._note(world, p, world.status[i], None)
        return len(self.kills) > before

    def _note(self, world: World, p: LoweredProperty, before: Status, trace: Trace | None) -> None:
        """Take over what was found out about a claim: a trace that decides it, or that there is none."""
        claim, holds = p.property.id, (trace is not None) == p.property.is_witnessed
        if holds and before is Status.VIOLATED:
            self.mended.append((claim, world.name))
        elif not holds and before is Status.HOLDS and trace is None:
            self.kills.append(Detection(claim, world.name, Objection.WITNESS_LOST, None))
        elif not holds and before is Status.HOLDS and trace is not None:
            self._confirm(world.system, p.property, trace)
            if not self.kills:
                self.events = tuple(step.event for step in trace.steps)
            self.kills.append(Detection(claim, world.name, Objection.VIOLATED, len(trace.steps)))

    def _is_beyond_reproach(self, parting: _Parted, reduced: Plan, held: frozenset[int]) -> bool:
        """Is no claim violated by what it does otherwise in any state of the original's, nor after that, for ever?

        And has it the original's witnesses? That takes fewer states than to search all of its own.
        """
        world, graph = parting.world, parting.system.graph
        origins = world.where(graph.or_(*(d.differs for d in parting.moves)))
        if origins is None or len(origins) * 2 > world.count:
            return False
        hunt = Hunt(reduced, Limits(max_states=2 * world.count), held)
        try:
            with self.mutant.planted():
                hunt.go_beyond(world, origins)
        except (OutOfRange, EngineFault):
            return False  # It may be out of reach.
        if hunt.reason or not held.isdisjoint(hunt.found()):
            return False
        return all(self._has_witness(world, parting.system, i, trace) for i, trace in world.witnesses.items())

    def _has_witness(self, world: World, system: System, claim: int, trace: Trace) -> bool:
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
            return decides(world.setting.properties[claim], tree)

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
        for parting in parted:
            world, system = parting.world, parting.system
            if world.count > _IN_RUNS or not world.kept_in_runs:
                continue
            with self.mutant.planted():
                found = RunChecker(system, needs=False).decide(world.kept_in_runs, Limits(max_states=_MORE * _IN_RUNS))
            for v in found.verdicts:
                if v.status is Status.VIOLATED and v.trace is not None and v.trace.lasso is not None:
                    if not self.kills:
                        self.events = tuple(step.event for step in v.trace.steps)
                    self.kills.append(Detection(v.property.id, world.name, Objection.VIOLATED, len(v.trace.steps)))
            if self.kills:
                return

    # -- everybody else ------------------------------------------------------------------------------------------------

    def _unkilled(self, parted: Sequence[_Parted]) -> MutantResult:
        """No claim objects. What can be seen of it?"""
        with self.mutant.planted():
            recorded = self.judge.recorded()
        if recorded:
            return self.ends(Fate.RECORDED, recorded)
        for parting in parted:
            if shown := self._seen(parting):
                return self.ends(Fate.DIFFERENT, f"{parting.world.name}: {shown[-1]}", shown[:-1])
        left = list(self.undecided)
        for parting in parted:
            world = parting.world
            if not parting.is_known and len(parting.moves) < len(parting.departures):
                left.append(f"{world.name}: whether the answers are the same is not known")
            elif parting.moves and world.count > _COMPARED:
                left.append(f"{world.name} has {world.count:,} states, too many to compare them one by one")
            elif parting.moves:
                decision, reason = self._compared(world, parting.system)
                if decision is Decision.DIFFERENT:
                    return self.ends(Fate.DIFFERENT, f"{world.name}: {reason}")
                if decision is Decision.UNDECIDED:
                    left.append(f"{world.name}: {reason}")
        if left:
            return self.ends(Fate.SURVIVED, "; ".join(left))
        return self.ends(Fate.EQUIVALENT, "what can be seen of it is the same for ever (a bisimulation)")

    def _seen(self, parting: _Parted) -> tuple[str, ...]:
        """The events after which a difference is seen at once, and what it is; empty where none is found this way."""
        world, system, reached = parting.world, parting.system, parting.departures
        found = world.nearest([d.is_seen for d in reached])
        if found is None:
            return ()
        nearest = sorted((state, i) for i, state in enumerate(found) if state is not None)
        paths = world.setting.observable
        for state, i in nearest:
            departure, trace = reached[i], world.trace_to(state)
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
            original = _effect(world.system, after, departure, paths)
            if departure.move is None:
                return (*events, f"{departure.event} answers otherwise")
            if original != mutated:
                return (*events, f"{departure.event}: {_words(original, mutated)}")
        return ()

    def _compared(self, world: World, system: System) -> tuple[Decision, str]:
        pair = in_one_graph(world.system, system)
        claims = tuple(lower_properties(one, world.setting.properties) for one in pair)
        criteria = Criteria(world.setting.observable, (), world.setting.observable, (), (claims[0], claims[1]))
        with self.mutant.planted():
            found = compare(pair, criteria, Limits(max_states=_MORE * _COMPARED))
        return found.decision, found.reason


def _is_same(world: World, system: System, p: LoweredProperty, other: LoweredProperty) -> bool:
    """Does a claim say the same of states, and of the steps that are the same?"""
    steps = zip(world.system.transitions, system.transitions, p.steps or (), other.steps or (), strict=False)
    return p.state is other.state and all(a is b for t, another, a, b in steps if t is another)


def _effect(
    system: System, state: tuple[int, ...], departure: Departure, paths: Sequence[str]
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
