"""From names on the command line to systems and properties: where model, claims and checker meet."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from podproof.checker.core.graph import Line
from podproof.checker.core.printer import visible
from podproof.checker.core.shapes import Scope, Values, hints_of
from podproof.checker.core.system import CheckerError, ModelError, Property, System
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.source import suggestion
from podproof.model.containers import Containers
from podproof.model.crowd import NODES
from podproof.model.functions import FUNCTIONS, Function
from podproof.model.language import NIL, make, record_lines
from podproof.model.release import KubeletRelease, LayeredRelease
from podproof.model.releases import V1_26, V1_29
from podproof.model.scenario import ENDLESS, SECONDS
from podproof.model.scenarios import SCENARIOS, Scenario
from podproof.model.versions import Version, release_in
from podproof.queries.claims import CLAIMS
from podproof.queries.model_file import installed_claims, load, load_claims
from podproof.queries.versions import DEFAULT_VERSION, LATEST, VERSIONS, covering, neighbours, version_of
from podproof.specs import FUNCTION_CLAIMS, RUN_CLAIMS, Claim
from podproof.specs.claim import Harm, Violation

if TYPE_CHECKING:
    from podproof.checker.conformance import Candidate, RecordedTrace
    from podproof.golang.module import Translation


@dataclass(frozen=True)
class Subject:
    """The pod worker to be checked: a release, or a user's file that overrides one."""

    name: str
    cls: type[KubeletRelease]
    option: str
    """How the command line names it."""
    file: Path | None = None
    """The user's file; None for a release."""
    origin: str = ""
    """What its verdicts rest on besides the model; empty for nothing."""
    own_claims: tuple[Claim, ...] = ()
    """What its file claims besides."""
    own_scenarios: tuple[Scenario, ...] = ()
    new_members: tuple[Enum, ...] = ()
    """What enumerations of the release have in its file besides."""
    replay_command: str = ""
    """The command that replays, where the file was temporary; else empty."""
    files: tuple[Path, ...] = ()
    """All that it comes from besides podproof, claims included."""
    digest: str | None = ""
    """Stands for the content of its files; None where it may depend on more than them."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every claim about states and steps that may be made of it, in the order of reports."""
        return (*CLAIMS, *(claim for claim in self.own_claims if not claim.is_about_runs))

    @property
    def run_claims(self) -> tuple[Claim, ...]:
        return (*RUN_CLAIMS, *(claim for claim in self.own_claims if claim.is_about_runs))

    @property
    def every_claim(self) -> tuple[Claim, ...]:
        return (*self.claims, *FUNCTION_CLAIMS, *self.run_claims)

    @property
    def scenarios(self) -> Mapping[str, Scenario]:
        """By their names."""
        return {**SCENARIOS, **NODES, **{scenario.name: scenario for scenario in self.own_scenarios}}

    @property
    def harms(self) -> Mapping[str, str]:
        """For each claim what it harms when it does not hold, the worst first."""
        return {claim.id: harm.value for harm in Harm for claim in self.every_claim if claim.harm is harm}

    @property
    def effects(self) -> Mapping[str, str]:
        """For each claim what users see when it does not hold, where more is to be said than what it harms."""
        return {claim.id: claim.why for claim in self.every_claim if claim.why}

    def has_in_its_files(self, claim: Claim) -> bool:
        """Is the claim one of this version's own files, and not lent by what it is compared with?"""
        place = "" if claim.function is None else claim.function.__code__.co_filename
        return any(file.resolve() == Path(place).resolve() for file in self.files)

    @property
    def superseded(self) -> Mapping[str, Claim]:
        """The ids of the claims that a design gives up, with the claim that it makes in the place of each."""
        own = (claim for claim in self.own_claims if claim.supersedes and self.has_in_its_files(claim))
        return {} if self.file is None else {id: claim for claim in own for id in claim.supersedes}

    def with_successors(self, wanted: tuple[str, ...]) -> tuple[str, ...]:
        """The ids of claims that are wanted, and of those that are made in their place."""
        return tuple(dict.fromkeys((*wanted, *(c.id for id, c in self.superseded.items() if id in wanted))))

    def is_about_runs(self, name: str) -> bool:
        """Is this the id of a claim about whole runs?"""
        return any(claim.id == name for claim in self.run_claims)

    @property
    def release(self) -> Version:
        """The version that it is, or that the user's file overrides."""
        return next(version for cls in self.cls.__mro__ for version in VERSIONS.values() if version.cls is cls)

    @property
    def base(self) -> Subject | None:
        """What the user's file overrides, with the claims and scenarios of that file; None for a version itself."""
        if self.file is None:
            return None
        # What a file does that may do anything, it may have done to its release as well.
        is_own = self.digest is None or self.own_claims or self.own_scenarios
        digest = self.digest if is_own else ""
        return replace(
            self, name=self.release.name, cls=self.release.cls, file=None, origin="", new_members=(), digest=digest
        )

    def violation(self, claim: Claim, scenario: str, endless: bool = False) -> Violation | None:
        """How this version is known to break a claim; for a user's file, the release it overrides."""
        return claim.violation(self.release.name, scenario, endless)

    def known_violation(self, claim: Claim, scenario: str, endless: bool = False) -> str | None:
        """The same in words."""
        found = self.violation(claim, scenario, endless)
        return None if found is None else str(found)

    def consequence(self, id: str, system: System) -> dict[str, Any]:
        """What it means that a claim is violated, and what is known of that: fields of a ClaimResult."""
        claim = next((claim for claim in self.every_claim if claim.id == id), None)
        if claim is None:
            return {}
        found: dict[str, Any] = {"harm": claim.harm.value, **({"effect": claim.why} if claim.why else {})}
        known = self.violation(claim, system.scenario, bool(system.endless))
        if known is not None:
            found |= {"known": str(known), "rests_on": known.rests_on, "on_real_code": known.on_real_code}
        return found


