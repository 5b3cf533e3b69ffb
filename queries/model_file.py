"""A user's model file: a release changed, with claims and scenarios of its own; looked over for what has no effect."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import re
import sys
import textwrap
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, cast, get_args

from podproof.checker.core.shapes import check_record, hints_of, place_error
from podproof.checker.core.system import CheckerError, ModelError
from podproof.checker.lowering.source import suggestion
from podproof.model.containers import Containers
from podproof.model.kubelet import KillCallers, Kubelet
from podproof.model.language import is_new_member, new_member
from podproof.model.open import Anybody, Open
from podproof.model.release import KubeletRelease
from podproof.model.scenario import OF_CONTAINERS, OF_SYNC_LOOP
from podproof.model.scenarios import SCENARIOS, Scenario
from podproof.model.sync_loop import SyncLoop
from podproof.queries.claims import CLAIMS
from podproof.queries.identity import Dependencies, SourceLoader, dependencies_of, following
from podproof.queries.versions import MODELS, VERSIONS
from podproof.specs import FUNCTION_CLAIMS, RUN_CLAIMS, Claim
from podproof.specs.claim import Kind, claims_in
from podproof.specs.sentence import objections

ENVIRONMENTS: Mapping[str, type] = {
    "kubelet": Kubelet,
    "open": Open,
    "containers_environment": Containers,
    "sync_loop": SyncLoop,
}
"""What a class names the environments by that it is checked in, and what scenarios call them."""
_NAMED = "write `kubelet: ClassVar[type[Kubelet]] = MyKubelet` into the class that overrides the release"
_KINDS = tuple(kind for kind in get_args(Kind) if kind != "never")
"""Of claims that are functions; one of kind `never` is about lines of the model."""
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
ENTRY_POINTS = ("podproof.claims", "podproof.scenarios")
"""Groups in which packages name their modules of claims and scenarios."""
LAYERS = ("kubelet_pods", "pod_syncer", "status_manager", "runtime_manager", "callers")
"""What a release has of the kubelet around its pod workers: classes, which a file overrides by classes of its own."""


class OwnClaims(NamedTuple):
    """What a file claims, and what it comes from."""

    claims: tuple[Claim, ...]
    scenarios: tuple[Scenario, ...]
    dependencies: Dependencies


class Proposal(NamedTuple):
    """What a file holds that changes a release."""

    cls: type[KubeletRelease]
    own: OwnClaims
    members: tuple[Enum, ...]
    """What enumerations of the release have in it besides."""


def load(path: Path) -> Proposal:
    """The one class in a file that overrides a release, and what stands beside it.

    Raises CheckerError, with the place, for what would have no effect.
    """
    module, opened = _import(path, "that overrides a release")
    own = [thing for thing in vars(module).values() if getattr(thing, "__module__", "") == module.__name__]
    found = [thing for thing in own if isinstance(thing, type) and issubclass(thing, KubeletRelease)]
    leaves = [cls for cls in found if not any(other is not cls and issubclass(other, cls) for other in found)]
    if len(leaves) != 1:
        names = ", ".join(cls.__name__ for cls in leaves) or "none"
        raise ModelError(
            f"{path}: a model file has one class that overrides a release, found {names}; "
            "write `from podproof.model.versions import V1_29` and `class MyChange(V1_29):`"
        )
    for cls in found:
        _validate(path, cls)
    (cls,) = leaves
    for environment in (thing for thing in own if isinstance(thing, type) and issubclass(thing, KillCallers | Anybody)):
        if environment not in (part for name in ENVIRONMENTS for part in getattr(cls, name, object).__mro__):
            message = f"{environment.__name__} has no effect, {cls.__name__} does not name it; {_NAMED}"
            raise ModelError(place_error(environment, r"\bclass\b", message))
    return Proposal(cls, _own_claims(str(path), module, [cls], opened), tuple(_new_members(str(path), module)))


def load_claims(path: Path) -> OwnClaims:
    """The claims and scenarios of a file that changes no release. Raises CheckerError for what would have no effect."""
    return _claims_alone(str(path), *_import(path, "with claims or scenarios"))


@cache
def installed_claims() -> tuple[tuple[str, OwnClaims], ...]:
    """Those of installed packages, each with its name: the modules behind two groups of entry points.

    Raises CheckerError where one cannot be imported, or would have no effect.
    """
    from importlib.metadata import entry_points

    named = {point.value: point for group in ENTRY_POINTS for point in entry_points(group=group)}
    found = []
    for value, point in sorted(named.items()):
        try:
            module = point.load()
        except Exception as error:
            where = f"the entry point {point.name} = {value!r} of {point.group}"
            raise ModelError(f"{where}: {type(error).__name__}: {error}; mend or uninstall its package") from error
        if not isinstance(module, ModuleType):
            raise ModelError(f"the entry point {point.name} = {value!r} of {point.group} is no module; name a module")
        found.append((value, _claims_alone(value, module, [Path(inspect.getfile(module))])))
    return tuple(found)


def _claims_alone(place: str, module: ModuleType, opened: Sequence[Path]) -> OwnClaims:
    found = _own_claims(place, module, [version.cls for version in VERSIONS.values()], opened)
    for member in _new_members(place, module):
        raise ModelError(f"{place}: {member.name} is a member for a release that is changed, and none is; take it out")
    for thing in vars(module).values():
        if isinstance(thing, type) and issubclass(thing, KubeletRelease) and thing.__module__ == module.__name__:
            raise ModelError(f"{place}: {thing.__name__} overrides a release; give its file with --model")
    for claim in (claim for claim in found.claims if claim.supersedes):
        raise ModelError(
            f"{place}: {claim.id} supersedes a claim, and a release is held to all; do so in a proposal's file"
        )
    if not (found.claims or found.scenarios):
        raise ModelError(f"{place}: it has no claim and no scenario; write one with `@claim`, or `NAME = Scenario(…)`")
    return found


def _own_claims(
    place: str, module: ModuleType, classes: Collection[type[KubeletRelease]], opened: Sequence[Path]
) -> OwnClaims:
    """What a module claims of these releases; these files were opened while it was loaded."""
    found = OwnClaims(tuple(claims_in(module)), _scenarios_in(place, module), dependencies_of(module, opened))
    _look_over_claims(place, found, classes)
    return found


def _new_members(place: str, module: ModuleType) -> Iterator[Enum]:
    """What a file adds to enumerations. Raises ModelError for what would have no effect."""
    tree = ast.parse(module.__loader__.source if isinstance(module.__loader__, SourceLoader) else b"")
    at_top = {node.value for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)}
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and node not in at_top):
        if ast.unparse(call.func).rpartition(".")[2] == new_member.__name__:
            raise ModelError(
                f"{place}:{call.lineno}: a new member stands at the top level of the file and has a name of its own; "
                "write `NAME = new_member(…)` there"
            )
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    lines = {node.id: node.lineno for node in names if isinstance(node.ctx, ast.Store)}
    shown = set[tuple[type, str]]()
    for name, member in vars(module).items():
        if not is_new_member(member):
            continue
        cls, what = type(member), ""
        if cls.__module__ == module.__name__:
            what = f"is a member of {cls.__name__}, which the file declares itself; write it into that class"
        elif not cls.__module__.startswith(tuple(f"{package}." for package in MODELS)):
            what = f"is a member of {cls.__name__}, which is no enumeration of the model; take it out"
        elif member.name != name:
            what = f"says that it is called {member.name}; give it the name before the `=`"
        elif name not in read:
            what = "is a member that nothing names; say what it does, or take it out"
        elif (cls, member.value) in shown:
            what = f"is shown as {member.value!r}, as another new member of {cls.__name__}; choose another text"
        if what:
            raise ModelError(f"{place}:{lines.get(name, 1)}: {name} {what}")
        shown.add((cls, member.value))
        yield member


def _scenarios_in(path: str, module: ModuleType) -> tuple[Scenario, ...]:
    """The scenarios that a file makes: at top level, by themselves or in a list, tuple or dictionary."""
    found: list[Scenario] = []
    for thing in vars(module).values():
        things = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, list | tuple) else [thing]
        found += (one for one in things if isinstance(one, Scenario))
    # One that was imported to be changed is no scenario of the file's.
    found = [one for one in dict.fromkeys(found) if SCENARIOS.get(one.name) != one]
    names = Counter(scenario.name for scenario in found)
    for scenario in found:
        if scenario.name in SCENARIOS or names[scenario.name] > 1 or not _NAME.fullmatch(scenario.name):
            raise ModelError(
                f"{path}: a scenario of the file is called {scenario.name!r}; give it a name of its own, of small "
                "letters, digits and hyphens"
            )
        if scenario.environment not in ENVIRONMENTS.values():
            known = ", ".join(environment.__name__ for environment in ENVIRONMENTS.values())
            raise ModelError(
                f"{path}: scenario {scenario.name} has the environment {scenario.environment.__name__}; give it one of "
                f"{known}, and the class that overrides the release says what stands for that: {_NAMED}"
            )
        if scenario.endless:
            raise ModelError(
                f"{path}: scenario {scenario.name} is endless, which `podproof prove` makes any scenario: take it out"
            )
        for fields, environment in ((OF_CONTAINERS, Containers), (OF_SYNC_LOOP, SyncLoop)):
            for name in fields if scenario.environment is not environment else ():
                if getattr(scenario, name) != getattr(Scenario, name):
                    raise ModelError(
                        f"{path}: {name} of scenario {scenario.name} has no effect; take it out, or write "
                        f"`environment={environment.__name__}`"
                    )
    return tuple(found)


def _look_over_claims(path: str, own: OwnClaims, classes: Collection[type[KubeletRelease]]) -> None:
    """Refuse a claim that no scenario of these releases is about, or that would be taken for another one."""
    known = {claim.id for claim in (*CLAIMS, *RUN_CLAIMS, *FUNCTION_CLAIMS)}
    scenarios = (*SCENARIOS.values(), *own.scenarios)
    worlds = [(scenario, cls) for scenario in scenarios for cls in classes if scenario.is_for(cls)]
    releases = next(iter(classes)).__name__ if len(classes) == 1 else "PodWorkers"
    for claim in own.claims:
        assert claim.function is not None
        place = f"{path}:{claim.function.__code__.co_firstlineno}: the claim {claim.id}"
        hints_of(claim.function)
        if claim.id in known:
            raise ModelError(f"{place} is one of podproof's own, too; give it another name")
        if claim.kind not in _KINDS:
            raise ModelError(f"{place} is of kind {claim.kind!r}; a claim of a file is of one of {', '.join(_KINDS)}")
        for objection in objections(claim.function, claim.kind, claim.wrong):
            raise ModelError(f"{place}: wrong= cannot be told: {objection}")
        parameters = inspect.signature(claim.function).parameters.values()
        if not any(isinstance(parameter.annotation, type | str) for parameter in parameters):
            raise ModelError(f"{place} does not say what it is about; write a class behind its first parameter")
        if unknown := set(claim.scenarios) - {scenario.name for scenario, _ in worlds}:
            raise ModelError(f"{place} is about {min(unknown)!r}, which is no scenario of {releases}")
        if not any(claim.applies_to(scenario.model_class(cls), scenario.name) for scenario, cls in worlds):
            raise ModelError(
                f"{place} is about no scenario: its first parameter must be a {releases}, a release or an "
                "environment that it is checked in, such as podproof.model.kubelet.Kubelet"
            )


def _import(path: Path, contents: str) -> tuple[ModuleType, list[Path]]:
    """A file as a module, and the files that were opened for that; `contents` says what an error asks for."""
    if not path.is_file():
        what = "it is a folder" if path.is_dir() else "there is no such file"
        raise CheckerError(f"{path}: {what}; give the path of a Python file {contents}")
    if any("\ud800" <= letter <= "\udfff" for letter in str(path)):
        raise CheckerError(f"{str(path)!a}: the name is no UTF-8, and reports could not show it; rename the file")
    try:
        path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CheckerError(f"{path}: it cannot be read ({error}); give a Python file in UTF-8") from error
    name = f"podproof_model_{path.stem}"
    other = getattr(sys.modules.get(name), "__file__", None)
    if other is not None and Path(other).resolve() != path.resolve():
        # Annotations are looked up by the module's name: two files of one name, in two folders, are two modules.
        name += f"_{hashlib.sha256(bytes(path.resolve())).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CheckerError(f"{path}: this is no Python file; its name must end in .py")
    spec.loader = SourceLoader(name, str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with following() as opened:
            spec.loader.exec_module(module)
    except SyntaxError as error:
        text = (error.text or "").strip()
        raise ModelError(f"{path}:{error.lineno or 1}: {error.msg}; mend the Python first\n    {text}") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too: a file that ends the process must not look like a result
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
        line = frames[-1].lineno if frames else 1
        text = f"{type(error).__name__}: {error}"
        raise ModelError(f"{path}:{line}: {text}; the file cannot be imported") from error
    return module, opened


def _validate(path: Path, cls: type[KubeletRelease]) -> None:
    """Refuse what would change nothing: a misspelt override, a new field, what an environment overrides itself."""
    for base in cls.__bases__:
        if not issubclass(base, KubeletRelease):
            message = (
                f"{cls.__name__} has the base {base.__name__}, which is no release; write its methods into the class"
            )
            raise ModelError(place_error(cls, r"\bclass\b", message))
    check_record(cast(type, cls))
    bases = [base for base in cls.__mro__[1:] if base.__module__ != cls.__module__]
    known = {name for base in bases for name, f in vars(base).items() if inspect.isfunction(f)}
    used = set(_methods_called(cls))
    _look_over_fields(cls, used)
    for name, thing in vars(cls).items():
        if name.startswith("__"):
            continue
        if isinstance(thing, type) and name in (*LAYERS, *ENVIRONMENTS) and hasattr(cls.__bases__[0], name):
            _look_over_layer(thing, getattr(cls.__bases__[0], name), f"{cls.__name__}.{name}")
            continue
        if name == "whose_layers" and isinstance(thing, str):
            continue
        if not inspect.isfunction(thing):
            message = f"{cls.__name__}.{name} is no method; new state is a field, `{name}: bool`, of a `@dataclass`"
            raise ModelError(place_error(cls, rf"\b{name}\b", message))
        line = thing.__code__.co_firstlineno
        for environment in _environments(cls):
            if name in environment:
                raise ModelError(
                    f"{path}:{line}: {cls.__name__}.{name} has no effect, the environment defines {name!r} itself; "
                    "override a method of the pod workers (model/pod_workers.py, model/pod_worker_loop.py; of v1.20 "
                    "kubelet_1_20/pod_workers.py)"
                )
        if name not in known and name not in used and not hasattr(thing, "__action__"):
            raise ModelError(
                f"{path}:{line}: {cls.__name__}.{name} overrides nothing and nothing calls it; "
                f"{suggestion(name, known)}"
            )
        overridden = next((vars(base)[name] for base in bases if inspect.isfunction(vars(base).get(name))), None)
        if overridden is not None and "require" in _calls(overridden) and not {"require", "super"} & _calls(thing):
            raise ModelError(
                f"{path}:{line}: {cls.__name__}.{name} loses the `require` of the method that it overrides, which says "
                f"when the step is possible at all; call super().{name}(…), or begin with a `require` of its own"
            )


def _look_over_fields(cls: type, used: Collection[str]) -> None:
    """Refuse fields that are no state, and those that nothing uses; of a base's, another type may be declared."""
    inherited = {field for base in cls.__mro__[1:] for field in vars(base).get("__dataclass_fields__", {})}
    for name, declared in inspect.get_annotations(cls).items():
        if "ClassVar" in str(declared):
            continue
        what = ""
        if name not in vars(cls).get("__dataclass_fields__", {}):
            what = "is no state as it stands; write `@dataclass` above the class"
        elif name not in used and name not in inherited:
            what = "is a field that nothing uses; take it out"
        if what:
            raise ModelError(place_error(cls, rf"\b{name}\b", f"{cls.__name__}.{name} {what}"))


