"""Faults planted in the model: each changes one place of one method of a release, and some claim must notice.

They stand in tests/golden/catalogue-faults-<part>.txt: what the faulty kubelet does, the method and the world in which
it must be noticed, the lines that change, and the claims that notice. A fault is the method's own text with one place
replaced, so it follows the model; where the model no longer has the place, planting fails instead of testing something
else. To add one, write it there without claims and run pytest tests/test_mutants.py --rewrite-golden.
"""

from __future__ import annotations

import inspect
import linecache
import re
import sys
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from podproof.model.releases import V1_26, V1_29

GOLDEN = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class Mutant:
    """One fault. `scenario` names the world of `test_mutants.WORLDS` in which it must be noticed."""

    name: str
    """What the faulty kubelet does, as a sentence."""
    method: str
    scenario: str
    text: str
    """The one place in the method that changes; it may span lines."""
    instead: str
    noticed: tuple[str, ...]
    """The claims that notice it."""
    version: type[V1_29] = V1_29

    def plant(self) -> type[V1_29]:
        """The version with the fault. Raises ValueError when the method has the place not exactly once."""
        original = getattr(self.version, self.method)
        source = textwrap.dedent(inspect.getsource(original))
        found = source.count(self.text)
        if found != 1:
            raise ValueError(f"fault {self.name!r}: {self.method} has {self.text!r} {found} times, not once")
        return override(self.version, original, source.replace(self.text, self.instead), f"fault: {self.name}")


def override(release: type[V1_29], original: Callable[..., object], text: str, name: str) -> type[V1_29]:
    """The release with a method of this text, which reads the names of the original one's module."""
    whole = "from __future__ import annotations\n\nclass Faulty(Release):\n" + textwrap.indent(text, "    ")
    # Not a file, but where `inspect` finds the lines that the lowering reads.
    file = f"<{name}>"
    linecache.cache[file] = (len(whole), None, whole.splitlines(keepends=True), file)
    namespace = {**vars(sys.modules[original.__module__]), "Release": release}
    exec(compile(whole, file, "exec"), namespace)
    made: type[V1_29] = namespace["Faulty"]
    return made


def read(part: str, version: type[V1_29] = V1_29) -> tuple[Mutant, ...]:
    """The faults of one table. Raises ValueError where it reads otherwise."""
    faults = []
    for block in (GOLDEN / f"catalogue-faults-{part}.txt").read_text(encoding="utf-8").strip("\n").split("\n\n"):
        name, place, *lines = block.split("\n")
        found = re.fullmatch(r"  (\w+), (.+)", place)
        marked = {mark: [line[4:] for line in lines if line.startswith(mark)] for mark in ("  - ", "  + ", "    ")}
        if found is None or sum(map(len, marked.values())) != len(lines) or not marked["  - "]:
            raise ValueError(f"catalogue-faults-{part}.txt: this is no fault:\n{block}")
        text, instead = ("\n".join(marked[mark]) for mark in ("  - ", "  + "))
        faults.append(
            Mutant(name, *found.groups(), text, instead, tuple(x.split()[0] for x in marked["    "]), version)
        )
    return tuple(faults)


def told(fault: Mutant, noticed: Iterable[str]) -> list[str]:
    """A fault as a table has it, with what is said of who notices."""
    return [
        *(fault.name, f"  {fault.method}, {fault.scenario}"),
        *(f"  - {line}" for line in fault.text.splitlines()),
        *(f"  + {line}" for line in fault.instead.splitlines()),
        *(f"    {line}" for line in noticed),
        "",
    ]


MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "update-pod": read("update-pod"),
    "known-pods": read("known-pods"),
    "worker": read("worker"),
    "starting": read("starting"),
    "v1.26": read("v1.26", V1_26),
}
"""The faults by the part of the kubelet that they are in."""
RUN_MUTANTS = read("runs")
"""Faults that only claims about runs notice: somebody waits for ever, and no step is wrong."""