def notes_of(subjects: Iterable[Subject]) -> dict[str, str]:
    """For each claim its upstream source, and what is known of these versions breaking it, everywhere or where."""
    subjects, notes = tuple(subjects), {}
    for claim in dict.fromkeys(claim for subject in subjects for claim in subject.every_claim):
        where: dict[str, dict[str, None]] = {}
        for name in SCENARIOS:
            for subject in subjects:
                if (text := subject.known_violation(claim, name)) is not None:
                    where.setdefault(text, {})[name] = None
        known = [f"known{_in(names)}: {text}" for text, names in where.items()]
        notes[claim.id] = "; ".join([claim.source, *known])
    return notes


def _in(scenarios: Collection[str]) -> str:
    return "" if len(scenarios) == len(SCENARIOS) else f" in {', '.join(scenarios)}"


def subject_of(version: str, model: Path | None, go: Path | None = None, assumed: tuple[str, ...] = ()) -> Subject:
    """The release of this name, the class in a model file, or either with the Go's workers. Raises CheckerError.

    Without a name, the workers of a Go file are those of the release that is nearest.
    """
    if go is not None:
        return go_subject(go, version, assumed) if model is None else _with_go(subject_of("", model), go, assumed)
    if model is not None:
        found = load(model)
        option = f"--model {shlex.quote(str(model))}"
        return Subject(
            visible(model.stem),
            found.cls,
            option,
            model,
            own_claims=found.own.claims,
            own_scenarios=found.own.scenarios,
            new_members=found.members,
            files=found.own.dependencies.files,
            digest=found.own.dependencies.digest,
        )
    if version not in VERSIONS:
        raise CheckerError(f"--version: there is no version {version!r}; {which_version(version)}")
    return Subject(version, VERSIONS[version].cls, f"--version {version}")


def with_claims(subject: Subject, files: Sequence[Path]) -> Subject:
    """The subject, of which these files, and installed packages, claim something too. Raises CheckerError."""
    named = [(f"--claims {file}", load_claims(file)) for file in dict.fromkeys(files)]
    for place, own in (*installed_claims(), *named):
        names = {thing.id for thing in subject.own_claims} | {thing.name for thing in subject.own_scenarios}
        for name in (*(claim.id for claim in own.claims), *(scenario.name for scenario in own.scenarios)):
            if name in names:
                raise CheckerError(f"{place}: there is another {name!r} beside it; give one of them another name")
        files, digest = own.dependencies
        subject = replace(
            subject,
            own_claims=(*subject.own_claims, *own.claims),
            own_scenarios=(*subject.own_scenarios, *own.scenarios),
            files=(*subject.files, *files),
            digest=None if subject.digest is None or digest is None else f"{subject.digest} {digest}",
        )
    _look_over_superseded(subject)
    options = "".join(f" --claims {shlex.quote(str(file))}" for file in dict.fromkeys(files))
    return replace(subject, option=subject.option + options)


