"""A proposal to begin with, whose functions do what the release's do."""

from __future__ import annotations

import ast
import inspect
import keyword
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType

from podproof.checker.core.system import CheckerError
from podproof.checker.lowering.source import suggestion
from podproof.model.versions import Version
from podproof.queries.build import which_version
from podproof.queries.model_file import overridable
from podproof.queries.names import Definition, definitions, names_in, plain
from podproof.queries.versions import VERSIONS


@dataclass(frozen=True)
class Draft:
    """A model file to begin with."""

    path: Path
    text: str
    version: str
    overridden: tuple[str, ...]
    """The functions, by the model's names."""


def propose(name: str, base: str, functions: Sequence[str]) -> Draft:
    """A file that overrides functions of a release with what they do there. Raises CheckerError for what is no name."""
    path = Path(name if name.endswith(".py") else f"{name}.py")
    if not path.stem.isidentifier() or keyword.iskeyword(path.stem):
        raise CheckerError(
            f"{name!r}: a model file is named like a Python module, small letters and underscores; rename"
        )
    if base not in VERSIONS:
        raise CheckerError(f"--from: there is no version {base!r}; {which_version(base)}")
    version = VERSIONS[base]
    chosen = {found.name: found for found in (_find(version, asked) for asked in functions)}
    return Draft(path, _text(path.stem, version, list(chosen.values())), version.name, tuple(chosen))


def _find(version: Version, asked: str) -> Definition:
    """The function of this name, Go's or the model's. Raises CheckerError."""
    able = overridable(version.cls)
    functions = [d for (part, _), d in definitions(version).items() if not part and d.kind == "function"]
    names = {one.name: [one.name, *(go.name for go in names_in(version, one))] for one in functions}
    found = [one for one in functions if plain(asked) in map(plain, names[one.name])]
    for one in sorted(found, key=lambda one: one.name != asked):
        if one.name in able:
            return one
    if found:
        where = f"it is one of {found[0].owner.__name__}, which is around the pod workers"
        raise CheckerError(f"{asked}: {where}; docs/proposals.md says how a file changes that")
    near = {name for one, all_names in names.items() if one in able for name in all_names}
    raise CheckerError(f"{asked}: {version.name} has no such function; {suggestion(asked, near)}")


def _text(stem: str, version: Version, chosen: Sequence[Definition]) -> str:
    """The whole file."""
    release, imports = version.cls, dict[str, set[str]]()
    methods = []
    for one in chosen:
        function = vars(one.owner)[one.name]
        methods.append(_method(version, one, function))
        for module, name in _imports(function, methods[-1]):
            imports.setdefault(module, set()).add(name)
    package = release.__module__.partition(".v1_")[0] if "releases" in release.__module__ else release.__module__
    imports.setdefault(package, set()).add(release.__name__)
    lines = (f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items()))
    about = ", ".join(dict.fromkeys(next((go.name for go in names_in(version, one)), one.name) for one in chosen))
    name = stem if stem != stem.lower() else "".join(part.capitalize() for part in re.split(r"[\W_]+", stem))
    name += "Change" if any(name in names for names in imports.values()) else ""
    return "\n".join(
        [
            f'"""What would change if {about} did something else."""',
            *("", "from __future__ import annotations", ""),
            *lines,
            *("", "", f"class {name}({release.__name__}):", '    """Say here what changes."""', ""),
            textwrap.indent("\n\n".join(methods), "    ") + "\n",
        ]
    )


def _method(version: Version, one: Definition, function: FunctionType) -> str:
    """The release's own text; of a function that calls what it overrides in turn, a call of the release's."""
    source = textwrap.dedent(inspect.getsource(function))
    (tree,) = ast.parse(source).body
    assert isinstance(tree, ast.FunctionDef)
    lines = source.splitlines()[tree.lineno - 1 :]
    if any(isinstance(node, ast.Name) and node.id == "super" for node in ast.walk(tree)):
        head = lines[: tree.body[0].lineno - tree.lineno]
        given = ", ".join(argument.arg for argument in tree.args.args[1:])
        returned = "" if isinstance(tree.returns, ast.Constant) and tree.returns.value is None else "return "
        lines = [*head, f"    {returned}super().{one.name}({given})"]
    names = ", ".join(f"{go.name} ({go.part})" if go.part else go.name for go in names_in(version, one))
    return "\n".join([*([f"# in Go: {names}"] if names else []), *lines])


def _imports(function: FunctionType, text: str) -> Iterator[tuple[str, str]]:
    """Module and name of whatever a function of the model reads that is defined outside it."""
    module = inspect.getmodule(function)
    assert module is not None
    tree = ast.parse(inspect.getsource(module))
    origins = {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    read = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    for name in sorted(read & (origins.keys() | vars(module).keys())):
        yield origins.get(name, (module.__name__, name))
