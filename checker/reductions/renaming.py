"""A renaming exchanges some names (UIDs, say): what it does to variables, to states and to transitions."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podproof.checker.core.graph import Expr, Graph
from podproof.checker.core.shapes import Scope, hints_of, join
from podproof.checker.core.system import State, System, Transition

Names = Mapping[str, tuple[int, ...]]
"""By the name of a size or a domain: the number that takes each number's place. NIL and other names stay."""


@dataclass(frozen=True)
class Renaming:
    """An exchange of names: the image of a state has at `paths[p]` what the state has at `p`, renamed as `values` say.

    A variable that no mapping has stays where it is; so does a value.
    """

    names: Names
    paths: Mapping[str, str]
    values: Mapping[str, tuple[int, ...]]
    """For each variable whose value is itself a name: the renamed values, by value."""
    transitions: tuple[int, ...] = ()
    """For each of the system's transitions, which one does in the image what it does in the state."""

    def value(self, path: str, value: int) -> int:
        """What the image has where a state has this value at a path."""
        renamed = self.values.get(path, ())
        return renamed[value] if 0 <= value < len(renamed) else value

    def of_variables(self, variables: Mapping[str, int]) -> dict[str, int]:
        """The image of a state, by path."""
        return {self.paths.get(path, path): self.value(path, value) for path, value in variables.items()}

    def of_state(self, system: System, state: State) -> State:
        variables = {v.path: value for v, value in zip(system.variables, state, strict=True)}
        image = self.of_variables(variables)
        return tuple(image[v.path] for v in system.variables)

    def seen_from(self, graph: Graph, variables: Mapping[str, Expr]) -> dict[str, Expr]:
        """For each variable of the image, its value as an expression over the state."""
        return {self.paths.get(path, path): self.renamed(graph, path, node) for path, node in variables.items()}

    def renamed(self, graph: Graph, path: str, node: Expr) -> Expr:
        """The value that the image has where the state has the value `node` at `path`."""
        image = node
        for value, other in enumerate(self.values.get(path, ())):
            if other != value:
                image = graph.ite(graph.eq(node, graph.integer(value)), graph.integer(other), image)
        return image


def renaming_of(system: System, names: Names) -> Renaming:
    """What exchanging names means for the variables of a system, as the annotations of its records say."""
    paths, values = {}, {}
    for path, image, renamed in _leaves(system.shape.cls, system.scope, names, "", ""):
        if image != path:
            paths[path] = image
        if renamed:
            values[path] = renamed
    return Renaming(names, paths, values)


def _leaves(
    annotation: Any, scope: Scope, names: Names, path: str, image: str
) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Every leaf below an annotation: its path, the path that it goes to, and how its values are renamed."""
    base = typing.get_args(annotation)[0] if hasattr(annotation, "__metadata__") else annotation
    metadata = {type(item).__name__: item for item in getattr(annotation, "__metadata__", ())}
    if "Size" in metadata:
        size = metadata["Size"].name
        (element,) = typing.get_args(base)
        for i, j in enumerate(names.get(size, range(scope.sizes[size]))):
            yield from _leaves(element, scope, names, f"{path}[{i}]", f"{image}[{j}]")
    elif dataclasses.is_dataclass(base):
        for field in dataclasses.fields(base):
            hint = hints_of(typing.cast(type, base))[field.name]
            yield from _leaves(hint, scope, names, join(path, field.name), join(image, field.name))
    else:
        yield path, image, names.get(metadata["Domain"].name, ()) if "Domain" in metadata else ()


def counterpart(transitions: Sequence[Transition], t: Transition, names: Names) -> int | None:
    """The number of the transition that has the renamed parameters; None when names are chosen within a transition."""
    fixed = {}
    for parameter in t.action.parameters:
        domain = domain_of(t, parameter.name)
        if parameter.name in t.fixed:
            value, renamed = t.fixed[parameter.name], names.get(domain, ())
            fixed[parameter.name] = renamed[value] if 0 <= value < len(renamed) else value
        elif domain in names:
            return None
    for number, other in enumerate(transitions):
        if other.action is t.action and other.fixed == fixed:
            return number
    return None


def domain_of(t: Transition, parameter: str) -> str:
    """The domain that a parameter's annotation names; empty for none."""
    metadata = getattr(hints_of(t.action.call)[parameter], "__metadata__", ())
    return next((item.name for item in metadata if type(item).__name__ == "Domain"), "")


def compose(second: Names, first: Names) -> dict[str, tuple[int, ...]]:
    """First one exchange of names, then another."""
    return {name: tuple(second[name][i] for i in images) for name, images in first.items()}


def generated_by(generators: Sequence[Names]) -> list[dict[str, tuple[int, ...]]]:
    """Every exchange of names that some of these make together, the one that changes nothing first."""
    if not generators:
        return []
    unchanged = {name: tuple(range(len(images))) for name, images in generators[0].items()}
    found = [unchanged]
    for names in found:
        found += [new for g in generators if (new := compose(g, names)) not in found]
    return found