def subject_named(name: str, surroundings: str = "", assumed: tuple[str, ...] = ()) -> Subject:
    """A version, or what a Python or Go file makes of one. Raises CheckerError."""
    if name in VERSIONS:
        return subject_of(name, None)
    if name.endswith(".go"):
        return go_subject(Path(name), surroundings, assumed)
    if name.endswith(".py") or Path(name).exists():
        return subject_of("", Path(name))
    if (version := version_of(DEFAULT_VERSION if name == LATEST else name)) is not None:
        return subject_of(version.name, None)
    raise CheckerError(f"{name!r} is neither a version nor a Python or Go file; {which_version(name)}")


def subject_from(option: str, folder: Path) -> Subject:
    """The subject that the command line names so, in a copy of the folder that is now the working directory."""
    words, given = shlex.split(option), dict[str, list[str]]()
    for name, value in zip(words[::2], words[1::2], strict=True):
        given.setdefault(name, []).append(value)

    def files(name: str) -> list[Path]:
        paths = map(Path, given.get(name, ()))
        return [path.relative_to(folder) if path.is_absolute() else path for path in paths]

    assumed = tuple(given.get("--assume", ()))
    subject = subject_of("".join(given.get("--version", ())), next(iter(files("--model")), None))
    for go in files("--go"):
        subject = _with_go(subject, go, assumed)
    return with_claims(subject, files("--claims"))


def _look_over_superseded(subject: Subject) -> None:
    """Raises ModelError where a claim of the subject's file cannot supersede what it says it does."""
    known, by = {claim.id: claim for claim in (*subject.claims, *subject.run_claims)}, dict[str, str]()
    for claim in (claim for claim in subject.own_claims if subject.has_in_its_files(claim)):
        assert claim.function is not None
        code, given = claim.function.__code__, claim.supersedes
        place = f"{code.co_filename}:{code.co_firstlineno}: the claim {claim.id} supersedes"
        if not isinstance(given, tuple):
            raise ModelError(f"{place} {given!r}; write the ids in a tuple, as in supersedes=({given!r},)")
        for id in given:
            if (other := known.get(id)) is None:
                raise ModelError(f"{place} {id!r}, and there is no such claim; {suggestion(str(id), known)}")
            if other.function is not None and other.function.__code__.co_filename == code.co_filename:
                raise ModelError(f"{place} {id}, which is of the same file; leave out the one that is given up")
            if other.is_about_runs is not claim.is_about_runs:
                about = "what must happen eventually" if other.is_about_runs else "states and steps"
                raise ModelError(f"{place} {id}, which says something of {about}; make a claim of that kind for it")
            if by.setdefault(id, claim.id) != claim.id:
                raise ModelError(f"{place} {id}, as {by[id]} does; let one of them do it")


def go_subject(file: Path, version: str, assumed: tuple[str, ...] = (), partly: bool = False) -> Subject:
    """The pod workers of a Go file in the surroundings of a release. Raises CheckerError."""
    version = version or surroundings_of(file)
    if version not in VERSIONS:
        raise CheckerError(f"{visible(str(file))}: there is no version {version!r}; {which_version(version)}")
    return _with_go(subject_of(version, None), file, assumed, partly)


def is_older(file: Path) -> bool:
    """Is this a worker of kubelet 1.26 or earlier, of which only single functions are translated?"""
    from podproof.golang.module import OLDER, is_whole
    from podproof.golang.syntax import read

    functions = read(file).functions
    return OLDER in functions and not is_whole(functions)


def surroundings_of(file: Path) -> str:
    """The version of the release that a Go file is nearest to. Raises CheckerError where none is near."""
    from podproof.golang.module import refuse_incomplete  # Only who reads Go waits for its parser.
    from podproof.golang.releases import nearest
    from podproof.golang.syntax import read

    found = nearest(go := read(file))
    if found is None:
        refuse_incomplete(go)
        raise CheckerError(
            f"{visible(str(file))}: a Go file has the pod workers only, and no release that is known is near; "
            "say in which release's kubelet they are with --version, as in `--version v1.32`"
        )
    return found.version


