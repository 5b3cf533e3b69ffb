"""What is changed in the other files of the kubelet, of which nothing is translated: functions by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from podproof.golang.releases import proved_releases
from podproof.golang.syntax import field, text, tokens
from podproof.model.notes import names_of
from podproof.model.release import KubeletRelease
from podproof.model.scenarios import SCENARIOS

Texts = tuple[str, str]
"""A file before and after; empty where it is not there."""


def changed_of_the_model(files: Mapping[str, Texts], release: type[KubeletRelease]) -> dict[str, list[str]]:
    """By path the functions that are not the same in both, and that the model has by hand or that ask the pod workers.

    Files without one are left out.
    """
    modelled = frozenset(_names(release))
    workers = {name.removeprefix("podWorkers.") for name in proved_releases()[0].fingerprints}
    asked = {name for name in workers if name[:1].isupper() and name.isidentifier()} | {"killPodNow"}
    found: dict[str, list[str]] = {}
    for path, (before, after) in files.items():
        first, second = _functions(before), _functions(after)
        for name in dict.fromkeys((*second, *first)):
            words = (*first.get(name, ()), *second.get(name, ()))
            if first.get(name) != second.get(name) and (name in modelled or not asked.isdisjoint(words)):
                found.setdefault(path, []).append(name)
    return found


def _names(release: type[KubeletRelease]) -> Iterator[str]:
    """The Go functions around the pod workers that a release has a model of."""
    parts = {name for scenario in SCENARIOS.values() for name in scenario.parts} | {"callers"}
    classes = [getattr(release, part) for part in parts if hasattr(release, part)]
    classes += [cls.allocation for cls in classes if hasattr(cls, "allocation")]
    for method in (method for cls in classes for base in cls.__mro__ for method in vars(base).values()):
        yield from (go.name for go in names_of(method))


def _functions(source: str) -> dict[str, tuple[str, ...]]:
    """The words of each function without comments, by its name alone; of several with one name all."""
    import tree_sitter
    import tree_sitter_go

    root = tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language())).parse(source.encode()).root_node
    found: dict[str, tuple[str, ...]] = {}
    for node in root.named_children:
        if node.type in ("function_declaration", "method_declaration"):
            name = text(field(node, "name"))
            found[name] = (*found.get(name, ()), *tokens(node))
    return found
