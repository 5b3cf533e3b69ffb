"""Faults planted in the model: each changes one place of one method of a release, and some claim must notice.

A fault is the method's own text with one place replaced, so it follows the model; where the model no longer has the
place, planting fails instead of testing something else.
"""

from __future__ import annotations

import inspect
import linecache
import sys
import textwrap
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
        head = "from __future__ import annotations\n\nclass Faulty(Release):\n"
        faulty = head + textwrap.indent(source.replace(self.text, self.instead), "    ")
        # Not a file, but where `inspect` finds the lines that the lowering reads.
        file = f"<fault: {self.name}>"
        linecache.cache[file] = (len(faulty), None, faulty.splitlines(keepends=True), file)
        namespace = {**vars(sys.modules[original.__module__]), "Release": self.version}
        exec(compile(faulty, file, "exec"), namespace)
        made: type[V1_29] = namespace["Faulty"]
        return made