def translation_of(
    surroundings: Subject, file: Path, assumed: tuple[str, ...] = (), partly: bool = False
) -> Translation:
    """A Go file as a class that overrides these surroundings. Raises CheckerError, with all that is refused."""
    base = surroundings.cls
    if not _takes_go(base) and not (partly and issubclass(base, V1_29)):
        raise CheckerError(
            f"{surroundings.option}: its kubelet is not made for these workers; take v1.27.0 or a later one"
        )
    from podproof.golang.module import translate  # Only who reads Go waits for its parser.

    return translate(file, base, assumed, partly)


def _with_go(surroundings: Subject, file: Path, assumed: tuple[str, ...], partly: bool = False) -> Subject:
    """The workers of a Go file in these surroundings, a release or a user's model. Raises CheckerError."""
    base, translation = surroundings.cls, translation_of(surroundings, file, assumed, partly)
    both = vars(translation.cls).keys() & vars(base).keys() if surroundings.file is not None else ()
    for name in (name for name in sorted(both) if not name.startswith("_")):
        raise CheckerError(
            f"{surroundings.option}: {base.__name__}.{name} has no effect, the Go has it, too; take it out"
        )
    words = [f"--go {shlex.quote(str(file))}", surroundings.option, *(f"--assume {shlex.quote(a)}" for a in assumed)]
    name, option = visible(file.stem), " ".join(words)
    origin, digest = translation.origin, surroundings.digest
    if digest is not None:
        place = str(file.resolve())
        digest = " ".join([digest, repr(place), translation.file.digest, base.__name__, repr(assumed)])
    return replace(
        surroundings,
        name=name,
        cls=translation.cls,
        new_members=(*surroundings.new_members, *translation.new_members),
        option=option,
        file=file,
        origin=origin,
        files=(*surroundings.files, file),
        digest=digest,
    )


def _takes_go(base: type[KubeletRelease]) -> TypeGuard[type[V1_29]]:
    """Are the surroundings of a release made for the workers that the Go front end reads?"""
    return issubclass(base, V1_29) and not issubclass(base, V1_26)


def which_version(name: str) -> str:
    """The end of an error about a name that is no version: which one covers that release, or may be meant."""
    release = release_in(name)
    if release is None:
        return suggestion(name, VERSIONS)
    if found := covering(release):
        is_whole = len(found) > 1 or found[0].is_all_of(release)
        return f"{'it is' if is_whole else 'not all of it is'} covered by {_named(found)}"
    earlier, later = neighbours(release)
    where = "no version covers it, the nearest:"
    if earlier is None or later is None:
        where = "it is later than all versions, the last:" if earlier else "it is earlier than all versions, the first:"
    near = list(dict.fromkeys(version for version in (earlier, later) if version is not None))
    told = [f"{where} {_named(near)}"]
    from podproof.golang.releases import proved_within  # Only who asks for what there is not needs it.

    told += (f"the Go of {one.release} was proved equal to {one.version}" for one in proved_within(release))
    if _takes_go(near[-1].cls):
        told.append(f"its own Go can be checked with `--go pod_workers.go --version {near[-1].name}`")
    return "; ".join(told)


def _named(versions: Iterable[Version]) -> str:
    return " and ".join(f"{version.name} ({version.releases})" for version in versions)


def scenarios_of(names: Sequence[str], *subjects: Subject, option: str = "--scenario") -> tuple[Scenario, ...]:
    """The scenarios of these names, also of the subjects' own. Raises CheckerError, which names the option.

    `all` means every one but those that only their members decide, nothing the default ones.
    """
    known: dict[str, Scenario] = {**SCENARIOS, **NODES}
    for subject in subjects:
        known |= subject.scenarios
    for name in names:
        if name != "all" and name not in known:
            raise CheckerError(f"{option}: there is no scenario {name!r}; {suggestion(name, [*known, 'all'])}")
    if "all" in names:
        return tuple(scenario for name, scenario in known.items() if name not in NODES)
    if not names:
        return tuple(scenario for scenario in known.values() if scenario.by_default)
    return tuple(known[name] for name in dict.fromkeys(names))


def scenarios_to_compare(names: Sequence[str], first: Subject, second: Subject) -> tuple[Scenario, ...]:
    """The scenarios of these names; without names the default ones, and those that alone run a part which differs.

    The default ones run no sync loop and no containers, so they would find any two of those alike. Of two releases'
    those with containers are left out: nearly all differ there, and it takes minutes.
    """
    chosen = scenarios_of(names, first, second)
    if names:
        return chosen
    parts, known = unlike_parts(chosen, first, second), {**first.scenarios, **second.scenarios}.values()
    is_dear = not any(one.file is not None and one.file.suffix == ".py" for one in (first, second))
    more = (
        scenario
        for scenario in known
        if isinstance(scenario, Scenario) and parts.intersection(scenario.parts)
        if all(scenario.is_for(one.cls) for one in (first, second))
        if not (is_dear and scenario.environment is Containers)
    )
    return tuple(dict.fromkeys((*chosen, *more)))


