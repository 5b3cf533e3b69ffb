"""What became of the mutants, and what that says of functions, claims and scenarios."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from podproof.checker.core.answer import AnswerPart, Count, Seconds


class Fate(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    """A claim that the original keeps is violated, or a witness that it has is lost."""
    RECORDED = "recorded"
    """No claim objects, but a recorded trace that the original reproduces does not fit any more."""
    DIFFERENT = "different"
    """No claim objects, but it shows something else."""
    SURVIVED = "survived"
    """No claim objects; whether anything can be seen of it is not known."""
    EQUIVALENT = "equivalent"
    """Nothing can be seen of it: decided, not sampled."""
    REFUSED = "refused"
    """It leaves the model language, or goes wrong by itself."""


class Objection(Enum):
    """How a claim objects."""

    VIOLATED = "violated"
    WITNESS_LOST = "witness lost"


class Detection(AnswerPart, frozen=True):
    """A claim that tells a mutant from the original in a scenario."""

    claim: str
    scenario: str
    objection: Objection
    steps: Count | None
    """How many steps its shortest counterexample has; None for a lost witness, and where another one is shorter."""


class Mended(AnswerPart, frozen=True):
    """A known violation that is gone."""

    claim: str
    scenario: str


class MutantResult(AnswerPart, frozen=True):
    """What became of one mutant."""

    key: str
    """Names the mutant: the same text of a function gives the same names."""
    function: str
    place: str
    """file:line of the model."""
    operator: str
    before: str
    after: str
    fate: Fate
    """killed: a claim objects; recorded: only a recorded trace does; different: nobody objects, but it shows something
    else; survived: not known; equivalent: decided that nothing can be seen of it; refused: it is no model."""
    reason: str
    kills: tuple[Detection, ...] = ()
    """The detections that were seen. The first one decided the mutant's fate, and has the trace."""
    events: tuple[str, ...] = ()
    """The steps that end in the violation, or the events after which the difference is seen."""
    mended: tuple[Mended, ...] = ()
    """Known violations that are gone. That is no objection."""
    searched: tuple[str, ...] = ()
    """The scenarios in which it was searched; in the others among those asked for its steps do the same."""
    seconds: Seconds = 0.0

    @property
    def is_killed_by_witness_alone(self) -> bool:
        """Does no claim break, but something that could happen happens no more?"""
        return bool(self.kills) and all(kill.objection is Objection.WITNESS_LOST for kill in self.kills)


@dataclass(frozen=True)
class Adequacy:
    """All results, in the order of the mutants."""

    version: str
    scenarios: tuple[str, ...]
    claims: tuple[str, ...]
    results: tuple[MutantResult, ...]
    planned: int
    """How many mutants were to be judged."""
    available: int
    """How many there are."""
    seconds: float = 0.0

    def count(self, *fates: Fate) -> int:
        return sum(result.fate in fates for result in self.results)

    @property
    def score(self) -> float | None:
        return score(self.results)

    def functions(self) -> Mapping[str, Sequence[MutantResult]]:
        found: dict[str, list[MutantResult]] = {}
        for result in self.results:
            found.setdefault(result.function, []).append(result)
        return found

    def kills_by_claim(self) -> Mapping[str, tuple[int, int]]:
        """For each claim how many mutants it kills, and how many of them no other claim was seen to kill."""
        every, alone = Counter[str](), Counter[str]()
        for result in self.results:
            names = {kill.claim for kill in result.kills}
            every.update(names)
            if len(names) == 1:
                alone.update(names)
        return {claim: (every[claim], alone[claim]) for claim in self.claims}

    def kills_by_scenario(self) -> Mapping[str, tuple[int, int]]:
        """For each scenario how many mutants die in it, and how many of them were not seen to die in another."""
        every, alone = Counter[str](), Counter[str]()
        for result in self.results:
            names = {kill.scenario for kill in result.kills}
            every.update(names)
            if len(names) == 1:
                alone.update(names)
        return {scenario: (every[scenario], alone[scenario]) for scenario in self.scenarios}


def score(results: Iterable[MutantResult]) -> float | None:
    """The percentage of mutants killed by claims, of those that are neither refused nor equivalent; None of none."""
    counted = [o for o in results if o.fate not in (Fate.REFUSED, Fate.EQUIVALENT)]
    return 100 * sum(o.fate is Fate.KILLED for o in counted) / len(counted) if counted else None
