"""Which claims hold: scenarios explored, compared with what the changed release does and what is known, and judged."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from podproof.checker.core import UsageError
from podproof.checker.core.system import Exploration, Limits, Status, Verdict
from podproof.checker.engines import AUTO, WITH_MEMORY, candidates
from podproof.model.scenarios import Scenario
from podproof.queries import progress
from podproof.queries.baseline import ReleaseSearch, needless_successors, with_baseline, with_superseded
from podproof.queries.build import (
    Subject,
    not_about,
    properties_of,
    run_properties_of,
    scenarios_of,
    scenarios_to_compare,
    subject_named,
)
from podproof.queries.cache import Cache, CachedQuery, own_folder
from podproof.queries.known import ListedViolations, with_known
from podproof.queries.last_run import keep_seconds_per_scenario, seconds_per_scenario
from podproof.queries.pool import ALONE, local, on_ray
from podproof.queries.search import SearchOptions, explore, explore_runs, unanswered
from podproof.reports.judgement import LENIENT, NOTHING, BesideClaims, Judgement, Strictness, judge
from podproof.reports.summary import overall
from podproof.specs import Claim

if TYPE_CHECKING:
    from podproof.queries.go_files import FileAnswer
    from podproof.queries.go_tests import GoTests


@dataclass(frozen=True)
class CheckAnswer:
    """What was found out about one version or model."""

    subject: Subject
    wanted: tuple[str, ...]
    """The ids of the claims that were asked for by name."""
    explorations: Sequence[Exploration]
    """Each scenario with its verdicts, and for each violation a trace."""
    judgement: Judgement
    """The exit code of `podproof check`, and why."""
    search: SearchOptions = SearchOptions()  # noqa: RUF009 - it is frozen
    go_files: Sequence[FileAnswer] = ()
    """What was decided about the functions, where several Go files were given."""

    @property
    def statuses(self) -> Mapping[str, Status]:
        """For each claim's id whether it holds in all these scenarios; one of kind `sometimes`, in any."""
        return overall(self.explorations)

    def replay(self, exploration: Exploration, verdict: Verdict, called: Callable[[str], str] = str) -> str:
        """The command that shows one violation again; the search is deterministic, so it is the same trace.

        `called` says what the command calls a claim, of its id.
        """
        where, claim = exploration.system.scenario, called(verdict.property.id)
        # The reference finds the same traces as the default.
        same = "" if self.search.engine in (AUTO, *candidates(AUTO)) else f" --engine {self.search.engine}"
        most = self.search.counterexamples
        same += f" --counterexamples {most}" if most > 1 else ""
        return f"podproof check {self.subject.option} --scenario {where} --property {claim}{same}"

    def walk(self, exploration: Exploration, verdict: Verdict, called: Callable[[str], str] = str) -> str:
        """The command that steps through a trace in the browser; empty where there is no trace."""
        scenario, claim = exploration.system.scenario, called(verdict.property.id)
        walk = f"podproof explore {self.subject.option} --scenario {scenario} --trace {claim}"
        return walk if verdict.trace is not None else ""

    def go_tests(self) -> GoTests:
        """A test of each claim that is violated. Raises NothingToShow."""
        from podproof.queries.go_tests import go_tests, violations  # Jinja2 takes a while to load.

        return go_tests(self.subject, violations(self.explorations))


def check(
    subject: str | Path | Subject,
    scenarios: Sequence[str] = (),
    properties: Sequence[str] = (),
    limits: Limits = Limits(),  # noqa: B008 - it is frozen
    liveness: bool = False,
) -> CheckAnswer:
    """Explore the scenarios of a release, or of a model's or a Go file, and say which of these claims hold.

    Without names: the default scenarios, every claim about states and steps. Answers are cached as those of the command
    are. Raises CheckerError for what cannot be read, and where no claim is about any of the scenarios.
    """
    asked = subject if isinstance(subject, Subject) else subject_named(str(subject))
    search = SearchOptions(limits=limits)
    (answer,) = CheckQuery((asked,), tuple(scenarios), tuple(properties), search=search, liveness=liveness).answers()
    return answer