def unlike_parts(scenarios: Iterable[Scenario], first: Subject, second: Subject) -> set[str]:
    """The parts of a kubelet in which these differ and which none of the scenarios runs."""
    every = {name for scenario in SCENARIOS.values() for name in scenario.parts}
    unlike = {name for name in every if getattr(first.cls, name, None) is not getattr(second.cls, name, None)}
    return unlike.difference(*(scenario.parts for scenario in scenarios))


def system_of(subject: Subject, scenario: Scenario, unbounded: bool = False) -> System:
    """The subject in a scenario, lowered; with `unbounded`, for every number of seconds and not only the scenario's.

    Raises ModelError where the model leaves the language.
    """
    system = _lowered(subject, scenario, unbounded)
    return replace(system, graph=system.graph.copy())  # Claims add to it.


def probed_system(subject: Subject, scenario: Scenario, probes: frozenset[Line]) -> System:
    """The subject in a scenario, whose steps say to which of these statements they come."""
    system = _lowered(subject, scenario, False, probes)
    return replace(system, graph=system.graph.copy())


@lru_cache(maxsize=8)
def _lowered(subject: Subject, scenario: Scenario, unbounded: bool, probes: frozenset[Line] = frozenset()) -> System:
    """Its graph stays as it is, so that no answer depends on what was asked before."""
    if not scenario.is_for(subject.cls):
        raise CheckerError(_no_model_of(scenario, subject))
    cls = scenario.model_class(subject.cls)
    domains = {
        name: Values(values, labels, unbounded and name in SECONDS)
        for name, (values, labels) in scenario.domains.items()
    }
    system = lower_system(
        Description(
            cls=cls,
            version=subject.name,
            environment=scenario.environment_name,
            scenario=scenario.name,
            bounds=_bounds(
                scenario.summary, subject.origin, _whose_layers(subject) if issubclass(cls, Containers) else ""
            ),
            scope=Scope(scenario.sizes, domains, subject.new_members),
            initial=[scenario.initial(cls)],
            record_lines=record_lines,
            probes=probes,
        )
    )
    counts = (path for path, i in system.positions.items() if system.initial[0][i] == ENDLESS)
    return replace(system, endless=frozenset(path for path in counts if path.startswith("budget.")))


def _no_model_of(scenario: Scenario, subject: Subject) -> str:
    what = f"what its environment, {scenario.environment_name}, has around the pod workers"
    return f"--scenario {scenario.name}: there is no model of {what}, in {subject.name}; take a later --version"


