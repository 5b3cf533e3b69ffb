"""IC3: one inductive invariant that excludes every bad literal, or the steps to one that cannot be excluded.

It knows clauses, latches and inputs only. A cube is a set of latches with their values: `i + 1` says that latch i is
true, `-i - 1` that it is false. A lemma is the negation of a cube; frame k has those that hold in all states that k
steps reach. See A. Bradley, SAT-based model checking without unrolling (VMCAI 2011), and N. Een, A. Mishchenko,
R. Brayton, Efficient implementation of property directed reachability (FMCAD 2011).
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pysat.solvers import Minisat22

from podproof.checker.engines.prove.circuit import Circuit, Latch

Cube = tuple[int, ...]
Chosen = Callable[[int], bool]
"""What says which literals of inputs are true in a step."""
_RENEWED_AFTER = 3_000
"""Clauses that serve one query stay in a solver; after so many of them it is made anew."""


class OutOfTime(Exception):
    """The search has to end now."""


@dataclass(frozen=True)
class Problem:
    """A circuit in simplified clauses, with the latches that lemmas may speak of."""

    circuit: Circuit
    clauses: Sequence[Sequence[int]]
    latches: Sequence[Latch]
    """The first says whether a run has begun."""
    wanted: int
    """The latches after so many are used only where those before do not suffice."""

    def is_said(self, cube: Cube) -> bool:
        """Does the cube do without the latches that are used only where others do not suffice?"""
        return all(abs(x) <= self.wanted for x in cube)


@dataclass(frozen=True, order=True)
class _Obligation:
    """A cube to exclude from a frame, since its states lead to a bad one."""

    frame: int
    number: int
    cube: Cube = field(compare=False)
    inputs: frozenset[int] = field(compare=False)
    """What is chosen in the step out of the cube."""
    after: _Obligation | None = field(compare=False)
    """Where that step leads; None where it, or the cube by itself, is bad."""


@dataclass(eq=False)
class _Lemma:
    cube: Cube
    literals: frozenset[int]
    frame: int
    born: int
    not_pushed: frozenset[int] = frozenset()
    """A state of its frame from which a step leads into the cube."""
    asked: int = -1
    """Lemmas born before this were there when that was found out."""


@dataclass
class Found:
    """What came out."""

    invariant: list[Cube] = field(default_factory=list)
    """Cubes without a reachable state, together inductive; empty unless everything else is excluded."""
    runs: dict[str, list[Chosen]] = field(default_factory=dict)
    """For each bad literal that is reached, what was chosen in each step, the one in which it is true included."""
    frames: int = 0


class InvariantSearch:
    """One search about several bad literals."""

    def __init__(self, problem: Problem, bad: Mapping[str, int], expired: Callable[[], bool]) -> None:
        self.problem, self.bad, self.expired = problem, dict(bad), expired
        self.latches = problem.latches
        self.inputs = problem.circuit.inputs()
        self.steps = problem.circuit.steps
        self.lemmas: list[_Lemma] = []
        self.levels: list[int] = []
        self.used: Counter[int] = Counter()
        self.found = Found()
        self._numbers = itertools.count()
        self._then: dict[int, int] = {}
        self._now: dict[int, int] = {}
        for i, latch in enumerate(self.latches, 1):
            self._then |= {i: latch.then, -i: -latch.then}
            self._now |= {i: latch.now, -i: -latch.now}
        self._top = max([problem.circuit.gates.top, *(abs(x) for x in self._now.values())])
        self._solver: Minisat22 | None = None
        self._needing: Minisat22 | None = None
        self._new_frame()
        self._new_frame()
        self._renew()
        self._lifter = Minisat22(bootstrap_with=problem.clauses)
        self._lifter_top, self._lifted = self._top, 0

    # -- solvers

    def _new_frame(self) -> None:
        self._top += 1
        self.levels.append(self._top)
        if self._solver is not None:
            self._solver.add_clause([self._top, -self._top])

    def _renew(self) -> None:
        if self._solver is not None:
            self._solver.delete()
        self._solver = Minisat22(bootstrap_with=self.problem.clauses)
        self._temporary = 0
        self._solver.add_clause([-self.levels[0], -self.latches[0].now])
        for lemma in self.lemmas:
            self._tell(lemma)

    def _tell(self, lemma: _Lemma) -> None:
        assert self._solver is not None
        self._solver.add_clause([-self.levels[lemma.frame], *(-self._now[x] for x in lemma.cube)])

    def _leads_into(self, frame: int, cube: Cube, is_lemma: bool = False) -> bool:
        """Does a step lead from a state of the frame that is not in the cube into the cube?

        The solver has a model then, and a core otherwise.
        """
        assert self._solver is not None
        assumed = self.levels[frame:]
        if not is_lemma:
            if self._temporary >= _RENEWED_AFTER:
                self._renew()
            self._temporary += 1
            self._top += 1
            self._solver.add_clause([-self._top, *(-self._now[x] for x in cube)])
            assumed = [*assumed, self._top]
        answer = self._solver.solve([*assumed, self.steps, *(self._then[x] for x in cube)])
        if not is_lemma and answer is False:
            self._core = frozenset(self._solver.get_core() or ())
        if not is_lemma:
            self._solver.add_clause([-assumed[-1]])
        return bool(answer)

    def _model(self) -> list[int]:
        assert self._solver is not None
        model: list[int] = self._solver.get_model()
        return model

    def _state(self, model: Sequence[int]) -> list[int]:
        """The latches' values."""
        return [
            i if (model[now - 1] > 0 if now > 0 else model[-now - 1] < 0) else -i
            for i, now in ((i, self._now[i]) for i in range(1, len(self.latches) + 1))
        ]

    def _lift(self, model: Sequence[int], goal: Iterable[int]) -> tuple[Cube, frozenset[int]]:
        """Which part of a state suffices so that these literals all hold, with the same inputs."""
        if self._lifted >= _RENEWED_AFTER:
            self._lifter.delete()
            self._lifter = Minisat22(bootstrap_with=self.problem.clauses)
            self._lifter_top, self._lifted = self._top, 0
        self._lifted += 1
        self._lifter_top += 1
        inputs = [model[i - 1] for i in self.inputs]
        state = self._state(model)
        self._lifter.add_clause([-self._lifter_top, *(-x for x in goal)])
        fixed = [self._lifter_top, *inputs]
        part = state[: self.problem.wanted]
        part.sort(key=lambda x: -self.used[x])
        if self._lifter.solve([*fixed, *(self._now[x] for x in part)]):
            part = state
            if self._lifter.solve([*fixed, *(self._now[x] for x in part)]):
                raise AssertionError("a state and inputs do not decide a step")
        core = frozenset(self._lifter.get_core() or ())
        part = [x for x in part if self._now[x] in core]
        # Asked once more, in another order, the core is often smaller.
        if len(part) > 2 and not self._lifter.solve([*fixed, *(self._now[x] for x in reversed(part))]):
            core = frozenset(self._lifter.get_core() or ())
            part = [x for x in part if self._now[x] in core]
        self._lifter.add_clause([-self._lifter_top])
        return tuple(sorted(part, key=abs)), frozenset(inputs)

    # -- the search

    def run(self) -> Found:
        """Exclude every bad literal, or reach it. Raises OutOfTime."""
        while True:
            top = len(self.levels) - 1
            for name in list(self.bad):
                self._exclude_bad(name, top)
            if not self.bad:
                break
            self._new_frame()
            if (end := self._push()) is not None:
                self.found.invariant = [x.cube for x in self.lemmas if x.frame > end]
                break
        self.found.frames = len(self.levels) - 1
        return self.found

    def _exclude_bad(self, name: str, top: int) -> None:
        assert self._solver is not None
        while True:
            if self.expired():
                raise OutOfTime
            if not self._solver.solve([self.levels[top], self.bad[name]]):
                return
            cube, inputs = self._lift(self._model(), [self.bad[name]])
            run = self._exclude(_Obligation(top, next(self._numbers), cube, inputs, None))
            if run is not None:
                self.found.runs[name] = run
                del self.bad[name]
                return

    def _exclude(self, first: _Obligation) -> list[Chosen] | None:
        """Exclude a cube from its frame, and what leads to it from those before; or the steps that reach it."""
        pending, top = [first], first.frame
        while pending:
            o = heapq.heappop(pending)
            if -1 in o.cube:
                return self._run(o)
            literals = frozenset(o.cube)
            if any(x.frame >= o.frame and x.literals <= literals for x in self.lemmas):
                continue
            if self._leads_into(o.frame - 1, o.cube):
                cube, inputs = self._lift(self._model(), [self.steps, *(self._then[x] for x in o.cube)])
                heapq.heappush(pending, _Obligation(o.frame - 1, next(self._numbers), cube, inputs, o))
                heapq.heappush(pending, o)
                if self.expired():
                    raise OutOfTime
                continue
            cube, frame = self._generalise(o.frame - 1, self._of_core(o.cube)), o.frame
            while frame < top and not self._leads_into(frame, cube):
                frame += 1
            self._learn(cube, frame)
            if frame < top:
                heapq.heappush(pending, _Obligation(frame + 1, next(self._numbers), o.cube, o.inputs, o.after))
        return None

    def _run(self, o: _Obligation) -> list[Chosen]:
        chosen: list[Chosen] = []
        step: _Obligation | None = o
        while step is not None:
            chosen.append(step.inputs.__contains__)
            step = step.after
        return chosen

    def _of_core(self, cube: Cube) -> Cube:
        """The part of a cube that the last answer needed, without the beginning."""
        part = [x for x in cube if self._then[x] in self._core]
        if not any(x > 0 for x in part):
            part.append(next(x for x in cube if x > 0))
        return tuple(sorted(part, key=abs))

    def _generalise(self, frame: int, cube: Cube) -> Cube:
        """A smaller cube that no step from the frame leads into either."""
        for literal in sorted(cube, key=lambda x: (self.used[x], x == 1, x)):
            if literal not in cube or len(cube) == 1:
                continue
            fewer = tuple(x for x in cube if x != literal)
            if any(x > 0 for x in fewer) and not self._leads_into(frame, fewer):
                cube = self._of_core(fewer)
        return cube

    def _learn(self, cube: Cube, frame: int) -> None:
        literals = frozenset(cube)
        self.lemmas = [x for x in self.lemmas if x.frame > frame or not literals <= x.literals]
        lemma = _Lemma(cube, literals, frame, next(self._numbers))
        self.lemmas.append(lemma)
        self._tell(lemma)
        self.used.update(cube)

    def _push(self) -> int | None:
        """Move lemmas to the next frame where they hold there too. A frame that loses none is the last one needed."""
        for frame in range(1, len(self.levels) - 1):
            for lemma in [x for x in self.lemmas if x.frame == frame]:
                if lemma not in self.lemmas or self._is_still_stuck(lemma):
                    continue
                if self.expired():
                    raise OutOfTime
                if self._leads_into(frame, lemma.cube, is_lemma=True):
                    lemma.not_pushed = frozenset(self._state(self._model()))
                    lemma.asked = next(self._numbers)
                else:
                    lemma.frame += 1
                    lemma.not_pushed, lemma.asked = frozenset(), -1
                    self._tell(lemma)
                    others = [x for x in self.lemmas if x is lemma or x.frame > lemma.frame]
                    others += [x for x in self.lemmas if x.frame <= lemma.frame and not lemma.literals <= x.literals]
                    self.lemmas = others
            if not any(x.frame == frame for x in self.lemmas):
                return frame
        return None

    def _is_still_stuck(self, lemma: _Lemma) -> bool:
        """Does the state that kept it from being pushed still fulfil all lemmas of its frame?"""
        if not lemma.not_pushed:
            return False
        later = (x for x in self.lemmas if x.frame >= lemma.frame and x.born > lemma.asked)
        return not any(x.literals <= lemma.not_pushed for x in later)

    def needs(self, invariant: Sequence[Cube], name: str) -> list[Cube]:
        """Those cubes whose exclusion is enough to exclude a bad literal, and each other."""
        reached: dict[int, None] = {}
        if self._needing is None:
            self._needing = Minisat22(bootstrap_with=self.problem.clauses)
            for i, cube in enumerate(invariant, self._top + 1):
                self._needing.add_clause([-i, *(-self._now[x] for x in cube)])
        pending = [[self.problem.circuit.violations[name]]]
        assumed = range(self._top + 1, self._top + 1 + len(invariant))
        for bad in pending:
            if self._needing.solve([*assumed, *bad]):
                raise AssertionError("an invariant does not exclude what it should")
            for i in self._needing.get_core() or ():
                if i > self._top and i not in reached:
                    reached[i] = None
                    pending.append([self.steps, *(self._then[x] for x in invariant[i - self._top - 1])])
        return [invariant[i - self._top - 1] for i in reached]