@dataclass
class CheckQuery:
    """Which claims are to be decided, about which subjects. Raises CheckerError for what makes no sense."""

    subjects: Sequence[Subject]
    scenarios: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    part: str | None = None
    """A regular expression; the claims whose id has it somewhere are asked for, too."""
    search: SearchOptions = SearchOptions()  # noqa: RUF009 - it is frozen
    liveness: bool = False
    """Is it about what must happen eventually? It is, too, where such a claim is named."""
    without: tuple[str, ...] = ()
    """The fairness assumptions to drop."""
    listed: ListedViolations = field(default_factory=ListedViolations)
    strictness: Strictness = LENIENT
    beside: Sequence[Path] = ()
    """The Go files beside that of the pod workers, which the subjects have."""
    assumed: tuple[str, ...] = ()
    is_cached: bool = field(default=False, init=False)
    """Were all answers found before?"""

    def __post_init__(self) -> None:
        self.go_files: Mapping[Subject, Sequence[FileAnswer]] = {}
        if self.beside:
            from podproof.queries.go_files import with_files_beside  # It loads Z3.

            self.go_files = dict(with_files_beside(one, self.beside, self.assumed) for one in self.subjects)
            self.subjects = tuple(self.go_files)
        every = self.subjects
        self.liveness = self.liveness or any(one.is_about_runs(name) for one in every for name in self.properties)
        if self.part is not None:
            self.properties += ids_with(
                self.part, [c for one in every for c in (one.run_claims if self.liveness else one.claims)]
            )
        self._refuse_contradictions()
        self.listed.check_names(every)
        chosen = scenarios_of(self.scenarios, *every)
        for one in () if self.scenarios else every:
            chosen = (*chosen, *scenarios_to_compare((), one.base or one, one))
        chosen = tuple(dict.fromkeys(chosen))
        if unknown := [name for name in self.properties if not any(wanted_of(one, (name,)) for one in every)]:
            (run_properties_of if self.liveness else properties_of)(every[0], chosen[0], unknown)  # It is told.
        self.asked: Mapping[Subject, tuple[Sequence[Scenario], tuple[str, ...]]] = {
            one: ([one.scenarios[s.name] for s in chosen if s.name in one.scenarios], wanted_of(one, self.properties))
            for one in every
        }
        """Of each subject its scenarios, and the claims that were named."""

    def _refuse_contradictions(self) -> None:
        if self.liveness and self.search.counterexamples > 1:
            raise UsageError(
                "--counterexamples: claims about what must happen eventually are decided without; leave it out"
            )
        if self.search.memory is not None and self.search.engine not in (AUTO, *WITH_MEMORY):
            engines = " and ".join(f"`{e}`" for e in WITH_MEMORY)
            raise UsageError(f"--memory is for the engines {engines}; leave it out")
        if self.liveness and self.search.memory is not None:
            raise UsageError("--memory: claims about what must happen eventually are decided without; leave it out")
        if self.without and not self.liveness:
            raise UsageError("--without: only claims about what must happen eventually assume fairness; add --liveness")

    def answers(self, anew: bool = False, alone: bool = False, ray: str | None = None) -> list[CheckAnswer]:
        """What was found out about each subject that a claim is about; after Ctrl-C, as far as it was known then.

        `anew`: nothing that was cached is taken. `alone`: one scenario after the other, in this process; `ray`: on the
        cluster at this address. Raises UsageError where no claim is about anything.
        """
        is_measured = self.search.memory is not None
        anew, alone = anew or is_measured, alone or is_measured or self.search.limits.seconds is not None
        questions, about = self._questions()
        here = ALONE if alone else local(len(questions))
        if ray is not None and self.beside:
            raise UsageError("--ray: several Go files of one kubelet are read on this machine alone; leave it out")
        with ExitStack() as stack:
            where = here if ray is None else stack.enter_context(on_ray(ray, self.subjects))
            cache = Cache(
                None if anew else own_folder(), where, seconds_per_scenario=seconds_per_scenario(self.subjects)
            )
            explored, is_interrupted = self._explored(cache, questions, about)
        cache.pool = here
        search = ReleaseSearch(**vars(self.search), cache=cache)
        answers = []
        for subject, explorations in ((one, found) for one, found in explored.items() if found):
            scenarios, wanted = self.asked[subject]
            if self.liveness:
                explorations = [with_superseded(subject, e) for e in explorations]
            elif not is_interrupted:
                explorations = with_baseline(subject, scenarios, explorations, search)
                is_interrupted = explorations[-1].interrupted
            for sentence in needless_successors(subject, explorations):
                progress.note(sentence)
            explorations = with_known(subject, explorations, self.listed)
            files = self.go_files.get(subject, ())
            judgement = judge(explorations, self.strictness, self._beside_claims(subject, scenarios))
            answers.append(CheckAnswer(subject, wanted, explorations, judgement, self.search, files))
        if not is_interrupted:
            keep_seconds_per_scenario(self.subjects, cache.seconds_per_scenario)
        self.is_cached = cache.has_all
        return answers

    def _beside_claims(self, subject: Subject, scenarios: Sequence[Scenario]) -> BesideClaims:
        if not self.beside:
            return NOTHING
        from podproof.queries.go_files import beside_claims

        return beside_claims(self.go_files[subject], subject, scenarios)

    def _questions(self) -> tuple[list[CachedQuery], list[tuple[Subject, Scenario]]]:
        """What there is to be looked into, and what each is about."""
        questions, about, by = list[CachedQuery](), list[tuple[Subject, Scenario]](), self.search
        for subject, (scenarios, wanted) in self.asked.items():
            for scenario in scenarios if wanted or not self.properties else ():
                options = (scenario, wanted, by.engine, by.limits, by.reductions)
                if self.liveness:
                    find = partial(explore_runs, subject, *options, self.without)
                    questions.append(CachedQuery(find, subject, ("explore runs", *options, self.without)))
                else:
                    find = partial(explore, subject, *options, by.memory, by.counterexamples)
                    questions.append(CachedQuery(find, subject, ("explore", *options, by.counterexamples)))
                about.append((subject, scenario))
        return questions, about

    def _explored(
        self, cache: Cache, questions: Sequence[CachedQuery], about: Sequence[tuple[Subject, Scenario]]
    ) -> tuple[Mapping[Subject, list[Exploration]], bool]:
        """What was found out about each subject, and whether that was interrupted."""
        explored: dict[Subject, list[Exploration]] = {one: [] for one in self.subjects}
        left, is_interrupted = list(about), False
        try:
            for n, found in cache.answers(questions):
                left.remove(about[n])
                if found is not None:
                    explored[about[n][0]].append(found)
                    if found.interrupted:
                        is_interrupted = True
                        break
        except KeyboardInterrupt:
            is_interrupted, (subject, scenario) = True, left[0]
            wanted = self.asked[subject][1]
            explored[subject].append(unanswered(subject, scenario, wanted, self.search.engine, self.liveness))
        for subject in (one for one, found in explored.items() if not found and not is_interrupted):
            if not any(explored.values()):
                raise UsageError(not_about(subject, self.asked[subject][0], self.properties))
            progress.note(not_about(subject, *self.asked[subject]))
        return explored, is_interrupted


def wanted_of(subject: Subject, properties: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the claims that somebody makes of the subject, and what its file makes in the place of one."""
    known = {claim.id for claim in subject.every_claim}
    return subject.with_successors(tuple(name for name in properties if name in known))


def ids_with(part: str, claims: Sequence[Claim]) -> tuple[str, ...]:
    """The claims whose id matches a regular expression somewhere. Raises UsageError where there are none."""
    try:
        found = tuple(claim.id for claim in claims if re.search(part, claim.id))
    except re.error as error:
        raise UsageError(f"-k {part!r}: {error}; write a part of a claim's id") from error
    if not found:
        raise UsageError(f"-k {part!r}: no claim's id has this in it; see `podproof explain properties`")
    return found


def review_command(subject: Subject) -> Sequence[tuple[str, str]]:
    """What says whether a change is worse: the subject's, or else a pull request's; with what it is for."""
    if subject.file is None:
        return [("podproof review main...HEAD", "is a change worse? In a checkout of Kubernetes")]
    _, file, *rest = shlex.split(subject.option)
    if "--model" in rest or "--go" in rest:  # Go in a user's model, or several files: review takes one a side.
        return []
    return [(shlex.join(["podproof", "review", file, *rest]), f"is it worse than {subject.release.name}?")]