def _bounds(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _whose_layers(subject: Subject) -> str:
    """Which of the layers around these pod workers are those of another release; empty where none is known."""
    return subject.cls.whose_layers if issubclass(subject.cls, LayeredRelease) else ""


def functions_of(names: Sequence[str]) -> tuple[Function, ...]:
    """The functions among these names, which a proof takes beside those of scenarios: one, or all lengths of it."""
    return tuple(f for group, functions in FUNCTIONS.items() for f in functions if group in names or f.name in names)


def is_function(name: str) -> bool:
    return bool(functions_of([name]))


def function_system(subject: Subject, function: Function) -> System:
    """The subject's function as a system of one action. Raises CheckerError where its release has none."""
    if not issubclass(subject.cls, LayeredRelease):
        raise CheckerError(
            f"--scenario {function.name}: there is no model of it in {subject.name}; take a later --version"
        )
    bounds = _bounds(function.summary, _whose_layers(subject))
    return function_system_of(function.of(subject.cls), subject.name, function, bounds, subject.new_members)


def function_system_of(
    cls: type, version: str, function: Function, bounds: str = "", new_members: tuple[Enum, ...] = ()
) -> System:
    """A class of a function as a system of one action."""
    domains = {name: Values(values, {NIL: "nil"}) for name, values in function.domains.items()}
    return lower_system(
        Description(
            cls=cls,
            version=version,
            environment="every input",
            scenario=function.name,
            bounds=bounds,
            scope=Scope(function.sizes, domains, new_members),
            initial=[make(cls, function.sizes)],
            record_lines=record_lines,
        )
    )


def properties_of_function(system: System, wanted: Sequence[str] = ()) -> tuple[Property, ...]:
    """The claims about a function, as properties."""
    cls = system.shape.cls
    return tuple(
        as_property(claim)
        for claim in FUNCTION_CLAIMS
        if claim.applies_to(cls, system.scenario) and (not wanted or claim.id in wanted)
    )


def replayer_of(subject: Subject) -> Callable[[RecordedTrace], Candidate]:
    """What starts a replay of a trace on the subject."""
    from podproof.queries.forms import replayer_factory  # Only a replay needs it.

    return replayer_factory(subject.cls)


def properties_of(subject: Subject, scenario: Scenario, wanted: Sequence[str] = ()) -> tuple[Property, ...]:
    """The claims about states and steps that apply, as properties. Raises CheckerError for the id of no such claim."""
    refuse_other_claims(subject, wanted, subject.claims)
    if not scenario.is_for(subject.cls):
        return ()
    cls = scenario.model_class(subject.cls)
    return tuple(
        as_property(claim)
        for claim in subject.claims
        if claim.applies_to(cls, scenario.name) and (not wanted or claim.id in wanted)
    )


def refuse_other_claims(
    subject: Subject, wanted: Sequence[str], claims: Sequence[Claim], option: str = "--property"
) -> None:
    """Raise CheckerError for the id of another claim, with what decides it, and for one that is no claim's."""
    known = {claim.id for claim in claims}
    others = {claim.id for claim in subject.every_claim}
    for name in wanted:
        if name in known:
            continue
        if name not in others:
            raise CheckerError(f"{option}: there is no claim {name!r}; {suggestion(name, known)}")
        if subject.is_about_runs(name):
            about = "says what must happen eventually, which `podproof check` and `prove` decide; "
            about += f"`podproof check --property {name}` does"
        elif any(claim.id == name for claim in FUNCTION_CLAIMS):
            (where, *_) = _scenarios_about(subject, name)
            about = "is about a function in every state, which only a proof decides; "
            about += f"`podproof prove --scenario {where} --property {name}` does"
        else:
            about = "is about states and steps; ask for it in a run of its own, without --liveness"
        raise CheckerError(f"{option}: {name!r} {about}")


def run_properties_of(subject: Subject, scenario: Scenario, wanted: Sequence[str] = ()) -> tuple[Property, ...]:
    """The claims about whole runs that apply, as properties. Raises CheckerError for the id of no such claim."""
    refuse_other_claims(subject, wanted, subject.run_claims)
    if not scenario.is_for(subject.cls):
        return ()
    cls = scenario.model_class(subject.cls)
    applying = (claim for claim in subject.run_claims if claim.applies_to(cls, scenario.name))
    return tuple(as_property(claim) for claim in applying if not wanted or claim.id in wanted)


def not_about(subject: Subject, scenarios: Sequence[Scenario], wanted: Sequence[str]) -> str:
    """What to say where no claim applies to the scenarios that were chosen: to which those that were wanted do."""
    if scenarios and not any(scenario.is_for(subject.cls) for scenario in scenarios):
        return _no_model_of(scenarios[0], subject)
    hints = []
    for name in wanted:
        where = _scenarios_about(subject, name)
        hint = f"{', '.join(where)}: add --scenario" if where else "other versions"
        hints.append(f"{name} is about {hint}")
    advice = "; ".join(hints) or "see `podproof explain ID`"
    return f"none of these claims is about any of these scenarios of {subject.name}; {advice}"


def _scenarios_about(subject: Subject, name: str) -> list[str]:
    """The scenarios that a claim is about; for one about a function, its name."""
    for claim in FUNCTION_CLAIMS:
        if claim.id == name:
            return [group for group, functions in FUNCTIONS.items() if claim.applies_to(functions[0].base, group)]
    properties = run_properties_of if subject.is_about_runs(name) else properties_of
    return [s.name for s in subject.scenarios.values() if properties(subject, s, [name])]


def as_property(claim: Claim) -> Property:
    """The claim as the checker takes it. Raises ModelError where it is about a class that its file does not import."""
    if claim.function is not None:
        hints_of(claim.function)
    return Property(claim.id, claim.kind, claim.meaning, claim.function, claim.lines, wrong=claim.wrong)
