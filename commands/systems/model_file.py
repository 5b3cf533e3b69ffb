"""A user's model file: imported, and looked over for what would be silently without effect."""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import inspect
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import cast

from podproof.checker.core.shapes import check_record, place_error
from podproof.checker.core.system import CheckerError, ModelError
from podproof.checker.lowering.source import suggestion
from podproof.model.releases import V1_29
from podproof.model.v1_20.release import V1_20

Release = V1_29 | V1_20
LAYERS = ("kubelet_pods", "pod_syncer", "status_manager", "runtime_manager")
"""What a release has of the kubelet around its pod workers: classes, which a file overrides by classes of its own."""


class _SourceLoader(importlib.machinery.SourceFileLoader):
    """Runs what stands in the file: bytecode kept beside it is told from it by its size and second only."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def load(path: Path) -> type[V1_29] | type[V1_20]:
    """The one class in a file that overrides a release. Raises CheckerError, with the place, for anything else."""
    module = _import(path)
    found = [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, Release) and thing.__module__ == module.__name__
    ]
    leaves = [cls for cls in found if not any(other is not cls and issubclass(other, cls) for other in found)]
    if len(leaves) != 1:
        names = ", ".join(cls.__name__ for cls in leaves) or "none"
        raise ModelError(
            f"{path}: a model file has one class that overrides a release, found {names}; "
            "write `from podproof.model.versions import V1_29` and `class MyChange(V1_29):`"
        )
    for cls in found:
        _look_over(path, cls)
    return leaves[0]


def _import(path: Path) -> ModuleType:
    if not path.is_file():
        what = "it is a folder" if path.is_dir() else "there is no such file"
        raise CheckerError(f"{path}: {what}; give the path of a Python file that overrides a release")
    if any("\ud800" <= letter <= "\udfff" for letter in str(path)):
        raise CheckerError(f"{str(path)!a}: the name is no UTF-8, and reports could not show it; rename the file")
    try:
        path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CheckerError(f"{path}: it cannot be read ({error}); a model is a Python file in UTF-8") from error
    name = f"podproof_model_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CheckerError(f"{path}: this is no Python file; its name must end in .py")
    spec.loader = _SourceLoader(name, str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
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
    return module


def _look_over(path: Path, cls: type[V1_29] | type[V1_20]) -> None:
    """Refuse what would change nothing: a misspelt override, a new field, what an environment overrides itself."""
    for base in cls.__bases__:
        if not issubclass(base, Release):
            message = (
                f"{cls.__name__} has the base {base.__name__}, which is no release; write its methods into the class"
            )
            raise ModelError(place_error(cls, r"\bclass\b", message))
    check_record(cast(type, cls))
    bases = [base for base in cls.__mro__[1:] if base.__module__ != cls.__module__]
    known = {name for base in bases for name, f in vars(base).items() if inspect.isfunction(f)}
    used = set(_methods_called(cls))
    for name, thing in {**inspect.get_annotations(cls), **vars(cls)}.items():
        if name.startswith("__"):
            continue
        if isinstance(thing, type) and name in LAYERS and hasattr(cls.__bases__[0], name):
            _look_over_layer(thing, getattr(cls.__bases__[0], name), f"{cls.__name__}.{name}")
            continue
        if not inspect.isfunction(thing):
            message = (
                f"{cls.__name__}.{name} is no method; a model file overrides methods, "
                "and new state belongs to a copy of the model"
            )
            raise ModelError(place_error(cls, rf"\b{name}\b", message))
        line = thing.__code__.co_firstlineno
        for environment in _environments(cls):
            if name in environment:
                raise ModelError(
                    f"{path}:{line}: {cls.__name__}.{name} has no effect, the environment defines {name!r} itself; "
                    "override a method of the pod workers (model/pod_workers.py, model/pod_worker_loop.py; of v1.20 "
                    "model/v1_20/pod_workers.py)"
                )
        if name not in known and name not in used:
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


def _look_over_layer(cls: type, base: type, name: str) -> None:
    """Refuse what would change nothing of a layer around the pod workers, or of a function that one has."""
    if not issubclass(cls, base):
        message = f"{name} is {cls.__name__}, which does not derive from {base.__name__} of the release; derive it"
        raise ModelError(place_error(cls, r"\bclass\b", message))
    parts = [part for part in cls.__mro__ if part not in base.__mro__]
    known = {known for part in base.__mro__ for known in vars(part)}
    for part in parts:
        used = set(_methods_called(part))
        for own, thing in vars(part).items():
            if own.startswith("__"):
                continue
            if isinstance(thing, type) and isinstance(getattr(base, own, None), type):
                _look_over_layer(thing, getattr(base, own), f"{part.__name__}.{own}")
            elif own not in known | used:
                message = f"{part.__name__}.{own} overrides nothing and nothing uses it; {suggestion(own, known)}"
                raise ModelError(place_error(part, rf"\b{own}\b", message))


def _calls(method: Callable[..., object]) -> set[str]:
    """The names of the plain functions that a method calls."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(method)))
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {function.id for function in calls if isinstance(function, ast.Name)}


def _environments(cls: type[V1_29] | type[V1_20]) -> Iterator[set[str]]:
    """What each environment of a release defines on top of the pod workers."""
    for environment in (cls.kubelet, cls.open):
        yield {name for part in environment.__mro__ if part not in cls.__mro__ for name in vars(part)}


def _methods_called(cls: type) -> Iterator[str]:
    """The names of the attributes that the class's own methods use."""
    tree = ast.parse(inspect.getsource(sys.modules[cls.__module__]))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
