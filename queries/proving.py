"""Proofs of claims for every number of seconds and of events, and of claims about functions for every input."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from msgspec import DecodeError
from msgspec.json import decode, encode

from podproof.checker.core import UsageError
from podproof.checker.core.proofs import Proofs, ProofStore
from podproof.checker.core.system import CheckerError, Exploration, Property, System, Verdict
from podproof.checker.decide import confirm
from podproof.checker.engines.prove import ProofOptions, prove_function
from podproof.checker.engines.prove import prove as prove_claims
from podproof.checker.explain.failing_part import with_failures
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.processes import processors
from podproof.checker.reductions import DependsOnCount
from podproof.model.functions import Function
from podproof.model.scenario import Scenario
from podproof.queries import progress
from podproof.queries.build import (
    Subject,
    function_system,
    functions_of,
    is_function,
    not_about,
    properties_of,
    properties_of_function,
    refuse_other_claims,
    run_properties_of,
    scenarios_of,
    subject_named,
    system_of,
)
from podproof.queries.cache import own_folder, write_whole
from podproof.queries.known import ListedViolations, with_known
from podproof.reports.judgement import LENIENT, Judgement, Strictness, judge
from podproof.specs import FUNCTION_CLAIMS


def prove(
    subject: str | Path | Subject,
    scenarios: Sequence[str] = (),
    properties: Sequence[str] = (),
    timeout: float = 60.0,
    liveness: bool = False,
    bounded: bool = False,
) -> ProofAnswer:
    """Decide these claims about a release, or a model's or a Go file, for every number of seconds and of events.

    Names are those of scenarios and of functions; without them it is about the default scenarios, and every claim.
    `timeout` are the seconds for each claim; where it is `bounded`, events happen only as often as the scenario counts
    them. Raises CheckerError for what cannot be read or is about nothing.
    """
    asked = subject if isinstance(subject, Subject) else subject_named(str(subject))
    return ProofQuery(asked, tuple(scenarios), tuple(properties), liveness, timeout, bounded=bounded).answer()


@dataclass(frozen=True)
class ProofAnswer:
    """What was proved and what was not."""

    subject: Subject
    proofs: Sequence[Proofs]
    """Each function's and scenario's verdicts, with the certificates."""
    judgement: Judgement
    """The exit code of `podproof prove`, and why."""
    bounded: bool = False
    """Was it asked about no more events than the scenario has?"""

    @property
    def explorations(self) -> Sequence[Exploration]:
        return [proofs.exploration for proofs in self.proofs]

    def replay(self, exploration: Exploration, verdict: Verdict, called: Callable[[str], str] = str) -> str:
        """The command that shows one violation again; `called` says what it calls a claim, of its id."""
        return proof_command(self.subject, exploration.system, [called(verdict.property.id)], self.bounded)


@dataclass
class ProofQuery:
    """Which claims are to be proved. Raises CheckerError for what makes no sense."""

    subject: Subject
    scenarios: tuple[str, ...] = ()
    """Names of scenarios, or of functions; none for the default ones."""
    properties: tuple[str, ...] = ()
    """Ids of claims; none for all."""
    liveness: bool = False
    """Is it about what must happen eventually? It is, too, where such a claim is named."""
    timeout: float = 60.0
    """Seconds for each claim."""
    smt2: Path | None = None
    """The folder to write each proof's three checks into."""
    recheck: bool = False
    """Does a second solver have to agree?"""
    show_invariant: bool = False
    """Is each proof to have its invariant, without needless parts?"""
    listed: ListedViolations = field(default_factory=ListedViolations)
    strictness: Strictness = LENIENT
    bounded: bool = False
    """Is it about as many events as the scenario has, and not about any number of them?

    What must happen eventually is proved for as many as it has, and to a function nothing happens.
    """

    def __post_init__(self) -> None:
        self.listed.check_names([self.subject])
        self.liveness = self.liveness or any(map(self.subject.is_about_runs, self.properties))
        if self.liveness and (self.smt2 is not None or self.recheck or self.show_invariant):
            raise UsageError(
                "--smt2, --recheck, --show-invariant: what must happen eventually is proved without a solver"
            )
        self.functions: Sequence[Function] = functions_of(self.scenarios)
        if self.functions and self.smt2 is not None:
            raise CheckerError(
                f"--smt2: {self.functions[0].name} is a function and has no proof of three checks; leave it out"
            )
        named = [name for name in self.scenarios if not is_function(name)]
        self.worlds: Sequence[Scenario] = scenarios_of(named, self.subject) if named or not self.functions else ()

    def answer(self) -> ProofAnswer:
        """The verdicts, compared with what is known, and judged. Raises CheckerError where there are none."""
        proofs = self._proofs()
        explorations = with_known(self.subject, [p.exploration for p in proofs], self.listed)
        proofs = [replace(p, exploration=e) for p, e in zip(proofs, explorations, strict=True)]
        return ProofAnswer(self.subject, proofs, judge(explorations, self.strictness), self.bounded)

    def _proofs(self) -> list[Proofs]:
        """The verdicts on each function and scenario by themselves."""
        proofs = list(self._of_functions())
        for proof in self._of_runs() if self.liveness else self._of_states():
            proofs.append(proof)
            if proof.exploration.reason == "interrupted" and not self.liveness:
                break
        if not proofs:
            raise UsageError(not_about(self.subject, self.worlds, self.properties))
        return proofs

    def _of_functions(self) -> Iterator[Proofs]:
        for function in self.functions:
            system = function_system(self.subject, function)
            if about := properties_of_function(system, _known(self.subject, self.properties)):
                title = f"{self.subject.name} {function.name}"
                with progress.stage(title) as tell:
                    lowered = lower_properties(system, about)
                    report = partial(_report, tell, title)
                    proved = prove_function(system, lowered, self.timeout, self.recheck, report)
                yield _confirmed(proved)

    def _of_runs(self) -> Iterator[Proofs]:
        for scenario in self.worlds:
            if about_runs := run_properties_of(self.subject, scenario, self.properties):
                from podproof.checker.liveness.decide import prove_runs  # Loads NumPy, and LLVM with it.

                system, bounded = (system_of(self.subject, scenario, unbounded) for unbounded in (True, False))
                with progress.show_progress(f"{self.subject.name} {scenario.name}") as search:
                    proved = prove_runs(system, bounded, about_runs, search)
                yield Proofs(proved, {}, {})

    def _of_states(self) -> Iterator[Proofs]:
        for scenario in self.worlds:
            claims = _provable(self.subject, scenario, self.properties)
            if not claims:
                continue
            try:
                proved = self._proved(replace(scenario, endless=not self.bounded), claims)
            except DependsOnCount as error:
                proved = replace(self._proved(scenario, claims), bounded_by=error.reason)
            yield _confirmed(proved)

    def _proved(self, scenario: Scenario, claims: Sequence[Property]) -> Proofs:
        """The verdicts on these claims. Raises DependsOnCount where they are not about any number of events."""
        system = system_of(self.subject, scenario, unbounded=True)
        named = [p for p in self.properties if p in {claim.id for claim in claims}]
        head = f"made by: {proof_command(self.subject, system, named, self.bounded)} --smt2 DIR"
        folder, names = own_folder(), [one.name for one in (self.subject, self.subject.base) if one is not None]
        files = [folder / _file_of(name, scenario) for name in names] if folder is not None else []
        options = ProofOptions(self.smt2, head, self.show_invariant, self.recheck, _store_in(files))
        title = f"{self.subject.name} {scenario.name}"
        with progress.stage(title) as tell:
            report, lowered = partial(_report, tell, title), lower_properties(system, claims)
            proofs = prove_claims(system, lowered, self.timeout, processors(), options, report)
        if files and proofs.exploration.complete and not (self.properties or options.is_about_each):
            with contextlib.suppress(OSError):  # Without room or rights the next proof finds them anew.
                write_whole(files[0], encode(proofs.store))
        return proofs