def _look_over_layer(cls: type, base: type, name: str) -> None:
    """Refuse what would change nothing of what is around the pod workers, or of a function that a layer has."""
    if not issubclass(cls, base):
        message = f"{name} is {cls.__name__}, which does not derive from {base.__name__} of the release; derive it"
        raise ModelError(place_error(cls, r"\bclass\b", message))
    parts = [part for part in cls.__mro__ if part not in base.__mro__]
    known = {known for part in base.__mro__ for known in vars(part)}
    for part in parts:
        used = set(_methods_called(part))
        _look_over_fields(part, used)
        for own, thing in vars(part).items():
            if own.startswith("__"):
                continue
            if isinstance(thing, type) and isinstance(getattr(base, own, None), type):
                _look_over_layer(thing, getattr(base, own), f"{part.__name__}.{own}")
            elif own not in known | used and not hasattr(thing, "__action__"):
                message = f"{part.__name__}.{own} overrides nothing and nothing uses it; {suggestion(own, known)}"
                raise ModelError(place_error(part, rf"\b{own}\b", message))


def _calls(method: Callable[..., object]) -> set[str]:
    """The names of the plain functions that a method calls."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(method)))
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {function.id for function in calls if isinstance(function, ast.Name)}


def overridable(cls: type[KubeletRelease]) -> set[str]:
    """The functions of a release that a file may override by the same name."""
    functions = {name for base in cls.__mro__ for name, thing in vars(base).items() if inspect.isfunction(thing)}
    return functions.difference(*_environments(cls))


def _environments(cls: type[KubeletRelease]) -> Iterator[set[str]]:
    """What each environment of a release defines on top of the pod workers."""
    for environment in (cls.kubelet, cls.open):
        yield {name for part in environment.__mro__ if part not in cls.__mro__ for name in vars(part)}


def _methods_called(cls: type) -> Iterator[str]:
    """The names of the attributes that the class's own methods use, and of what they are decorated with."""
    tree = ast.parse(inspect.getsource(sys.modules[cls.__module__]))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.FunctionDef):
            inside = (part for decorator in node.decorator_list for part in ast.walk(decorator))
            yield from (part.id for part in inside if isinstance(part, ast.Name))
