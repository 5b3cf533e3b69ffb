"""Faults planted in the model: each changes one place of one method of a release, and some claim must notice.

A fault is the method's own text with one place replaced, so it follows the model; where the model no longer has the
place, planting fails instead of testing something else.
"""

from __future__ import annotations

import inspect
import linecache
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from podproof.model.releases import V1_29


@dataclass(frozen=True)
class Mutant:
    """One fault. `scenario` names the world of `test_mutants.WORLDS` in which it must be noticed."""

    name: str
    """What the faulty kubelet does, as a sentence."""
    method: str
    text: str
    """The one place in the method that changes; it may span lines, relative to the method's own indentation."""
    instead: str
    scenario: str
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