def _file_of(name: str, scenario: Scenario) -> str:
    """Where the lemmas of a version's proof about a scenario are kept."""
    return hashlib.sha256(repr(("lemmas", name, scenario.name, scenario.endless)).encode()).hexdigest()


def _store_in(files: Sequence[Path]) -> ProofStore:
    """What the first of these files has that is there; nothing where it is none of this podproof's."""
    for file in files:
        with contextlib.suppress(OSError, DecodeError, UnicodeDecodeError):
            return decode(file.read_bytes(), type=ProofStore)
    return ProofStore()


def _confirmed(proofs: Proofs) -> Proofs:
    """The model itself replays each counterexample, and how each claim fails is said."""
    return replace(proofs, exploration=with_failures(confirm(proofs.exploration)))


def _report(tell: Callable[[str], None], title: str, line: str) -> None:
    tell(f"{title}: {line}")


def _known(subject: Subject, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The ids, each of which is a claim's. Raises CheckerError for another one."""
    refuse_other_claims(subject, wanted, (*subject.claims, *FUNCTION_CLAIMS))
    return wanted


def _provable(subject: Subject, scenario: Scenario, wanted: tuple[str, ...]) -> Sequence[Property]:
    """The claims about states and steps. Raises CheckerError where a `sometimes` claim is asked for by name."""
    of_scenarios = [name for name in _known(subject, wanted) if name not in {claim.id for claim in FUNCTION_CLAIMS}]
    if wanted and not of_scenarios:
        return ()
    claims = properties_of(subject, scenario, of_scenarios)
    for claim in claims:
        if wanted and claim.kind == "sometimes":
            raise CheckerError(
                f"--property {claim.id}: it is of kind 'sometimes', which a witness shows and no invariant; "
                f"use `podproof check --property {claim.id}`"
            )
    return [claim for claim in claims if claim.kind != "sometimes"]


def proof_command(subject: Subject, system: System, claims: Sequence[str], bounded: bool) -> str:
    """What proves these claims again."""
    options = ["--bounded"] if bounded else []
    options += [f"--property {claim}" for claim in claims]
    return " ".join([f"podproof prove {subject.option} --scenario {system.scenario}", *options])
