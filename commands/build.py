"""From names on the command line to systems and properties: where model, claims and checker meet."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from podproof.checker.claims import select
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.source import suggestion
from podproof.checker.shapes import Scope, Values
from podproof.checker.system import CheckerError, ModelError, Property, System
from podproof.model.language import record_lines
from podproof.model.pod_workers import PodWorkers
from podproof.model.scenarios import SCENARIOS, Scenario
from podproof.model.versions import VERSIONS
from podproof.specs import CLAIMS, Claim


@dataclass(frozen=True)
class Subject:
    """The pod worker to be checked: a release, or a user's file that overrides one."""

    name: str
    cls: type[PodWorkers]
    option: str
    """How the command line names it."""

    def known_violation(self, claim: Claim, scenario: str) -> str | None:
        """What is known about this version breaking a claim; for a user's file, about the release it overrides."""
        for cls in self.cls.__mro__:
            for version in VERSIONS.values():
                if version.cls is cls:
                    return claim.known_violation(version.name, scenario)
        return None


def subject_of(version: str, model: Path | None) -> Subject:
    """The release of this name, or the class in a model file. Raises CheckerError."""
    if model is not None:
        return Subject(model.stem, _load(model), f"--model {model}")
    if version not in VERSIONS:
        raise CheckerError(f"--version: there is no version {version!r}; {suggestion(version, VERSIONS)}")
    return Subject(version, VERSIONS[version].cls, f"--version {version}")


def _load(path: Path) -> type[PodWorkers]:
    """The one class in a file that overrides a release."""
    if not path.is_file():
        raise CheckerError(f"--model {path}: there is no such file; give the path of a Python file")
    name = f"podproof_model_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CheckerError(f"--model {path}: this is no Python file; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        text = (error.text or "").strip()
        raise ModelError(f"{path}:{error.lineno}: {error.msg}; mend the Python first\n    {text}") from error
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
        line = frames[-1].lineno if frames else 1
        text = f"{type(error).__name__}: {error}"
        raise ModelError(f"{path}:{line}: {text}; the file cannot be imported") from error
    found = [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, PodWorkers) and thing.__module__ == name
    ]
    leaves = [cls for cls in found if not any(other is not cls and issubclass(other, cls) for other in found)]
    if len(leaves) != 1:
        names = ", ".join(cls.__name__ for cls in leaves) or "none"
        raise ModelError(
            f"{path}: a model file has one class that overrides a release, found {names}; "
            "write `from podproof.model.versions import V1_29` and `class MyChange(V1_29):`"
        )
    return leaves[0]


def scenarios_of(names: Sequence[str]) -> tuple[Scenario, ...]:
    """The scenarios of these names; `all` means every one, nothing the default ones."""
    for name in names:
        if name != "all" and name not in SCENARIOS:
            raise CheckerError(f"--scenario: there is no scenario {name!r}; {suggestion(name, [*SCENARIOS, 'all'])}")
    if "all" in names:
        return tuple(SCENARIOS.values())
    if not names:
        return tuple(scenario for scenario in SCENARIOS.values() if scenario.by_default)
    return tuple(SCENARIOS[name] for name in dict.fromkeys(names))


def system_of(subject: Subject, scenario: Scenario) -> System:
    """The subject in a scenario, lowered. Raises ModelError where the model leaves the language."""
    cls = scenario.model_class(subject.cls)
    domains = {name: Values(values, labels) for name, (values, labels) in scenario.domains.items()}
    return lower_system(
        Description(
            cls=cls,
            version=subject.name,
            environment=scenario.environment.__name__.lower(),
            scenario=scenario.name,
            bounds=scenario.summary,
            scope=Scope(scenario.sizes, domains),
            initial=[scenario.initial(cls)],
            record_lines=record_lines,
        )
    )


def properties_of(subject: Subject, scenario: Scenario, wanted: Sequence[str] = ()) -> tuple[Property, ...]:
    """The claims that apply, as properties. Raises ModelError for an unknown id."""
    select([as_property(claim) for claim in CLAIMS], wanted)
    cls = scenario.model_class(subject.cls)
    return tuple(
        as_property(claim)
        for claim in CLAIMS
        if claim.applies_to(cls, scenario.name) and (not wanted or claim.id in wanted)
    )


def as_property(claim: Claim) -> Property:
    return Property(claim.id, claim.kind, claim.meaning, claim.function, claim.lines)


def claims_by_kind() -> Iterator[tuple[str, list[Claim]]]:
    for kind in ("always", "step", "never", "sometimes"):
        yield kind, [claim for claim in CLAIMS if claim.kind == kind]
